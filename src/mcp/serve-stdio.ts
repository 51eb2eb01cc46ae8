// The tools on a pair of streams, until the input ends.

import { Readable, type Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallRoute } from './call-route.ts';
import { openToolServer, type ToolServerOptions } from './tool-server.ts';

export async function serveStdio(
  options: ToolServerOptions,
  stdin: AsyncIterable<Uint8Array | string>,
  stdout: Writable,
): Promise<void> {
  const pending = new Set<Promise<unknown>>();
  const call: CallRoute = (route, given) => {
    const answer = options.call(route, given);
    pending.add(answer);
    return answer.finally(() => pending.delete(answer));
  };
  const server = openToolServer({ ...options, call });
  const input = Readable.from(wholeLines(stdin));
  const ended = new Promise<void>((done) => {
    input.once('close', done);
  });
  await server.connect(new StdioServerTransport(input, stdout));
  await ended;
  // Who sends all questions at once still gets all answers.
  await Promise.allSettled(pending);
  await new Promise(setImmediate);
  await server.close();
}

/** The last message may lack the end of its line. */
async function* wholeLines(stdin: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer> {
  let last = newline;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array);
    last = bytes.at(-1) ?? last;
    yield bytes;
  }
  if (last !== newline) yield Buffer.from([newline]);
}

const newline = 0x0a;
