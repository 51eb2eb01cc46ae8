// Splits a contract's schema into the parts that different sides write. An operation is a request
// and a response, and each has its own rules. Properties marked `readOnly` in OpenAPI are not part
// of requests, and `writeOnly` ones are not part of responses.

import type { Direction } from '../comparison.ts';
import type { SameSource } from '../same/same-source.ts';
import { type Keywords, type SchemaNode, saysSomething } from '../schema/schema.ts';
import { isSameJson } from '../value/canonical-json.ts';
import { isJsonObject, type Json } from '../value/json.ts';
import { namedIn } from './named-in.ts';
import { furtherMembers, type RestPart, restOfOperation } from './operation-rest.ts';
import type { PlaceBook } from './places/place.types.ts';
import { keywordsOfView } from './places/view-keywords.ts';
import { withDemandsDescribed } from './rewrite/with-demands-described.ts';
import { withoutMarked } from './rewrite/without-marked.ts';

export interface SchemaPart {
  readonly direction: Exclude<Direction, 'operation'>;
  /** The member of an operation that it is a part of; absent if it is the whole schema, or its frame. */
  readonly member?: string;
  /** The properties that lead to a part beside the request and the response. */
  readonly path?: readonly string[];
  readonly old: SchemaNode;
  readonly next: SchemaNode;
  /**
   * The old schema, in which a name that is demanded but not described does not count as declared.
   */
  readonly declaredOld: SchemaNode;
  /**
   * The nodes as they were written, if the part consists of exactly these; null if the part was
   * rewritten.
   */
  readonly written: { readonly old: SchemaNode; readonly next: SchemaNode } | null;
  /** Whether what the old schema describes may be gone. Values must still be accepted. */
  readonly mayLosePaths?: true;
  /**
   * The same with all that may be left of accepted values once what OpenAPI marks is removed. A change has to be
   * compatible for this, too.
   */
  readonly loose?: SchemaPart;
  /**
   * The same, but values of a branch may have what OpenAPI marks in it. Present if that refuses values that this part
   * accepts: a change has to be compatible for it, too.
   */
  readonly open?: SchemaPart;
  /** What a side accepts that ignores what is marked in branches, if it accepts more than the part. */
  readonly lenient?: { readonly old: SchemaNode; readonly next: SchemaNode };
}

/** A part that is rewritten when it is asked for. */
interface LazyPart {
  /** Two parts of one pair of books are the same if their keys are; null if that is not known. */
  readonly key: string | null;
  readonly open: () => SchemaPart;
}

/** Returns the parts to compare. Parts that are written alike on both sides are left out. */
export function projectParts(
  oldBook: PlaceBook,
  nextBook: PlaceBook,
  direction: Direction,
  isSameSource: SameSource,
): readonly SchemaPart[] {
  return listParts(oldBook, nextBook, direction, isSameSource).map((part) => part.open());
}

/** The same parts, each rewritten on demand. */
export function listParts(
  oldBook: PlaceBook,
  nextBook: PlaceBook,
  direction: Direction,
  isSameSource: SameSource,
): readonly LazyPart[] {
  const old = oldBook.document.root;
  const next = nextBook.document.root;
  const wholeIn = (direction: SchemaPart['direction']): LazyPart => ({
    key: null,
    open: () => partOf(oldBook, nextBook, { direction, old, next, written: { old, next } }),
  });
  if (direction !== 'operation') return isSameSource(old, next) ? [] : [wholeIn(direction)];
  const isPlain = operationOf(oldBook) !== null && operationOf(nextBook) !== null;
  if (!isPlain && isSameSource(old, next)) return [];
  const was = operationOf(oldBook) ?? namedIn(oldBook, old);
  const is = operationOf(nextBook) ?? namedIn(nextBook, next);
  const touched = members.filter((name) => !isSameMember(was, is, name, isSameSource));
  return [
    ...(isPlain ? [] : members.map(wholeIn)),
    ...(!isPlain || isSameFrame(old, next)
      ? []
      : [{ key: null, open: () => frameOfBoth(oldBook, was, nextBook, is) }]),
    ...touched.map((name) => ({
      key: keyOf([name, isDemanded(was, name), isDemanded(is, name)], [was, is].map(at(name))),
      open: () => memberPart(oldBook, was, nextBook, is, name),
    })),
    ...restOfOperation(
      { book: oldBook, properties: was.properties },
      { book: nextBook, properties: is.properties },
      isSameSource,
    ).map((part) => {
      const { old: before, next: after, ...said } = part;
      return { key: keyOf(said, [before, after]), open: () => restPart(oldBook, nextBook, part) };
    }),
  ];
}

