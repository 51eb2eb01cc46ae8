// A definition that thousands of places refer to is met at thousands of paths.

import { expect, test } from 'vitest';
import {
  openPathSet,
  type Path,
  pathBelow,
  rootPath,
} from '../../../../src/core/diff/places/path.ts';

/** Counts how often it is read where a path ends. */
function counted(path: Path, reads: { count: number }): Path {
  return {
    ...{ above: path.above, text: path.text },
    get step() {
      reads.count++;
      return path.step;
    },
  };
}

const manyPaths = Array.from({ length: 2_000 }, (_, index) =>
  pathBelow(rootPath, ['properties', `p${index}`, 'items']),
);

test('Each path is new once, however many there are', () => {
  const isNew = openPathSet();
  expect(manyPaths.map((path) => isNew(path))).not.toContain(false);
  const again = manyPaths.map(({ above, step }) => pathBelow(above ?? rootPath, [step]));
  expect(again.map((path) => isNew(path))).not.toContain(true);
});

test('A number and the same digits are two steps', () => {
  const isNew = openPathSet();
  const ends = [[1], ['1'], [1], ['1']];
  expect(ends.map((steps) => isNew(pathBelow(rootPath, steps)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('Of many paths not each is compared with each', () => {
  const isNew = openPathSet();
  const reads = { count: 0 };
  for (const path of manyPaths) isNew(counted(path, reads));
  expect(reads.count).toBeLessThan(manyPaths.length);
});
