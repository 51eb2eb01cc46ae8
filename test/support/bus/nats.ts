import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { startNats } from '../nats/server.ts';
import type { TestBus } from './bus.ts';

export async function openNats(): Promise<TestBus> {
  const nats = await startNats();
  const open = () => connect({ servers: nats.address, maxReconnectAttempts: -1 });
  return {
    url: (topic) => `nats://${nats.address}/${topic}`,
    make: async (topic, mostBytes) => {
      const connection = await open();
      const manager = await jetstreamManager(connection);
      const limit = mostBytes === undefined ? {} : { max_msg_size: mostBytes };
      await manager.streams.add({ name: topic, subjects: [`${topic}.>`], ...limit });
      await connection.close();
    },
    follow: async (topic, hear) => {
      const connection = await open();
      const consumer = await jetstream(connection).consumers.get(topic);
      await consumer.consume({ callback: (message) => hear(message.string()) });
      return { close: () => connection.close() };
    },
    kill: nats.kill,
    start: nats.start,
    stop: nats.stop,
  };
}
