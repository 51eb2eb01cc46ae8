// Each decision of a verb as a table: what is known, who asks for what, and what would be written.

import { describe, expect, test } from 'vitest';
import { decideDeletion } from '../../../src/core/decide/assets/delete.ts';
import { decideAssetUpdate } from '../../../src/core/decide/assets/update.ts';
import type { AcknowledgeProposal, UpdateAsset } from '../../../src/core/decide/commands.ts';
import { decidePublication } from '../../../src/core/decide/contracts/publication.ts';
import { decideRetirement } from '../../../src/core/decide/contracts/retire.ts';
import { answeringTeam, decideAnswer } from '../../../src/core/decide/proposals/answer.ts';
import {
  type ConcludeFacts,
  decideConclusion,
} from '../../../src/core/decide/proposals/conclude.ts';
import { decideRebase } from '../../../src/core/decide/proposals/rebase.ts';
import { decideWithdrawal } from '../../../src/core/decide/proposals/withdraw.ts';
import { decideReopening } from '../../../src/core/decide/publishing/proposing.ts';
import { decideRegistration } from '../../../src/core/decide/registrations/register.ts';
import { decideRegistrationUpdate } from '../../../src/core/decide/registrations/update.ts';
import type { Registration } from '../../../src/core/registration.ts';
import {
  actorOf,
  admin,
  asking,
  asset,
  breakingComparison,
  byOf,
  comparisonOf,
  contract,
  factsOf,
  now,
  proposalFactsOf,
  writtenOf,
} from './facts.ts';

const shop = byOf(actorOf('shop'));
const billing = byOf(actorOf('billing'));
const root = byOf(admin);
const reason = 'Legal wants it gone.';

describe('A publish', () => {
  const terms = {
    schema: { type: 'object', properties: {} },
    compatibilityMode: 'backward' as const,
    guarantees: null,
    direction: 'data' as const,
  };
  const judged = {
    ...{ asset, base: contract, terms, schemaDigest: 'digest of v2', comparison: null },
    verdicts: {},
  };
  const command = { assetId: asset.id, schema: terms.schema, dryRun: false, supersede: false };
  const known = asking(factsOf(['billing']));
  const open = proposalFactsOf({ billing: null });
  const openProposal = {
    id: 'proposal',
    status: 'pending',
    proposedDigest: 'other',
    version: null,
  };
  const compatible = { ...judged, comparison: comparisonOf({}) };
  const breaks = { ...judged, comparison: breakingComparison };
  const withOpen = {
    ...known,
    openProposal: { ...openProposal, status: 'pending' as const },
    open,
  };

  test.each([
    [
      'that is compatible is a version',
      known,
      command,
      compatible,
      'set_contract_status, insert_contract',
    ],
    ['that breaks is a proposal', known, command, breaks, 'insert_proposal'],
    [
      'that changes nothing writes nothing',
      known,
      command,
      { ...judged, schemaDigest: contract.schemaDigest },
      'nothing',
    ],
    ['that is tried writes nothing', known, { ...command, dryRun: true }, breaks, 'nothing'],
    [
      'that may only propose publishes nothing',
      known,
      { ...command, onlyPropose: true },
      compatible,
      'nothing',
    ],
    ['beside an open proposal waits', withOpen, command, breaks, 'PROPOSAL_PENDING'],
    [
      'that supersedes closes the open proposal first',
      withOpen,
      { ...command, supersede: true },
      breaks,
      'update_proposal, insert_proposal',
    ],
    [
      'after another version starts over',
      { ...known, base: { ...contract, id: 'v2' } },
      command,
      compatible,
      'starts over',
    ],
    [
      'after the asset went to another team starts over',
      asking(factsOf([], { ownerTeamId: 'other' })),
      command,
      compatible,
      'starts over',
    ],
    [
      'after the guarantee mode changed starts over',
      asking(factsOf([], { guaranteeMode: 'ignore' })),
      command,
      compatible,
      'starts over',
    ],
    [
      'on an asset that was deleted starts over',
      asking(factsOf([], { deletedAt: now })),
      command,
      compatible,
      'starts over',
    ],
  ])('%s', (_what, facts, asked, compared, written) => {
    expect(writtenOf(decidePublication(facts, asked, compared, shop))).toBe(written);
  });
});

