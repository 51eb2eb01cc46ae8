// A place of a schema: all subschemas that apply to one spot of a value, taken together. `$ref` and
// `allOf` are resolved here, and so are unions that are another spelling of one schema. Schemas
// with the same meaning by the rules of docs/compatibility.md have the same view (view.ts).

import { annotationsOf } from '../../schema/parse-schema.ts';
import {
  isOnlyReference,
  type SchemaDocument,
  type SchemaNode,
  stepsOf,
} from '../../schema/schema.ts';
import { isJsonObject, type Json, someObject } from '../../value/json.ts';
import type { JoinedUnion, Part, Place, PlaceBook, Union, View } from './place.types.ts';
import { joinedUnion, type MemberPlace } from './union.ts';
import { joinedAnnotations, readView } from './view.ts';

/**
 * Each combination of ingredients makes one node, so rewriting a circular union returns to known
 * nodes after a few. There may still be many combinations. Of the 10,000 subschemas that a schema
 * may have, most are not unions, and each union makes a few nodes.
 */
const maxMadeNodes = 50_000;

/** The ids of made nodes start here. Even a document of a gigabyte has fewer nodes of its own. */
const firstMadeId = 1_000_000_000;

/**
 * @example
 * const book = openPlaces(parseSchema({ type: 'string' }), 'old');
 * book.placeOf([book.document.root]).view.types
 */
export function openPlaces(document: SchemaDocument, label: 'old' | 'new'): PlaceBook {
  const byNode = new Map<SchemaNode, Place>();
  const byKey = new Map<string, Place>();
  let placeCount = 0;
  let madeId = firstMadeId;
  let usesUnevaluated: boolean | undefined;
  let anything: Place | undefined;
  const madeLike = new Map<SchemaNode, SchemaNode>();
  const book: PlaceBook = {
    document,
    label,
    rewriting: new Set(),
    circular: new Set(),
    madeOf: new Map(),
    rewritten: new Map(),
    get usesUnevaluated() {
      usesUnevaluated ??= hasUnevaluated(document.json);
      return usesUnevaluated;
    },
    get anything() {
      anything ??= book.placeOf([book.madeNode(document.root, {})]);
      return anything;
    },
    placeOf(nodes) {
      const [only] = nodes;
      if (only !== undefined && nodes.length === 1) {
        const known = byNode.get(only);
        if (known !== undefined) return known;
        const made = new PlaceOfNodes(book, placeCount++, nodes);
        byNode.set(only, made);
        return made;
      }
      const unique = [...new Set(nodes)].sort((a, b) => a.id - b.id);
      if (unique.length === 1) return book.placeOf(unique);
      const key = unique.map((node) => node.id).join(',');
      const known = byKey.get(key);
      if (known !== undefined) return known;
      const made = new PlaceOfNodes(book, placeCount++, unique);
      byKey.set(key, made);
      return made;
    },
    madeNode(like, keywords) {
      const id = madeId++;
      // Each made node has a unique text, so that comparisons by text never confuse two of them.
      const raw = { enum: [`made by the diff: ${label} ${id}`] };
      const { dialect, resource, parent, steps } = like;
      return { document, id, raw, dialect, resource, parent, steps, keywords };
    },
    madeWithAnnotations(like, keywords) {
      const made = book.madeNode(like, keywords);
      madeLike.set(made, madeLike.get(like) ?? like);
      return made;
    },
    isFull: () => madeId - firstMadeId >= maxMadeNodes,
    isHalfFull: () => madeId - firstMadeId >= maxMadeNodes / 2,
    writtenNode: (node) => (node.id < firstMadeId ? node : madeLike.get(node)),
    annotationsOf(node) {
      const source = book.writtenNode(node);
      return source === undefined ? {} : annotationsOf(source);
    },
  };
  return book;
}

function hasUnevaluated(json: Json): boolean {
  const names = ['unevaluatedProperties', 'unevaluatedItems'];
  return someObject(json, (object) => names.some((name) => Object.hasOwn(object, name)));
}

/** A class, because there is one for each subschema of a document, and most are never read. */
class PlaceOfNodes implements Place {
  readonly book: PlaceBook;
  readonly id: number;
  readonly nodes: readonly SchemaNode[];
  private read: View | undefined;
  private alias: Place | null | undefined;

  constructor(book: PlaceBook, id: number, nodes: readonly SchemaNode[]) {
    this.book = book;
    this.id = id;
    this.nodes = nodes;
  }

  get identity(): number {
    return this.target?.id ?? this.id;
  }

  /** The target of references is read once, however many there are. */
  get view(): View {
    this.read ??=
      this.target?.view ?? readView(this.book, this.nodes, flatten(this.book, this.nodes));
    return this.read;
  }