function at(name: string): (operation: Operation) => SchemaNode | null {
  return ({ properties }) => properties?.get(name) ?? null;
}

function keyOf(said: Json, nodes: readonly (SchemaNode | null)[]): string {
  return `${JSON.stringify(said)} ${nodes.map((node) => node?.id ?? '-').join()}`;
}

function restPart(oldBook: PlaceBook, nextBook: PlaceBook, part: RestPart): SchemaPart {
  const { old, next } = part;
  const [member] = part.path;
  return partOf(oldBook, nextBook, {
    ...part,
    ...(member !== undefined && { member }),
    old: within(oldBook, part, old),
    next: within(nextBook, part, next),
    written: old === null || next === null ? null : { old, next },
  });
}

/** An object that contains only what stands at the path of the part; if that is absent, nothing. */
function within(
  book: PlaceBook,
  { path, isDemanded }: RestPart,
  node: SchemaNode | null,
): SchemaNode {
  const { root } = book.document;
  const made = (keywords: Keywords) => book.madeNode(root, { types: ['object'], ...keywords });
  const empty = made({ properties: new Map() });
  let around: SchemaNode | null = node ?? (isDemanded === true ? empty : null);
  for (const name of path.toReversed()) {
    const properties = new Map(around === null ? [] : [[name, around] as const]);
    around = made({ properties, ...(isDemanded === true ? { required: [name] } : {}) });
  }
  return around ?? empty;
}

/** The keywords of the root of an operation, with references and `allOf` followed. */
type Operation = Keywords;

/**
 * Returns null if the root says more than which members there are, for example in branches. Then
 * the whole schema is judged as both a request and a response, and so is each member that it names.
 */
function operationOf(book: PlaceBook): Operation | null {
  const { root } = book.document;
  const { ref, allOf } = root.keywords;
  const isDirect = ref === undefined && allOf === undefined;
  const keywords = isDirect ? root.keywords : keywordsOfView(book, book.placeOf([root]).view);
  if (keywords === null || saysSomethingElse(keywords.additionalProperties)) return null;
  return Object.keys(keywords).every((name) => framing.has(name)) ? keywords : null;
}

/**
 * Whether the root consists of members by name, without this one. A pattern, a branch or `not` may
 * say something of any member.
 */
export function saysNothingOf(book: PlaceBook, name: string): boolean {
  const operation = operationOf(book);
  if (operation === null) return false;
  return operation.properties?.has(name) !== true && !isDemanded(operation, name);
}

/** A schema for undeclared keys may apply to the request. */
function saysSomethingElse(node: SchemaNode | undefined): boolean {
  return saysSomething(node) && node.keywords.isFalse !== true;
}

/** Root keywords that concern the members by name, or not at all. */
const framing = new Set([
  ...['types', 'properties', 'required', 'additionalProperties', 'isIdle'],
  ...['minProperties', 'maxProperties', 'dependentRequired'],
]);

function isSameMember(
  old: Operation,
  next: Operation,
  name: MemberName,
  isSameSource: SameSource,
): boolean {
  const was = old.properties?.get(name);
  const is = next.properties?.get(name);
  if (was === undefined || is === undefined) return was === is;
  return isDemanded(old, name) === isDemanded(next, name) && isSameSource(was, is);
}

function isDemanded(operation: Operation, name: string): boolean {
  return operation.required?.includes(name) === true;
}

/**
 * The request or the response of both sides. A side that does not declare it gets the schema for an
 * absent member.
 */
function memberPart(
  oldBook: PlaceBook,
  oldOperation: Operation,
  nextBook: PlaceBook,
  nextOperation: Operation,
  name: MemberName,
): SchemaPart {
  const was = oldOperation.properties?.get(name);
  const is = nextOperation.properties?.get(name);
  const isInBoth = was !== undefined && is !== undefined;
  const wasDemanded = isInBoth && isDemanded(oldOperation, name);
  const isDemandedNow = isInBoth && isDemanded(nextOperation, name);
  return partOf(oldBook, nextBook, {
    direction: name,
    member: name,
    old: onlyMember(oldBook, name, was, wasDemanded),
    next: onlyMember(nextBook, name, is, isDemandedNow),
    written: isInBoth && wasDemanded === isDemandedNow ? { old: was, next: is } : null,
  });
}

function frameOfBoth(
  oldBook: PlaceBook,
  was: Operation,
  nextBook: PlaceBook,
  is: Operation,
): SchemaPart {
  const old = frameOf(oldBook, was);
  const next = frameOf(nextBook, is);
  return partOf(oldBook, nextBook, { direction: 'data', old, next, written: null });
}

