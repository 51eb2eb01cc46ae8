// Finds unions that are another spelling of one schema: `anyOf` with a null branch for a nullable
// type, branches of disjoint types for a list of types, and branches of constants for an enum.

import { findFormat } from '../../schema/formats/formats.ts';
import { isNumberFormat } from '../../schema/formats/number-formats.ts';
import type { Keywords, SchemaNode } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import type { JoinedUnion, Part, Place, PlaceBook, Union, View } from './place.types.ts';
import { saysValuesOnly } from './signature.ts';
import { numberTypes, type TypeSet, typeBit, typeNamesOf } from './type-set.ts';
import { keywordsOfView, madeOnce, nodeOfPlace } from './view-keywords.ts';

export interface MemberPlace {
  readonly place: Place;
  readonly view: View;
}

/**
 * Returns nodes that together mean the same as the union, or the union itself if there are none.
 */
export function joinedUnion(
  book: PlaceBook,
  kind: 'anyOf' | 'oneOf',
  allMembers: readonly MemberPlace[],
  holdsItself: boolean,
): JoinedUnion {
  const members = allMembers.filter(({ view }) => !view.isNever);
  const isExclusive = kind === 'oneOf' && !areDisjoint(members);
  const asWritten: Union = {
    kind: isExclusive ? 'oneOf' : 'anyOf',
    members: members.map(({ place }) => place),
  };
  const [first, ...others] = members;
  if (first === undefined) return { nodes: [neverNode(book)] };
  if (others.length === 0) return { nodes: first.place.nodes };
  if (isExclusive) return asWritten;
  // A mark of OpenAPI is one of the values of its branch.
  if (members.some(({ place }) => isMarked(book, place))) return spliced(asWritten);
  const enumeration = joinedValues(book, members);
  if (enumeration !== null) return { nodes: enumeration };
  const typed = joinedTypes(book, members);
  if (typed !== null) return { nodes: typed };
  return (holdsItself ? null : withNull(book, members)) ?? spliced(asWritten);
}

function isMarked(book: PlaceBook, place: Place): boolean {
  return place.annotated.some((node) => {
    const { readOnly, writeOnly } = book.annotationsOf(node);
    return readOnly === true || writeOnly === true;
  });
}

/** Whether no value is in two members, as far as types and listed values show. */
function areDisjoint(members: readonly MemberPlace[]): boolean {
  const seenTypes: TypeSet[] = [];
  const seenValues = new Set<string>();
  for (const { view } of members) {
    const values = view.values;
    if (values === null) {
      if (seenTypes.some((types) => (types & view.types) !== 0)) return false;
      seenTypes.push(view.types);
      continue;
    }
    for (const text of values.keys()) {
      if (seenValues.has(text)) return false;
      seenValues.add(text);
    }
    // A member with a list and members without one are distinguished by their types.
    const rest = members.filter((other) => other.view.values === null);
    if (rest.some((other) => (other.view.types & view.types) !== 0)) return false;
  }
  return true;
}

function neverNode(book: PlaceBook): SchemaNode {
  return book.madeNode(book.document.root, { isFalse: true });
}

/** Joins members that only list values into one list. */
function joinedValues(
  book: PlaceBook,
  members: readonly MemberPlace[],
): readonly SchemaNode[] | null {
  if (!members.every(({ view }) => isListOnly(view))) return null;
  const values = members.flatMap(({ view }): readonly Json[] =>
    view.values === null ? wholeTypes(view.types) : [...view.values.values()],
  );
  return joinedNodes(book, members, { enum: values });
}

/** Other keywords beside a list would also apply to the values of the other members. */
function isListOnly(view: View): boolean {
  if (!saysValuesOnly(view)) return false;
  return view.values !== null || (view.types & ~(typeBit.null | typeBit.boolean)) === 0;
}

function wholeTypes(types: TypeSet): readonly (null | boolean)[] {
  return [
    ...(types & typeBit.null ? [null] : []),
    ...(types & typeBit.boolean ? [false, true] : []),
  ];
}

/** Joins plain members of disjoint types by putting their keywords side by side. */
function joinedTypes(
  book: PlaceBook,
  members: readonly MemberPlace[],
): readonly SchemaNode[] | null {
  let types = 0;
  let keywords: Keywords = {};
  for (const { view } of members) {
    const own = view.values === null ? keywordsOfView(book, withOwnFormats(view)) : null;
    if (own === null || (types & view.types) !== 0) return null;
    // Integers and other numbers share their keywords.
    if ((types & numberTypes) !== 0 && (view.types & numberTypes) !== 0) return null;
    types |= view.types;
    const allOf = [...(keywords.allOf ?? []), ...(own.allOf ?? [])];
    keywords = { ...keywords, ...own, ...(allOf.length === 0 ? {} : { allOf }) };
  }
  return joinedNodes(book, members, { ...keywords, types: typeNamesOf(types) });
}

/** Removes the formats of other types, which would have an effect beside another member. */
function withOwnFormats(view: View): View {
  if (view.formats.length === 0) return view;
  const isText = (view.types & typeBit.string) !== 0;
  const isNumber = (view.types & numberTypes) !== 0;
  return {
    ...view,
    formats: view.formats.filter((name) => {
      if (findFormat(name) !== null) return isText;
      return !isNumberFormat(name) || isNumber;
    }),
  };
}

function joinedNodes(
  book: PlaceBook,
  members: readonly MemberPlace[],
  keywords: Keywords,
): readonly SchemaNode[] {
  const aliases = members.flatMap(({ place }) => annotatedNodes(book, place));
  return [book.madeNode(book.document.root, keywords), ...aliases];
}

/**
 * Whether a node says anything of its own, apart from references. A rewritten union is in other
 * parts.
 */
