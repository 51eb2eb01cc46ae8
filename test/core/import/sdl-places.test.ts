// Where a type stands is what the parser of GraphQL says of its name, which is slow to ask for.

import { Kind, parse } from 'graphql/language';
import { expect, test } from 'vitest';
import { placeOfNode, readSdl } from '../../../src/core/import/graphql/sdl-document.ts';

const texts: readonly (readonly [says: string, sdl: string])[] = [
  ['after a description', '"""A type B {"""\ntype A { a: Int }\ntype B { a: Int }'],
  ['after quotes that end no text', '"""x \\""" y""" enum E { A } "\\" type F" type F { a: Int }'],
  ['after comments and commas', 'type # one type B\n,, A,{ a: Int },type,B{a:Int}'],
  [
    'with keywords for names',
    'union type = type | input\ntype input { type: Int } enum enum { A }',
  ],
  [
    'after a union and a list of interfaces',
    'union U = A type A implements I & J type J { a: Int }',
  ],
  [
    'after fields that read like it',
    'type A { a: type B: type } type B { a: Int } type type { a: A }',
  ],
  ['where it is extended alone', 'extend type Q @key(fields: "type Q") { a(b: Int = 1): Int }'],
  ['on lines that end in two ways', 'type A { a: Int }\r\n\rtype B { a: Int }\ninput C { a: Int }'],
  [
    'after a mark of the order of bytes',
    '\uFEFFscalar D directive @x on OBJECT interface I { a: Int }',
  ],
];

test.each(texts)('a type is found %s', (_says, sdl) => {
  const asked = new Map<string, string>();
  for (const node of parse(sdl).definitions) {
    if (node.kind === Kind.DIRECTIVE_DEFINITION || !('name' in node)) continue;
    if (node.name !== undefined) asked.set(node.name.value, placeOfNode(node));
  }
  const { types, problems } = readSdl(sdl);
  expect(problems).toEqual([]);
  expect([...types].map(([name, { place }]) => [name, place])).toEqual([...asked]);
});

test.each([
  ['in an extension', 'type A { a: Int }\n  extend type A { b: Int\n b: Int }', 'line 3, column 2'],
  ['on the line of its type', 'scalar S """d""" input I { a: Int, a: Int }', 'line 1, column 36'],
  [
    'after one of another kind',
    'type A @d(x: {y: 1}) { a: Int } enum E {\n B B }',
    'line 2, column 4',
  ],
  ['of a type that has a twin', 'type A { a: Int }\ntype A { a: Int a: Int }', 'line 2, column 6'],
])('a member that is there twice is found %s', (_where, sdl, place) => {
  expect(readSdl(sdl).problems.map((problem) => problem.place)).toEqual([place]);
});

test('where a query stands among types is told', () => {
  const { problems } = readSdl('type A { a: Int a: Int }\n { a }');
  expect(problems.map(({ place }) => place)).toEqual(['line 1, column 17', 'line 2, column 2']);
});
