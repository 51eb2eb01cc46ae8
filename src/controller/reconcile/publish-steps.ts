// The steps that change the registry: the consumers of an asset, and its contract.

import type { Asset } from '../../core/asset.ts';
import type { Contract } from '../../core/contract.ts';
import type {
  FirstContract,
  PublishContract,
  Published,
  PublishResult,
} from '../../core/decide/commands.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { Proposal } from '../../core/proposal.ts';
import type { Verdict } from '../conditions.ts';
import { effectiveContract } from '../effective.ts';
import { type Handled, verdictOfFailure } from './contract-status.ts';
import { type ContractWork, isOwn } from './contract-work.ts';
import { reviewProposal } from './review-proposal.ts';
import { type OwnWithdrawn, withdrawAllOwn } from './withdraw-own.ts';
import { actorOf, confirmConsumers, contextOf, findBase } from './world.ts';

/**
 * Null if an earlier change of this spec was published in the meantime, so that everything has to
 * be requested again.
 */
export async function publishContractOf(
  work: ContractWork,
  asset: Asset,
  /** The open proposal, if it is known. */
  known?: Proposal | null,
): Promise<Handled | null> {
  const { world, standing, digest } = work;
  const context = contextOf(world, standing.actor);
  const common = { asset, team: standing.team.slug };
  // Consumers that are declared together with a breaking change are asked about it too.
  const base = await findBase(world, asset);
  const early =
    base === null || base.status === 'archived'
      ? accept(0)
      : await registerConsumers(work, asset, base.id);
  if (!early.ok) return { ...common, verdict: verdictOfFailure(early.failure) };
  const open = known === undefined ? await world.ports.reads.getOpenProposal(asset.id) : known;
  const command = {
    ...termsAsked(work),
    assetId: asset.id,
    supersede: open !== null && isOwn(work, asset, open),
  };
  const confirmed = await confirmUnasked(work, asset, command);
  if (!confirmed.ok) return { ...common, verdict: verdictOfFailure(confirmed.failure) };
  const outcome = await world.verbs.publishContract(world.ports, context, {
    ...command,
    dryRun: false,
  });
  if (!outcome.ok) return { ...common, verdict: verdictOfFailure(outcome.failure) };
  const contractId = contractIdOf(outcome.value) ?? asset.activeContractId;
  const late = contractId === null ? accept(0) : await registerConsumers(work, asset, contractId);
  if (!late.ok) return { ...common, verdict: verdictOfFailure(late.failure) };
  const before = await withdrawBefore(work, asset, outcome.value);
  if (!before.ok) return { ...common, verdict: verdictOfFailure(before.failure) };
  if (before.value === 'carried_out') return null;
  const handled = await concludePublish(work, asset, outcome.value);
  if (handled === null) return null;
  return {
    ...common,
    consumers: await countConsumers(work, asset),
    handledDigest: digest,
    ...handled,
  };
}

/** Makes sure that the consumers are known before a change that asks them, or would if there were any. */
async function confirmUnasked(
  { world, object, standing }: ContractWork,
  asset: Asset,
  command: Omit<PublishContract, 'dryRun'>,
): Promise<Outcome<true>> {
  if (world.source.listMissed === undefined || (await findBase(world, asset)) === null) {
    return accept(true);
  }
  const context = contextOf(world, standing.actor);
  const tried = await world.verbs.publishContract(world.ports, context, {
    ...command,
    dryRun: true,
  });
  // The publish itself tells why it is refused.
  if (!tried.ok || tried.value.action === 'unchanged') return accept(true);
  // A proposal that asks nobody is published at once.
  const asksNobody =
    tried.value.action === 'published' &&
    tried.value.changeType !== 'major' &&
    asset.needsMode !== 'protect';
  return asksNobody ? accept(true) : confirmConsumers(world, object, asset);
}

async function countConsumers({ world }: ContractWork, asset: Asset): Promise<number> {
  const facts = await world.ports.reads.getAssetFacts(asset.id);
  return facts?.consumers.length ?? 0;
}

/** The version that the spec requests. */
export function termsAsked({
  world,
  object,
  spec,
  read,
}: Pick<ContractWork, 'world' | 'object' | 'spec' | 'read'>): FirstContract {
  return {
    schema: read.schema,
    dialect: read.dialect,
    format: read.format,
    direction: read.direction,
    compatibilityMode: spec.compatibilityMode,
    guarantees: spec.guarantees ?? read.guarantees,
    version: spec.version,
    source: world.source.contractSource,
    sourceReference: object.path ?? `${object.namespace}/${object.name}`,
    commit: object.revision ?? undefined,
  };
}

