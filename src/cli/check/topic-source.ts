// The records of a Kafka topic, read without a consumer group: nothing is written to the cluster, and
// nobody else's place in the topic moves.

import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { Consumer } from '@platformatic/kafka';
import {
  parseTopicAddress,
  type TopicAddress,
  topicFiles,
} from '../../core/checks/topic-address.ts';
import { parseJson } from '../../core/value/json.ts';
import { CommandFailure } from '../exit-code.ts';
import { counted } from '../output.ts';
import {
  boundUnpacking,
  maxUnpackedBytes,
  renewUnpacking,
  UnpacksTooLarge,
} from './bound-unpacking.ts';
import { notText, unread } from './read-values.ts';
import type { RowValue } from './run-check.ts';
import { sourceFailure } from './source.ts';

export interface TopicTarget {
  readonly address: string;
  /** Only records from then on. */
  readonly since?: Date | undefined;
  /** At most so many records, the newest ones of each partition. */
  readonly newest?: number | undefined;
  readonly timeoutMs: number;
}

interface Topic {
  readonly values: AsyncIterable<RowValue>;
  /** Whether there are older records that are not read. */
  readonly isPart: boolean;
  /** What was read, once it was. */
  readonly told: () => string;
  readonly close: () => Promise<void>;
}

/** A partition, from the first record that is read to the first that is not. */
interface Stretch {
  readonly partition: number;
  readonly from: number;
  readonly to: number;
}

