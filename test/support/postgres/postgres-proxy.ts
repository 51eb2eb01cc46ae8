// A proxy in front of Postgres that records the statements of clients with their parameters. It can
// also cut, stall, slow, abandon and restore connections.

import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Statement {
  readonly text: string;
  /** Empty if Postgres keeps no plan for it. */
  readonly name: string;
  /** The number of the connection, because statements of several are mixed. */
  readonly connection: number;
  /** The number of the piece of data that it arrived in: usually one write of the client. */
  readonly write: number;
  /** As the client sent them, in text form; null is SQL's null. */
  readonly parameters: readonly (string | null)[];
}

export interface PostgresProxy {
  /** The given URL, through the proxy. */
  readonly url: string;
  /** The statements sent during the act, in order. */
  record(act: () => Promise<void>): Promise<readonly Statement[]>;
  /** Cuts every connection; new ones are accepted. */
  cut(): void;
  /** Blocks data in both directions without closing anything. */
  stall(): void;
  /** Delays each piece by this much, in both directions. */
  slow(delayMs: number): void;
  /**
   * Makes open connections half-open: they lead nowhere, and neither end is told. New ones work.
   */
  abandon(): void;
  /** Ends stalls and delays; abandoned connections stay so. */
  heal(): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isAbandoned: boolean;
}

export async function startPostgresProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url);
  const pairs = new Set<Pair>();
  let sink: ((statement: Statement) => void) | null = null;
  let isStalled = false;
  let delayMs = 0;
  let connections = 0;
  let writes = 0;
  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    const pair: Pair = { client, server, isAbandoned: false };
    pairs.add(pair);
    const connection = connections++;
    const reader = statementReader((statement) =>
      sink?.({ ...statement, connection, write: writes }),
    );
    client.on('data', (chunk) => {
      writes++;
      reader(chunk);
    });
    passOn(pair, client, server, () => delayMs);
    passOn(pair, server, client, () => delayMs);
    const end = () => {
      if (pair.isAbandoned) return;
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    if (isStalled) pausePair(pair);
  });
  const port = await listen(listener);
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(port);
  return {
    url: through.href,
    async record(act) {
      const seen: Statement[] = [];
      sink = (statement) => seen.push(statement);
      try {
        await act();
      } finally {
        sink = null;
      }
      return seen;
    },
    cut() {
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
    },
    stall() {
      isStalled = true;
      pairs.forEach(pausePair);
    },
    slow(ms) {
      delayMs = ms;
    },
    abandon() {
      for (const pair of pairs) pair.isAbandoned = true;
    },
    heal() {
      isStalled = false;
      delayMs = 0;
      for (const { client, server } of pairs) {
        client.resume();
        server.resume();
      }
    },
    close() {
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      return new Promise((done) => listener.close(() => done()));
    },
  };
}

function passOn(pair: Pair, from: Socket, to: Socket, delayMs: () => number): void {
  const late: Buffer[] = [];
  from.on('data', (chunk) => {
    if (pair.isAbandoned) return;
    if (delayMs() === 0 && late.length === 0) {
      to.write(chunk);
      return;
    }
    late.push(chunk);
    // In order, whichever timer fires first.
    setTimeout(() => {
      const next = late.shift();
      if (next !== undefined && !pair.isAbandoned && to.writable) to.write(next);
    }, delayMs());
  });
}

function pausePair({ client, server }: Pair): void {
  client.pause();
  server.pause();
}

function listen(server: Server): Promise<number> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) done(address.port);
    });
  });
}

type Sent = Omit<Statement, 'connection' | 'write'>;

/**
 * Parses a client's messages on one connection: simple queries, and Parse and Bind of the extended
 * protocol. Prepared statements are reported each time they are bound.
 */
function statementReader(tell: (statement: Sent) => void): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  let isStarted = false;
  const prepared = new Map<string, string>();
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      // The first message has no type; every other one has one before its length.
      const head = isStarted ? 1 : 0;
      if (pending.length < head + 4) return;
      const length = pending.readUInt32BE(head);
      if (pending.length < head + length) return;
      const body = pending.subarray(head + 4, head + length);
      if (isStarted) readMessage(String.fromCharCode(pending[0] ?? 0), body, prepared, tell);
      isStarted = true;
      pending = pending.subarray(head + length);
    }
  };
}

function readMessage(
  type: string,
  body: Buffer,
  prepared: Map<string, string>,
  tell: (statement: Sent) => void,
): void {
  if (type === 'Q') {
    tell({ text: readString(body, 0).text, name: '', parameters: [] });
  } else if (type === 'P') {
    const name = readString(body, 0);
    prepared.set(name.text, readString(body, name.end).text);
  } else if (type === 'B') {
    const portal = readString(body, 0);
    const name = readString(body, portal.end);
    const formats = body.readUInt16BE(name.end);
    const parameters = readParameters(body, name.end + 2 + 2 * formats);
    tell({ text: prepared.get(name.text) ?? '', name: name.text, parameters });
  }
}

function readString(body: Buffer, start: number): { text: string; end: number } {
  const end = body.indexOf(0, start);
  return { text: body.toString('utf8', start, end), end: end + 1 };
}

function readParameters(body: Buffer, start: number): (string | null)[] {
  const count = body.readUInt16BE(start);
  const parameters: (string | null)[] = [];
  let at = start + 2;
  for (let i = 0; i < count; i++) {
    const length = body.readInt32BE(at);
    at += 4;
    parameters.push(length < 0 ? null : body.toString('utf8', at, at + Math.max(0, length)));
    at += Math.max(0, length);
  }
  return parameters;
}
