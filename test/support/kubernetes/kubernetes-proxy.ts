// A breakable connection: a TCP proxy that can cut what goes through it.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  /** The server's address through the proxy. */
  readonly server: string;
  readonly connectionCount: () => number;
  /** Cuts every connection now. */
  cut(): void;
  /** Cuts every connection, and refuses new ones until they are allowed again. */
  refuse(): void;
  letThrough(): void;
  /** Cuts every connection at this interval, until the proxy is closed. */
  cutEvery(intervalMs: number): void;
  close(): Promise<void>;
}

export async function openCuttingProxy(
  address: { readonly server: string },
  listenPort = 0,
): Promise<CuttingProxy> {
  const target = new URL(address.server);
  const open = new Set<Socket>();
  let connectionCount = 0;
  let timer: NodeJS.Timeout | null = null;
  let isRefusing = false;
  const proxy = createServer((socket) => {
    connectionCount += 1;
    if (isRefusing) {
      socket.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const end of [socket, upstream]) {
      open.add(end);
      end.on('close', () => open.delete(end));
      end.on('error', () => {
        socket.destroy();
        upstream.destroy();
      });
    }
    socket.pipe(upstream).pipe(socket);
  });
  proxy.listen(listenPort, '127.0.0.1');
  await once(proxy, 'listening');
  const bound = proxy.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    server: `https://127.0.0.1:${port}`,
    connectionCount: () => connectionCount,
    cut,
    refuse: () => {
      isRefusing = true;
      cut();
    },
    letThrough: () => {
      isRefusing = false;
    },
    cutEvery: (intervalMs) => {
      timer = setInterval(cut, intervalMs);
    },
    close: async () => {
      if (timer !== null) clearInterval(timer);
      proxy.close();
      cut();
      await once(proxy, 'close');
    },
  };
}
