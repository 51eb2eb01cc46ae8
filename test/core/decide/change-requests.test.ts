// What a producer says of a proposal, comments on it, reminders, and its last day for answers.

import { describe, expect, test } from 'vitest';
import { actorReference } from '../../../src/core/actor.ts';
import type { DeadlineAct } from '../../../src/core/asset.ts';
import { commentLimit } from '../../../src/core/comment.ts';
import type { Change } from '../../../src/core/comparison.ts';
import type { CommentFacts, ProposalFacts } from '../../../src/core/decide/facts.ts';
import { decideComment } from '../../../src/core/decide/proposals/comment.ts';
import { decideExpiry } from '../../../src/core/decide/proposals/expire.ts';
import { decideObjection } from '../../../src/core/decide/proposals/object.ts';
import { decideDeadline, decideReminder } from '../../../src/core/decide/proposals/remind.ts';
import { decideRequestChange, requestOf } from '../../../src/core/decide/proposals/request.ts';
import { differenceOf } from '../../../src/core/decide/publishing/revision.ts';
import { emptyRequest, type Objection, type Proposal } from '../../../src/core/proposal.ts';
import type { ProposalState } from '../../../src/core/proposal-machine.ts';
import type { Team } from '../../../src/core/team.ts';
import { actorOf, admin, byOf, now, proposalFactsOf, writtenOf } from './facts.ts';

const [today, yesterday, tomorrow] = ['2026-02-01', '2026-01-31', '2026-02-02'];

function changed(facts: ProposalFacts, more: Partial<Proposal>): ProposalFacts {
  return { ...facts, proposal: { ...facts.proposal, ...more } };
}

const request = {
  ...emptyRequest,
  reason: 'The law.',
  contact: 'Ada',
  answerBy: tomorrow,
};

describe('The request of a change', () => {
  test.each([
    ['nothing', undefined, emptyRequest],
    [
      'blanks around words',
      { reason: '  Why. ', migration: ' Read `cents`. ' },
      { ...emptyRequest, reason: 'Why.', migration: 'Read `cents`.' },
    ],
    [
      'today',
      { answerBy: today, migrateBy: today },
      { ...emptyRequest, answerBy: today, migrateBy: today },
    ],
    ['yesterday', { answerBy: yesterday }, 'VALIDATION_ERROR'],
    ['a version that ended yesterday', { migrateBy: yesterday }, 'VALIDATION_ERROR'],
  ])('that says %s', (_what, said, expected) => {
    const outcome = requestOf({ request: said }, now);
    expect(outcome.ok ? outcome.value : outcome.failure.code).toEqual(expected);
  });

  test.each<[string, ProposalState, string, object, string]>([
    ['its owner', 'pending', 'shop', { contact: 'Bob' }, 'set_request'],
    ['its owner, to the same', 'pending', 'shop', { contact: 'Ada' }, 'nothing'],
    ['its owner, once it is approved', 'approved', 'shop', { contact: null }, 'set_request'],
    ['its owner, while it is blocked', 'rejected', 'shop', { reason: 'Why.' }, 'set_request'],
    ['its owner, once published', 'published', 'shop', { reason: 'Why.' }, 'PROPOSAL_NOT_PENDING'],
    ['its owner, once withdrawn', 'withdrawn', 'shop', { reason: '.' }, 'PROPOSAL_NOT_PENDING'],
    [
      'its owner, to a day that is over',
      'pending',
      'shop',
      { answerBy: yesterday },
      'VALIDATION_ERROR',
    ],
    [
      'its owner, to a version that has ended',
      'pending',
      'shop',
      { migrateBy: yesterday },
      'VALIDATION_ERROR',
    ],
    [
      'its owner, to the end of the version',
      'pending',
      'shop',
      { migrateBy: today },
      'set_request',
    ],
    ['a consumer', 'pending', 'billing', { contact: 'Bob' }, 'FORBIDDEN'],
  ])('is changed by %s', (_what, status, team, fields, written) => {
    const facts = changed(proposalFactsOf({ billing: null }, { status }), { request });
    const command = { proposalId: 'proposal', request: fields };
    expect(writtenOf(decideRequestChange(facts, command, byOf(actorOf(team))))).toBe(written);
  });

  test('keeps days that are over if only its reason changes', () => {
    const over = { ...request, answerBy: yesterday, migrateBy: yesterday };
    const facts = changed(proposalFactsOf({ billing: null }), { request: over });
    const command = { proposalId: 'proposal', request: { reason: 'Another.' } };
    expect(writtenOf(decideRequestChange(facts, command, byOf(admin)))).toBe('set_request');
  });
});

