// Measures the registry's work as metrics: each port is wrapped where it is created, so the code
// that uses it knows nothing about metrics.

import type { Comparison } from '../core/comparison.ts';
import type {
  Declared,
  ProposalCreated,
  PublishedProposal,
  PublishResult,
} from '../core/decide/commands.ts';
import type { Outcome } from '../core/failure.ts';
import type { ConsumerVerdict } from '../core/need.ts';
import type { Log } from '../ops/observe/log.ts';
import type { Metrics } from '../ops/observe/metrics.ts';
import type { Verb, Verbs } from '../registry/commands.ts';
import type { Context, Engine } from '../registry/ports.ts';
import type { Outbox } from '../registry/webhooks/outbox.ts';

export function observeVerbs(verbs: Verbs, metrics: Metrics, log: Log): Verbs {
  const counted =
    <Command, Result>(
      way: 'direct' | 'proposal' | 'force',
      verb: Verb<Command, Result>,
      outcomeOf: (result: Result) => string | null,
    ): Verb<Command, Result> =>
    async (...asked) => {
      const count = (outcome: string | null) => {
        if (outcome === null) return;
        metrics.counter('concordat_publishes_total', { way, outcome }).add();
      };
      try {
        const outcome = await verb(...asked);
        count(outcome.ok ? outcomeOf(outcome.value) : 'refused');
        if (outcome.ok) logUndecided(log, asked[1], outcome.value);
        return outcome;
      } catch (error) {
        count('failed');
        throw error;
      }
    };
  return {
    ...verbs,
    publishContract: counted('direct', verbs.publishContract, outcomeOfPublish),
    declareContract: counted('direct', verbs.declareContract, outcomeOfDeclare),
    publishProposal: counted('proposal', verbs.publishProposal, outcomeOfProposal),
    forceProposal: counted('force', verbs.forceProposal, outcomeOfProposal),
  };
}

/** Who asked about which asset is not in the metrics, and a dry run is nowhere else. */
function logUndecided(
  log: Log,
  { actor, requestId }: Pick<Context, 'actor' | 'requestId'>,
  result: unknown,
): void {
  const asked = result as Partial<ProposalCreated>;
  const undecided = asked.changes?.find(({ type }) => type === 'compatibility_undecided');
  if (undecided === undefined || asked.proposal === undefined) return;
  const { assetId } = asked.proposal;
  log.warn(
    { asset_id: assetId, by: actor.name, request_id: requestId, why: undecided.description },
    'a comparison was undecided',
  );
}

function outcomeOfPublish({ action, dryRun }: PublishResult): string {
  return dryRun ? 'dry_run' : action;
}

/** Null if it was neither published nor refused yet. */
function outcomeOfDeclare({ published }: Declared): string | null {
  if (published === null) return null;
  return published.ok ? outcomeOfPublish(published.value) : 'refused';
}

function outcomeOfProposal({ proposal }: PublishedProposal): string {
  if (proposal.status === 'published' || proposal.status === 'force_published') return 'published';
  return proposal.forceRequested === null ? 'parked' : 'requested';
}

