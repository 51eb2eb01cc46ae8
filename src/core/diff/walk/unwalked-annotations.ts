// Annotations that changed at places that the walk does not visit, because it visits only schemas
// that constrain values. This file looks at every place of both documents and reports what the walk
// did not.

import type { Change } from '../../comparison.ts';
import { jsonPathOf, type SchemaDocument, type SchemaNode } from '../../schema/schema.ts';
import { listWritten } from '../../schema/written-annotations.ts';
import { canonicalJson, isSameJson } from '../../value/canonical-json.ts';
import type { Json } from '../../value/json.ts';
import type { Place, PlaceBook } from '../places/place.types.ts';
import type { IsTold } from '../places/place-classes.ts';
import type { Annotated, PlacePair } from './walk.types.ts';
import { annotationMovement } from './walk-annotations.ts';

interface UnwalkedAnnotations {
  /** At places that both documents have. */
  readonly firm: readonly Change[];
  /**
   * At places that only one document has, or that cannot be matched: annotations that came with a
   * property or were moved. They are reported only if nothing else changed.
   */
  readonly loose: readonly Change[];
}

interface Asked {
  readonly oldBook: PlaceBook;
  readonly nextBook: PlaceBook;
  readonly walks: readonly Annotated[];
  /** Whether both documents have the same text for a definition. */
  readonly isSameDefinition: (name: string) => boolean;
  /** Whether a changed default breaks. */
  readonly breaking: boolean;
  /** Whether both documents have one normal form, of all annotations with those names alone. */
  readonly hasSameForm: (isTold: IsTold) => boolean;
}

/** Returns the changes that the walks of the parts did not report. */
export function compareUnwalked(asked: Asked): UnwalkedAnnotations {
  const { oldBook, nextBook, walks, breaking, hasSameForm } = asked;
  const differences = differencesOf(oldBook.document, nextBook.document, asked.isSameDefinition);
  if (differences.length === 0) return { firm: [], loose: [] };
  const told = walks.flatMap((walk) =>
    walk.told.flatMap(({ pair, name }) => writtenNodes(pair).map((node) => ({ node, name }))),
  );
  const toldNames = Map.groupBy(told, ({ node }) => node);
  const pairs = walks.flatMap((walk) => walk.compared);
  const compared = Map.groupBy(
    pairs.flatMap((pair) => writtenNodes(pair).map((node) => ({ node, pair }))),
    ({ node }) => node,
  );
  const isTold = ({ nodes, name }: Difference) =>
    nodes.some((node) => toldNames.get(node)?.some((each) => each.name === name) === true);
  /** The place was compared, and another node there says the same. */
  const isSaidElse = ({ nodes, name }: Difference) => {
    const [first, ...others] = nodes;
    const around = (first && compared.get(first)) ?? [];
    return around.some(({ pair }) => isExact(pair, others, name));
  };
  const untold = differences.filter((each) => !isTold(each) && !isSaidElse(each));
  const changeOf = (each: Difference) => toChange(each, breaking);
  const loose = untold.filter((each) => !isFirm(each));
  const come = withoutMoved(loose);
  // Annotations that only moved leave the form of the documents as it is.
  const moved = new Set(loose.filter((each) => !come.includes(each)).map(({ name }) => name));
  const areMoved = moved.size === 0 || hasSameForm((name) => moved.has(name));
  return {
    firm: untold.filter(isFirm).map(changeOf),
    loose: (areMoved ? come : loose).map(changeOf),
  };
}

interface Difference {
  /** Without the steps into an `allOf`, because everything in it applies to one place. */
  readonly place: string;
  readonly name: string;
  /** The nodes with the annotation, and the nodes at the same place in both documents. */
  readonly nodes: readonly SchemaNode[];
  readonly isInBoth: boolean;
  /** The values that only the old document has, or has more often. */
  readonly before: readonly Json[];
  readonly after: readonly Json[];
}

/** Branches may be reordered, and their annotations move with them. */
const branch = /\/(anyOf|oneOf)\/\d+(\/|$)/;

function isFirm({ place, isInBoth }: Difference): boolean {
  return isInBoth && !branch.test(place);
}