describe('A reminder', () => {
  test.each<[string, Partial<Proposal>, Parameters<typeof proposalFactsOf>[0], string]>([
    ['is sent', {}, { billing: null, audit: 'approved' }, 'note_reminder'],
    ['needs somebody who has not answered', {}, { billing: 'migrating' }, 'NOBODY_TO_REMIND'],
    ['needs a proposal that asks', { status: 'approved' }, { a: null }, 'PROPOSAL_NOT_PENDING'],
    ['waits', { remindedAt: '2026-02-01T00:00:00.001Z' }, { a: null }, 'REMINDED_RECENTLY'],
    ['waits no longer', { remindedAt: '2026-02-01T00:00:00.000Z' }, { a: null }, 'note_reminder'],
  ])('%s', (_what, more, answers, written) => {
    const facts = changed(proposalFactsOf(answers), more);
    expect(writtenOf(decideReminder(facts, byOf(actorOf('shop'))))).toBe(written);
  });

  test('is told to those who have not answered, and not by a consumer', () => {
    const facts = proposalFactsOf({ billing: null, audit: 'approved' });
    const decided = decideReminder(facts, byOf(actorOf('shop')));
    expect(decided.ok && decided.value.writes[0]?.events[0].notifiedTeamIds).toEqual(['billing']);
    expect(writtenOf(decideReminder(facts, byOf(actorOf('billing'))))).toBe('FORBIDDEN');
  });
});

describe('The last day for answers', () => {
  test.each<[string, DeadlineAct, Partial<Proposal>, string | null]>([
    ['is not over', 'escalate', { request: { ...request, answerBy: today } }, null],
    ['was never set', 'escalate', { request: { ...request, answerBy: null } }, null],
    ['is over, and the asset says nothing', 'nothing', {}, null],
    ['is over', 'remind', {}, 'proposal.reminded'],
    ['is over', 'escalate', {}, 'proposal.deadline_passed'],
    ['was acted on', 'escalate', { deadlineDone: yesterday }, null],
    [
      'was another one before',
      'escalate',
      { deadlineDone: '2026-01-01' },
      'proposal.deadline_passed',
    ],
    ['is over, and it is blocked', 'escalate', { status: 'rejected' }, null],
    ['is over, and it is published', 'escalate', { status: 'published' }, null],
  ])('%s: %s', (_what, onDeadline, more, event) => {
    const over = { request: { ...request, answerBy: yesterday }, ...more };
    const facts = changed(proposalFactsOf({ billing: null }, { asset: { onDeadline } }), over);
    const [write] = decideDeadline(facts, now) ?? [];
    expect(write?.events[0].type ?? null).toBe(event);
  });

  test('is nothing to act on if everybody has answered, or the asset is deleted', () => {
    const over = { request: { ...request, answerBy: yesterday } };
    const asset = { onDeadline: 'escalate' as const };
    const answered = changed(proposalFactsOf({ billing: 'approved' }, { asset }), over);
    expect(decideDeadline(answered, now)).toBeNull();
    const deleted = { ...asset, deletedAt: now };
    const gone = changed(proposalFactsOf({ billing: null }, { asset: deleted }), over);
    expect(decideDeadline(gone, now)).toBeNull();
  });
});

