// ContractCheck: keeps its CronJob as the spec asks, starts a Job where one is due at once, and reads
// the outcome of the newest Job from the quality run that it recorded.

import { defaultEnvironment } from '../../../core/asset.ts';
import { nextTime, parseSchedule } from '../../../core/checks/schedule.ts';
import type { AssetId } from '../../../core/id.ts';
import type { QualityRun } from '../../../core/quality-run.ts';
import type { JsonObject } from '../../../core/value/json.ts';
import { checkSpec, describeProblems } from '../../check-spec.ts';
import { type Condition, toConditions, type Verdict } from '../../conditions.ts';
import { contractCheck, maxRulesShown } from '../../crd/contract-check.ts';
import type { ContractCheckSpec, ContractCheckStatus } from '../../crd/resources.ts';
import { digestOf } from '../../effective.ts';
import { done, type WorkResult } from '../../queue.ts';
import {
  type CheckJob,
  type CheckJobs,
  type CheckOfAsset,
  keyOf,
  type SourceObject,
} from '../../source/source.ts';
import { verdictOfFailure } from '../contract-status.ts';
import { reconcileObject } from '../reconcile-object.ts';
import { findStanding, type World } from '../world.ts';
import { secondsOf } from '../write-object-status.ts';
import { type CheckedAsset, jobName, scheduledJob, toJobSpec, triggerOf } from './check-job.ts';
import { findProblem } from './find-problem.ts';

type LastRun = NonNullable<ContractCheckStatus['lastRun']>;

interface Handled {
  readonly verdict: Verdict;
  readonly assetId?: AssetId;
  readonly cronJob?: string | null;
  readonly nextRunAt?: string | null;
  readonly lastRun?: LastRun | null;
  /** What the spec asks for at once has begun. */
  readonly isStarted?: true;
  /** The annotation asks for nothing more. */
  readonly isAnswered?: true;
}

export async function reconcileCheck(world: World, object: SourceObject): Promise<WorkResult> {
  const result = await reconcileObject(world, object, { handle, finalize, toStatus });
  observeEnd(world, object);
  return result;
}

/** Kubernetes deletes the CronJob and the Jobs with their owner. */
async function finalize(): Promise<WorkResult> {
  return done;
}

async function handle(world: World, object: SourceObject): Promise<Handled> {
  const { checks } = world.source;
  const { checkSettings } = world;
  if (checks === undefined || checkSettings === undefined) {
    return refused(
      'InvalidSpec',
      'Data is checked by Jobs, in a cluster whose checks are enabled.',
    );
  }
  const handled = await schedule(world, object, checks, (spec, asset) =>
    toJobSpec(object, spec, asset, checkSettings),
  );
  if (handled.cronJob === undefined) await checks.pause(object);
  return handled;
}

async function schedule(
  world: World,
  object: SourceObject,
  checks: CheckJobs,
  toSpec: (spec: ContractCheckSpec, asset: CheckedAsset) => ReturnType<typeof toJobSpec>,
): Promise<Handled> {
  if (object.problem !== null) return refused('InvalidSpec', object.problem);
  const problems = checkSpec(contractCheck.spec, object.spec);
  if (problems.length > 0) return refused('InvalidSpec', `${describeProblems(problems)}.`);
  // The check above validates the spec against this type's fields.
  const spec = object.spec as unknown as ContractCheckSpec;
  const problem = findProblem(spec);
  if (problem !== null) return refused('InvalidSpec', problem);
  if (spec.suspend === true) {
    const message = 'No run begins while spec.suspend is true.';
    return { ...refused('Suspended', message), nextRunAt: null, isAnswered: true };
  }
  const named = nameOf(world, object, spec);
  if (named === null) {
    const message = `There is no DataContract ${spec.contractRef?.name} in namespace ${object.namespace} yet. The check begins once it is there.`;
    return refused('ContractNotFound', message);
  }
  const standing = await findStanding(world, object, spec.team ?? named.team);
  if (!standing.ok) return { verdict: verdictOfFailure(standing.failure) };
  const { fqn, environment } = named;
  const asset = await world.ports.reads.findAssetByName(fqn, environment);
  if (asset !== null) world.follow(asset.id);
  if (asset === null || asset.activeContractId === null) {
    const what = asset === null ? 'is not in the registry' : 'has no contract';
    return refused('AssetNotFound', `${fqn} in ${environment} ${what} yet. The check begins then.`);
  }
  const { team } = standing.value;
  if (asset.ownerTeamId !== team.id) {
    const message = `${fqn} in ${environment} does not belong to team ${team.slug}: only the team that owns an asset records checks of it.`;
    return refused('NotPermitted', message);
  }
  const check = { object: forgetOther(object, asset.id), assetId: asset.id };
  const jobSpec = toSpec(spec, named);
  const cronJob = spec.schedule === undefined ? null : jobName(object, 'schedule');
  if (cronJob === null || spec.schedule === undefined) await checks.pause(object);
  else {
    const wanted = scheduledJob(spec.schedule, spec.timeZone ?? defaultTimeZone, jobSpec);
    const refusal = await checks.schedule(check, cronJob, wanted);
    if (refusal !== null) return refused('JobRefused', `CronJob ${cronJob}: ${refusal}`);
  }
  const due = dueAtOnce(object, spec);
  if (due !== null) {
    const name = jobName(object, due);
    const refusal = await checks.run(check, name, jobSpec);
    if (refusal !== null) return refused('JobRefused', `Job ${name}: ${refusal}`);
  }
  const lastRun = await readLastRun(world, check, checks);
  const parsed = spec.schedule === undefined ? null : parseSchedule(spec.schedule);
  return {
    verdict: verdictOf(fqn, spec, lastRun, check.object),
    assetId: asset.id,
    cronJob,
    nextRunAt: parsed === null ? null : nextTime(parsed, world.now(), spec.timeZone),
    lastRun: lastRun.run,
    isStarted: true,
    isAnswered: true,
  };
}

