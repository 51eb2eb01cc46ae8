// Requests at fixed times, whether or not the previous one was answered. The latency counts from
// the time when a request was due, so a server that falls behind cannot hide it.

import { type Connection, openConnection, quantile, type Request } from './load.ts';

interface OpenLoopOptions {
  readonly port: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
  readonly request: (index: number) => Request;
}

export interface OpenLoopResult {
  readonly sent: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The latency of each request from the time it was due, shortest first. */
  readonly latenciesMs: readonly number[];
}

/** The interval of checks for due requests. */
const tickMs = 1;

export async function runOpenLoop(options: OpenLoopOptions): Promise<OpenLoopResult> {
  const { port, perSecond, seconds, connections, request } = options;
  const idle = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const all = [...idle];
  const waiting: { readonly index: number; readonly dueAt: number }[] = [];
  const latencies: number[] = [];
  const total = Math.round(perSecond * seconds);
  const startedAt = performance.now();
  let due = 0;

  await new Promise<void>((done, fail) => {
    const send = (connection: Connection, index: number, dueAt: number): void => {
      const asked = request(index);
      connection.send(asked).then((answer) => {
        if (answer.status >= 400) {
          fail(new Error(`${asked.method} ${asked.path}: ${answer.status} ${answer.body}`));
          return;
        }
        latencies.push(performance.now() - dueAt);
        const next = waiting.shift();
        if (next !== undefined) send(connection, next.index, next.dueAt);
        else idle.push(connection);
        if (latencies.length === total) done();
      }, fail);
    };
    const ticking = setInterval(() => {
      const now = performance.now();
      for (; due < total && startedAt + (due * 1000) / perSecond <= now; due++) {
        const dueAt = startedAt + (due * 1000) / perSecond;
        const connection = idle.pop();
        if (connection === undefined) waiting.push({ index: due, dueAt });
        else send(connection, due, dueAt);
      }
      if (due === total) clearInterval(ticking);
    }, tickMs);
  });
  for (const connection of all) connection.close();
  latencies.sort((a, b) => a - b);
  return {
    sent: total,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    latenciesMs: latencies,
  };
}