describe('An answer', () => {
  const approve: AcknowledgeProposal = { proposalId: 'proposal', response: 'approved' };
  const block: AcknowledgeProposal = { proposalId: 'proposal', response: 'blocked', notes: 'No.' };

  test.each([
    ['of a consumer counts', { billing: null }, approve, {}, 'insert_acknowledgement'],
    ['of a team that does not consume is refused', { ledger: null }, approve, {}, 'FORBIDDEN'],
    [
      'about an earlier round is refused',
      { billing: null },
      { ...approve, round: 1 },
      { round: 2 },
      'PROPOSAL_CHANGED',
    ],
    [
      'with another ETag is refused',
      { billing: null },
      { ...approve, precondition: () => false },
      {},
      'PRECONDITION_FAILED',
    ],
    [
      'to what was decided is refused',
      { billing: null },
      approve,
      { status: 'published' as const },
      'PROPOSAL_NOT_PENDING',
    ],
    ['may block', { billing: 'approved' as const }, block, {}, 'insert_acknowledgement'],
    [
      'takes its own block back',
      { billing: 'blocked' as const },
      approve,
      { status: 'rejected' as const },
      'insert_acknowledgement',
    ],
    [
      'does not take another team’s block back',
      { billing: null, ledger: 'blocked' as const },
      approve,
      { status: 'rejected' as const },
      'PROPOSAL_NOT_PENDING',
    ],
    [
      'takes no block back once the asset is deleted',
      { billing: 'blocked' as const },
      approve,
      { status: 'rejected' as const, asset: { deletedAt: now } },
      'PROPOSAL_NOT_PENDING',
    ],
  ])('%s', (_what, answers, command, more, written) => {
    expect(
      writtenOf(decideAnswer(proposalFactsOf(answers, more), command, 'billing', billing)),
    ).toBe(written);
  });

  test.each([
    ['one team answers for itself', actorOf('billing', { acknowledges: true }), {}, 'billing'],
    [
      'several teams must be told apart',
      actorOf('all', { acknowledges: true, teams: ['a', 'b'] }),
      {},
      'VALIDATION_ERROR',
    ],
    [
      'another team is not answered for',
      actorOf('billing', { acknowledges: true }),
      { teamId: 'ledger' },
      'FORBIDDEN',
    ],
    [
      'an administrator needs a reason for another team',
      admin,
      { teamId: 'ledger' },
      'VALIDATION_ERROR',
    ],
    ['an administrator with a reason answers', admin, { teamId: 'ledger', reason }, 'ledger'],
    ['nobody’s key answers for nobody', actorOf('all', { teams: [] }), {}, 'FORBIDDEN'],
  ])('%s', (_what, actor, named, expected) => {
    const team = answeringTeam(actor, { ...approve, ...named });
    expect(team.ok ? team.value : team.failure.code).toBe(expected);
  });
});