/** What the status says of another asset says nothing of this one. */
function forgetOther(object: SourceObject, assetId: AssetId): SourceObject {
  const { assetId: before, lastRun: _, conditions = [], ...rest } = statusOf(object);
  if (before === undefined || before === assetId) return object;
  const kept = conditions.filter(({ type }) => type !== 'DataMatches');
  // The status is JSON, and so are its members.
  return { ...object, status: { ...rest, conditions: kept } as unknown as JsonObject };
}

function nameOf(
  { source }: World,
  { namespace }: SourceObject,
  { contractRef, fqn, environment = defaultEnvironment }: ContractCheckSpec,
): (CheckedAsset & { readonly team: string | null }) | null {
  if (fqn !== undefined) return { fqn, environment, team: null };
  const contract = source.get(keyOf('DataContract', namespace, contractRef?.name ?? ''));
  const { fqn: named, environment: its = defaultEnvironment, team } = contract?.spec ?? {};
  if (typeof named !== 'string' || typeof its !== 'string') return null;
  return { fqn: named, environment: its, team: typeof team === 'string' ? team : null };
}

/** A digest of what decides whether the data is checked again. */
function askedOnce({ spec }: SourceObject): string {
  const { severity: _, suspend: __, ...asked } = spec;
  return digestOf(asked);
}

/** Why a Job is due now; null if none is. */
function dueAtOnce(object: SourceObject, spec: ContractCheckSpec): string | null {
  const { lastHandledReconcileAt, handledDigest } = statusOf(object);
  const { reconcileAt } = object;
  if (reconcileAt !== null && reconcileAt !== lastHandledReconcileAt) return `at ${reconcileAt}`;
  const digest = askedOnce(object);
  return spec.schedule === undefined && digest !== handledDigest
    ? `once ${object.generation}`
    : null;
}

interface RunRead {
  readonly run: LastRun | null;
  /** Why the data could not be checked. */
  readonly problem: string | null;
}

/** As many as two Jobs can record, if their pods are lost after recording. */
const maxRead = 20;

async function readLastRun(
  { ports }: World,
  check: CheckOfAsset,
  checks: CheckJobs,
): Promise<RunRead> {
  const { object, assetId } = check;
  const before = statusOf(object).lastRun ?? null;
  const newest = checks.newest(check);
  const isKept = newest === 'unknown' || (newest === null && before?.state !== 'Running');
  if (isKept) return { run: before, problem: null };
  const job = newest ?? goneJob(before);
  if (job === null) return { run: before, problem: null };
  const listed = await ports.reads.listQualityRuns({
    ...{ assetId, triggeredBy: triggerOf(object) },
    ...{ page: 1, pageSize: maxRead, includeTotal: false },
  });
  const runs = listed.ok ? listed.value.results : [];
  // The newest first: a pod that was lost after recording has a second attempt.
  const recorded = runs.find(({ runId }) => runId === job.uid) ?? null;
  const begun = { job: job.name, jobUid: job.uid, startedAt: job.createdAt };
  if (recorded !== null) return { run: { ...begun, ...resultOf(recorded) }, problem: null };
  if (job.ended === null) {
    return { run: { ...begun, state: 'Running' }, problem: null };
  }
  const run: LastRun = { ...begun, state: 'Error', finishedAt: secondsOf(job.ended.at) };
  return { run, problem: problemOf(job, object) };
}

/** Deleted while it ran. */
function goneJob(before: LastRun | null): CheckJob | null {
  if (before === null) return null;
  const { job: name, jobUid: uid, startedAt: createdAt } = before;
  const ended = { isComplete: false, reason: 'Deleted', message: '', at: createdAt };
  return { name, uid, createdAt, ended };
}

function resultOf({ id, status, contractVersion, guarantees, occurredAt }: QualityRun) {
  const failed = guarantees.filter((one) => one.status === 'failed').slice(0, maxRulesShown);
  return {
    state: status === 'passed' ? 'Passed' : 'Failed',
    finishedAt: secondsOf(occurredAt),
    qualityRunId: id,
    ...(contractVersion !== null && { contractVersion }),
    ...(failed.length > 0 && {
      failedRules: failed.map(({ name, rows }) => ({ name, ...(rows !== undefined && { rows }) })),
    }),
  } as const;
}

