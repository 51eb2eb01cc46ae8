// The check of a history finds what it is there to find.

import { expect, test } from 'vitest';
import { type Entry, type FinalState, problemsOf } from './ledger.ts';

const entries: readonly Entry[] = [
  publish(1, 2, 'm1', { is: 'published', contractId: 'c1', version: '1.0.0' }),
  { act: 'read active', assetId: 'a', versions: ['1.0.0'], from: 3, to: 4 },
  publish(5, 8, 'm2', { is: 'published', contractId: 'c2', version: '1.1.0' }),
  publish(6, 7, 'm3', { is: 'proposed', proposalId: 'p1', isNew: true }),
  publish(9, 10, 'm4', { is: 'refused', code: 'VERSION_EXISTS' }),
  { act: 'answer', proposalId: 'p1', isTaken: true, from: 11, to: 12 },
  { act: 'read state', proposalId: 'p1', state: 'published', from: 13, to: 14 },
];

const end: FinalState = {
  contracts: [
    { id: 'c1', assetId: 'a', version: '1.0.0', status: 'deprecated', mark: 'm1' },
    { id: 'c2', assetId: 'a', version: '1.1.0', status: 'deprecated', mark: 'm2' },
    { id: 'c3', assetId: 'a', version: '2.0.0', status: 'active', mark: 'm3' },
  ],
  proposals: [{ id: 'p1', state: 'published', mark: 'm3', publishedContractId: 'c3' }],
  events: [
    ...['c1', 'c2', 'c3'].map((entityId) => ({ type: 'contract.published', entityId })),
    { type: 'proposal.created', entityId: 'p1' },
    { type: 'proposal.acknowledged', entityId: 'p1' },
  ],
};

function publish(from: number, to: number, mark: string, told: Told): Entry {
  return { act: 'publish', assetId: 'a', mark, told, from, to };
}

type Told = Extract<Entry, { act: 'publish' }>['told'];

test('A history that matches its responses has no problem', () => {
  expect(problemsOf(entries, end)).toEqual([]);
});

const [first, second, third] = end.contracts;
const lost = { ...end, contracts: end.contracts.slice(1) };

test.each<readonly [string, readonly Entry[], FinalState, RegExp]>([
  ['a version that is lost', entries, lost, /^published m1 1\.0\.0 is lost/],
  [
    'a version with another content',
    entries,
    { ...end, contracts: [{ ...first, mark: 'm9' }, second, third] as FinalState['contracts'] },
    /^published m1 1\.0\.0 is m9/,
  ],
  [
    'what was refused and is there',
    entries,
    {
      ...end,
      proposals: [...end.proposals, { ...end.proposals[0], id: 'p2', mark: 'm4' }] as never,
    },
    /^refused m4 is there/,
  ],
  ['a proposal that is lost', entries, { ...end, proposals: [] }, /^proposed m3 is lost/],
  ['a version nobody was told of', entries.slice(1), end, /^nobody was told of 1\.0\.0/],
  [
    'an event that is missing',
    entries,
    { ...end, events: end.events.slice(1) },
    /^0 events contract\.published of c1/,
  ],
  [
    'an answer that was taken twice',
    entries,
    { ...end, events: [...end.events, { type: 'proposal.acknowledged', entityId: 'p1' }] },
    /^2 events proposal\.acknowledged/,
  ],
  [
    'two active versions',
    entries,
    { ...end, contracts: [{ ...first, status: 'active' }, second, third] as never },
    /^a has 2 active versions/,
  ],
  [
    'a version twice',
    entries,
    { ...end, contracts: [...end.contracts, { ...third, id: 'c4', status: 'archived' }] as never },
    /^a has a version twice/,
  ],
  [
    'a read of what was replaced',
    [...entries, { act: 'read active', assetId: 'a', versions: ['1.0.0'], from: 15, to: 16 }],
    end,
    /^a: 1\.0\.0 was told after 1\.1\.0/,
  ],
  [
    'a read of nothing',
    [...entries, { act: 'read active', assetId: 'a', versions: [], from: 15, to: 16 }],
    end,
    /^a was read with 0 active versions/,
  ],
  [
    'a decision that is taken back',
    [...entries, { act: 'read state', proposalId: 'p1', state: 'pending', from: 15, to: 16 }],
    end,
    /^p1: published, then pending/,
  ],
  [
    'a withdrawal that did not last',
    [...entries, { act: 'withdraw', proposalId: 'p1', isTaken: true, from: 15, to: 16 }],
    end,
    /^withdrawn p1 is published/,
  ],
])('It finds %s', (_name, told, final, problem) => {
  const found = problemsOf(told, final);
  expect(
    found.some((each) => problem.test(each)),
    found.join('\n'),
  ).toBe(true);
});
