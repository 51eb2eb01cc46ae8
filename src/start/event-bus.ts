// The bus of EVENT_BUS_URL, and `concordat bus`, which sends its events again. Part of the composition root.

import { type BusAddress, parseBusAddress } from '../core/checks/bus-address.ts';
import { RegistryUnavailable } from '../core/unavailable.ts';
import { type BusConnection, type Publishing, startPublishing } from '../notify/publish-events.ts';
import { addressOf, type Config } from '../ops/config/config.ts';
import type { Log } from '../ops/observe/log.ts';
import type { Metrics } from '../ops/observe/metrics.ts';
import type { OutageLog } from '../ops/observe/outage-log.ts';
import { newUuid } from '../ops/uuid.ts';
import type { Listener } from '../store/postgres/listener.ts';
import type { Store } from '../store/store.ts';
import { withStore } from './with-store.ts';

interface BusDeps {
  readonly store: Store;
  readonly listener: Listener;
  readonly log: Log;
  readonly outages: OutageLog;
  readonly metrics: Metrics;
}

/** Null without EVENT_BUS_URL. */
export function startEventBus(
  config: Config,
  { store, listener, log, outages, metrics }: BusDeps,
): Pick<Publishing, 'stop'> | null {
  const address = busAddress(config);
  if (address === null) return null;
  const sent = metrics.counter('concordat_event_bus_events_total');
  const told = tellOnce(log);
  const publishing = startPublishing({
    listStreamed: store.reads.listStreamed,
    places: store.busPlaces,
    connect: (cut) => openBus(address, cut),
    topic: address.topic,
    holder: newUuid(),
    source: addressOf(config, config.PORT),
    onNews: (hear) => listener.onHeard(hear),
    countSent: (events) => {
      sent.add(events);
      told.ended();
    },
    reportError: (error, during) => {
      if (error instanceof RegistryUnavailable) outages.report(error, { during });
      else told.failed(error, during);
    },
  });
  const forget = metrics.onRead(() =>
    metrics.gauge('concordat_event_bus_unsent_seconds').set(publishing.waitedMs() / 1000),
  );
  return {
    stop: async () => {
      forget();
      await publishing.stop();
    },
  };
}

/** Each client is loaded only here, because few registries have a bus. */
async function openBus(address: BusAddress, cut: AbortSignal): Promise<BusConnection> {
  return address.kind === 'nats'
    ? (await import('../notify/nats-bus.ts')).openNatsBus(address, cut)
    : (await import('../notify/kafka-bus.ts')).openKafkaBus(address);
}

/** The settings were checked at the start. */
function busAddress({ EVENT_BUS_URL }: Config): BusAddress | null {
  const parsed = parseBusAddress(EVENT_BUS_URL ?? '');
  return parsed.ok ? parsed.value : null;
}

/** A broker that is away is tried many times a minute, and told when that begins and ends. */
function tellOnce(log: Log) {
  let last: string | null = null;
  return {
    failed: (error: unknown, during: string) => {
      const cause = error instanceof Error ? error.message : String(error);
      if (cause !== last) log.error({ cause, during }, 'events cannot be sent to the bus');
      last = cause;
    },
    ended: () => {
      if (last !== null) log.info('events are sent to the bus again');
      last = null;
    },
  };
}

/** Answers what it did, as a sentence. */
export async function rewindBus(config: Config, since: Date): Promise<string> {
  const address = busAddress(config);
  if (address === null) return 'EVENT_BUS_URL is not set, so there is no topic to send to.';
  const { topic } = address;
  return (await withStore(config, ({ busPlaces }) => busPlaces.rewind(topic, since)))
    ? `All events since ${since.toISOString()} are sent to ${topic} again.`
    : `Nothing was ever sent to ${topic}. Start a replica with this EVENT_BUS_URL first.`;
}
