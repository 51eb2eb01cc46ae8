// The metrics of a source, with the names that dashboards for controllers expect: its queue, its
// reconciles, whether this process leads, and whether anything is suspicious.

import type { Metrics } from '../ops/observe/metrics.ts';
import type { Fences } from '../registry/sources/fencing.ts';
import type { AnsweredReview } from './admission/webhook-server.ts';
import type { QueueEvent } from './queue.ts';
import type { World } from './reconcile/world.ts';
import type { RunningSource } from './run-source.ts';
import type { Source } from './source/source.ts';

interface ObservedSource {
  readonly fences: Fences;
  readonly observe: (event: QueueEvent) => void;
  /** Adds the gauges that are computed each time the metrics are read. */
  readonly follow: (running: RunningSource) => RunningSource;
}

const results = { done: 'success', again: 'requeue_after', failed: 'error' } as const;

export function observeSource(
  metrics: Metrics,
  kind: Source['kind'],
  fences: Fences,
): ObservedSource {
  const source = { name: kind };
  const depth = metrics.gauge('workqueue_depth', source);
  const suspicious = metrics.gauge('concordat_source_suspicious', { source: kind });
  const leads = metrics.gauge('leader_election_master_status', source);
  let problem: string | null = null;
  return {
    observe: (event) => observeQueue(metrics, kind, event),
    fences: {
      ...fences,
      note: async (fence, found) => {
        problem = found;
        await fences.note(fence, found);
      },
    },
    follow: (running) => {
      const forget = metrics.onRead(() => {
        const isLeading = running.isLeading();
        leads.set(isLeading ? 1 : 0);
        if (isLeading) {
          suspicious.set(problem === null ? 0 : 1);
        } else {
          // The values of its last term are outdated; the current leader reports them.
          problem = null;
          suspicious.unset();
          depth.set(0);
        }
      });
      return {
        ...running,
        stop: async () => {
          forget();
          await running.stop();
        },
      };
    },
  };
}

/** Counts the runs of checks, from 0 on, so that the first one is an increase. */
export function observeChecks(metrics: Metrics): NonNullable<World['observeCheck']> {
  const counterOf = (state: string, severity: string) =>
    metrics.counter('concordat_check_runs_total', { state: state.toLowerCase(), severity });
  for (const state of ['passed', 'failed', 'error']) {
    for (const severity of ['warning', 'critical']) counterOf(state, severity).add(0);
  }
  return (state, severity) => counterOf(state, severity).add();
}

/** Metrics of the webhook, with the names that other controllers use, and its results. */
export function observeReviews(metrics: Metrics, webhook: string) {
  return ({ code, result, tookMs }: AnsweredReview): void => {
    const answered = { webhook, code: String(code) };
    metrics.counter('controller_runtime_webhook_requests_total', answered).add();
    const took = metrics.histogram('controller_runtime_webhook_latency_seconds', { webhook });
    took.observe(tookMs / 1000);
    if (result === null) return;
    metrics.counter('concordat_admission_reviews_total', { outcome: result }).add();
  };
}

function observeQueue(metrics: Metrics, name: Source['kind'], event: QueueEvent): void {
  const depth = metrics.gauge('workqueue_depth', { name });
  if (event.kind === 'added') {
    depth.set(event.depth);
    metrics.counter('workqueue_adds_total', { name }).add();
    return;
  }
  if (event.kind === 'retrying') {
    metrics.counter('workqueue_retries_total', { name }).add();
    return;
  }
  const controller = controllerOf(event.key);
  const workers = metrics.gauge('controller_runtime_active_workers', { controller });
  if (event.kind === 'started') {
    depth.add(-1);
    workers.add(1);
    const waited = metrics.histogram('workqueue_queue_duration_seconds', { name });
    waited.observe(event.queuedMs / 1000);
    return;
  }
  workers.add(-1);
  const result = results[event.result];
  metrics.counter('controller_runtime_reconcile_total', { controller, result }).add();
  const took = metrics.histogram('controller_runtime_reconcile_time_seconds', { controller });
  took.observe(event.tookMs / 1000);
}

/** A key begins with its kind, of which there are few. */
function controllerOf(key: string): string {
  return key.slice(0, key.indexOf('/')).toLowerCase();
}