export function observeEngine(engine: Engine, metrics: Metrics): Engine {
  const timed = async <T>(
    question: keyof Engine,
    ask: () => Promise<T>,
    outcomeOf: (answer: T) => string,
  ): Promise<T> => {
    const count = (outcome: string) =>
      metrics.counter('concordat_engine_questions_total', { question, outcome }).add();
    const startedAt = performance.now();
    try {
      const answer = await ask();
      const seconds = (performance.now() - startedAt) / 1000;
      metrics
        .histogram('concordat_engine_question_duration_seconds', { question })
        .observe(seconds);
      count(outcomeOf(answer));
      return answer;
    } catch (error) {
      count('failed');
      throw error;
    }
  };
  return {
    compare: (...asked) => timed('compare', () => engine.compare(...asked), outcomeOfOne),
    compareMany: (tasks) => timed('compareMany', () => engine.compareMany(tasks), outcomeOfMany),
    checkSchema: (...asked) =>
      timed('checkSchema', () => engine.checkSchema(...asked), outcomeOfCheck),
    findVerdicts: (question) =>
      timed('findVerdicts', () => engine.findVerdicts(question), outcomeOfVerdicts),
    listFields: (question) =>
      timed(
        'listFields',
        () => engine.listFields(question),
        () => 'checked',
      ),
    checkValues: (question) =>
      timed('checkValues', () => engine.checkValues(question), outcomeOfCheck),
    examineNeed: (question) =>
      timed('examineNeed', () => engine.examineNeed(question), outcomeOfCheck),
    examine: (question) =>
      timed(
        'examine',
        () => engine.examine(question),
        (examined) =>
          examined.ok && examined.value.comparison !== null
            ? outcomeOfOne(examined.value.comparison)
            : outcomeOfCheck(examined),
      ),
  };
}

function outcomeOfOne({ undecidedCount, isBreaking }: Comparison): string {
  if (undecidedCount > 0) return 'undecided';
  return isBreaking ? 'breaking' : 'compatible';
}

/** The worst outcome of them. */
function outcomeOfMany(comparisons: readonly Comparison[]): string {
  const found = new Set(comparisons.map(outcomeOfOne));
  return ['undecided', 'breaking'].find((outcome) => found.has(outcome)) ?? 'compatible';
}

/** The worst of them, as of comparisons. */
function outcomeOfVerdicts(verdicts: readonly ConsumerVerdict[]): string {
  const found = new Set(verdicts.map(({ verdict }) => verdict));
  if (found.has('may_break')) return 'undecided';
  return found.has('breaks') ? 'breaking' : 'compatible';
}

function outcomeOfCheck({ ok }: Outcome<unknown>): string {
  return ok ? 'checked' : 'refused';
}

export function observeOutbox(outbox: Outbox, metrics: Metrics): Outbox {
  return {
    ...outbox,
    settle: async (dispatch, result) => {
      await outbox.settle(dispatch, result);
      const isGivenUp = result.kind === 'failed' && result.retriesInMs.includes(null);
      const outcome = isGivenUp ? 'parked' : result.kind;
      metrics.counter('concordat_delivery_attempts_total', { outcome }).add();
    },
  };
}

/** Measures the duration of requests to receivers, answered or not. */
export function observeSend<Asked extends readonly unknown[], Answer>(
  send: (...asked: Asked) => Promise<Answer>,
  metrics: Metrics,
): (...asked: Asked) => Promise<Answer> {
  const duration = metrics.histogram('concordat_delivery_attempt_duration_seconds');
  return async (...asked) => {
    const startedAt = performance.now();
    try {
      return await send(...asked);
    } finally {
      duration.observe((performance.now() - startedAt) / 1000);
    }
  };
}

interface ImportAnswered {
  readonly status: number;
}

export function observeImports<
  Call extends { readonly name: string },
  Answer extends ImportAnswered,
>(
  run: (call: Call, signal: AbortSignal) => Promise<Answer>,
  metrics: Metrics,
): (call: Call, signal: AbortSignal) => Promise<Answer> {
  return async (call, signal) => {
    // The name of a route, so the number of values is limited.
    const labels = { import: call.name };
    const count = (outcome: string) =>
      metrics.counter('concordat_imports_total', { ...labels, outcome }).add();
    const startedAt = performance.now();
    try {
      const answer = await run(call, signal);
      count(answer.status < 400 ? 'done' : answer.status < 500 ? 'refused' : 'failed');
      return answer;
    } catch (error) {
      count('failed');
      throw error;
    } finally {
      const seconds = (performance.now() - startedAt) / 1000;
      metrics.histogram('concordat_import_duration_seconds').observe(seconds);
    }
  };
}
