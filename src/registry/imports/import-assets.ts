// Imports a file: reads and compares before the transaction, plans and writes within it.

import type { Actor } from '../../core/actor.ts';
import { decideAccess } from '../../core/decide/access.ts';
import { type StartOver, startOver } from '../../core/decide/decided.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { AssetId, ServiceId, TeamId } from '../../core/id.ts';
import { fatalOf } from '../../core/import/candidate.ts';
import type { ImportFound } from '../../core/import/plan/found.ts';
import type { Imported } from '../../core/import/plan/import-report.ts';
import { planImport } from '../../core/import/plan/plan.ts';
import type {
  AppliedIds,
  Comparisons,
  ImportFacts,
  ImportOptions,
  ImportPlan,
  NeedVerdicts,
} from '../../core/import/plan/plan.types.ts';
import { importWrites } from '../../core/import/write/import-writes.ts';
import { byOf } from '../apply-decided.ts';
import type { ImportAssets, Verb } from '../commands.ts';
import type { Context, Ports } from '../ports.ts';
import { reopenIfAwaited } from '../proposals/reopen-proposal.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import { reviewNeeds } from '../registrations/review-needs.ts';
import type { Transaction } from '../transaction.ts';
import { tryAgain } from '../try-again.ts';
import { type CheckedImport, checkImport } from './check-import.ts';
import { compareImport, isStillCompared, judgeImport } from './compare-import.ts';
import type { ImportQuestion } from './import.types.ts';
import { askRegistry, toImportFacts } from './import-facts.ts';

export const importAssets: Verb<ImportAssets, Imported> = async (ports, context, command) => {
  const { options } = command;
  const { environment, ownerTeamId } = options;
  if (command.serviceId !== null && (await ports.reads.getService(command.serviceId)) === null) {
    return noService(command.serviceId);
  }
  let publishing: ReadonlySet<AssetId> = new Set();
  const outcome = await tryAgain<Imported>(async () => {
    const asked = await askRegistry(ports.reads, command.read, environment, [ownerTeamId]);
    const { read, question, found } = asked;
    publishing = publishingByThemselves(found);
    const checked = checkImport(read, question, found);
    const facts = toImportFacts(found, checked, question, ownerTeamId);
    const { engine } = ports;
    const comparisons = await compareImport(engine, checked.parsed, facts, environment);
    const verdicts = await judgeImport(ports, checked.parsed, facts, comparisons, environment);
    const judged: Judged = { checked, question, comparisons, verdicts, facts, found };
    const planned = plan(context.actor, judged, options);
    if (!planned.ok) return planned;
    const mayStayOutside = context.idempotency === undefined;
    if ((command.dryRun || planned.value.changes.length === 0) && mayStayOutside) {
      return accept(importedOf(command, checked, planned.value, nothingApplied));
    }
    writeDigests(checked, planned.value);
    return ports.attempt(context, (transaction) =>
      importUnderLock(transaction, context, command, judged),
    );
  });
  if (outcome.ok) await settle(ports, context, outcome.value, publishing);
  return outcome;
};

interface Judged {
  readonly checked: CheckedImport;
  readonly question: ImportQuestion;
  readonly found: ImportFound;
  readonly facts: ImportFacts;
  readonly comparisons: Comparisons;
  readonly verdicts: NeedVerdicts;
}

const nothingApplied: AppliedIds = {
  assetIds: new Map(),
  contractIds: new Map(),
  proposalIds: new Map(),
};

function plan(actor: Actor, judged: Judged, options: ImportOptions): Outcome<ImportPlan> {
  const { checked, facts, found, comparisons, verdicts } = judged;
  const { parsed } = checked;
  const isKnown = found.teams.some(({ id }) => id === options.ownerTeamId);
  if (fatalOf(parsed.problems) === null && !isKnown) {
    return notFound('TEAM', options.ownerTeamId, 'owner_team_id');
  }
  const planned = planImport(parsed, facts, comparisons, options, verdicts);
  if (!planned.ok) return planned;
  for (const teamId of planned.value.ownerTeamIds) {
    const access = decideAccess(actor, 'import_assets', teamId);
    if (!access.ok) return access;
  }
  return planned;
}

