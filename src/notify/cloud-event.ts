// An event as the bus has it: CloudEvents 1.0, as one JSON text.

import type { StreamedEvent } from '../registry/audit/event-feed.ts';
import { bodyOfEvent } from './message.ts';

export interface BusRecord {
  /** The bus keeps the order of records that have the same key. */
  readonly key: string;
  readonly value: string;
  /** Without the metadata, for a bus that refuses the value for its size. The API has the whole event. */
  readonly short: () => string;
}

/** Most brokers take a megabyte at once. */
const maxBytes = 900_000;
const maxRecords = 500;

/** @param source names the registry: its public address */
export function busRecordOf(
  { event, assetId, position }: StreamedEvent,
  source: string,
): BusRecord {
  const { metadata, ...body } = bodyOfEvent(event);
  const key = assetId ?? event.entityId;
  const valueWith = (data: object) =>
    JSON.stringify({
      specversion: '1.0',
      id: event.id,
      source,
      type: `dev.concordat.${event.eventType}`,
      subject: metadata.asset_fqn ?? `${event.entityType}/${event.entityId}`,
      time: event.timestamp,
      datacontenttype: 'application/json',
      partitionkey: key,
      sequence: String(position).padStart(sequenceDigits, '0'),
      data: { ...body, asset_id: assetId, ...data },
    });
  return {
    key,
    value: valueWith({ metadata }),
    short: () => valueWith({ metadata: {}, metadata_left_out: true }),
  };
}

/** Sequences of one asset compare as texts, too. */
const sequenceDigits = 16;

/** As many as most brokers take at once. */
export function* batchesOf(records: readonly BusRecord[]): Iterable<readonly BusRecord[]> {
  let batch: BusRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = Buffer.byteLength(record.value);
    if (batch.length === maxRecords || (batch.length > 0 && bytes + size > maxBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(record);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