/** Publishes the first version of a new name, which has no consumers and no earlier proposals. */
export async function concludeFirst(
  work: ContractWork,
  asset: Asset,
  published: Outcome<Published>,
): Promise<Handled> {
  const common = { asset, team: work.standing.team.slug };
  if (!published.ok) return { ...common, verdict: verdictOfFailure(published.failure) };
  const concluded = concludePublished(published.value);
  const registered = await registerConsumers(work, asset, concluded.contract.id);
  if (!registered.ok) return { ...common, verdict: verdictOfFailure(registered.failure) };
  // Later registrations wake the object.
  const consumers = registered.value === 0 ? 0 : await countConsumers(work, asset);
  return { ...common, consumers, handledDigest: work.digest, ...concluded };
}

function contractIdOf(result: PublishResult): string | null {
  return result.action === 'proposal_created' ? null : result.contract.id;
}

const withdrawnBecause: Readonly<Record<PublishResult['action'], string>> = {
  published: 'the spec changed to another version',
  unchanged: 'the spec was set back to the active version',
  proposal_created: 'its DataContract proposed again',
};

/** Withdraws earlier proposals of the object that are not part of this result. */
async function withdrawBefore(
  { world, object, standing }: ContractWork,
  asset: Asset,
  result: PublishResult,
): Promise<Outcome<OwnWithdrawn>> {
  // Without a version there was nothing to break.
  if ((await findBase(world, asset)) === null) return accept('over');
  const asked = result.action === 'proposal_created' ? result.proposal.id : null;
  return withdrawAllOwn(
    { world, object, context: contextOf(world, standing.actor) },
    asset,
    ({ id }) => id === asked,
    withdrawnBecause[result.action],
  );
}

async function concludePublish(
  work: ContractWork,
  asset: Asset,
  result: PublishResult,
): Promise<Handled | null> {
  switch (result.action) {
    case 'published':
      return concludePublished(result);
    case 'unchanged':
      return {
        verdict: unchangedVerdict(work, result.contract),
        contract: result.contract,
        proposal: null,
      };
    case 'proposal_created': {
      const { id } = result.proposal;
      const proposal = id === null ? null : await work.world.ports.reads.getProposal(id);
      if (proposal === null) throw new Error('a proposal that was just made is not there');
      const reviewed = await reviewProposal(work, asset, proposal);
      // The asset was read before another version was published.
      if (reviewed.next === 'ask') return null;
      const lastChange = { bump: 'major' as const, changes: result.changes };
      return { ...(await activeContract(work, asset)), ...reviewed.handled, lastChange };
    }
    default:
      return result satisfies never;
  }
}

function concludePublished({ contract, changes, changeType: bump }: Published) {
  const { id, version } = contract;
  if (id === null) throw new Error('a publish that was no dry run has no id');
  return {
    verdict: { reason: 'Published', message: `Published version ${version}.` },
    contract: { ...contract, id },
    proposal: null,
    lastChange: { bump, changes },
  } satisfies Handled;
}

/** The active version, if the status does not contain it yet. */
async function activeContract(
  { world, status }: ContractWork,
  { activeContractId }: Asset,
): Promise<Pick<Handled, 'contract'>> {
  if (activeContractId === null || activeContractId === status.contractId) return {};
  return { contract: await world.ports.reads.getContract(activeContractId) };
}

/**
 * If this object published the version but the status write failed, the status reports it as
 * published now.
 */
function unchangedVerdict({ object, status }: ContractWork, contract: Contract): Verdict {
  const { id, version, publishedByActor } = contract;
  const isNews = publishedByActor.id === object.uid && status.contractId !== id;
  return isNews
    ? { reason: 'Published', message: `Published version ${version}.` }
    : { reason: 'UpToDate', message: `Version ${version} matches the spec.` };
}

/** Only adds registrations: a declaration gives a team a say, and takes nothing from anybody. */
async function registerConsumers(
  work: ContractWork,
  asset: Asset,
  contractId: string,
): Promise<Outcome<number>> {
  const { world, object, spec } = work;
  const { consumers } = effectiveContract(spec);
  if (consumers.length === 0) return accept(0);
  const facts = await world.ports.reads.getAssetFacts(asset.id);
  const staying = facts?.consumers.filter(({ isLeaving }) => !isLeaving);
  const registered = new Set(staying?.map(({ teamId }) => teamId));
  const teams = await world.ports.reads.listTeamsBySlug(consumers.map(({ team }) => team));
  for (const { team: slug, purpose } of consumers) {
    const team = teams.find((candidate) => candidate.slug === slug);
    if (team === undefined) {
      return {
        ok: false,
        failure: {
          code: 'TEAM_NOT_FOUND',
          message: `spec.addConsumers names team ${slug}, but no team has that slug. Create the team, or correct the slug.`,
        },
      };
    }
    if (registered.has(team.id)) continue;
    const outcome = await world.verbs.registerConsumer(
      world.ports,
      contextOf(world, actorOf(world, object, [team.id])),
      {
        contractId,
        consumerTeamId: team.id,
        notes: purpose ?? undefined,
        source: world.source.contractSource,
        onlyAdds: true,
      },
    );
    // The team is registered, though not as active, which is its own choice.
    if (!outcome.ok && outcome.failure.code !== 'REGISTRATION_EXISTS') return outcome;
  }
  return accept(consumers.length);
}
