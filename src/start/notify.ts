// Notifications: webhooks and the event stream. Part of the
// composition root.

import packageFile from '../../package.json' with { type: 'json' };
import { RegistryUnavailable } from '../core/unavailable.ts';
import { openAddressGuard, refusedAddressOf } from '../notify/address-guard.ts';
import { type Delivering, startDelivering } from '../notify/deliver.ts';
import { openEventFeed } from '../notify/event-feed.ts';
import type { Resolve } from '../notify/guarded-lookup.ts';
import { openPost } from '../notify/post.ts';
import type { Config } from '../ops/config/config.ts';
import type { Log } from '../ops/observe/log.ts';
import type { Metrics } from '../ops/observe/metrics.ts';
import type { OutageLog } from '../ops/observe/outage-log.ts';
import type { EventFeed } from '../registry/audit/event-feed.ts';
import type { Listener } from '../store/postgres/listener.ts';
import type { Store } from '../store/store.ts';
import { observeOutbox, observePost } from './observe-work.ts';

/** The addresses of URLs that deliveries would refuse, to refuse such webhooks at once. */
export function refusedByNetworks(allowed: readonly string[]): (url: string) => string | null {
  const guard = openAddressGuard(allowed);
  return (url) => refusedAddressOf(guard, url);
}

interface NotifyDeps {
  readonly store: Store;
  readonly listener: Listener;
  readonly log: Log;
  readonly outages: OutageLog;
  /** Where names of receivers are looked up; absent: by the system. */
  readonly resolve?: Resolve;
}

export function startDeliveries(
  config: Config,
  deps: NotifyDeps & { readonly metrics: Metrics },
): Delivering {
  const { store, listener, log, outages, metrics } = deps;
  const timeoutMs = config.WEBHOOK_TIMEOUT_SECONDS * 1000;
  return startDelivering({
    outbox: observeOutbox(store.outbox, metrics),
    post: observePost(
      openPost({
        guard: openAddressGuard(config.WEBHOOK_ALLOWED_NETWORKS),
        timeoutMs,
        resolve: deps.resolve,
      }),
      metrics,
    ),
    onNews: (hear) => listener.onHeard(hear),
    retry: {
      firstMs: config.WEBHOOK_RETRY_SECONDS * 1000,
      forMs: config.WEBHOOK_RETRY_FOR_SECONDS * 1000,
    },
    timeoutMs,
    userAgent: `Concordat/${packageFile.version}`,
    clock: Date.now,
    reportError: reporter(log, outages),
  });
}

export function openFeed({ store, listener, log, outages }: NotifyDeps): EventFeed {
  return openEventFeed({
    listStreamed: store.reads.listStreamed,
    onNews: (hear) => listener.onHeard(hear),
    reportError: reporter(log, outages),
  });
}

function reporter(log: Log, outages: OutageLog): (error: unknown, during: string) => void {
  return (error, during) => {
    if (error instanceof RegistryUnavailable) outages.report(error, { during });
    else log.error({ err: error, during }, 'notifications failed');
  };
}