function differencesOf(
  old: SchemaDocument,
  next: SchemaDocument,
  isSameDefinition: Asked['isSameDefinition'],
): readonly Difference[] {
  const [were, are] = [byPlace(old, isSameDefinition), byPlace(next, isSameDefinition)];
  const places = new Set([...were.keys(), ...are.keys()]);
  return [...places].flatMap((place) => {
    const [before = [], after = []] = [were.get(place), are.get(place)];
    const names = new Set([...before, ...after].map(({ name }) => name));
    return [...names].flatMap((name): Difference[] => {
      const [gone, come] = unshared(before.filter(isNamed(name)), after.filter(isNamed(name)));
      if (gone.length + come.length === 0) return [];
      const saying = [
        ...gone.map(({ pointer }) => [old, pointer] as const),
        ...come.map(({ pointer }) => [next, pointer] as const),
      ];
      const standing = [old.nodeAt(place), next.nodeAt(place)];
      const nodes = [...saying.map(([document, pointer]) => document.nodeAt(pointer)), ...standing];
      return [
        {
          ...{ place, name, before: valuesOf(gone), after: valuesOf(come) },
          nodes: [...new Set(nodes.filter((node) => node !== undefined))],
          isInBoth: standing.every((node) => node !== undefined),
        },
      ];
    });
  });
}

interface Said {
  readonly pointer: string;
  readonly name: string;
  readonly value: Json;
}

function byPlace(
  document: SchemaDocument,
  isLeftOut: (definition: string) => boolean,
): ReadonlyMap<string, readonly Said[]> {
  const said = [...listWritten(document, isLeftOut)].flatMap(([pointer, annotations]) =>
    Object.entries(annotations).map(([name, value]) => ({ pointer, name, value })),
  );
  return Map.groupBy(said, ({ pointer }) => withoutParts(pointer));
}

function withoutParts(pointer: string): string {
  if (!pointer.includes('/allOf/')) return pointer;
  return pointer.replaceAll(/\/allOf\/\d+(?=\/|$)/g, '');
}

function isNamed(name: string): (said: Said) => boolean {
  return (said) => said.name === name;
}

function valuesOf(said: readonly Said[]): readonly Json[] {
  return said.map(({ value }) => value);
}

/** Returns what each side has and the other does not; equal values cancel one for one. */
function unshared(before: readonly Said[], after: readonly Said[]): [Said[], Said[]] {
  const come = [...after];
  const gone = before.filter(({ value }) => {
    const index = come.findIndex((other) => isSameJson(other.value, value));
    if (index >= 0) come.splice(index, 1);
    return index < 0;
  });
  return [gone, come];
}

function writtenNodes({ old, next }: PlacePair): readonly SchemaNode[] {
  return [old, next].flatMap(({ book, annotated }) =>
    annotated.flatMap((node) => book.writtenNode(node) ?? []),
  );
}

/** Whether a pair contains these nodes, and no value of this annotation is repeated there. */
function isExact(pair: PlacePair, nodes: readonly SchemaNode[], name: string): boolean {
  const isOnce = ({ book, annotated, annotations }: Place) =>
    annotated.filter((node) => Object.hasOwn(book.annotationsOf(node), name)).length ===
    (annotations.get(name)?.length ?? 0);
  const held = new Set(writtenNodes(pair));
  return nodes.every((node) => held.has(node)) && isOnce(pair.old) && isOnce(pair.next);
}

/** Removes annotations that only moved from one place to another, once or several times. */
function withoutMoved(differences: readonly Difference[]): readonly Difference[] {
  const keysOf = (name: string, values: readonly Json[]) =>
    values.map((value) => `${name} ${canonicalJson(value)}`);
  const gone = new Set(differences.flatMap(({ name, before }) => keysOf(name, before)));
  const come = new Set(differences.flatMap(({ name, after }) => keysOf(name, after)));
  return differences.filter(
    ({ name, before, after }) =>
      keysOf(name, before).some((key) => !come.has(key)) ||
      keysOf(name, after).some((key) => !gone.has(key)),
  );
}

function toChange({ name, nodes, before, after }: Difference, breaking: boolean): Change {
  const { type, kind, says, ...sides } = annotationMovement(name, before, after);
  const [node] = nodes;
  const path = node === undefined ? '$' : jsonPathOf(node);
  return {
    type,
    path,
    description: `\`${path}\`: ${says}`,
    breaking: breaking && kind === 'default',
    ...(sides.old === undefined ? {} : { old: sides.old }),
    ...(sides.new === undefined ? {} : { new: sides.new }),
  };
}
