import { Consumer, stringDeserializers } from '@platformatic/kafka';
import { startKafka } from '../kafka/broker.ts';
import type { TestBus } from './bus.ts';

/** As Kafka's protocol numbers them. */
const topicResource = 2;
const setOperation = 0;

export async function openKafka(): Promise<TestBus> {
  const kafka = await startKafka();
  let groups = 0;
  return {
    url: (topic) => `kafka://${kafka.open}/${topic}`,
    make: async (topic, mostBytes) => {
      await kafka.admin.createTopics({ topics: [topic], partitions: 3, replicas: 1 });
      if (mostBytes === undefined) return;
      const limit = { name: 'max.message.bytes', value: `${mostBytes}` };
      await kafka.admin.incrementalAlterConfigs({
        resources: [
          {
            ...{ resourceType: topicResource, resourceName: topic },
            configs: [{ ...limit, configOperation: setOperation }],
          },
        ],
      });
    },
    follow: async (topic, hear) => {
      const consumer = new Consumer({
        clientId: 'tests',
        groupId: `tests-${++groups}`,
        bootstrapBrokers: [kafka.open],
        deserializers: stringDeserializers,
        isolationLevel: 1,
      });
      const how = { mode: 'earliest', autocommit: false } as const;
      const stream = await consumer.consume({ topics: [topic], ...how });
      stream.on('data', ({ value }) => hear(String(value)));
      // While the broker is away, it tries again.
      stream.on('error', () => {});
      return { close: () => consumer.close(true) };
    },
    kill: kafka.kill,
    start: kafka.start,
    stop: kafka.stop,
  };
}
