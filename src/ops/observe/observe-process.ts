// Metrics that are read on request: the pools of this process, and the queues in the registry.

import { RegistryUnavailable } from '../../core/unavailable.ts';
import type { ThreadFigures } from '../threads/thread-pool.ts';
import type { Metrics } from './metrics.ts';

interface ProcessFigures {
  readonly engine: () => ThreadFigures;
  readonly imports: () => ThreadFigures;
  readonly connections: () => {
    readonly busy: number;
    readonly idle: number;
    readonly opening: number;
    readonly waiting: number;
  };
  readonly maxConnections: number;
  readonly replicas: () => readonly {
    readonly number: number;
    readonly state: string;
    readonly lagSeconds: number | null;
    readonly lagBytes: number | null;
  }[];
  /**
   * Rejects if Postgres does not answer. A busy Postgres does answer, although the figures of the
   * registry may be missing.
   */
  readonly ping: () => Promise<void>;
  readonly registry: () => Promise<RegistryFigures>;
  readonly reportError: (error: unknown) => void;
  readonly version: string;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
}

interface RegistryFigures {
  readonly pendingProposals: number;
  readonly approvedProposals: number;
  /** Of the pending proposals. */
  readonly oldestProposalSeconds: number;
  /** Pending proposals whose last day for answers is over. */
  readonly overdueProposals: number;
  /** Assets whose newest quality run failed. */
  readonly failingAssets: number;
  readonly outboxMessages: number;
  readonly outboxOldestSeconds: number;
  readonly pendingDeliveries: number;
  readonly parkedDeliveries: number;
  readonly laneOverdueSeconds: number;
  readonly failingSeconds: number;
  readonly unsealedSeconds: number;
  readonly strayEvents: boolean;
  readonly endingKeys: number;
  readonly plainSecrets: number;
  readonly bootstrapKeyAccepted: boolean;
  readonly databaseBytes: number;
}

/** The minimum interval between queries, however often metrics are requested. */
const queryIntervalMs = 5_000;

/** Registers these figures to be read with the metrics. Returns a function that ends this. */
export function observeProcess(metrics: Metrics, figures: ProcessFigures): () => void {
  const { version } = figures;
  metrics.gauge('concordat_build_info', { version, node_version: process.version }).set(1);
  metrics.gauge('concordat_database_connections_max').set(figures.maxConnections);
  const ends = [
    metrics.onRead(() => showPools(metrics, figures)),
    metrics.onRead(() => showReplicas(metrics, figures)),
    metrics.onRead(atIntervals(figures.clock, () => showRegistry(metrics, figures))),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** Requests during a query share its result. */
function atIntervals(clock: () => number, ask: () => Promise<void>): () => Promise<void> {
  let asking: Promise<void> = Promise.resolve();
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock() - askedAt >= queryIntervalMs) {
      askedAt = clock();
      asking = ask();
    }
    return asking;
  };
}

function showPools(metrics: Metrics, { engine, imports, connections }: ProcessFigures): void {
  for (const [pool, { busy, idle, queued }] of [
    ['engine', engine()],
    ['import', imports()],
  ] as const) {
    metrics.gauge('concordat_threads', { pool, state: 'busy' }).set(busy);
    metrics.gauge('concordat_threads', { pool, state: 'idle' }).set(idle);
    metrics.gauge('concordat_thread_queue_depth', { pool }).set(queued);
  }
  const { busy, idle, opening, waiting } = connections();
  for (const [state, count] of Object.entries({ busy, idle, opening })) {
    metrics.gauge('concordat_database_connections', { state }).set(count);
  }
  metrics.gauge('concordat_database_waiting').set(waiting);
}

function showReplicas(metrics: Metrics, { replicas }: ProcessFigures): void {
  for (const { number, state, lagSeconds, lagBytes } of replicas()) {
    const replica = { replica: String(number) };
    metrics.gauge('concordat_database_replica_used', replica).set(state === 'used' ? 1 : 0);
    const lags = {
      concordat_database_replica_lag_seconds: lagSeconds,
      concordat_database_replica_lag_bytes: lagBytes,
    } as const;
    for (const [name, lag] of Object.entries(lags)) {
      const gauge = metrics.gauge(name as keyof typeof lags, replica);
      if (lag === null) gauge.unset();
      else gauge.set(lag);
    }
  }
}

async function showRegistry(
  metrics: Metrics,
  { ping, registry, reportError }: ProcessFigures,
): Promise<void> {
  const up = metrics.gauge('concordat_database_up');
  const shown = {
    pendingProposals: metrics.gauge('concordat_proposals', { state: 'pending' }),
    approvedProposals: metrics.gauge('concordat_proposals', { state: 'approved' }),
    oldestProposalSeconds: metrics.gauge('concordat_proposals_oldest_seconds'),
    overdueProposals: metrics.gauge('concordat_proposals_overdue'),
    failingAssets: metrics.gauge('concordat_assets_failing'),
    outboxMessages: metrics.gauge('concordat_outbox_messages'),
    outboxOldestSeconds: metrics.gauge('concordat_outbox_oldest_seconds'),
    pendingDeliveries: metrics.gauge('concordat_deliveries', { state: 'pending' }),
    parkedDeliveries: metrics.gauge('concordat_deliveries', { state: 'parked' }),
    laneOverdueSeconds: metrics.gauge('concordat_delivery_lane_overdue_seconds'),
    failingSeconds: metrics.gauge('concordat_delivery_failing_seconds'),
    unsealedSeconds: metrics.gauge('concordat_audit_unsealed_seconds'),
    strayEvents: metrics.gauge('concordat_audit_stray_events'),
    endingKeys: metrics.gauge('concordat_api_keys_expiring'),
    plainSecrets: metrics.gauge('concordat_plain_webhook_secrets'),
    bootstrapKeyAccepted: metrics.gauge('concordat_bootstrap_key_accepted'),
    databaseBytes: metrics.gauge('concordat_database_bytes'),
  } satisfies Record<keyof RegistryFigures, unknown>;
  const answers = ping().then(
    () => true,
    () => false,
  );
  const found = await registry().catch((error: unknown) => {
    // The figures already show an unavailable database; anything else is a bug.
    if (!(error instanceof RegistryUnavailable)) reportError(error);
    return null;
  });
  up.set((await answers) ? 1 : 0);
  for (const [name, gauge] of Object.entries(shown)) {
    // While the database is down or busy there is no value; an old one would be wrong.
    if (found === null) gauge.unset();
    else gauge.set(Number(found[name as keyof RegistryFigures]));
  }
}