/** Root keywords that hold the members, or schemas that references lead to. */
const holders = new Set(['properties', 'required', '$defs', 'definitions', 'components']);

/** Whether both operations consist only of their members, with the same keywords around them. */
function isSameFrame(old: SchemaNode, next: SchemaNode): boolean {
  const frames = [old, next].map(({ raw, keywords }) => {
    if (!isJsonObject(raw)) return null;
    const properties = Object.keys(
      isJsonObject(raw.properties ?? null) ? (raw.properties ?? {}) : {},
    );
    const names = [...properties, ...(keywords.required ?? [])];
    const words = Object.entries(raw).filter(([key]) => !holders.has(key));
    return names.every(isKnownName) ? Object.fromEntries(words) : null;
  });
  const [was = null, is = null] = frames;
  if (was === null || is === null || !isSameJson(was, is)) return false;
  const [before, after] = [old, next].map(({ keywords }) => demandedOf(keywords));
  if (!isSameJson(before ?? [], after ?? [])) return false;
  return ![old, next].some(({ keywords }) =>
    Object.keys(keywords).some((name) => !plain.has(name)),
  );
}

const plain = new Set(['types', 'properties', 'required']);

const marks = { data: null, request: 'readOnly', response: 'writeOnly' } as const;

function partOf(oldBook: PlaceBook, nextBook: PlaceBook, part: Written): SchemaPart {
  const mark = marks[part.direction];
  const sent = (book: PlaceBook, root: SchemaNode) => withoutMarked(book, root, mark);
  const [was, is] = [sent(oldBook, part.old), sent(nextBook, part.next)];
  const described = (declaredOld: SchemaNode, after: SchemaNode): SchemaPart => {
    const old = withDemandsDescribed(oldBook, declaredOld);
    const next = withDemandsDescribed(nextBook, after);
    const isWritten = old === part.old && next === part.next;
    return { ...part, old, next, declaredOld, written: isWritten ? part.written : null };
  };
  const read = (reading: 'plain' | 'loose'): SchemaPart => {
    const [before, after] = [was[reading], is[reading]];
    const whole = described(before.node, after.node);
    if (before.open === before.node && after.open === after.node) return whole;
    const open = described(before.open, after.open);
    const isWider = before.isOpenWider && after.isOpenWider;
    return { ...whole, ...(isWider ? { lenient: open } : { open }) };
  };
  const isOne = was.loose === was.plain && is.loose === is.plain;
  return { ...read('plain'), ...(!isOne && { loose: read('loose') }) };
}

type Written = Omit<SchemaPart, 'declaredOld' | 'loose' | 'open' | 'lenient'>;

const members = ['request', 'response'] as const;
type MemberName = (typeof members)[number];

const memberNames: readonly string[] = [...members, ...furtherMembers];

/** The whole schema with any value allowed for the request and the response. */
function frameOf(book: PlaceBook, operation: Operation): SchemaNode {
  const { properties, required: _, ...others } = operation;
  const { root } = book.document;
  const anything = book.madeNode(root, {});
  const framed = new Map([
    ...(properties ?? []),
    ...memberNames.map((name) => [name, anything] as const),
  ]);
  const demanded = demandedOf(operation);
  return book.madeWithAnnotations(root, {
    ...others,
    properties: framed,
    ...(demanded.length === 0 ? {} : { required: demanded }),
  });
}

/** Beside the request and the response, which are compared with their demands. */
function demandedOf({ required = [] }: Operation): readonly string[] {
  const others = required.filter((name) => !members.some((member) => member === name));
  return [...new Set(others)].sort();
}

function isKnownName(name: string): boolean {
  return memberNames.includes(name);
}

/**
 * Stands for an absent member. An operation without a request is sent nothing: no parameters and no
 * body. An operation without a response returns nothing, so any response that is added is
 * different.
 */
const nothing: Readonly<Record<MemberName, Keywords>> = {
  request: { types: ['object'], properties: new Map() },
  response: { isFalse: true },
};

/** An object that contains only the request or only the response. */
function onlyMember(
  book: PlaceBook,
  name: MemberName,
  node: SchemaNode | undefined,
  isRequired: boolean,
): SchemaNode {
  const { root } = book.document;
  return book.madeNode(root, {
    types: ['object'],
    properties: new Map([[name, node ?? book.madeNode(root, nothing[name])]]),
    ...(isRequired ? { required: [name] } : {}),
  });
}
