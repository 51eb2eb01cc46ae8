// One text for all spellings of a schema, annotations included. The digest of a schema is computed
// from this text, outside of core, where a hash function is available.

import type { ContractTerms } from '../comparison.ts';
import { isSameGuarantees } from '../guarantees.ts';
import type { Dialect } from '../schema/dialects.ts';
import { obeySiblings } from '../schema/obey-siblings.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import type { SchemaDocument, SchemaNode } from '../schema/schema.ts';
import { listWritten } from '../schema/written-annotations.ts';
import { canonicalJson, isSameJson } from '../value/canonical-json.ts';
import type { Json } from '../value/json.ts';
import { undecidedPattern } from './places/key-pattern.ts';
import { openPlaces } from './places/place.ts';
import type { Place } from './places/place.types.ts';
import { classifyPlaces, type IsTold } from './places/place-classes.ts';

/**
 * The normal form of a schema as a text: equal for all spellings of the same schema, and different
 * for different schemas. It is stable for one value of `canonicalFormVersion`.
 *
 * @example canonicalText({ type: ['string'] }) === canonicalText({ type: 'string' }) // true
 */
export function canonicalText(schema: Json, dialect?: Dialect): string {
  const text = textOf(schema, dialect);
  // What some validators read differs where this does.
  const obeying = obeySiblings(schema, dialect);
  return obeying === null ? text : `${text}\n${textOf(obeying.schema, dialect)}`;
}

function textOf(schema: Json, dialect: Dialect | undefined): string {
  return textOfDocument(parseSchema(schema, dialect), () => true);
}

/** The same text with the annotations of some names alone. */
export function textOfDocument(document: SchemaDocument, isTold: IsTold): string {
  const root = openPlaces(document, 'old').placeOf([document.root]);
  const classes = classifyPlaces({ withAnnotations: true, isTold });
  const text = `${canonicalFormVersion}\n${classes.textOf(root)}`;
  const isOpaque =
    [...classes.seen()].some(({ view }) => view.isOpaque) ||
    undecidedPattern(document) !== undefined;
  // If the form does not express everything, the schema itself is added.
  const written = isOpaque ? [document.dialect, canonicalJson(document.json)] : [];
  return [text, ...unseenAnnotations(document, classes.seen(), isTold), ...written].join('\n');
}

/** Annotations in places that do not affect values, for example in an unused definition. */
function unseenAnnotations(
  document: SchemaDocument,
  seen: Iterable<Place>,
  isTold: IsTold,
): readonly string[] {
  const written = [...listWritten(document)];
  if (written.length === 0) return [];
  const known = new Map<SchemaNode, Set<string>>();
  for (const { book, annotated } of seen) {
    // A value that occurs twice at one place counts once there.
    const said = new Set<string>();
    for (const node of annotated) {
      const source = book.writtenNode(node);
      if (source === undefined) continue;
      const names = known.get(source) ?? new Set();
      known.set(source, names);
      for (const [name, value] of Object.entries(book.annotationsOf(source))) {
        const key = `${name} ${canonicalJson(value)}`;
        if (!said.has(key)) names.add(name);
        said.add(key);
      }
    }
  }
  return written
    .flatMap(([pointer, annotations]) => {
      const node = document.nodeAt(pointer);
      const names = node && known.get(node);
      return Object.entries(annotations)
        .filter(([name]) => isTold(name) && !names?.has(name))
        .map(([name, value]) => `${plainPointer(pointer)} ${name} ${canonicalJson(value)}`);
    })
    .sort();
}

/**
 * The pointer without the names of definition keywords and the positions of branches, which depend
 * on the spelling.
 */
function plainPointer(pointer: string): string {
  return pointer
    .replaceAll(/\/(allOf|anyOf|oneOf)\/\d+(?=\/|$)/g, '')
    .replace(/^\/(definitions|components\/schemas)(?=\/)/, '/$defs');
}

/**
 * Increased whenever the normal form changes, so that digests of different forms are never compared
 * as equal.
 */
const canonicalFormVersion = 'canonical-2';

/** Whether publishing `next` would change nothing while `old` is active. */
export function isSameTerms(old: ContractTerms, next: ContractTerms): boolean {
  return (
    old.compatibilityMode === next.compatibilityMode &&
    old.direction === next.direction &&
    isSameGuarantees(old.guarantees, next.guarantees) &&
    isSameSchema(old, next)
  );
}

function isSameSchema(old: ContractTerms, next: ContractTerms): boolean {
  if (old.dialect === next.dialect && isSameJson(old.schema, next.schema)) return true;
  return canonicalText(old.schema, old.dialect) === canonicalText(next.schema, next.dialect);
}
