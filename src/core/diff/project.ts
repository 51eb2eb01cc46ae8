// Which part of a contract's schema is written by whom. An operation is a request and a response,
// each judged by its own rules; what OpenAPI marks readOnly is not in requests, writeOnly not in
// responses.

import type { Keywords, SchemaNode } from '../schema/schema.ts';
import type { Direction } from './diff.types.ts';
import type { PlaceBook } from './place.ts';
import { withoutMarked } from './without-marked.ts';

export interface SchemaPart {
  readonly direction: Exclude<Direction, 'operation'>;
  readonly old: SchemaNode;
  readonly next: SchemaNode;
}

export function projectParts(
  oldBook: PlaceBook,
  nextBook: PlaceBook,
  direction: Direction,
): readonly SchemaPart[] {
  const old = oldBook.document.root;
  const next = nextBook.document.root;
  if (direction !== 'operation') return [partOf(oldBook, nextBook, { direction, old, next })];
  return [
    { direction: 'data', old: frameOf(oldBook, old), next: frameOf(nextBook, next) },
    ...(['request', 'response'] as const).map((name) =>
      partOf(oldBook, nextBook, {
        direction: name,
        old: onlyMember(oldBook, old, name),
        next: onlyMember(nextBook, next, name),
      }),
    ),
  ];
}

function partOf(oldBook: PlaceBook, nextBook: PlaceBook, part: SchemaPart): SchemaPart {
  switch (part.direction) {
    case 'data':
      return part;
    case 'request':
    case 'response': {
      const mark = part.direction === 'request' ? 'readOnly' : 'writeOnly';
      return {
        direction: part.direction,
        old: withoutMarked(oldBook, part.old, mark),
        next: withoutMarked(nextBook, part.next, mark),
      };
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
  const isRequired = root.keywords.required?.includes(name) === true;
  const keywords: Keywords = {
    types: ['object'],
    properties: new Map(node === undefined ? [] : [[name, node]]),
    ...(isRequired ? { required: [name] } : {}),
  };
  return book.madeNode(root, keywords);
}
