import { expect, test } from 'vitest';
import { pathForm, withPathNames } from '../../../../src/core/import/openapi/path-names.ts';

const string = { type: 'string' };

function contractOf(names: readonly string[]) {
  const path = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, string])),
    required: names,
  };
  const query = { type: 'object', properties: { id: string } };
  return {
    type: 'object',
    properties: { request: { type: 'object', properties: { path, query }, required: ['path'] } },
  };
}

test('parameters of a path are renamed by their position, and those of a query are not', () => {
  const renamed = withPathNames(contractOf(['id', 'line']), '/a/{id}/b/{line}', '/a/{line}/b/{n}');
  expect(renamed).toEqual(contractOf(['line', 'n']));
});

test('a path of another form keeps its names', () => {
  const contract = contractOf(['id']);
  expect(withPathNames(contract, '/a/{id}', '/b/{name}')).toBe(contract);
  expect(pathForm('/a/{id}')).not.toBe(pathForm('/a/id'));
});
