// Converts the plan of an import to the writes of one transaction, and the ids that they create.

import type { ImportedAs } from '../../asset.ts';
import {
  type Asset,
  defaultGuaranteeMode,
  defaultNeedsMode,
  defaultOnDeadline,
} from '../../asset.ts';
import type { Contract } from '../../contract.ts';
import { insertAssetWrite } from '../../decide/assets/create.ts';
import type { By } from '../../decide/decided.ts';
import { assetEvent, contractRetired } from '../../decide/events.ts';
import type { AssetFacts } from '../../decide/facts.ts';
import {
  contractOfTerms,
  followersOf,
  publishWrites,
} from '../../decide/publishing/new-version.ts';
import { changesOfProposed } from '../../decide/publishing/proposed-changes.ts';
import {
  type NewProposal,
  proposalOfFacts,
  proposeWrites,
  stepOf,
} from '../../decide/publishing/proposing.ts';
import { nextVersion } from '../../decide/publishing/version.ts';
import { keepingWrite, registrationWrite } from '../../decide/registrations/register.ts';
import type { Write } from '../../decide/write.ts';
import type { EventDraft } from '../../event.ts';
import { accept, type Outcome } from '../../failure.ts';
import type { AssetId, ProposalId, TeamId } from '../../id.ts';
import type { Proposed, ProposedTerms } from '../../proposal.ts';
import type { Service } from '../../team.ts';
import type { JsonObject } from '../../value/json.ts';
import type { ImportKind } from '../candidate.ts';
import { assetKey } from '../plan/assess.ts';
import type { FoundAsset, ImportFound } from '../plan/found.ts';
import type {
  AppliedIds,
  AssetKey,
  ImportPlan,
  PlannedChange,
  PlannedKind,
} from '../plan/plan.types.ts';
import { type DependentFacts, dependencyWrite, undependWrites } from './import-dependencies.ts';

interface ImportWrites {
  readonly writes: readonly Write[];
  readonly applied: AppliedIds;
}

/**
 * Decides each change in the plan's order, then groups the writes by kind, each kind in one
 * statement.
 */
export function importWrites(
  plan: ImportPlan,
  found: ImportFound,
  by: By,
  told: {
    readonly kind: ImportKind;
    readonly importedFor: TeamId;
    readonly service: Service | null;
    readonly digestOf: (key: AssetKey) => string;
  },
): Outcome<ImportWrites> {
  const work: Work = {
    found,
    by,
    ...told,
    facts: new Map(found.assets.map((each) => [keyOf(each), each])),
    assets: new Map(found.assets.map((each) => [keyOf(each), each])),
    lines: new Map(found.predecessors.map((each) => [keyOf(each), each])),
    teams: new Map(found.teams.map(({ id, name }) => [id, name])),
    writes: [],
    assetIds: new Map(),
    contracts: new Map(),
    proposalIds: new Map(),
  };
  for (const change of plan.changes) {
    const done = writeChange(work, change);
    if (!done.ok) return done;
  }
  const contractIds = new Map([...work.contracts].map(([key, { id }]) => [key, id] as const));
  const { assetIds, proposalIds } = work;
  const ordered = work.writes.toSorted((a, b) => rankOf(a) - rankOf(b));
  return accept({
    writes: withCompletion(ordered, completed(plan, work)),
    applied: { assetIds, contractIds, proposalIds },
  });
}

interface Work {
  readonly found: ImportFound;
  readonly by: By;
  readonly kind: ImportKind;
  /** The team that the file belongs to. */
  readonly importedFor: TeamId;
  /** What new assets belong to. */
  readonly service: Service | null;
  readonly digestOf: (key: AssetKey) => string;
  /** The state after the changes so far. */
  readonly facts: Map<AssetKey, AssetFacts>;
  /** The state before the import. */
  readonly assets: ReadonlyMap<AssetKey, FoundAsset>;
  readonly lines: ReadonlyMap<AssetKey, FoundAsset>;
  readonly teams: ReadonlyMap<TeamId, string>;
  readonly writes: Write[];
  readonly assetIds: Map<AssetKey, AssetId>;
  readonly contracts: Map<AssetKey, Contract>;
  readonly proposalIds: Map<AssetKey, ProposalId>;
}

type ChangeOf<Kind extends PlannedKind> = Extract<PlannedChange, { readonly kind: Kind }>;

const done: Outcome<true> = accept(true);

function keyOf({ asset }: AssetFacts): AssetKey {
  return assetKey(asset.fqn, asset.environment);
}

function factsOf(work: Work, key: AssetKey): AssetFacts {
  const facts = work.facts.get(key);
  if (facts === undefined) throw new Error(`${key} is planned for but missing.`);
  return facts;
}

