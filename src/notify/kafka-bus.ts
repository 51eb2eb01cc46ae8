// A Kafka topic as the bus.

import { MultipleErrors, Producer, stringSerializers } from '@platformatic/kafka';
import type { TopicAddress } from '../core/checks/topic-address.ts';
import type { BusRecord } from './cloud-event.ts';
import type { BusConnection } from './publish-events.ts';
import { readTopicFiles } from './topic-files.ts';

/** Of each try: the client tries three times, and each question on the way there as often. */
const timeoutMs = 10_000;

export function openKafkaBus(address: TopicAddress): BusConnection {
  const { topic, sasl } = address;
  const producer = new Producer({
    clientId: 'concordat-events',
    bootstrapBrokers: [...address.brokers],
    // What the client sends again keeps its place, and is there once.
    idempotent: true,
    acks: allReplicas,
    autocreateTopics: false,
    retries: 2,
    retryDelay: 200,
    connectTimeout: timeoutMs / 2,
    requestTimeout: timeoutMs,
    timeout: timeoutMs,
    serializers: stringSerializers,
    ...(sasl !== null && { sasl }),
    ...(address.tls !== null && { tls: readTopicFiles(address.tls), tlsServerName: true }),
  });
  const produce = (records: readonly Pick<BusRecord, 'key' | 'value'>[]) =>
    producer.send({ messages: records.map(({ key, value }) => ({ topic, key, value, headers })) });
  const send = async (records: readonly BusRecord[]): Promise<void> => {
    try {
      await produce(records);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      const [first, ...others] = records;
      if (first !== undefined && others.length === 0) {
        await produce([{ key: first.key, value: first.short() }]);
        return;
      }
      const half = Math.ceil(records.length / 2);
      await send(records.slice(0, half));
      await send(records.slice(half));
    }
  };
  return { send, close: () => producer.close(true) };
}

/** How much a broker takes is a setting of the topic. */
function isTooLarge(error: unknown): boolean {
  return (
    error instanceof MultipleErrors &&
    ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'].some((id) => error.findBy('apiId', id) !== null)
  );
}

const allReplicas = -1;
const headers = { 'content-type': 'application/cloudevents+json; charset=UTF-8' };
