// A closed loop of requests over plain sockets, because the client must cost less than what it
// measures.

import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { bootstrapKey } from './processes.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** A GET request with this key; by default the bootstrap key. */
export function get(path: string, key = bootstrapKey): Request {
  return { method: 'GET', path, headers: { Authorization: `Bearer ${key}` } };
}

export function post(path: string, body: unknown, key = bootstrapKey): Request {
  return { ...get(path, key), method: 'POST', body: JSON.stringify(body) };
}

interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  /** The n-th request. */
  readonly request: (index: number) => Request;
  readonly count: number;
  /** The server's process, whose processor time is compared. */
  readonly pid: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly cpuMicrosPerRequest: number;
  /** The part of worker threads; the rest is the serving thread and V8's own. */
  readonly workerCpuMicrosPerRequest: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const latencies: number[] = [];
  let next = 0;
  const before = cpuOfThreads(options.pid);
  const startedAt = performance.now();
  const lane = async () => {
    const connection = await openConnection(options.port);
    while (next < options.count) {
      const request = options.request(next++);
      const sentAt = performance.now();
      const answer = await connection.send(request);
      latencies.push(performance.now() - sentAt);
      if (answer.status >= 400) {
        throw new Error(
          `${request.method} ${request.path} answered ${answer.status}: ${answer.body}`,
        );
      }
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: options.connections }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  const after = cpuOfThreads(options.pid);
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    cpuMicrosPerRequest: (after.micros - before.micros) / latencies.length,
    workerCpuMicrosPerRequest: (after.workerMicros - before.workerMicros) / latencies.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

interface ThreadsCpu {
  readonly micros: number;
  readonly workerMicros: number;
}

/**
 * In nanoseconds from the scheduler, because a turn of a few requests is shorter than some ticks.
 */
function cpuOfThreads(pid: number): ThreadsCpu {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const folder = `/proc/${pid}/task/${thread}`;
    const [nanos] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ');
    const isWorker = readFileSync(`${folder}/comm`, 'utf8').startsWith(workerThreadName);
    return { micros: Number(nanos) / 1000, isWorker };
  });
  const sum = (some: typeof threads) => some.reduce((total, { micros }) => total + micros, 0);
  return { micros: sum(threads), workerMicros: sum(threads.filter(({ isWorker }) => isWorker)) };
}

/** Node's name for these threads. */
const workerThreadName = 'WorkerThread';

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Connection {
  send(request: Request): Promise<Answer>;
  close(): void;
}

/** One keep-alive connection, one request at a time; responses must have a Content-Length. */
export function openConnection(port: number): Promise<Connection> {
  return new Promise((done, fail) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('error', fail);
    socket.once('connect', () => done(connectionOver(socket)));
  });
}

function connectionOver(socket: Socket): Connection {
  let received: Buffer = Buffer.alloc(0);
  let waiting: { done(answer: Answer): void; fail(error: Error): void } | null = null;
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const parsed = parseAnswer(received);
    if (parsed === null || waiting === null) return;
    received = received.subarray(parsed.length);
    const { done } = waiting;
    waiting = null;
    done(parsed.answer);
  });
  socket.on('error', (error) => waiting?.fail(error));
  socket.on('close', () => waiting?.fail(new Error('The server closed the connection.')));
  return {
    send: (request) =>
      new Promise((done, fail) => {
        waiting = { done, fail };
        socket.cork();
        socket.write(headOf(request));
        if (request.body !== undefined) socket.write(request.body);
        socket.uncork();
      }),
    close: () => {
      socket.destroy();
    },
  };
}

function headOf({ method, path, headers = {}, body }: Request): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function parseAnswer(bytes: Buffer): { answer: Answer; length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const end = headEnd + 4 + length;
  if (bytes.length < end) return null;
  return {
    answer: { status: Number(head.slice(9, 12)), body: bytes.toString('utf8', headEnd + 4, end) },
    length: end,
  };
}