describe('A comment', () => {
  const facts = (more: Partial<CommentFacts> = {}): CommentFacts => ({
    ...proposalFactsOf({ billing: null, audit: 'approved' }),
    commentCount: 0,
    repliedTo: null,
    ...more,
  });
  const write = (actor: Parameters<typeof byOf>[0], more: object = {}, given = facts()) =>
    decideComment(given, { proposalId: 'proposal', text: ' Why? ', ...more }, byOf(actor));

  test.each([
    ['the owner', actorOf('shop'), {}, 'insert_comment'],
    ['a consumer', actorOf('billing'), {}, 'insert_comment'],
    ['an administrator', admin, {}, 'insert_comment'],
    ['a stranger', actorOf('strangers'), {}, 'FORBIDDEN'],
    ['a stranger in another name', actorOf('strangers'), { teamId: 'billing' }, 'FORBIDDEN'],
    ['a consumer in another name', actorOf('billing'), { teamId: 'audit' }, 'FORBIDDEN'],
    ['an administrator for a stranger', admin, { teamId: 'strangers' }, 'FORBIDDEN'],
    ['a reader', actorOf('billing', { scope: 'read' }), {}, 'FORBIDDEN'],
    ['a reader by name', actorOf('billing', { scope: 'read' }), { teamId: 'billing' }, 'FORBIDDEN'],
    ['a key of all teams', actorOf('all'), {}, 'VALIDATION_ERROR'],
    ['a key of all teams for one', actorOf('all'), { teamId: 'audit' }, 'insert_comment'],
    ['a reply to nothing', actorOf('billing'), { replyTo: 'gone' }, 'COMMENT_NOT_FOUND'],
  ])('of %s', (_what, actor, more, written) => {
    expect(writtenOf(write(actor, more))).toBe(written);
  });

  test('tells the others, and the team that is replied to', () => {
    const replying = facts({ repliedTo: { teamId: 'late' } });
    const decided = write(actorOf('billing'), { replyTo: 'comment' }, replying);
    expect(decided.ok && decided.value.writes[0]?.events[0].notifiedTeamIds).toEqual([
      'shop',
      'audit',
      'late',
    ]);
    expect(decided.ok && decided.value.answer).toMatchObject({ text: 'Why?', teamId: 'billing' });
  });

  test('is refused once there are too many', () => {
    const last = facts({ commentCount: commentLimit - 1 });
    expect(writtenOf(write(admin, {}, last))).toBe('insert_comment');
    const full = facts({ commentCount: commentLimit });
    expect(writtenOf(write(admin, {}, full))).toBe('TOO_MANY_COMMENTS');
  });
});

describe('An objection', () => {
  const team = (id: string): Team => ({
    ...{ id, name: id, slug: id, metadata: {}, managedBy: null },
    ...{ createdAt: now, updatedAt: now, deletedAt: null },
  });
  const old: Objection = {
    ...{ teamId: 'strangers', teamName: 'strangers', reason: 'It is read.', round: 1 },
    ...{ objectedAt: now, objectedBy: actorReference(admin) },
  };
  const write = (teamId: string, reason: string | null, more: Partial<Proposal> = {}) => {
    const facts = changed(proposalFactsOf({ billing: null }), more);
    return decideObjection({ ...facts, team: team(teamId) }, { teamId, reason }, byOf(admin));
  };

  test.each<[string, string, string | null, Partial<Proposal>, string]>([
    ['of a stranger', 'strangers', 'It is read.', {}, 'set_objections'],
    ['of the owner', 'shop', 'It is read.', {}, 'FORBIDDEN'],
    ['of a team that is asked', 'billing', 'It is read.', {}, 'FORBIDDEN'],
    ['to what is approved', 'strangers', 'No.', { status: 'approved' }, 'set_objections'],
    ['to what is blocked', 'strangers', 'No.', { status: 'rejected' }, 'set_objections'],
    ['to what is published', 'strangers', 'No.', { status: 'published' }, 'PROPOSAL_NOT_PENDING'],
    ['said again', 'strangers', 'It is read.', { objections: [old] }, 'nothing'],
    ['in other words', 'strangers', 'It is sold.', { objections: [old] }, 'set_objections'],
    ['taken back', 'strangers', null, { objections: [old] }, 'set_objections'],
    ['never made, taken back', 'strangers', null, {}, 'nothing'],
  ])('%s', (_what, teamId, reason, more, written) => {
    expect(writtenOf(write(teamId, reason, more))).toBe(written);
  });

  test('changes nothing else of the proposal, and is told to its owner alone', () => {
    const forceRequested = {
      ...{ by: actorReference(admin), userId: 'root', reason: 'It is urgent.' },
      ...{ requestedAt: now, round: 1, overrides: ['billing'] },
    };
    const facts = changed(proposalFactsOf({ billing: null }), { forceRequested });
    const objecting = { teamId: 'strangers', reason: 'It is read.' };
    const decided = decideObjection(
      { ...facts, team: team('strangers') },
      objecting,
      byOf(actorOf('strangers')),
    );
    if (!decided.ok) throw new Error(decided.failure.message);
    const { objections, ...rest } = decided.value.answer;
    const { objections: _, ...before } = facts.proposal;
    expect(rest).toEqual(before);
    expect(objections).toMatchObject([{ teamId: 'strangers', reason: 'It is read.' }]);
    expect(decided.value.writes[0]?.events[0].notifiedTeamIds).toEqual(['shop']);
  });
});

