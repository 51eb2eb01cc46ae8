// A Kafka topic as the bus.

import { readFileSync } from 'node:fs';
import { Producer, stringSerializers } from '@platformatic/kafka';
import { type TopicAddress, topicFiles } from '../core/checks/topic-address.ts';
import type { BusConnection } from './publish-events.ts';

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
    ...(address.tls !== null && { tls: readFiles(address), tlsServerName: true }),
  });
  return {
    send: async (records) => {
      await producer.send({
        messages: records.map(({ key, value }) => ({ topic, key, value, headers })),
      });
    },
    close: () => producer.close(true),
  };
}

const allReplicas = -1;
const headers = { 'content-type': 'application/cloudevents+json; charset=UTF-8' };

function readFiles({ tls }: TopicAddress): Partial<Record<(typeof topicFiles)[number], string>> {
  const given = topicFiles.flatMap((name) => {
    const path = tls?.[name];
    return path === undefined ? [] : [[name, readFileSync(path, 'utf8')] as const];
  });
  return Object.fromEntries(given);
}