function saysOwn({ node, unions }: Part): boolean {
  for (const name in node.keywords) {
    if (name === 'ref' || name === 'allOf') continue;
    if (unions.length > 0 || (name !== 'anyOf' && name !== 'oneOf')) return true;
  }
  return false;
}

/** The annotations of a place, its aliases included, as nodes without constraints. */
function annotatedNodes(book: PlaceBook, place: Place): readonly SchemaNode[] {
  return place.view.parts
    .filter(({ node }) => Object.keys(book.annotationsOf(node)).length > 0)
    .map(({ node }) => book.madeWithAnnotations(node, {}));
}

/** A null branch and one other branch are the other branch, made nullable. */
function withNull(book: PlaceBook, members: readonly MemberPlace[]): JoinedUnion | null {
  const nulls = members.filter(({ view }) => isNullOnly(view));
  const others = members.filter(({ view }) => !isNullOnly(view));
  const [only] = others;
  if (nulls.length === 0 || only === undefined || others.length !== 1) return null;
  const plain = keywordsOfView(book, only.view);
  if (plain !== null) {
    const { types, enum: values, ...typed } = plain;
    return {
      nodes: joinedNodes(book, members, {
        ...typed,
        ...(types === undefined ? {} : { types: [...types, 'null'] }),
        ...(values === undefined ? {} : { enum: [...values, null] }),
      }),
    };
  }
  const nullable: SchemaNode[] = [];
  for (const { node, unions } of only.view.parts) {
    const made = nullableNode(book, node, unions);
    if (made === null) return null;
    nullable.push(made);
  }
  const aliases = nulls.flatMap(({ place }) => annotatedNodes(book, place));
  return { nodes: [...nullable, ...aliases] };
}

function isNullOnly(view: View): boolean {
  return view.types === typeBit.null && !saysMore(view);
}

function saysMore(view: View): boolean {
  return (
    view.unions.length + view.nots.length + view.ifs.length > 0 ||
    view.dynamic.length + view.problems.length > 0
  );
}

/**
 * Makes a node that also accepts null, or returns null if that is not possible. Apart from types,
 * listed values and unions, every keyword of the node has to concern a single type.
 */
function nullableNode(
  book: PlaceBook,
  node: SchemaNode,
  unions: readonly Union[],
): SchemaNode | null {
  const { anyOf, oneOf, not, if: condition, dynamicRef, problems } = node.keywords;
  if ((not ?? condition ?? dynamicRef ?? problems) !== undefined) return null;
  // Separated from what it refers to, the keyword would no longer see what that evaluates.
  const { unevaluatedProperties, unevaluatedItems } = node.keywords;
  if ((unevaluatedProperties ?? unevaluatedItems) !== undefined) return null;
  if (oneOf !== undefined && unions.some((union) => union.kind === 'oneOf')) return null;
  if (anyOf !== undefined && oneOf !== undefined) return null;
  const members = unions.flatMap((union) => union.members);
  return madeOnce(book, `null or ${node.id} ${members.map(({ id }) => id).join()}`, () =>
    withNullAdded(book, node, members),
  );
}

/**
 * Makes the node without what it refers to. Returns the node itself if it refers to nothing and
 * accepts null already.
 */
function withNullAdded(book: PlaceBook, node: SchemaNode, members: readonly Place[]): SchemaNode {
  const { ref, allOf, anyOf, oneOf, ...own } = node.keywords;
  const { isFalse, types, enum: values, const: constant, ...typed } = own;
  const list = constant === undefined ? values : [constant.value];
  const written = anyOf ?? oneOf;
  const hasNull = members.length === 0 || members.some(isNullPlace);
  const isNullable =
    !isFalse && (types?.includes('null') ?? true) && (list?.includes(null) ?? true);
  const isWhole =
    ref === undefined && allOf === undefined && (written === undefined || members.length > 0);
  if (isNullable && hasNull && isWhole) return node;
  const branches = members.map((member) => nodeOfPlace(book, member));
  const nullNode = madeOnce(book, 'null', () =>
    book.madeNode(book.document.root, { types: ['null'] }),
  );
  return book.madeWithAnnotations(node, {
    ...typed,
    ...(isFalse ? { types: ['null'] as const } : {}),
    ...(types === undefined ? {} : { types: [...new Set([...types, 'null' as const])] }),
    ...(list === undefined ? {} : { enum: [...list, null] }),
    ...(members.length === 0
      ? {}
      : { anyOf: hasNull ? (written ?? branches) : [...branches, nullNode] }),
  });
}

function isNullPlace({ nodes }: Place): boolean {
  const [only, ...others] = nodes;
  if (only === undefined || others.length > 0) return false;
  const names = Object.keys(only.keywords);
  return names.length === 1 && only.keywords.types?.join() === 'null';
}

/** An `anyOf` inside an `anyOf` is merged into it. */
function spliced(union: Union): Union {
  if (union.kind !== 'anyOf') return union;
  const members = union.members.flatMap((member) => {
    const inner = innerUnion(member);
    return inner === null ? [member] : inner.members;
  });
  return members.length === union.members.length ? union : { kind: 'anyOf', members };
}

/** The `anyOf` that a place consists of; null if it has anything else. */
function innerUnion(place: Place): Union | null {
  const [part, ...others] = place.view.parts.filter(saysOwn);
  if (part === undefined || others.length > 0) return null;
  const [union, ...more] = part.unions;
  const names = Object.keys(part.node.keywords);
  const isAlone = names.every((name) => name === 'anyOf' || name === 'oneOf' || name === 'ref');
  return union !== undefined && more.length === 0 && isAlone && union.kind === 'anyOf'
    ? union
    : null;
}