describe('A conclusion', () => {
  const publish = {
    proposalId: 'proposal',
    act: 'publish',
    reason: null,
    override: false,
  } as const;
  const force = { ...publish, act: 'force', reason } as const;
  const prepared = {
    asset,
    base: contract,
    comparison: null,
    verdicts: {},
    breaksBackward: true,
    mayTakeMore: false,
    needsTwo: false,
  };
  const known = (facts: ReturnType<typeof proposalFactsOf>, more: Partial<ConcludeFacts> = {}) => ({
    ...facts,
    name: null,
    hasNewOwner: true,
    mayStillForce: false,
    ...more,
  });
  const agreed = proposalFactsOf({ billing: 'approved' });
  const awaited = proposalFactsOf({ billing: 'approved', ledger: null });
  const managed = { managedBy: { source: 'git', reference: 'orders.yaml' } };
  const move = { kind: 'move', environment: 'production', ownerTeamId: 'other' } as const;
  const version = 'set_contract_status, insert_contract, update_proposal';

  test.each([
    ['that all agreed to is published', known(agreed), publish, prepared, shop, version],
    [
      'that somebody is awaited for is not published',
      known(awaited),
      publish,
      prepared,
      shop,
      'PROPOSAL_NOT_READY',
    ],
    ['is its owner’s', known(agreed), publish, prepared, billing, 'FORBIDDEN'],
    ['by force is an administrator’s', known(awaited), force, prepared, shop, 'FORBIDDEN'],
    ['by force needs nobody’s answer', known(awaited), force, prepared, root, version],
    [
      'on a deleted asset is none',
      known(proposalFactsOf({}, { asset: { deletedAt: now } })),
      publish,
      prepared,
      shop,
      'ASSET_NOT_FOUND',
    ],
    [
      'of what another place manages is parked',
      known(proposalFactsOf({ billing: 'approved' }, { asset: managed })),
      publish,
      prepared,
      shop,
      'update_proposal',
    ],
    [
      'after another version starts over',
      known({ ...agreed, base: { ...contract, id: 'v2' } }),
      publish,
      prepared,
      shop,
      'starts over',
    ],
    [
      'of a newer base with the same breaks holds',
      known({ ...agreed, base: { ...contract, id: 'v2' } }),
      publish,
      { ...prepared, base: { id: 'v2' }, comparison: breakingComparison },
      shop,
      version,
    ],
    [
      'of a newer base of which more may go is outdated',
      known({ ...agreed, base: { ...contract, id: 'v2' } }),
      publish,
      {
        ...prepared,
        base: { id: 'v2' },
        comparison: breakingComparison,
        mayTakeMore: true,
      },
      shop,
      'PROPOSAL_STALE',
    ],
    [
      'of a newer base with other breaks is outdated',
      known({ ...agreed, base: { ...contract, id: 'v2' } }),
      publish,
      { ...prepared, base: { id: 'v2' }, comparison: comparisonOf({}) },
      shop,
      'PROPOSAL_STALE',
    ],
    [
      'of a move to a team that is gone is outdated',
      known(proposalFactsOf({ billing: 'approved' }, { proposed: move }), { hasNewOwner: false }),
      publish,
      prepared,
      shop,
      'PROPOSAL_STALE',
    ],
  ])('%s', (_what, facts, conclusion, compared, by, written) => {
    expect(writtenOf(decideConclusion(facts, conclusion, compared, by))).toBe(written);
  });

  test('publishes by itself only where the asset does', () => {
    const itself = { ...publish, act: 'auto_publish' } as const;
    const doing = proposalFactsOf({ billing: 'approved' }, { asset: { autoPublish: true } });
    expect(writtenOf(decideConclusion(known(doing), itself, prepared, root))).toBe(version);
    expect(writtenOf(decideConclusion(known(agreed), itself, prepared, root))).toBe(
      'PROPOSAL_NOT_PENDING',
    );
  });
});

describe('A proposal', () => {
  test('that was approved without a team is pending again when that team consumes', () => {
    const approved = { status: 'approved' } as const;
    expect(decideReopening(proposalFactsOf({ billing: 'approved' }, approved))).toBeNull();
    const joined = proposalFactsOf({ billing: 'approved', ledger: null }, approved);
    expect(decideReopening(joined)).toMatchObject({
      set: { status: 'pending' },
      events: [{ type: 'proposal.reopened', metadata: { awaiting: ['ledger'] } }],
    });
  });

  test('that is rebased asks in a new round, and keeps no answer', () => {
    const facts = { ...proposalFactsOf({ billing: 'approved' }), base: { ...contract, id: 'v2' } };
    const decided = decideRebase(facts, { comparison: breakingComparison, verdicts: {} }, shop);
    expect(decided).toMatchObject({
      value: [
        { set: { round: 2, status: 'pending', baseContractId: 'v2', decidedConsumers: null } },
      ],
    });
  });

  test('is withdrawn by its owner, and not by a consumer', () => {
    const command = { proposalId: 'proposal', reason };
    const facts = proposalFactsOf({ billing: null });
    expect(writtenOf(decideWithdrawal(facts, command, shop))).toBe('update_proposal');
    expect(writtenOf(decideWithdrawal(facts, command, billing))).toBe('FORBIDDEN');
  });
});

