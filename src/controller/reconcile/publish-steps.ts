// The steps that change the registry: the asset's fields, its consumers, its contract.

import type { Asset } from '../../core/asset.ts';
import type { Contract } from '../../core/contract.ts';
import { isSameJson } from '../../core/diff/canonical-json.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Proposal } from '../../core/proposal.ts';
import type { PublishResult, UpdateAsset } from '../../registry/commands.ts';
import type { Verdict } from '../conditions.ts';
import { effectiveContract } from '../effective.ts';
import { type Handled, verdictOfFailure } from './contract-status.ts';
import { type ContractWork, isOwn } from './contract-work.ts';
import { reviewProposal } from './review-proposal.ts';
import { actorOf, contextOf, findTeam } from './world.ts';

/**
 * What the asset says beside its contract. `policies` is what may change without asking again;
 * the rest is looked at only where the spec is new, so that an override stays.
 */
export async function syncAsset(
  work: ContractWork,
  asset: Asset,
  which: 'policies' | 'all',
): Promise<Outcome<Asset>> {
  const { world, standing, spec } = work;
  const { autoPublish, guaranteeMode, metadata } = effectiveContract(spec);
  const patch: Partial<Mutable<UpdateAsset>> = {};
  if (asset.autoPublish !== autoPublish) patch.autoPublish = autoPublish;
  if (which === 'all') {
    if (asset.guaranteeMode !== guaranteeMode) patch.guaranteeMode = guaranteeMode;
    if (asset.ownerTeamId !== standing.team.id) patch.ownerTeamId = standing.team.id;
    const changed = metadataPatch(asset.metadata, metadata);
    if (Object.keys(changed).length > 0) patch.metadata = changed;
  }
  if (Object.keys(patch).length === 0) return accept(asset);
  const outcome = await world.verbs.updateAsset(world.ports, contextOf(world, standing.actor), {
    assetId: asset.id,
    supersede: false,
    ...patch,
  });
  if (!outcome.ok) return outcome;
  return accept(outcome.value.action === 'updated' ? outcome.value.asset : asset);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Sets what differs. What others added stays: a spec says what it wants, not all there is. */
function metadataPatch(held: JsonObject, wanted: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => !isSameJson(held[key], value)),
  );
}

export async function publishContractOf(work: ContractWork, asset: Asset): Promise<Handled> {
  const { world, object, spec, standing, digest } = work;
  const context = contextOf(world, standing.actor);
  const common = { asset, team: standing.team.slug };
  // Declared together with a breaking change they are asked about it too.
  const early =
    asset.activeContractId === null
      ? accept(0)
      : await registerConsumers(work, asset, asset.activeContractId);
  if (!early.ok) return { ...common, verdict: verdictOfFailure(early.failure) };
  const open = await world.ports.reads.getOpenProposal(asset.id);
  const outcome = await world.verbs.publishContract(world.ports, context, {
    assetId: asset.id,
    schema: work.schema,
    compatibilityMode: spec.compatibilityMode,
    guarantees: spec.guarantees,
    version: spec.version,
    dryRun: false,
    supersede: open !== null && isOwn(open, object),
    source: world.source.contractSource,
    sourceReference: object.path ?? `${object.namespace}/${object.name}`,
    commit: object.revision ?? undefined,
  });
  if (!outcome.ok) return { ...common, verdict: verdictOfFailure(outcome.failure) };
  const contractId = contractIdOf(outcome.value) ?? asset.activeContractId;
  const late = contractId === null ? accept(0) : await registerConsumers(work, asset, contractId);
  if (!late.ok) return { ...common, verdict: verdictOfFailure(late.failure) };
  const handled = await concludePublish(work, asset, outcome.value, open);
  const facts = await world.ports.reads.getAssetFacts(asset.id);
  return {
    ...common,
    consumers: facts?.consumers.length ?? 0,
    handledDigest: digest,
    ...handled,
  };
}

function contractIdOf(result: PublishResult): string | null {
  return result.action === 'proposal_created' ? null : result.contract.id;
}

async function concludePublish(
  work: ContractWork,
  asset: Asset,
  result: PublishResult,
  open: Proposal | null,
): Promise<Handled> {
  switch (result.action) {
    case 'published': {
      const { contract, changes, changeType: bump } = result;
      if (contract.id === null) throw new Error('a publish that was no dry run has no id');
      await withdrawOwn(work, open, 'the spec went on to another version');
      return {
        verdict: { reason: 'Published', message: `Published version ${contract.version}.` },
        contract: { ...contract, id: contract.id },
        proposal: null,
        lastChange: { bump, changes },
      };
    }
    case 'unchanged':
      await withdrawOwn(work, open, 'the spec went back to the active version');
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
      return { ...reviewed, lastChange: { bump: 'major', changes: result.changes } };
    }
    default:
      return result satisfies never;
  }
}

/** A version that was published from here, and never told because the telling failed. */
function unchangedVerdict({ object, status }: ContractWork, contract: Contract): Verdict {
  const { id, version, publishedByActor } = contract;
  const isNews = publishedByActor.id === object.uid && status.contractId !== id;
  return isNews
    ? { reason: 'Published', message: `Published version ${version}.` }
    : { reason: 'UpToDate', message: `Version ${version} says what the spec asks for.` };
}

async function withdrawOwn(
  { world, object, standing }: ContractWork,
  open: Proposal | null,
  reason: string,
): Promise<void> {
  if (open === null || !isOwn(open, object)) return;
  const context = contextOf(world, standing.actor);
  // Refused where somebody concluded it meanwhile: then there is nothing to withdraw.
  await world.verbs.withdrawProposal(world.ports, context, { proposalId: open.id, reason });
}

/** Only adds: it gives a team a say, and takes nothing from anybody. */
async function registerConsumers(
  work: ContractWork,
  asset: Asset,
  contractId: string,
): Promise<Outcome<number>> {
  const { world, object, spec } = work;
  const { consumers } = effectiveContract(spec);
  if (consumers.length === 0) return accept(0);
  const facts = await world.ports.reads.getAssetFacts(asset.id);
  const registered = new Set(facts?.consumers.map(({ teamId }) => teamId));
  for (const { team: slug, purpose } of consumers) {
    const team = await findTeam(world, slug);
    if (team === null) {
      return {
        ok: false,
        failure: {
          code: 'TEAM_NOT_FOUND',
          message: `spec.consumers names team ${slug}, and no team has that slug. Create it, or correct it.`,
        },
      };
    }
    if (registered.has(team.id)) continue;
    const outcome = await world.verbs.registerConsumer(
      world.ports,
      contextOf(world, actorOf(object, [team.id])),
      {
        contractId,
        consumerTeamId: team.id,
        notes: purpose ?? undefined,
        source: world.source.contractSource,
      },
    );
    // Registered, though not active: that team's own choice.
    if (!outcome.ok && outcome.failure.code !== 'REGISTRATION_EXISTS') return outcome;
  }
  return accept(consumers.length);
}
