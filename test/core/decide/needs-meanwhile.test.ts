// Two processes that find the same about a need: the second has nothing to say.

import { expect, test } from 'vitest';
import { decideReassessment } from '../../../src/core/decide/proposals/reassess.ts';
import { registrationWrite } from '../../../src/core/decide/registrations/register.ts';
import { decideNeedReview } from '../../../src/core/decide/registrations/set-need.ts';
import { actorOf, asset, byOf, contract, factsOf, now, proposalFactsOf } from './facts.ts';

const verdict = { verdict: 'unaffected' } as const;

/** A proposal that asks by needs, and its consumer has one. */
function reading(verdicts: Readonly<Record<string, typeof verdict>>) {
  const { consumers, proposal, ...facts } = proposalFactsOf({ billing: null });
  return {
    ...facts,
    proposal: { ...proposal, asks: 'affected' as const, verdicts },
    consumers: consumers.map((each) => ({ ...each, needDigest: 'd' })),
  };
}

test('a need that another process has reviewed is not reviewed again', () => {
  const need = { stated: { fields: [] }, schema: {}, dialect: '2020-12', digest: 'd' } as const;
  const how = { notes: null, source: 'api', claims: [] } as const;
  const by = byOf(actorOf('billing'));
  const { registration } = registrationWrite(
    ...([asset, contract, { id: 'billing', name: 'Billing' }, how, by] as const),
  );
  const reviewing = (status: 'met' | 'unmet') => ({
    ...factsOf(['billing']),
    registration: { ...registration, need: { ...need, status } },
  });
  const reviewed = { baseId: contract.id, need: { ...need, status: 'unmet' as const } };
  expect(decideNeedReview(reviewing('met'), reviewed, now)).toMatchObject({ kind: 'set_need' });
  expect(decideNeedReview(reviewing('unmet'), reviewed, now)).toBeNull();
});

test('a proposal that another process has reassessed is not reassessed again', () => {
  const found = { ...reading({}).proposal, verdicts: { d: verdict } };
  expect(decideReassessment(reading({}), found)?.set.verdicts).toEqual({ d: verdict });
  expect(decideReassessment(reading({ d: verdict }), found)).toBeNull();
});

test('a proposal forgets the verdict of a need that was replaced', () => {
  const found = { ...reading({}).proposal, verdicts: { d: verdict } };
  expect(decideReassessment(reading({ before: verdict }), found)?.set.verdicts).toEqual({
    d: verdict,
  });
});