export async function openTopic(target: TopicTarget): Promise<Topic> {
  const address = await readTopicAddress(target.address);
  const consumer = consumerFor(address, target.timeoutMs);
  const close = () => consumer.close(true).catch(() => {});
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw failureOf(error, address.topic);
    }
  };
  try {
    const { stretches, isPart } = await run(() => stretchesOf(consumer, address.topic, target));
    const counts = { rows: 0, deleted: 0 };
    const values = rowsOf(
      stretches,
      (stretch) => readStretch(consumer, address.topic, stretch, { ...target, run }),
      counts,
    );
    return { values, isPart, told: () => toldOf(address.topic, target, counts), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readTopicAddress(text: string): Promise<TopicAddress> {
  const parsed = parseTopicAddress(text);
  if (!parsed.ok) throw sourceFailure('SOURCE_NOT_SUPPORTED', parsed.failure.message);
  const { tls } = parsed.value;
  if (tls === null) return parsed.value;
  const read = topicFiles.flatMap((name) => {
    const path = tls[name];
    return path === undefined ? [] : [readNamed(name, path)];
  });
  return { ...parsed.value, tls: Object.fromEntries(await Promise.all(read)) };
}

async function readNamed(name: string, path: string) {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text !== null) return [name, text] as const;
  throw sourceFailure('SOURCE_NOT_FOUND', `The file ${path} of ${name} cannot be read.`);
}

function consumerFor({ brokers, sasl, tls }: TopicAddress, timeoutMs: number): Consumer {
  boundUnpacking();
  return new Consumer({
    clientId: 'concordat-check',
    // Required by the client; the group is never joined.
    groupId: 'concordat-check',
    bootstrapBrokers: [...brokers],
    autocreateTopics: false,
    retries: 2,
    retryDelay: 200,
    connectTimeout: Math.min(10_000, timeoutMs),
    requestTimeout: timeoutMs,
    timeout: timeoutMs,
    isolationLevel: readCommitted,
    ...(sasl !== null && { sasl }),
    ...(tls !== null && { tls, tlsServerName: true }),
  });
}

/** What a transaction wrote counts only once it is committed. */
const readCommitted = 1;

const earliest = -2n;
const latest = -1n;

/** The topic as it stands now: records that arrive while it is read are not waited for. */
async function stretchesOf(
  consumer: Consumer,
  topic: string,
  { since, newest }: TopicTarget,
): Promise<{ readonly stretches: readonly Stretch[]; readonly isPart: boolean }> {
  const offsetsAt = async (timestamp: bigint) => {
    const offsets = await consumer.listOffsets({
      ...{ topics: [topic], timestamp, isolationLevel: readCommitted },
    });
    return (offsets.get(topic) ?? []).map(Number);
  };
  const ends = await offsetsAt(latest);
  const first = await offsetsAt(earliest);
  // A partition without records since then answers -1.
  const asked = since === undefined ? first : await offsetsAt(BigInt(since.getTime()));
  const whole = ends.map((to, partition) => {
    const from = asked[partition] ?? to;
    return { partition, from: from < 0 ? to : from, to };
  });
  const stretches = newest === undefined ? whole : newestOf(whole, newest);
  const isPart = stretches.some(({ partition, from }) => from > (first[partition] ?? from));
  return { stretches: stretches.filter(({ from, to }) => from < to), isPart };
}

/** Each partition gives its share; what a short one does not need, the others give. */
function newestOf(whole: readonly Stretch[], newest: number): readonly Stretch[] {
  let left = newest;
  const byLength = [...whole].sort((a, b) => a.to - a.from - (b.to - b.from));
  return byLength.map(({ partition, from, to }, index) => {
    const taken = Math.min(to - from, Math.ceil(left / (whole.length - index)));
    left -= taken;
    return { partition, from: to - taken, to };
  });
}

interface TopicRecord {
  readonly partition: number;
  readonly offset: number;
  readonly value: Buffer | null;
}

type Batch = Awaited<ReturnType<typeof fetchBytes>>['batches'][number];

/** Larger answers become more garbage than is collected in time. */
const maxFetchBytes = 256 * 1024;

/** The next answer is fetched while one is checked. */
async function* readStretch(
  consumer: Consumer,
  topic: string,
  { partition, from, to }: Stretch,
  { timeoutMs, run }: { timeoutMs: number; run: <T>(work: () => Promise<T>) => Promise<T> },
): AsyncGenerator<readonly TopicRecord[]> {
  const fetchFrom = (at: number) =>
    run(() => fetchPartition(consumer, topic, { partition, from: at, timeoutMs }));
  let pending = fetchFrom(from);
  let at = from;
  while (at < to) {
    const { batches, abortedFrom } = await pending;
    const begins = at;
    const records: TopicRecord[] = [];
    // The producers whose transaction was taken back, until the record that ends it.
    const aborted = new Set<bigint>();
    for (const batch of batches) {
      const first = Number(batch.firstOffset);
      const last = first + batch.lastOffsetDelta;
      while (abortedFrom[0] !== undefined && abortedFrom[0].firstOffset <= last) {
        aborted.add(abortedFrom[0].producerId);
        abortedFrom.shift();
      }
      if (isControl(batch)) aborted.delete(batch.producerId);
      else if (!isTransactional(batch) || !aborted.has(batch.producerId)) {
        for (const { offsetDelta, value } of batch.records) {
          const offset = first + offsetDelta;
          // A batch is given as a whole, and may begin before what was asked for.
          if (offset >= begins && offset < to) records.push({ partition, offset, value });
        }
      }
      at = Math.max(at, last + 1);
    }
    if (at === begins) {
      const message = `${topic} gave no records of its partition ${partition} from offset ${at} on in time. Raise --source-timeout.`;
      throw sourceFailure('SOURCE_TIMEOUT', message);
    }
    if (at < to) {
      pending = fetchFrom(at);
      // Whoever stops reading does not wait for it.
      pending.catch(() => {});
    }
    yield records;
  }
}

function isControl({ attributes }: Batch): boolean {
  return (attributes & 0x20) !== 0;
}

function isTransactional({ attributes }: Batch): boolean {
  return (attributes & 0x10) !== 0;
}

interface Asked {
  readonly partition: number;
  readonly from: number;
  readonly timeoutMs: number;
}

/** If the batches of an answer are too large together, fetches them one by one. */
async function fetchPartition(consumer: Consumer, topic: string, asked: Asked) {
  try {
    return await fetchBytes(consumer, topic, { ...asked, maxBytes: maxFetchBytes });
  } catch (error) {
    if (!isTooLarge(error)) throw error;
  }
  try {
    // A broker gives at least one batch, whatever its size.
    return await fetchBytes(consumer, topic, { ...asked, maxBytes: 1 });
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    const { partition, from } = asked;
    const message = `The batch at offset ${from} of partition ${partition} of ${topic} is too large to unpack: it has more than ${maxUnpackedBytes / 1024 ** 2} MiB, or very many records and headers. Check newer records with --since or --newest.`;
    throw sourceFailure('SOURCE_UNREADABLE', message);
  }
}

function isTooLarge(error: unknown): boolean {
  return causesOf(error).some((causes) => causes.has(UnpacksTooLarge.name));
}

async function fetchBytes(
  consumer: Consumer,
  topic: string,
  { partition, from, timeoutMs, maxBytes }: Asked & { readonly maxBytes: number },
) {
  const { topics } = await consumer.metadata({ topics: [topic] });
  const found = topics.get(topic);
  const leader = found?.partitions[partition]?.leader;
  if (found === undefined || leader === undefined) {
    throw sourceFailure('SOURCE_UNREADABLE', `${topic} has lost its partition ${partition}.`);
  }
  const asked = {
    ...{ partition, fetchOffset: BigInt(from), partitionMaxBytes: maxBytes },
    ...{ currentLeaderEpoch: -1, lastFetchedEpoch: -1 },
  };
  renewUnpacking();
  const answer = await consumer.fetch({
    node: leader,
    topics: [{ topicId: found.id, partitions: [asked] }],
    ...{ maxBytes, minBytes: 1, maxWaitTime: Math.ceil(timeoutMs / 2) },
    isolationLevel: readCommitted,
  });
  const parts = answer.responses.flatMap(({ partitions }) => partitions);
  return {
    batches: parts.flatMap(({ records }) => records ?? []),
    abortedFrom: parts
      .flatMap(({ abortedTransactions }) => abortedTransactions ?? [])
      .sort((a, b) => Number(a.firstOffset - b.firstOffset)),
  };
}

async function* rowsOf(
  stretches: readonly Stretch[],
  read: (stretch: Stretch) => AsyncIterable<readonly TopicRecord[]>,
  counts: { rows: number; deleted: number },
): AsyncGenerator<RowValue> {
  let isJson = false;
  for (const stretch of stretches) {
    for await (const records of read(stretch)) {
      for (const { partition, offset, value } of records) {
        if (value === null) {
          counts.deleted++;
          continue;
        }
        counts.rows++;
        const row = { partition, offset };
        const bytes = unwrapped(value);
        if (!isUtf8(bytes)) {
          yield { ok: false, checked: notText, row };
          continue;
        }
        const parsed = parseJson(bytes.toString('utf8'));
        if (parsed.ok) yield { ok: true, value: parsed.value, row };
        else yield { ok: false, checked: unread(`is not JSON: ${parsed.message}`), row };
        isJson ||= parsed.ok;
      }
    }
  }
  if (counts.rows === 0 || isJson) return;
  const message =
    'None of its records is JSON. Topics of Avro, Protobuf or text cannot be checked.';
  throw sourceFailure('SOURCE_UNREADABLE', message);
}

/** What a serializer of a schema registry writes before the JSON: a zero, and the id of a schema. */
const envelopeBytes = 5;

function unwrapped(value: Buffer): Buffer {
  const isWrapped = value[0] === 0 && value.length > envelopeBytes;
  return isWrapped ? value.subarray(envelopeBytes) : value;
}

function toldOf(
  topic: string,
  { since, newest }: TopicTarget,
  { deleted }: { readonly deleted: number },
): string {
  const which = [
    ...(newest === undefined ? [] : [`at most the newest ${newest}`]),
    ...(since === undefined ? [] : [`those since ${since.toISOString()}`]),
  ];
  const read = `of the topic ${topic}, ${which.length === 0 ? 'all records' : which.join(' of ')} were read`;
  if (deleted === 0) return read;
  return `${read}; ${counted(deleted, 'record')} without a value ${deleted === 1 ? 'is no row' : 'are no rows'}`;
}

const refusals = [
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'ILLEGAL_SASL_STATE',
];

/** By what the broker answered, or by what the client says of the network. */
function failureOf(error: unknown, topic: string): unknown {
  if (error instanceof CommandFailure) return error;
  const causes = causesOf(error);
  const answered = (ids: readonly string[]) =>
    ids.find((id) => causes.some((each) => each.has(id)));
  const refused = answered([...refusals, 'AuthenticationError']);
  if (refused !== undefined) {
    const message = `Kafka refuses the user or the password, or the user may not read this topic (${refused}).`;
    return sourceFailure('SOURCE_REFUSED', message);
  }
  if (answered([`Unknown topic ${topic}.`, 'INVALID_TOPIC_EXCEPTION']) !== undefined) {
    return sourceFailure('SOURCE_NOT_FOUND', `There is no topic ${topic}.`);
  }
  if (answered(['OFFSET_OUT_OF_RANGE']) !== undefined) {
    const message = `Records of ${topic} were deleted while they were read. Check fewer with --since or --newest.`;
    return sourceFailure('SOURCE_UNREADABLE', message);
  }
  if (answered(['TimeoutError']) !== undefined) {
    return sourceFailure(
      'SOURCE_TIMEOUT',
      'Kafka did not answer in time. Raise --source-timeout, or check fewer records with --newest.',
    );
  }
  if (answered(['NetworkError', 'UnsupportedApiError']) === undefined) return error;
  const message =
    'No broker of Kafka can be reached. Check hosts, ports and tls, and that the addresses the brokers give out can be reached from here.';
  return sourceFailure('SOURCE_NOT_REACHABLE', message);
}

/** The kinds of an error and of everything it is made of. */
function causesOf(error: unknown): readonly ReadonlySet<unknown>[] {
  if (!(error instanceof Error)) return [];
  const { apiId } = error as Error & { readonly apiId?: unknown };
  const parts = error instanceof AggregateError ? error.errors : [];
  return [
    new Set([error.constructor.name, apiId, error.message]),
    ...[...parts, error.cause].flatMap(causesOf),
  ];
}
