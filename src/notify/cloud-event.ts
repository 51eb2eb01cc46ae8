// An event as the bus has it: CloudEvents 1.0, as one JSON text.

import type { StreamedEvent } from '../registry/audit/event-feed.ts';
import { bodyOfEvent } from './message.ts';

export interface BusRecord {
  /** Records of one key keep their order. */
  readonly key: string;
  readonly value: string;
}

/** Brokers refuse a megabyte at once, unless they are told otherwise. */
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
  const value = valueWith({ metadata });
  const isTooLarge = Buffer.byteLength(value) > maxBytes;
  // The API has the whole event under its id.
  return { key, value: isTooLarge ? valueWith({ metadata: {}, metadata_left_out: true }) : value };
}

/** Sequences of one asset compare as texts, too. */
const sequenceDigits = 16;

/** As many as a broker takes at once. */
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
