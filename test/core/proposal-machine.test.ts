import { describe, expect, test } from 'vitest';
import {
  decideProposalStep,
  isOpen,
  type ProposalAct,
  type ProposalCircumstances,
  proposalActs,
  proposalStates,
  proposalTable,
  roleOfAct,
} from '../../src/core/proposal-machine.ts';

const circumstances: ProposalCircumstances = {
  canPublish: false,
  autoPublish: false,
  blockedByThisTeam: false,
  isSuperseded: false,
  isOverdue: false,
};

type From = Parameters<typeof decideProposalStep>[0];
type Expected = readonly [From, ProposalAct, Partial<ProposalCircumstances>, string];

/** The specification's table, written down a second time: from, act, circumstances, outcome. */
const rows: readonly Expected[] = [
  ['none', 'propose', {}, 'pending'],
  ['pending', 'acknowledge', {}, 'pending'],
  ['pending', 'block', {}, 'rejected'],
  ['rejected', 'acknowledge', { blockedByThisTeam: true }, 'pending'],
  ['rejected', 'acknowledge', {}, 'PROPOSAL_NOT_PENDING'],
  ['pending', 'object', {}, 'pending'],
  ['approved', 'object', { canPublish: true }, 'approved'],
  ['rejected', 'object', {}, 'rejected'],
  ['pending', 'approve', { canPublish: true }, 'approved'],
  ['pending', 'approve', {}, 'PROPOSAL_NOT_READY'],
  ['pending', 'publish', { canPublish: true }, 'published'],
  ['pending', 'publish', {}, 'PROPOSAL_NOT_READY'],
  ['approved', 'reopen', {}, 'pending'],
  ['approved', 'reopen', { canPublish: true }, 'PROPOSAL_NOT_PENDING'],
  ['approved', 'publish', { canPublish: true }, 'published'],
  ['approved', 'publish', {}, 'PROPOSAL_NOT_READY'],
  ['pending', 'auto_publish', { canPublish: true, autoPublish: true }, 'published'],
  ['pending', 'auto_publish', { canPublish: true }, 'PROPOSAL_NOT_PENDING'],
  ['pending', 'auto_publish', { autoPublish: true }, 'PROPOSAL_NOT_PENDING'],
  ['pending', 'rebase', {}, 'pending'],
  ['approved', 'rebase', {}, 'pending'],
  ['pending', 'delete_asset', {}, 'withdrawn'],
  ['approved', 'delete_asset', {}, 'withdrawn'],
  ['pending', 'request_force', {}, 'pending'],
  ['approved', 'request_force', {}, 'approved'],
  ['rejected', 'request_force', {}, 'rejected'],
  ['rejected', 'request_force', { isSuperseded: true }, 'PROPOSAL_NOT_PENDING'],
  ['pending', 'force', {}, 'force_published'],
  ['approved', 'force', {}, 'force_published'],
  ['rejected', 'force', {}, 'force_published'],
  ['rejected', 'force', { isSuperseded: true }, 'PROPOSAL_NOT_PENDING'],
  ['pending', 'withdraw', {}, 'withdrawn'],
  ['approved', 'withdraw', {}, 'withdrawn'],
  ['rejected', 'withdraw', {}, 'withdrawn'],
  ['pending', 'expire', { isOverdue: true }, 'withdrawn'],
  ['pending', 'expire', { canPublish: true, autoPublish: true }, 'PROPOSAL_NOT_OVERDUE'],
  ['approved', 'expire', { isOverdue: true, canPublish: true }, 'withdrawn'],
  ['approved', 'expire', {}, 'PROPOSAL_NOT_OVERDUE'],
  ['rejected', 'expire', { isOverdue: true }, 'withdrawn'],
  ['rejected', 'expire', {}, 'PROPOSAL_NOT_OVERDUE'],
  ['pending', 'supersede', {}, 'withdrawn'],
  ['approved', 'supersede', {}, 'withdrawn'],
];

function outcomeOf(from: From, act: ProposalAct, more: Partial<ProposalCircumstances>): string {
  const step = decideProposalStep(from, act, { ...circumstances, ...more });
  return step.ok ? step.value.to : step.failure.code;
}

describe('the table of proposals', () => {
  test.each(rows)('%s, %s, %o: %s', (from, act, more, expected) => {
    expect(outcomeOf(from, act, more)).toBe(expected);
  });

  const listed = new Set(rows.map(([from, act]) => `${from} ${act}`));
  const unlisted = (['none', ...proposalStates] as const).flatMap((from) =>
    proposalActs.filter((act) => !listed.has(`${from} ${act}`)).map((act) => [from, act] as const),
  );
  test.each(unlisted)(
    '%s, %s, is refused whatever the circumstances, naming the state',
    (from, act) => {
      for (let bits = 0; bits < 32; bits++) {
        const step = decideProposalStep(from, act, {
          canPublish: (bits & 1) > 0,
          autoPublish: (bits & 2) > 0,
          blockedByThisTeam: (bits & 4) > 0,
          isSuperseded: (bits & 8) > 0,
          isOverdue: (bits & 16) > 0,
        });
        expect(step).toEqual({
          ok: false,
          failure: {
            code: 'PROPOSAL_NOT_PENDING',
            message: expect.stringContaining(from),
            details: { state: from },
          },
        });
      }
    },
  );

  test('lists nothing but these', () => {
    const inTable = new Set(proposalTable.map(({ from, act }) => `${from} ${act}`));
    expect(inTable).toEqual(listed);
  });

  test('names for each act the role that its rows name', () => {
    for (const { act, who } of proposalTable) expect(roleOfAct[act]).toBe(who);
  });

  test('has an event for each step that is taken', () => {
    for (const { to, event } of proposalTable) {
      expect(event === null).toBe(/^[A-Z]/.test(to));
    }
  });

  test('calls pending and approved open', () => {
    expect(proposalStates.filter(isOpen)).toEqual(['pending', 'approved']);
  });
});
