// Notifications: webhooks and the event stream. Part of the
// composition root.

import packageFile from '../../package.json' with { type: 'json' };
import { RegistryUnavailable } from '../core/unavailable.ts';
import { openAddressGuard } from '../notify/address-guard.ts';
import { type Delivering, startDelivering } from '../notify/deliver.ts';
import { openEventFeed } from '../notify/event-feed.ts';
import { openPost, type Resolve } from '../notify/post.ts';
import type { Config } from '../ops/config/config.ts';
import type { Log } from '../ops/observe/log.ts';
import type { Metrics } from '../ops/observe/metrics.ts';
import type { EventFeed } from '../registry/audit/event-feed.ts';
import type { Listener } from '../store/postgres/listener.ts';
import type { Store } from '../store/store.ts';
import { observeOutbox, observePost } from './observe-work.ts';

interface NotifyDeps {
  readonly store: Store;
  readonly listener: Listener;
  readonly log: Log;
  /** Resolves the names of receivers; if absent, the system does. */
  readonly resolve?: Resolve;
}

export function startDeliveries(
  config: Config,
  deps: NotifyDeps & { readonly metrics: Metrics },
): Delivering {
  const { store, listener, log, metrics } = deps;
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
    reportError: reporter(log),
  });
}

export function openFeed({ store, listener, log }: NotifyDeps): EventFeed {
  return openEventFeed({
    listStreamed: store.reads.listStreamed,
    onNews: (hear) => listener.onHeard(hear),
    reportError: reporter(log),
  });
}

/** An unavailable database will come back, so this is a warning, not an error. */
function reporter(log: Log): (error: unknown, during: string) => void {
  return (error, during) => {
    if (error instanceof RegistryUnavailable) {
      log.warn({ during, cause: String(error.cause) }, 'the database is unreachable');
    } else {
      log.error({ err: error, during }, 'notifications failed');
    }
  };
}
