// Annotations that changed at places that the walk does not visit, because it visits only schemas
// that constrain values. This file looks at every place of both documents and reports what the walk
// did not.

import type { Change, CompatibilityMode } from '../../comparison.ts';
import { jsonPathOf, type SchemaDocument, type SchemaNode } from '../../schema/schema.ts';
import {
  listWritten,
  listWrittenApart,
  listWrittenIn,
  type WrittenAnnotations,
} from '../../schema/written-annotations.ts';
import { canonicalJson, isSameJson } from '../../value/canonical-json.ts';
import { isJsonObject, type Json } from '../../value/json.ts';
import type { Place, PlaceBook } from '../places/place.types.ts';
import { classifyPlaces, type IsTold } from '../places/place-classes.ts';
import { type MetPairs, writtenNodes } from './met-pairs.ts';
import type { Annotated, Met } from './walk.types.ts';
import { annotationMovement, lossOfDiscriminator } from './walk-annotations.ts';

interface UnwalkedAnnotations {
  /** Discriminators that readers lose. */
  readonly promises: readonly Change[];
  /** At places that both documents have. */
  readonly firm: readonly Change[];
  /**
   * At places that only one document has, or that cannot be matched: annotations that came with a
   * property or were moved. They are reported only if nothing else changed, and looked for only then.
   */
  readonly loose: () => readonly Change[];
}

interface Asked {
  readonly oldBook: PlaceBook;
  readonly nextBook: PlaceBook;
  readonly walks: readonly Annotated[];
  readonly met: MetPairs;
  readonly listDifferences: AnnotationDifferences;
  readonly mode: CompatibilityMode;
  /** Whether both documents have one normal form, of all annotations with those names alone. */
  readonly hasSameForm: (isTold: IsTold) => boolean;
}

/** Returns the changes that the walks of the parts did not report. */
export function compareUnwalked(asked: Asked): UnwalkedAnnotations {
  const { oldBook, nextBook, walks, met, mode, hasSameForm } = asked;
  const differences = asked.listDifferences();
  if (differences.length === 0) return { promises: [], firm: [], loose: () => [] };
  const told = walks.flatMap((walk) =>
    walk.told.flatMap(({ pair, name }) => writtenNodes(pair).map((node) => ({ node, name }))),
  );
  const toldNames = Map.groupBy(told, ({ node }) => node);
  const isTold = ({ nodes, name }: Difference) =>
    nodes.some((node) => toldNames.get(node)?.some((each) => each.name === name) === true);
  /** The place was compared, and another node there says the same. */
  const isSaidElse = ({ nodes, name }: Difference) => {
    const [first, ...others] = nodes;
    const around = first === undefined ? [] : met.around(first);
    const isCompared = (each: Met) => walks.some(({ compared }) => compared.has(each));
    return around.some((each) => isCompared(each) && isExact(each, others, name));
  };
  const open = differences.filter((each) => !isTold(each) && !isSaidElse(each));
  const unmoved = new Set(withoutMoved(open));
  const lost = new Map(
    open.flatMap((each) => {
      if (!isFirm(each) && !unmoved.has(each)) return [];
      const says = lossIn(each, oldBook, nextBook);
      return says === null ? [] : [[each, says] as const];
    }),
  );
  const untold = open.filter((each) => !lost.has(each));
  const changeOf = (each: Difference) => toChange(each, mode === 'full');
  const looseChanges = () => {
    const loose = untold.filter((each) => !isFirm(each));
    const come = withoutMoved(loose);
    // Annotations that only moved leave the form of the documents as it is.
    const moved = new Set(loose.filter((each) => !come.includes(each)).map(({ name }) => name));
    const areMoved = moved.size === 0 || hasSameForm((name) => moved.has(name));
    return (areMoved ? come : loose).map(changeOf);
  };
  return {
    promises: [...lost].map(([each, says]) => toPromise(each, says, mode !== 'none')),
    firm: untold.filter(isFirm).map(changeOf),
    loose: looseChanges,
  };
}

interface Difference {
  /** Without the steps into an `allOf`, because everything in it applies to one place. */
  readonly place: string;
  readonly name: string;
  /** The nodes with the annotation, and the nodes at the same place in both documents. */
  readonly nodes: readonly SchemaNode[];
  /** The node at that place in each document. */
  readonly standing: readonly [SchemaNode | undefined, SchemaNode | undefined];
  /** The values that only the old document has, or has more often. */
  readonly before: readonly Json[];
  readonly after: readonly Json[];
}

/** Branches may be reordered, and their annotations move with them. */
const branch = /\/(anyOf|oneOf)\/\d+(\/|$)/;

function isFirm({ place, standing }: Difference): boolean {
  return standing.every((node) => node !== undefined) && !branch.test(place);
}