/** The exit codes of `concordat check` that are no result. */
const codes: Readonly<Record<string, string>> = {
  2: 'spec.source cannot be checked like this, or spec.registryKey names a key that may not record',
  3: 'the data could not be read',
  4: 'the source or the registry could not be reached, or the source refused the credentials',
};

function problemOf({ name, ended }: CheckJob, { namespace }: SourceObject): string {
  const logs = `kubectl logs -n ${namespace} job/${name} says more.`;
  if (ended?.reason === 'Deleted') return `Job ${name} was deleted before it had ended.`;
  if (ended?.isComplete === true) return `Job ${name} ended without recording a result. ${logs}`;
  if (ended?.reason === 'DeadlineExceeded') {
    return `Job ${name} did not end within spec.timeoutSeconds. If its pod never started, kubectl describe pods -n ${namespace} -l job-name=${name} says why.`;
  }
  const [, code = ''] = /exit code (\d+)/.exec(ended?.message ?? '') ?? [];
  const why = codes[code] ?? ended?.message ?? '';
  return `Job ${name} could not check the data: ${why}. ${logs}`;
}

const namesShown = 5;
const defaultTimeZone = 'Etc/UTC';

function verdictOf(
  fqn: string,
  { schedule: when, timeZone = 'UTC' }: ContractCheckSpec,
  { run, problem }: RunRead,
  object: SourceObject,
): Verdict {
  const before = conditionOf(object, 'Ready');
  const kept = before?.reason === 'CheckFailed' ? before.message : null;
  const failure = run?.state === 'Error' ? (problem ?? kept ?? 'The last run failed.') : null;
  const often = when === undefined ? 'once for each change of spec' : `at "${when}" (${timeZone})`;
  return {
    ...(failure === null
      ? { reason: 'UpToDate', message: `Checks ${fqn} ${often}.` }
      : { reason: 'CheckFailed', message: failure }),
    data: dataOf(fqn, run, object),
  };
}

function dataOf(fqn: string, run: LastRun | null, object: SourceObject): Verdict['data'] {
  const { state = null, contractVersion, failedRules = [] } = run ?? {};
  const contract = [fqn, contractVersion].filter((one) => one !== undefined).join(' ');
  switch (state) {
    case 'Passed':
      return { status: 'True', reason: state, message: `The data matches ${contract}.` };
    case 'Failed': {
      const names = failedRules.slice(0, namesShown).map(({ name }) => name);
      const more = failedRules.length > namesShown ? ' and more' : '';
      const message = `The data breaks ${contract}: ${names.join(', ')}${more}.`;
      return { status: 'False', reason: state, message };
    }
    case 'Error':
      return { status: 'Unknown', reason: 'NotChecked', message: 'The last run did not check it.' };
    case 'Running':
    case null:
      return (
        keptData(object) ?? {
          ...{ status: 'Unknown', reason: 'NotChecked', message: 'No run has ended yet.' },
        }
      );
    default:
      return state satisfies never;
  }
}

function toStatus(world: World, object: SourceObject, handled: Handled): ContractCheckStatus {
  const { verdict, assetId, cronJob, nextRunAt, lastRun, isStarted, isAnswered } = handled;
  const { cronJob: _, nextRunAt: __, lastRun: known, ...before } = statusOf(object);
  const run = lastRun === undefined ? known : lastRun;
  const { reconcileAt } = object;
  const data = verdict.data ?? keptData(object);
  return {
    ...before,
    observedGeneration: object.generation,
    conditions: toConditions(
      { ...verdict, data },
      object.generation,
      before.conditions ?? [],
      secondsOf(world.now()),
    ),
    ...(assetId !== undefined && { assetId }),
    ...(cronJob != null && { cronJob }),
    ...(nextRunAt != null && { nextRunAt }),
    ...(run != null && { lastRun: run }),
    ...(isStarted && { handledDigest: askedOnce(object) }),
    ...(isAnswered && reconcileAt !== null && { lastHandledReconcileAt: reconcileAt }),
  };
}

/** Tells of a run whose end this reconcile has written, once. */
function observeEnd(world: World, { key, spec, status }: SourceObject): void {
  const before = (status ?? {}) as ContractCheckStatus;
  const { lastRun } = (world.source.get(key)?.status ?? {}) as ContractCheckStatus;
  if (lastRun === undefined || lastRun.state === 'Running') return;
  if (lastRun.jobUid === before.lastRun?.jobUid && lastRun.state === before.lastRun.state) return;
  const severity = spec.severity === 'Critical' ? 'critical' : 'warning';
  world.observeCheck?.(lastRun.state, severity);
}

function keptData(object: SourceObject): Verdict['data'] {
  return conditionOf(object, 'DataMatches');
}

function conditionOf(object: SourceObject, type: string): Condition | null {
  return statusOf(object).conditions?.find((one) => one.type === type) ?? null;
}

function statusOf(object: SourceObject): ContractCheckStatus {
  // Only this controller writes the status, under the schema of this type.
  return (object.status ?? {}) as ContractCheckStatus;
}

function refused(reason: Verdict['reason'], message: string): Handled {
  return { verdict: { reason, message } };
}
