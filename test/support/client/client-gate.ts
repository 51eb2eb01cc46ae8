// A gate in front of Postgres: when shut, it cuts open connections and refuses new ones.

import { connect, createServer, type Socket } from 'node:net';

export interface Gate {
  /** The given URL, through the gate. */
  readonly url: string;
  readonly shut: () => void;
  readonly open: () => void;
  /** Blocks all data silently until it opens again. */
  readonly stall: () => void;
  /** Cuts every open connection. */
  readonly cut: () => void;
  readonly close: () => Promise<void>;
}

export async function openGate(databaseUrl: string): Promise<Gate> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isShut = false;
  let isStalled = false;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (isShut) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      if (isStalled) socket.pause();
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const url = await new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const through = new URL(databaseUrl);
      through.hostname = '127.0.0.1';
      if (typeof address === 'object' && address !== null) through.port = String(address.port);
      resolve(through.href);
    });
  });
  return {
    url,
    cut,
    shut: () => {
      isShut = true;
      cut();
    },
    open: () => {
      isShut = false;
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    stall: () => {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
