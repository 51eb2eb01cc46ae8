// docs/engine.md: the question that it walks through has the answers that it says, and the files that
// it names are there.

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { contains } from '../../../src/core/containment/contains.ts';
import type { JsonObject } from '../../../src/core/value/json.ts';

const root = resolve(import.meta.dirname, '../../..');
const page = readFileSync(resolve(root, 'docs/engine.md'), 'utf8');

test('the question of the page is answered as it says, both ways round', () => {
  const { A, B } = JSON.parse(/```json\n([^`]+)```/.exec(page)?.[1] ?? '') as Record<
    'A' | 'B',
    JsonObject
  >;
  expect(contains({ a: A, b: B })).toMatchObject({ verdict: 'no', witness: { size: 0 } });
  expect(contains({ a: { ...B, required: ['size'] }, b: A }).verdict).toBe('yes');
  const loop = { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } };
  expect(contains({ a: loop, b: { type: 'string' } })).toMatchObject({
    verdict: 'undecided',
    reason: 'The schema refers to itself in a circle.',
  });
});

test('the page names every file of the engine, and none that is not there', () => {
  const rows =
    page
      .split('## The files')[1]
      ?.split('\n')
      .filter((line) => line.startsWith('| `')) ?? [];
  const named = rows.flatMap((row) => {
    let folder = '';
    return [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => {
      // After the first a file stands for one of the same folder.
      folder = name.includes('/') ? name.replace(/[^/]*$/, '') : folder;
      return name.endsWith('/') ? `${name}**/*.ts` : name.includes('/') ? name : folder + name;
    });
  });
  const found = named.map((name) => globSync(name, { cwd: resolve(root, 'src/core') }));
  expect(named.filter((_, index) => found[index]?.length === 0)).toEqual([]);
  const all = globSync('{containment,same}/**/*.ts', { cwd: resolve(root, 'src/core') });
  const left = all.filter(
    (file) => !found.flat().includes(file) && !file.endsWith('containment.types.ts'),
  );
  expect(left).toEqual([]);
});
