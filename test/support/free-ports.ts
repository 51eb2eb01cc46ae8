// Unused ports, for programs that need a port number.

import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below those that Linux gives to connections, so that none takes a port before the program has it. */
const [lowest, highest] = [16_384, 32_767];

/** All at once, so that no two are equal. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  while (servers.length < count) {
    const server = createServer().listen(
      lowest + Math.floor(Math.random() * (highest - lowest)),
      '127.0.0.1',
    );
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) servers.push(server);
  }
  return Promise.all(
    servers.map(async (server) => {
      const address = server.address();
      server.close();
      await once(server, 'close');
      return typeof address === 'object' && address !== null ? address.port : 0;
    }),
  );
}