function writeChange(work: Work, change: PlannedChange): Outcome<true> {
  switch (change.kind) {
    case 'create_asset':
      return createAsset(work, change);
    case 'update_asset':
      return updateAsset(work, change);
    case 'publish_contract':
      return publish(work, change);
    case 'create_proposal':
      return propose(work, change.key, proposedOf(work, change), {
        ...{ changes: change.comparison.changes, asking: change.asking },
        changeType: stepOf(change.comparison),
      });
    case 'propose_move': {
      const { environment } = factsOf(work, change.key).asset;
      return proposeOther(work, change.key, {
        kind: 'move',
        environment,
        ownerTeamId: change.ownerTeamId,
      });
    }
    case 'propose_deprecation': {
      const { base } = factsOf(work, change.key);
      const { contractId } = change;
      return proposeOther(work, change.key, {
        kind: 'deprecation',
        contractId,
        contractVersion: base?.version ?? '',
      });
    }
    case 'deprecate_contract':
      return deprecate(work, change);
    case 'register_consumer':
      return register(work, change);
    case 'add_dependency':
      work.writes.push(dependencyWrite(dependencyFacts(work, change), change.upstreamKey, work.by));
      return done;
    case 'remove_dependency':
      work.writes.push(...undependWrites(dependencyFacts(work, change), change.upstreamKey));
      return done;
    default:
      return change satisfies never;
  }
}

function createAsset(work: Work, change: ChangeOf<'create_asset'>): Outcome<true> {
  const { key, fqn, environment, ownerTeamId, ownerUserId, metadata, importedAs } = change;
  const made: Asset = {
    id: work.by.newId(),
    fqn,
    environment,
    ownerTeamId,
    ownerTeamName: work.teams.get(ownerTeamId) ?? '',
    ownerUserId,
    ownerUserName: userName(work, ownerUserId),
    serviceId: work.service?.id ?? null,
    serviceName: work.service?.name ?? null,
    guaranteeMode: defaultGuaranteeMode,
    needsMode: defaultNeedsMode,
    autoPublish: false,
    onDeadline: defaultOnDeadline,
    metadata,
    managedBy: null,
    activeContractId: null,
    activeContractVersion: null,
    createdAt: work.by.at,
    updatedAt: work.by.at,
    deletedAt: null,
  };
  const line = work.lines.get(key) ?? null;
  const { importedFor } = work;
  const write = { ...insertAssetWrite(made, line), importedFor, importedAs };
  work.writes.push(write);
  work.assetIds.set(key, made.id);
  work.facts.set(key, {
    asset: write.asset,
    base: line?.base ?? null,
    highestVersion: line?.highestVersion ?? null,
    consumers: line?.consumers ?? [],
    openProposal: line?.openProposal ?? null,
  });
  return done;
}

function userName(work: Work, userId: string | null): string | null {
  return work.found.users.find(({ id }) => id === userId)?.name ?? null;
}

function updateAsset(work: Work, change: ChangeOf<'update_asset'>): Outcome<true> {
  const facts = factsOf(work, change.key);
  const { asset: before } = facts;
  const { ownerTeamId, ownerUserId, metadata, importedAs, importedFor } = change;
  const asset: Asset = {
    ...before,
    ownerTeamId,
    ownerTeamName: work.teams.get(ownerTeamId) ?? before.ownerTeamName,
    ownerUserId,
    ownerUserName:
      ownerUserId === before.ownerUserId ? before.ownerUserName : userName(work, ownerUserId),
    metadata,
    updatedAt: work.by.at,
  };
  const known = work.assets.get(change.key);
  const fields = (each: Asset, as: ImportedAs, team: TeamId | null) => ({
    owner_team_id: each.ownerTeamId,
    owner_user_id: each.ownerUserId,
    metadata: each.metadata,
    imported_as: as as JsonObject,
    imported_for: team,
  });
  const event = assetEvent('asset.updated', asset, {
    team_id: before.ownerTeamId,
    from: fields(before, known?.importedAs ?? {}, known?.importedFor ?? null),
    to: fields(asset, importedAs, importedFor),
  });
  const told = { importedAs, ...(importedFor === null ? {} : { importedFor }) };
  work.writes.push({ kind: 'update_asset', asset, ...told, events: [event] });
  work.facts.set(change.key, { ...facts, asset });
  return done;
}

function proposedOf(
  work: Work,
  { key, terms, format }: ChangeOf<'publish_contract' | 'create_proposal'>,
): ProposedTerms {
  return {
    kind: 'schema',
    schema: terms.schema,
    schemaDigest: work.digestOf(key),
    compatibilityMode: terms.compatibilityMode,
    guarantees: terms.guarantees,
    format,
    direction: terms.direction,
    dialect: terms.dialect ?? null,
    version: null,
    source: 'sync',
    sourceReference: work.kind,
    commit: null,
  };
}