/** The discriminator that readers of the old schema lose at a place that both sides have, as a sentence. */
function lossIn(
  { name, nodes, standing: [was, is] }: Difference,
  oldBook: PlaceBook,
  nextBook: PlaceBook,
): string | null {
  if (name !== 'discriminator' || was === undefined || is === undefined) return null;
  if (!nodes.some((node) => nodesIn(oldBook).has(node))) return null;
  const [old, next] = [[oldBook, was] as const, [nextBook, is] as const].map(([book, node]) => {
    const { annotations, view } = book.placeOf([node]);
    const values = annotations.get(name) ?? [];
    return { dialect: node.dialect, hasUnion: view.unions.length > 0, values };
  });
  return old && next ? lossOfDiscriminator(old, next) : null;
}

const nodesOfRoot = new WeakMap<SchemaNode, ReadonlySet<SchemaNode>>();

/** The nodes that a schema consists of, without the definitions that nothing refers to. */
function nodesIn(book: PlaceBook): ReadonlySet<SchemaNode> {
  const { root } = book.document;
  const known = nodesOfRoot.get(root);
  if (known !== undefined) return known;
  const classes = classifyPlaces({ withAnnotations: false });
  classes.classOf(book.placeOf([root]));
  const all = [...classes.seen()].flatMap(({ annotated }) => annotated);
  const found = new Set(all.flatMap((node) => book.writtenNode(node) ?? []));
  nodesOfRoot.set(root, found);
  return found;
}

/** Lists what the annotations of two documents differ in. */
export type AnnotationDifferences = () => readonly Difference[];

export function annotationDifferences(
  old: SchemaDocument,
  next: SchemaDocument,
): AnnotationDifferences {
  return () => differencesOf([old, listWritten(old)], [next, listWritten(next)]);
}

/** Of two documents whose definitions stay while their roots are exchanged: each is read once. */
export function sharedAnnotationDifferences(
  old: SchemaDocument,
  next: SchemaDocument,
): AnnotationDifferences {
  const known = new Map<string, readonly Difference[]>();
  const inDefinition = (name: string, wasThere: boolean, isThere: boolean) => {
    const key = `${wasThere} ${isThere} ${name}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = differencesOf([old, listWrittenIn(old, name)], [next, listWrittenIn(next, name)]);
    known.set(key, found);
    return found;
  };
  return () => {
    const [were, are] = [definitionsOf(old), definitionsOf(next)];
    const names = new Set([...were, ...are]);
    return [
      ...differencesOf([old, listWrittenApart(old)], [next, listWrittenApart(next)]),
      ...[...names].flatMap((name) => inDefinition(name, were.has(name), are.has(name))),
    ];
  };
}

function definitionsOf({ json }: SchemaDocument): ReadonlySet<string> {
  const definitions = isJsonObject(json) ? (json.$defs ?? null) : null;
  return new Set(isJsonObject(definitions) ? Object.keys(definitions) : []);
}

type Written = readonly [SchemaDocument, WrittenAnnotations];

function differencesOf(
  [old, writtenBefore]: Written,
  [next, writtenNow]: Written,
): readonly Difference[] {
  const [were, are] = [byPlace(writtenBefore), byPlace(writtenNow)];
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
      const standing = [old.nodeAt(place), next.nodeAt(place)] as const;
      const nodes = [...saying.map(([document, pointer]) => document.nodeAt(pointer)), ...standing];
      return [
        {
          ...{ place, name, before: valuesOf(gone), after: valuesOf(come) },
          nodes: [...new Set(nodes.filter((node) => node !== undefined))],
          standing,
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

function byPlace(written: WrittenAnnotations): ReadonlyMap<string, readonly Said[]> {
  const said = [...written].flatMap(([pointer, annotations]) =>
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

/** Whether a pair contains these nodes, and no value of this annotation is repeated there. */
function isExact(pair: Met, nodes: readonly SchemaNode[], name: string): boolean {
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

function toPromise(each: Difference, says: string, breaking: boolean): Change {
  const change = toChange(each, false);
  const description = `\`${change.path}\`: ${says}`;
  return { ...change, type: 'schema_changed', description, breaking };
}

function toChange({ name, nodes, before, after }: Difference, breaking: boolean): Change {
  const { type, kind, says, warning, ...sides } = annotationMovement(name, before, after);
  const [node] = nodes;
  const path = node === undefined ? '$' : jsonPathOf(node);
  return {
    type,
    path,
    description: `\`${path}\`: ${says}`,
    breaking: breaking && kind === 'default',
    ...(sides.old === undefined ? {} : { old: sides.old }),
    ...(sides.new === undefined ? {} : { new: sides.new }),
    ...(warning === undefined ? {} : { warning }),
  };
}