describe('A retirement', () => {
  const known = (teams: readonly string[]) => ({ ...asking(factsOf(teams)), contract });
  const deprecate = { contractId: 'v1', status: 'deprecated' } as const;
  const archive = { contractId: 'v1', status: 'archived' } as const;

  test.each([
    ['that nobody is asked about is done', [], deprecate, shop, 'set_contract_status'],
    ['that touches consumers is a proposal', ['billing'], deprecate, shop, 'insert_proposal'],
    [
      'that may only propose does nothing alone',
      [],
      { ...deprecate, onlyPropose: true },
      shop,
      'nothing',
    ],
    ['for ever waits for consumers', ['billing'], archive, shop, 'CONTRACT_PINNED'],
    [
      'for ever by force is an administrator’s',
      ['billing'],
      { ...archive, force: true, reason },
      shop,
      'FORBIDDEN',
    ],
    [
      'for ever by force needs a reason',
      ['billing'],
      { ...archive, force: true },
      root,
      'VALIDATION_ERROR',
    ],
    [
      'for ever by force is done',
      ['billing'],
      { ...archive, force: true, reason },
      root,
      'set_contract_status',
    ],
  ])('%s', (_what, teams, command, by, written) => {
    expect(writtenOf(decideRetirement(known(teams), command, by))).toBe(written);
  });
});

describe('A change of an asset', () => {
  const known = (teams: readonly string[]) => ({
    ...asking(factsOf(teams)),
    name: null,
    newTeam: null,
    newUser: null,
    newService: null,
  });
  const other = { id: 'other', name: 'Other', slug: 'other', metadata: {}, managedBy: null };
  const newTeam = { ...other, createdAt: now, updatedAt: now, deletedAt: null };
  const taken = { living: 'somebody', predecessor: null, predecessorConsumers: 0 };
  const update = (more: Partial<UpdateAsset>) => ({ assetId: asset.id, ...more });

  test.each([
    ['that is free is set', known(['billing']), update({ autoPublish: true }), 'update_asset'],
    ['that changes nothing leaves no trace', known([]), update({ autoPublish: false }), 'nothing'],
    [
      'of its mode downwards asks the consumers',
      known(['billing']),
      update({ guaranteeMode: 'ignore' }),
      'insert_proposal',
    ],
    [
      'of its mode downwards is set where nobody consumes',
      known([]),
      update({ guaranteeMode: 'ignore' }),
      'update_asset',
    ],
    [
      'of its owner asks the consumers',
      { ...known(['billing']), newTeam },
      update({ ownerTeamId: 'other' }),
      'insert_proposal',
    ],
    [
      'of its owner needs a team that is there',
      known([]),
      update({ ownerTeamId: 'other' }),
      'TEAM_NOT_FOUND',
    ],
    [
      'of its owning user needs a member',
      known([]),
      update({ ownerUserId: 'ada' }),
      'USER_NOT_FOUND',
    ],
    [
      'to a name that is taken is refused',
      { ...known([]), name: taken },
      update({ environment: 'staging' }),
      'ASSET_EXISTS',
    ],
    [
      'is one question to the consumers',
      { ...known(['billing']), newTeam },
      update({ ownerTeamId: 'other', guaranteeMode: 'ignore' }),
      'VALIDATION_ERROR',
    ],
    [
      'with another ETag is refused',
      known([]),
      update({ precondition: () => false }),
      'PRECONDITION_FAILED',
    ],
  ])('%s', (_what, facts, command, written) => {
    expect(writtenOf(decideAssetUpdate(facts, command, shop))).toBe(written);
  });

  test.each([
    ['with consumers is refused', ['billing'], false, undefined, shop, 'ASSET_HAS_CONSUMERS'],
    ['with consumers by force is an administrator’s', ['billing'], true, reason, shop, 'FORBIDDEN'],
    ['by force needs a reason', ['billing'], true, undefined, root, 'VALIDATION_ERROR'],
    ['by force is done', ['billing'], true, reason, root, 'update_asset'],
    ['without consumers is done', [], false, undefined, shop, 'update_asset'],
  ])('A deletion %s', (_what, teams, isForced, why, by, written) => {
    const command = { assetId: asset.id, force: isForced, reason: why ?? null };
    expect(writtenOf(decideDeletion(asking(factsOf(teams)), command, by))).toBe(written);
  });
});

