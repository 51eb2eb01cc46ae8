// A closed loop of requests over plain sockets: the client must cost less than what it measures.

import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  /** Which request the n-th is. */
  readonly request: (index: number) => Request;
  readonly count: number;
  /** The server's process: its processor time is what is compared. */
  readonly pid: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly cpuMicrosPerRequest: number;
  /** Of it, the thread that serves: what is left is worker threads and the collector's. */
  readonly mainCpuMicrosPerRequest: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const latencies: number[] = [];
  let next = 0;
  const cpuBefore = processCpuMicros(options.pid);
  const mainBefore = mainThreadCpuMicros(options.pid);
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
  const cpu = processCpuMicros(options.pid) - cpuBefore;
  const mainCpu = mainThreadCpuMicros(options.pid) - mainBefore;
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    cpuMicrosPerRequest: cpu / latencies.length,
    mainCpuMicrosPerRequest: mainCpu / latencies.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

/** User and system time of a process, its threads included. */
export function processCpuMicros(pid: number): number {
  return cpuMicrosIn(`/proc/${pid}/stat`);
}

/** On Linux the first thread has the number of its process. */
function mainThreadCpuMicros(pid: number): number {
  return cpuMicrosIn(`/proc/${pid}/task/${pid}/stat`);
}

function cpuMicrosIn(file: string): number {
  const stat = readFileSync(file, 'utf8');
  // The name in parentheses may hold spaces: count from behind it. Ticks are 10 ms on Linux.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Connection {
  send(request: Request): Promise<Answer>;
  close(): void;
}

/** One keep-alive connection, one request at a time; answers must have a Content-Length. */
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
        socket.write(requestText(request));
      }),
    close: () => {
      socket.destroy();
    },
  };
}

function requestText({ method, path, headers = {}, body }: Request): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
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