  get annotations(): View['annotations'] {
    const { book, view, target } = this;
    return target === null
      ? view.annotations
      : joinedAnnotations(book, view.annotations, aliasesOf(this.nodes));
  }

  get annotated(): readonly SchemaNode[] {
    const nodes = this.view.parts.map(({ node }) => node);
    return this.target === null ? nodes : [...nodes, ...aliasesOf(this.nodes)];
  }

  private get target(): Place | null {
    if (this.alias === undefined) this.alias = targetOf(this.book, this.nodes);
    return this.alias;
  }
}

/**
 * The maximum nesting of unions to look into when one is rewritten; deeper unions stay as written.
 * Each level takes about ten frames of a stack that holds ten thousand.
 */
const maxUnionDepth = 100;

/** The maximum length of a chain of references. */
const maxAliases = 100;

function targetOf(book: PlaceBook, nodes: readonly SchemaNode[]): Place | null {
  if (!nodes.some(isAlias)) return null;
  const targets = nodes.map((start) => aliasChain(start).at(-1) ?? start);
  // Circular references lead nowhere.
  return targets.some(isAlias) ? null : book.placeOf(targets);
}

/** A node, and the nodes that it leads to as long as each is only a reference. */
function aliasChain(start: SchemaNode): readonly SchemaNode[] {
  const chain = [start];
  for (let node = start; chain.length <= maxAliases && isAlias(node); chain.push(node)) {
    node = node.keywords.ref ?? node;
  }
  return chain;
}

/** The steps to where a place is written, if that is in a shared definition. */
export function definitionSteps({ nodes }: Place): readonly (string | number)[] | null {
  for (const start of nodes) {
    const steps = stepsOf(aliasChain(start).at(-1) ?? start);
    if (steps[0] === '$defs' || steps[0] === 'definitions') return steps;
  }
  return null;
}

/** The nodes that are only references: those of a place, and those on the way to its targets. */
function aliasesOf(nodes: readonly SchemaNode[]): readonly SchemaNode[] {
  return nodes.flatMap((node) => aliasChain(node).slice(0, -1));
}

/** The reference that a place consists of, as it is written; null for any other place. */
export function referenceOf(place: Place): string | null {
  let [node] = place.nodes;
  if (node === undefined || place.nodes.length !== 1) return null;
  for (let count = 0; count < maxAliases && !isAlias(node); count++) {
    const [only, ...others]: readonly SchemaNode[] = node.keywords.allOf ?? [];
    if (only === undefined || others.length > 0) return null;
    if (Object.keys(node.keywords).length > 1) return null;
    node = only;
  }
  const reference = isJsonObject(node.raw) ? node.raw.$ref : undefined;
  return typeof reference === 'string' ? reference : null;
}

function isAlias({ keywords }: SchemaNode): boolean {
  return isOnlyReference(keywords);
}

function flatten(book: PlaceBook, nodes: readonly SchemaNode[]): readonly Part[] {
  const parts: Part[] = [];
  const seen = new Set<SchemaNode>();
  const waiting = [...nodes].reverse();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    const { ref, allOf } = node.keywords;
    const unions: Union[] = [];
    for (const kind of ['anyOf', 'oneOf'] as const) {
      const members = node.keywords[kind];
      if (members === undefined) continue;
      const union = rewriteUnion(book, node, kind, members);
      if ('kind' in union) unions.push(union);
      else waiting.push(...union.nodes);
    }
    parts.push({ node, unions });
    if (allOf !== undefined) waiting.push(...allOf.toReversed());
    if (ref !== undefined) waiting.push(ref);
  }
  return parts;
}

/** Returns nodes that together mean the same as the union, or the union if there are none. */
function rewriteUnion(
  book: PlaceBook,
  node: SchemaNode,
  kind: 'anyOf' | 'oneOf',
  memberNodes: readonly SchemaNode[],
): JoinedUnion {
  const { rewriting, rewritten } = book;
  const known = rewritten.get(memberNodes);
  if (known !== undefined) return known;
  const places = memberNodes.map((member) => book.placeOf([member]));
  if (rewriting.has(node)) noteCircle(book, node);
  if (rewriting.has(node) || rewriting.size > maxUnionDepth || book.isFull()) {
    return { kind, members: places };
  }
  rewriting.add(node);
  try {
    const members: MemberPlace[] = places.map((place) => ({ place, view: place.view }));
    const joined = joinedUnion(book, kind, members, book.circular.has(node));
    rewritten.set(memberNodes, joined);
    return joined;
  } finally {
    rewriting.delete(node);
  }
}

/** Records the node, and all nodes that are being rewritten because of it. */
function noteCircle({ rewriting, circular }: PlaceBook, node: SchemaNode): void {
  const nodes = [...rewriting];
  for (const each of nodes.slice(nodes.indexOf(node))) circular.add(each);
}