describe('A registration', () => {
  const team = { id: 'billing', name: 'Billing', slug: 'billing', metadata: {}, managedBy: null };
  const living = { ...team, createdAt: now, updatedAt: now, deletedAt: null };
  const command = { contractId: 'v1', consumerTeamId: 'billing' };
  const known = { ...factsOf([]), contract, team: living, existing: null, prepared: null };
  const registration: Registration = {
    id: 'registration',
    assetId: asset.id,
    assetFqn: asset.fqn,
    contractId: contract.id,
    contractVersion: contract.version,
    registeredVersion: contract.version,
    consumerTeamId: 'billing',
    consumerTeamName: 'Billing',
    notes: null,
    status: 'active',
    migratesAt: null,
    endsAt: null,
    need: null,
    found: null,
    source: 'api',
    claims: [],
    createdAt: now,
    updatedAt: now,
  };

  test.each([
    ['is made', known, command, 'insert_registration'],
    [
      'is made once for a team and an asset',
      { ...known, existing: registration },
      command,
      'REGISTRATION_EXISTS',
    ],
    [
      'is not made on an archived version',
      { ...known, contract: { ...contract, status: 'archived' as const } },
      command,
      'CONTRACT_ARCHIVED',
    ],
    [
      'is not made on a deleted asset',
      { ...known, ...factsOf([], { deletedAt: now }) },
      command,
      'CONTRACT_NOT_FOUND',
    ],
    [
      'of the owner is made only on purpose',
      { ...known, team: { ...living, id: 'shop' } },
      command,
      'SELF_REGISTRATION',
    ],
    [
      'of the owner is made where it says so',
      { ...known, team: { ...living, id: 'shop' } },
      { ...command, allowSelf: true },
      'insert_registration',
    ],
    ['needs a team that is there', { ...known, team: null }, command, 'TEAM_NOT_FOUND'],
  ])('%s', (_what, facts, asked, written) => {
    expect(writtenOf(decideRegistration(facts, asked, billing))).toBe(written);
  });

  const acknowledging = byOf(actorOf('billing', { acknowledges: true }));
  const standing = { ...factsOf(['billing']), registration, target: contract, prepared: null };
  const update = { registrationId: 'registration' };
  const need = { stated: { fields: [] }, schema: {}, dialect: '2020-12' } as const;
  const prepared = { baseId: contract.id, examined: { need, digest: 'd', unmet: null } };
  const missing = { path: '$.a', message: 'The contract has no field `$.a`.' };
  const unmet = { ...prepared, examined: { ...prepared.examined, unmet: missing } };

  test.each([
    ['changes its notes', standing, { ...update, notes: 'new' }, billing, 'update_registration'],
    ['that changes nothing leaves no trace', standing, update, billing, 'nothing'],
    ['is not changed by the producer', standing, { ...update, notes: 'new' }, shop, 'FORBIDDEN'],
    [
      'ends by who may answer for the team',
      standing,
      { ...update, status: 'inactive' as const },
      acknowledging,
      'update_registration',
    ],
    [
      'says what it reads by who may answer for the team',
      { ...standing, prepared },
      { ...update, needs: prepared.examined.need.stated },
      acknowledging,
      'set_need',
    ],
    [
      'does not say what it reads by the producer',
      { ...standing, prepared },
      { ...update, needs: null },
      shop,
      'FORBIDDEN',
    ],
    [
      'says what it reads again where a version came between',
      { ...standing, prepared: { ...prepared, baseId: 'v0' } },
      { ...update, needs: prepared.examined.need.stated },
      acknowledging,
      'starts over',
    ],
    [
      'does not say that it reads what is not there',
      { ...standing, prepared: unmet },
      { ...update, needs: prepared.examined.need.stated },
      acknowledging,
      'NEED_NOT_MET',
    ],
    [
      'says so where it is only a wish',
      { ...standing, prepared: unmet },
      { ...update, needs: prepared.examined.need.stated, allowUnmet: true },
      acknowledging,
      'set_need',
    ],
    [
      'does not wake on a deleted asset',
      { ...standing, ...factsOf([], { deletedAt: now }) },
      { ...update, status: 'active' as const },
      billing,
      'ASSET_NOT_FOUND',
    ],
    [
      'does not move to another asset’s version',
      { ...standing, target: { ...contract, assetId: 'other' } },
      { ...update, contractId: 'v9' },
      billing,
      'CONTRACT_NOT_FOUND',
    ],
  ])('%s', (_what, facts, asked, by, written) => {
    expect(writtenOf(decideRegistrationUpdate(facts, asked, by))).toBe(written);
  });
});