describe('An expiry', () => {
  const early = 'PROPOSAL_NOT_OVERDUE';
  const beforeToday = { request: { ...request, answerBy: yesterday } };
  test.each<[string, string, Partial<Proposal>, string]>([
    ['of its owner', 'shop', beforeToday, 'update_proposal'],
    ['of a consumer', 'billing', beforeToday, 'FORBIDDEN'],
    ['of what is approved', 'shop', { ...beforeToday, status: 'approved' }, 'update_proposal'],
    ['of what is blocked', 'shop', { ...beforeToday, status: 'rejected' }, 'update_proposal'],
    [
      'of what is published',
      'shop',
      { ...beforeToday, status: 'published' },
      'PROPOSAL_NOT_PENDING',
    ],
    ['on the last day', 'shop', { request: { ...request, answerBy: today } }, early],
    ['29 days after a reminder', 'shop', { remindedAt: '2026-01-03T12:00:00.000Z' }, early],
    [
      'a month after a reminder',
      'shop',
      { remindedAt: '2026-01-01T12:00:00.000Z' },
      'update_proposal',
    ],
    ['29 days after a rebase', 'shop', { askedAt: '2026-01-03T12:00:00.000Z' }, early],
    [
      'of a round after the last day',
      'shop',
      { ...beforeToday, askedAt: `${today}T00:00:00.000Z` },
      early,
    ],
  ])('%s', (_what, teamId, more, written) => {
    const facts = changed(proposalFactsOf({ billing: 'approved' }), {
      proposedAt: '2025-01-01T00:00:00.000Z',
      askedAt: '2025-01-01T00:00:00.000Z',
      ...more,
    });
    const decided = decideExpiry(facts, { proposalId: 'proposal' }, byOf(actorOf(teamId)));
    expect(writtenOf(decided)).toBe(written);
    if (!decided.ok) return;
    expect(decided.value.answer).toMatchObject({ status: 'withdrawn', publishedContractId: null });
  });
});

describe('The difference of two rounds', () => {
  const change = (path: string, more: Partial<Change> = {}): Change => ({
    type: 'property_removed',
    path,
    description: path,
    breaking: true,
    ...more,
  });

  test('is what one has and the other has not, whatever the words, breaks first', () => {
    const then = [change('$.a'), change('$.b', { description: 'in other words' })];
    const calm = change('$.c', { breaking: false });
    const later = [change('$.b'), calm, change('$.d')];
    expect(differenceOf(then, later)).toEqual({
      added: [change('$.d'), calm],
      removed: [change('$.a')],
    });
  });

  test('counts another value at the same place', () => {
    const [old, next] = [change('$.a', { old: 1 }), change('$.a', { old: 2 })];
    expect(differenceOf([old], [next])).toEqual({ added: [next], removed: [old] });
  });
});
