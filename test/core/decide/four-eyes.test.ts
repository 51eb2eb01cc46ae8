import { describe, expect, test } from 'vitest';
import { decideForce, decideForcingPerson } from '../../../src/core/decide/proposals/four-eyes.ts';
import type { ForceRequest, ProposalConsumer } from '../../../src/core/proposal.ts';

const [ada, bob] = ['ada', 'bob'];

const byAda: ForceRequest = {
  by: { type: 'api_key', id: 'key', name: 'Key of Ada' },
  userId: ada,
  reason: 'Legal wants it gone.',
  requestedAt: '2026-01-31T12:00:00.000Z',
  round: 2,
  overrides: ['billing'],
};

const consumer = (teamId: string, acknowledged = false): ProposalConsumer => ({
  ...{ teamId, teamName: teamId, acknowledged, acknowledgedAt: null, response: null },
  ...{ until: null, notes: null },
});

interface Row {
  readonly what: string;
  readonly needsTwo?: boolean;
  readonly forcer: string | null;
  readonly requested: ForceRequest | null;
  readonly mayStillForce?: boolean;
  readonly round?: number;
  readonly consumers?: readonly ProposalConsumer[];
  readonly outcome: 'request' | 'carry_out' | 'FORBIDDEN' | 'SECOND_ADMINISTRATOR_NEEDED';
}

const rows: readonly Row[] = [
  {
    what: 'one is enough without the setting',
    needsTwo: false,
    forcer: ada,
    requested: null,
    outcome: 'carry_out',
  },
  {
    what: 'a key of no user is enough without the setting',
    needsTwo: false,
    forcer: null,
    requested: null,
    outcome: 'carry_out',
  },
  {
    what: 'a request that waited is no hindrance once the setting is off',
    needsTwo: false,
    forcer: ada,
    requested: byAda,
    outcome: 'carry_out',
  },
  { what: 'the first one requests it', forcer: ada, requested: null, outcome: 'request' },
  { what: 'another one carries it out', forcer: bob, requested: byAda, outcome: 'carry_out' },
  {
    what: 'the same one again is refused',
    forcer: ada,
    requested: byAda,
    outcome: 'SECOND_ADMINISTRATOR_NEEDED',
  },
  { what: 'nobody in particular requests', forcer: null, requested: null, outcome: 'FORBIDDEN' },
  { what: 'nobody in particular confirms', forcer: null, requested: byAda, outcome: 'FORBIDDEN' },
  {
    what: 'a request of another round is none',
    forcer: bob,
    requested: byAda,
    round: 3,
    outcome: 'request',
  },
  {
    what: 'the same one requests again in another round',
    forcer: ada,
    requested: byAda,
    round: 3,
    outcome: 'request',
  },
  {
    what: 'a request of who is no administrator any more is none',
    forcer: bob,
    requested: byAda,
    mayStillForce: false,
    outcome: 'request',
  },
  {
    what: 'a request before another consumer came is none',
    forcer: bob,
    requested: byAda,
    consumers: [consumer('billing'), consumer('late')],
    outcome: 'request',
  },
  {
    what: 'a request holds where consumers have agreed since, or had agreed when they came',
    forcer: bob,
    requested: byAda,
    consumers: [consumer('billing', true), consumer('late', true)],
    outcome: 'carry_out',
  },
];

describe('A force that needs two administrators', () => {
  test.each(rows)('$what: $outcome', (row) => {
    const { needsTwo = true, forcer, requested, mayStillForce = true, round = 2 } = row;
    const { consumers = [consumer('billing')] } = row;
    const decided = decideForce({
      needsTwo,
      actor: forcer === null ? {} : { userId: forcer },
      proposal: { round, forceRequested: requested, consumers },
      mayStillForce: requested !== null && mayStillForce,
    });
    expect(decided.ok ? decided.value.kind : decided.failure.code).toBe(row.outcome);
  });

  test('carries the request that it confirms', () => {
    const proposal = { round: 2, forceRequested: byAda, consumers: [consumer('billing')] };
    const facts = { needsTwo: true, actor: { userId: bob }, proposal, mayStillForce: true };
    expect(decideForce(facts)).toEqual({
      ok: true,
      value: { kind: 'carry_out', requested: byAda },
    });
  });

  test('says that a second administrator is needed', () => {
    const proposal = { round: 2, forceRequested: byAda, consumers: [consumer('billing')] };
    const facts = { needsTwo: true, actor: { userId: ada }, proposal, mayStillForce: true };
    expect(decideForce(facts)).toMatchObject({
      failure: { message: expect.stringContaining('A second administrator must also force') },
    });
  });

  test('tells a key of no user to sign in', () => {
    expect(decideForcingPerson({})).toMatchObject({
      failure: { code: 'FORBIDDEN', message: expect.stringContaining('Sign in') },
    });
  });
});