async function importUnderLock(
  transaction: Transaction,
  context: Context<Imported>,
  command: ImportAssets,
  before: Judged,
): Promise<Outcome<Imported> | StartOver> {
  const locked = [...before.found.assets, ...before.found.predecessors].map(
    ({ asset }) => asset.id,
  );
  await transaction.lockForImport(locked);
  const found = await transaction.getImportFacts(before.question);
  if (!isStillCompared(before.found, found)) return startOver;
  const { ownerTeamId } = command.options;
  const facts = toImportFacts(found, before.checked, before.question, ownerTeamId);
  const planned = plan(context.actor, { ...before, found, facts }, command.options);
  if (!planned.ok) return planned;
  if (command.dryRun || planned.value.changes.length === 0) {
    return accept(importedOf(command, before.checked, planned.value, nothingApplied));
  }
  const teamIds = teamsOf(planned.value);
  if ((await transaction.holdTeams(teamIds)).length < teamIds.length) return startOver;
  const { serviceId } = command;
  const service = serviceId === null ? null : await transaction.holdService(serviceId);
  if (serviceId !== null && service === null) return noService(serviceId);
  const made = importWrites(planned.value, found, byOf(context, transaction), {
    kind: command.kind,
    importedFor: ownerTeamId,
    service,
    digestOf: before.checked.digestOf,
  });
  if (!made.ok) return made;
  await transaction.apply(made.value.writes);
  const joined = new Set(
    planned.value.changes.map((each) => each.kind === 'register_consumer' && each.assetId),
  );
  for (const each of found.assets) {
    if (joined.has(each.asset.id)) await reopenIfAwaited(transaction, each);
  }
  return accept(importedOf(command, before.checked, planned.value, made.value.applied));
}

function noService(id: ServiceId): Outcome<never> {
  return notFound('SERVICE', id, 'service_id');
}

/** Computes the digests now, while nobody waits for a lock. */
function writeDigests({ digestOf }: CheckedImport, { changes }: ImportPlan): void {
  for (const change of changes) if ('terms' in change) digestOf(change.key);
}

function teamsOf({ changes }: ImportPlan): readonly TeamId[] {
  const teams = changes.flatMap((change): readonly TeamId[] => {
    if ('ownerTeamId' in change) return [change.ownerTeamId];
    return change.kind === 'register_consumer' ? [change.consumerTeamId] : [];
  });
  return [...new Set(teams)];
}

function importedOf(
  { kind, read, dryRun }: ImportAssets,
  checked: CheckedImport,
  planned: ImportPlan,
  applied: AppliedIds,
): Imported {
  return {
    kind,
    plan: planned,
    problems: checked.parsed.problems,
    applied,
    isDryRun: dryRun,
    ...(read.title === null ? {} : { title: read.title }),
  };
}

function publishingByThemselves({ assets }: ImportFound): ReadonlySet<AssetId> {
  return new Set(assets.filter(({ asset }) => asset.autoPublish).map(({ asset }) => asset.id));
}

/**
 * Holds needs against what was published, and publishes each new proposal at once if its asset
 * publishes automatically and no answer is missing.
 */
async function settle(
  ports: Ports,
  context: Context<Imported>,
  { plan: { changes }, isDryRun }: Imported,
  publishing: ReadonlySet<AssetId>,
): Promise<void> {
  if (isDryRun) return;
  const isPublished = changes.some(
    (change) => change.kind === 'publish_contract' && change.assetId !== null,
  );
  if (isPublished) await reviewNeeds(ports, context, null);
  for (const change of changes) {
    const isAsked =
      change.kind === 'create_proposal' ||
      change.kind === 'propose_move' ||
      change.kind === 'propose_deprecation';
    // An asset that was just created does not publish automatically yet.
    if (isAsked && change.assetId !== null && publishing.has(change.assetId)) {
      await settleProposal(ports, context, change.assetId);
    }
  }
}
