// All that somebody must know before they touch an asset, by a fixed number of reads of one moment.
// Reads of two moments could allow together what neither moment allows.

import type { Actor } from '../../core/actor.ts';
import type { Asset } from '../../core/asset.ts';
import type { Contract } from '../../core/contract.ts';
import {
  decidePreflight,
  type PreflightAct,
  type PreflightFacts,
  type PreflightReason,
} from '../../core/decide/assets/preflight.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { Lineage } from '../../core/dependency.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { AssetId, TeamId } from '../../core/id.ts';
import type { Need } from '../../core/need.ts';
import type { Proposal } from '../../core/proposal.ts';
import type { Incident, QualityRun } from '../../core/quality-run.ts';
import type { Consumer } from '../../core/registration.ts';
import type { Team } from '../../core/team.ts';
import type { Reads } from '../ports.ts';

interface ConsumerContext {
  readonly consumer: Consumer;
  /** Null if the contract in force does not meet a need that the team stated. */
  readonly need: Need | null;
}

interface AssetContext {
  readonly asset: Asset;
  /** The active contract, otherwise the newest that is not archived. */
  readonly contract: Contract | null;
  readonly owner: Team | null;
  readonly consumers: readonly ConsumerContext[];
  readonly proposal: Proposal | null;
  readonly upstream: Lineage;
  readonly downstream: Lineage;
  readonly lastRun: QualityRun | null;
  readonly incidents: readonly Incident[];
  /** Why the caller may or may not do each. */
  readonly may: Readonly<Record<PreflightAct, readonly PreflightReason[]>>;
}

export function describeContext(
  reads: Reads,
  assetId: AssetId,
  actor: Actor,
): Promise<Outcome<AssetContext>> {
  return reads.atOneMoment((moment) => readContext(moment, assetId, actor));
}

async function readContext(
  reads: Reads,
  assetId: AssetId,
  actor: Actor,
): Promise<Outcome<AssetContext>> {
  const found = await readFacts(reads, assetId);
  if (!found.ok) return found;
  const upstream = await reads.walkLineage({ assetId, direction: 'upstream', maxDepth: 1 });
  const downstream = await reads.walkLineage({ assetId, direction: 'downstream', maxDepth: 1 });
  const needs = await reads.listNeeds(assetId);
  const { asset, consumers, ...rest } = found.value;
  const byDigest = new Map(needs.map(({ digest, need }) => [digest, need]));
  const owner = await reads.getTeam(asset.ownerTeamId);
  const teamId = onlyTeamOf(actor);
  const mayI = (act: PreflightAct) => decidePreflight(found.value, { act, actor, teamId });
  return accept({
    ...{ asset, owner, upstream, downstream, ...rest },
    may: { read: mayI('read'), deploy: mayI('deploy'), change: mayI('change') },
    consumers: consumers.map((consumer) => ({
      consumer,
      need: byDigest.get(consumer.needDigest ?? '') ?? null,
    })),
  });
}

interface Preflight {
  readonly asset: Asset;
  readonly contract: Contract | null;
  readonly reasons: readonly PreflightReason[];
}

export async function findPreflight(
  reads: Reads,
  question: {
    readonly assetId: AssetId;
    readonly act: PreflightAct;
    readonly actor: Actor;
    readonly teamId: TeamId | undefined;
  },
): Promise<Outcome<Preflight>> {
  const found = await reads.atOneMoment((moment) => readFacts(moment, question.assetId));
  if (!found.ok) return found;
  const { asset, contract } = found.value;
  const teamId = question.teamId ?? onlyTeamOf(question.actor);
  const reasons = decidePreflight(found.value, { ...question, teamId });
  return accept({ asset, contract, reasons });
}

function onlyTeamOf({ teams }: Actor): TeamId | null {
  return teams !== 'all' && teams.length === 1 ? (teams[0] ?? null) : null;
}

interface Found extends PreflightFacts {
  readonly contract: Contract | null;
  readonly consumers: readonly Consumer[];
  readonly proposal: Proposal | null;
  readonly lastRun: QualityRun | null;
}

async function readFacts(reads: Reads, assetId: AssetId): Promise<Outcome<Found>> {
  const page = { page: 1, pageSize: 1, includeTotal: false, cursor: undefined, assetId };
  const asset = await reads.getAsset(assetId);
  const latest = await reads.getContractByVersion(assetId, 'latest');
  const facts = await reads.getAssetFacts(assetId);
  if (asset === null || facts === null) {
    return notFound('ASSET', assetId);
  }
  const proposal = await reads.getOpenProposal(assetId);
  const incidents = await reads.listIncidents(assetId);
  const runs = await reads.listQualityRuns(page);
  const proposals = await reads.listProposals(page);
  if (!runs.ok) return runs;
  if (!proposals.ok) return proposals;
  const contract = latest?.status === 'archived' ? null : latest;
  const lastRun = runs.value.results[0] ?? null;
  const newest = proposals.value.results[0] ?? null;
  const { consumers } = facts;
  return accept({ asset, contract, consumers, proposal, newest, incidents, lastRun });
}
