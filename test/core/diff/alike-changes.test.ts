import { expect, test } from 'vitest';
import type { Change } from '../../../src/core/comparison.ts';
import { groupAlike, withFirstExamples } from '../../../src/core/diff/alike-changes.ts';

function typeChange(name: string, more: Partial<Change> = {}): Change {
  const path = `$.properties.${name}`;
  return {
    type: 'type_changed',
    path,
    description: `\`${path}\`: string became integer`,
    breaking: true,
    old: 'string',
    new: 'integer',
    witness: { [name]: '' },
    ...more,
  };
}

test('Changes that differ only in place and example are one group, where the first one stood', () => {
  const [a, b, c, d] = [typeChange('a'), typeChange('b'), typeChange('c'), typeChange('d')];
  const other = typeChange('other', { new: 'boolean' });
  expect(groupAlike([a, other, b, c, d])).toEqual([[a, b, c, d], [other]]);
});

test('Two alike changes stand alone, and so do changes that say something else', () => {
  const pair = [typeChange('a'), typeChange('b')];
  expect(groupAlike(pair)).toEqual([[pair[0]], [pair[1]]]);
  const more: Partial<Change>[] = [
    { breaking: false },
    { warning: 'Read by one consumer.' },
    { old: 'number' },
    { description: '`$.properties.x`: string became integer, or null' },
  ];
  const each = more.map((one, index) => typeChange(`x${index}`, one));
  expect(groupAlike([...pair, ...each]).map((group) => group.length)).toEqual([1, 1, 1, 1, 1, 1]);
});

test('Of alike changes only the first one keeps its example, and others keep theirs', () => {
  const [a, b, c] = [typeChange('a'), typeChange('b'), typeChange('c')];
  const other = typeChange('other', { new: 'boolean' });
  const { witness: _b, ...bAlone } = b;
  const { witness: _c, ...cAlone } = c;
  expect(withFirstExamples([a, other, b, c])).toEqual([a, other, bAlone, cAlone]);
  expect(withFirstExamples([a, b])).toEqual([a, b]);
});
