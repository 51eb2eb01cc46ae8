// Which part of a contract's schema is written by whom. An operation is a request and a response,
// each judged by its own rules; what OpenAPI marks readOnly is not in requests, writeOnly not in
// responses.

import { isJsonObject } from '../json.ts';
import type { Keywords, SchemaNode } from '../schema/schema.ts';
import { isSameJson } from './canonical-json.ts';
import type { Direction } from './diff.types.ts';
import type { PlaceBook } from './place.ts';
import type { SameSource } from './same-source.ts';
import { withoutMarked } from './without-marked.ts';

export interface SchemaPart {
  readonly direction: Exclude<Direction, 'operation'>;
  readonly old: SchemaNode;
  readonly next: SchemaNode;
  /** Nodes as they were written that the part consists of, and of nothing else; null if changed. */
  readonly written: { readonly old: SchemaNode; readonly next: SchemaNode } | null;
}

/** What was written alike on both sides is no part: there is nothing to compare. */
export function projectParts(
  oldBook: PlaceBook,
  nextBook: PlaceBook,
  direction: Direction,
  isSameSource: SameSource,
): readonly SchemaPart[] {
  const old = oldBook.document.root;
  const next = nextBook.document.root;
  if (direction !== 'operation') {
    if (isSameSource(old, next)) return [];
    return [partOf(oldBook, nextBook, { direction, old, next, written: { old, next } })];
  }
  const touched = members.filter((name) => !isSameMember(old, next, name, isSameSource));
  return [
    ...(isSameFrame(old, next) ? [] : [frameOfBoth(oldBook, nextBook)]),
    ...touched.map((name) =>
      partOf(oldBook, nextBook, {
        direction: name,
        old: onlyMember(oldBook, old, name),
        next: onlyMember(nextBook, next, name),
        written: writtenMembers(old, next, name),
      }),
    ),
  ];
}

function isSameMember(
  old: SchemaNode,
  next: SchemaNode,
  name: string,
  isSameSource: SameSource,
): boolean {
  const was = old.keywords.properties?.get(name);
  const is = next.keywords.properties?.get(name);
  if (isDemanded(old, name) !== isDemanded(next, name)) return false;
  if (was === undefined || is === undefined) return was === is;
  return isSameSource(was, is);
}

function isDemanded(root: SchemaNode, name: string): boolean {
  return root.keywords.required?.includes(name) === true;
}

function writtenMembers(old: SchemaNode, next: SchemaNode, name: string): SchemaPart['written'] {
  const was = old.keywords.properties?.get(name);
  const is = next.keywords.properties?.get(name);
  if (was === undefined || is === undefined) return null;
  return isDemanded(old, name) === isDemanded(next, name) ? { old: was, next: is } : null;
}

function frameOfBoth(oldBook: PlaceBook, nextBook: PlaceBook): SchemaPart {
  const old = frameOf(oldBook, oldBook.document.root);
  const next = frameOf(nextBook, nextBook.document.root);
  return { direction: 'data', old, next, written: null };
}

/** Keywords of the root that hold the members, or schemas that references lead to. */
const holders = new Set(['properties', 'required', '$defs', 'definitions', 'components']);

/** Whether both are operations of nothing but their members, with the same words around them. */
function isSameFrame(old: SchemaNode, next: SchemaNode): boolean {
  const frames = [old, next].map(({ raw }) => {
    if (!isJsonObject(raw)) return null;
    const names = Object.keys(isJsonObject(raw.properties ?? null) ? (raw.properties ?? {}) : {});
    const keywords = Object.entries(raw).filter(([key]) => !holders.has(key));
    return names.every(isMemberName) ? Object.fromEntries(keywords) : null;
  });
  const [was = null, is = null] = frames;
  if (was === null || is === null || !isSameJson(was, is)) return false;
  return ![old, next].some(({ keywords }) =>
    Object.keys(keywords).some((name) => !plain.has(name)),
  );
}

const plain = new Set(['types', 'properties', 'required']);

function partOf(oldBook: PlaceBook, nextBook: PlaceBook, part: SchemaPart): SchemaPart {
  switch (part.direction) {
    case 'data':
      return part;
    case 'request':
    case 'response': {
      const mark = part.direction === 'request' ? 'readOnly' : 'writeOnly';
      const old = withoutMarked(oldBook, part.old, mark);
      const next = withoutMarked(nextBook, part.next, mark);
      const isWritten = old === part.old && next === part.next;
      return { ...part, old, next, written: isWritten ? part.written : null };
    }
    default:
      return part.direction satisfies never;
  }
}

const members = ['request', 'response'] as const;

/** The whole with anything in place of the request and the response. */
function frameOf(book: PlaceBook, root: SchemaNode): SchemaNode {
  const { properties, required, ...others } = root.keywords;
  const anything = book.madeNode(root, {});
  const framed = new Map([
    ...(properties ?? []),
    ...members.map((name) => [name, anything] as const),
  ]);
  const demanded = required?.filter((name) => !isMemberName(name)) ?? [];
  return book.madeWithAnnotations(root, {
    ...others,
    properties: framed,
    ...(demanded.length === 0 ? {} : { required: demanded }),
  });
}

function isMemberName(name: string): boolean {
  return members.some((member) => member === name);
}

/** An object that holds the request, or the response, alone. */
function onlyMember(book: PlaceBook, root: SchemaNode, name: string): SchemaNode {
  const node = root.keywords.properties?.get(name);
  const isRequired = isDemanded(root, name);
  const keywords: Keywords = {
    types: ['object'],
    properties: new Map(node === undefined ? [] : [[name, node]]),
    ...(isRequired ? { required: [name] } : {}),
  };
  return book.madeNode(root, keywords);
}
