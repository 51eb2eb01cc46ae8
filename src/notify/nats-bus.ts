// A stream of NATS JetStream as the bus. Its servers keep the order of what one process sends, one
// after the other; so each asset has a subject of its own, and its next event waits for the last.

import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { JetStreamApiError, jetstream } from '@nats-io/jetstream';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  headers as headersOf,
  type NatsConnection,
  RequestError,
} from '@nats-io/transport-node';
import type { SubjectAddress } from '../core/checks/bus-address.ts';
import type { BusRecord } from './cloud-event.ts';
import type { BusConnection } from './publish-events.ts';
import { readTopicFiles } from './topic-files.ts';

/** Of each answer. */
const timeoutMs = 10_000;

export async function openNatsBus(
  address: SubjectAddress,
  cut: AbortSignal,
): Promise<BusConnection> {
  const connection = await openConnection(address, cut);
  // A stream whose leader just failed may lose an attempt, which is told, and sent again later.
  const stream = jetstream(connection, { timeout: timeoutMs });
  const headers = headersOf();
  headers.set('content-type', 'application/cloudevents+json; charset=UTF-8');
  const mostBytes = (connection.info?.max_payload ?? defaultMostBytes) - headerBytes;
  const publish = (key: string, value: string) =>
    stream.publish(`${address.topic}.${tokenOf(key)}`, value, { headers });
  const send = async ({ key, value, short }: BusRecord): Promise<void> => {
    // How much a stream takes is a setting of its own.
    const isTaken =
      Buffer.byteLength(value) <= mostBytes &&
      (await publish(key, value).then(
        () => true,
        (error: unknown) => {
          if (isTooLarge(error)) return false;
          throw error;
        },
      ));
    if (!isTaken) await publish(key, short());
  };
  return {
    send: async (records) => {
      const byKey = Map.groupBy(records, ({ key }) => key).values();
      const sending = [...byKey].map(async (own) => {
        for (const record of own) await send(record);
      });
      const failed = (await Promise.allSettled(sending)).find(
        ({ status }) => status === 'rejected',
      );
      if (failed?.status === 'rejected') throw told(failed.reason, address.topic);
    },
    close: () => connection.close(),
  };
}

const opening = new AsyncLocalStorage<readonly Socket[]>();
const everySocket = 'net.client.socket';

/** The client forgets a socket whose server took the connection and says nothing. */
async function openConnection(address: SubjectAddress, cut: AbortSignal): Promise<NatsConnection> {
  const sockets: Socket[] = [];
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const hear = (opened: unknown) => {
    if (opening.getStore() !== sockets) return;
    sockets.push((opened as { readonly socket: Socket }).socket);
    // It begins to connect after this.
    if (cut.aborted) setImmediate(closeAll);
  };
  subscribe(everySocket, hear);
  cut.addEventListener('abort', closeAll);
  try {
    return await opening.run(sockets, () => connect(optionsOf(address)));
  } catch (error) {
    closeAll();
    throw error;
  } finally {
    unsubscribe(everySocket, hear);
    cut.removeEventListener('abort', closeAll);
  }
}

/** What servers take unless they are set otherwise. */
const defaultMostBytes = 1_048_576;
/** They count for the size, too. */
const headerBytes = 200;

function optionsOf({ servers, login, creds, tls }: SubjectAddress): ConnectionOptions {
  return {
    servers: [...servers],
    name: 'concordat-events',
    timeout: timeoutMs,
    // Who sends opens another connection, and begins again at the noted place.
    reconnect: false,
    ...(login !== null &&
      (login.password === ''
        ? { token: login.username }
        : { user: login.username, pass: login.password })),
    ...(creds !== null && { authenticator: credsAuthenticator(readFileSync(creds)) }),
    ...(tls !== null && { tls: readTopicFiles(tls) }),
  };
}

/** A subject's token has no spaces and no wildcards; a dot begins another one. */
function tokenOf(key: string): string {
  return key.replaceAll(/[^\w-]/g, '_');
}

const messageTooLarge = 10054;

function isTooLarge(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === messageTooLarge;
}

function told(error: unknown, topic: string): unknown {
  const { cause } = error instanceof Error ? error : {};
  if (!(cause instanceof RequestError && cause.isNoResponders())) return error;
  const message = `No stream of NATS keeps ${topic}.>, or JetStream is off. Create one: nats stream add --subjects '${topic}.>'`;
  return new Error(message, { cause: error });
}
