// One text for all the spellings of a schema, annotations included: what a digest is made of. The
// digest itself is made at the rim, where there is a hash function.

import type { ContractTerms } from '../comparison.ts';
import { isSameGuarantees } from '../guarantees.ts';
import type { Dialect } from '../schema/dialects.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import type { SchemaDocument, SchemaNode } from '../schema/schema.ts';
import { listWritten } from '../schema/written-annotations.ts';
import { canonicalJson, isSameJson } from '../value/canonical-json.ts';
import type { Json } from '../value/json.ts';
import { undecidedPattern } from './places/key-pattern.ts';
import { openPlaces } from './places/place.ts';
import type { Place } from './places/place.types.ts';
import { classifyPlaces } from './places/place-classes.ts';

/**
 * The normal form of a schema as a text: the same for every spelling of the same schema, and for no
 * other. It is stable for as long as `canonicalFormVersion` stands.
 *
 * @example canonicalText({ type: ['string'] }) === canonicalText({ type: 'string' }) // true
 */
export function canonicalText(schema: Json, dialect?: Dialect): string {
  const document = parseSchema(schema, dialect);
  const root = openPlaces(document, 'old').placeOf([document.root]);
  const classes = classifyPlaces({ withAnnotations: true });
  const text = `${canonicalFormVersion}\n${classes.textOf(root)}`;
  const isOpaque =
    [...classes.seen()].some(({ view }) => view.isOpaque) ||
    undecidedPattern(document) !== undefined;
  // Where the form does not say it all, the text does.
  const written = isOpaque ? [document.dialect, canonicalJson(schema)] : [];
  return [text, ...unseenAnnotations(document, classes.seen()), ...written].join('\n');
}

/** What stands where it says nothing of values: in a definition that nobody refers to, for one. */
function unseenAnnotations(document: SchemaDocument, seen: Iterable<Place>): readonly string[] {
  const written = [...listWritten(document)];
  if (written.length === 0) return [];
  const known = new Map<SchemaNode, Set<string>>();
  for (const { book, annotated } of seen) {
    // A value that is said twice of one place counts once there.
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
        .filter(([name]) => !names?.has(name))
        .map(([name, value]) => `${plainPointer(pointer)} ${name} ${canonicalJson(value)}`);
    })
    .sort();
}

/** Whatever the branches are called and however they are put together. */
function plainPointer(pointer: string): string {
  return pointer
    .replaceAll(/\/(allOf|anyOf|oneOf)\/\d+(?=\/|$)/g, '')
    .replace(/^\/(definitions|components\/schemas)(?=\/)/, '/$defs');
}

/** Moves when the normal form does, so that digests of two forms are never taken for one another. */
const canonicalFormVersion = 'canonical-2';

/** Whether publishing `next` where `old` is active would change nothing. */
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