function publish(work: Work, change: ChangeOf<'publish_contract'>): Outcome<true> {
  const { key, comparison } = change;
  const facts = factsOf(work, key);
  const next = nextVersion({
    highestEver: facts.highestVersion,
    bump: comparison?.bump ?? 'none',
  });
  if (!next.ok) return next;
  const contract = contractOfTerms(facts, proposedOf(work, change), next.value, work.by);
  work.writes.push(
    ...publishWrites(facts, contract, {
      ...next.value,
      changes: comparison?.changes ?? [],
      breaksBackward: comparison?.breaksBackward ?? false,
      moved: followersOf(facts),
      verdicts: change.asking.verdicts,
      asking: change.asking,
      proposalId: null,
    }),
  );
  work.contracts.set(key, contract);
  return done;
}

function propose(
  work: Work,
  key: AssetKey,
  proposed: Proposed,
  how: Omit<NewProposal, 'proposed'>,
): Outcome<true> {
  const facts = factsOf(work, key);
  const proposal = proposalOfFacts(facts, { proposed, ...how }, work.by);
  work.writes.push(...proposeWrites(facts, proposal, null));
  work.proposalIds.set(key, proposal.id);
  return done;
}

function proposeOther(
  work: Work,
  key: AssetKey,
  proposed: Exclude<Proposed, ProposedTerms>,
): Outcome<true> {
  const changes = changesOfProposed(proposed, factsOf(work, key));
  return propose(work, key, proposed, { changes });
}

function deprecate(work: Work, { key }: Pick<PlannedChange, 'key'>): Outcome<true> {
  const { asset, base, consumers } = factsOf(work, key);
  if (base === null) return done;
  const { id, version } = base;
  const event = contractRetired('contract.deprecated', asset, base, consumers, {
    reason: `version ${version} is no longer in the file that it was imported from`,
  });
  const status = 'deprecated';
  work.writes.push({ kind: 'set_contract_status', id, status, at: work.by.at, events: [event] });
  return done;
}

function register(work: Work, change: ChangeOf<'register_consumer'>): Outcome<true> {
  const { key, consumerTeamId, notes, origin } = change;
  const { asset, base, consumers } = factsOf(work, key);
  const leaving = consumers.find(({ teamId }) => teamId === consumerTeamId);
  if (leaving !== undefined) {
    const kept = { ...leaving, consumerTeamId, consumerTeamName: leaving.teamName };
    work.writes.push(keepingWrite(kept, asset, work.by.at));
    return done;
  }
  const contract = work.contracts.get(key) ?? base;
  if (contract === null) throw new Error(`${key} has no contract to register on.`);
  const team = { id: consumerTeamId, name: work.teams.get(consumerTeamId) ?? '' };
  const how = { notes, source: 'sync' as const, claims: [], origin };
  work.writes.push(registrationWrite(asset, contract, team, how, work.by));
  return done;
}

function dependencyFacts(work: Work, { key }: Pick<PlannedChange, 'key'>): DependentFacts {
  const { asset } = factsOf(work, key);
  const found = work.assets.get(key) ?? work.lines.get(key);
  return { asset, known: found?.upstream ?? [], find: (upstream) => factsOf(work, upstream).asset };
}

/** The order of the kinds of writes: assets before what belongs to them, old versions first. */
const ranks: Readonly<Partial<Record<Write['kind'], number>>> = {
  insert_asset: 0,
  update_asset: 1,
  set_contract_status: 2,
  insert_contract: 3,
  insert_proposal: 4,
  keep_registration: 5,
  insert_registration: 6,
  delete_dependency: 7,
  insert_dependency: 8,
};

function rankOf({ kind }: Write): number {
  const rank = ranks[kind];
  if (rank === undefined) throw new Error(`An import writes no ${kind}.`);
  return rank;
}

function completed(plan: ImportPlan, work: Work): EventDraft {
  const count = (...kinds: readonly PlannedKind[]) =>
    plan.changes.filter(({ kind }) => kinds.includes(kind)).length;
  return {
    type: 'import.completed',
    entityType: 'import',
    entityId: work.by.newId(),
    metadata: {
      format: work.kind,
      items: plan.items.length,
      assets_created: count('create_asset'),
      assets_updated: count('update_asset'),
      contracts_published: count('publish_contract'),
      contracts_deprecated: count('deprecate_contract'),
      proposals_created: count('create_proposal', 'propose_move', 'propose_deprecation'),
      registrations_created: count('register_consumer'),
      dependencies_added: count('add_dependency'),
      dependencies_removed: count('remove_dependency'),
      errors: plan.errors.length,
    },
    teamIds: plan.ownerTeamIds,
  };
}

/** Adds the completion event after all other events of the import. */
function withCompletion(writes: readonly Write[], event: EventDraft): readonly Write[] {
  const last = writes.at(-1);
  if (last === undefined) return writes;
  return [...writes.slice(0, -1), { ...last, events: [...last.events, event] }];
}
