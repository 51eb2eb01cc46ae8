// The tools on a pair of streams, until the input ends.

import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CancelledNotificationSchema,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { openToolServer, type ToolServerOptions } from './tool-server.ts';

export async function serveStdio(
  options: ToolServerOptions,
  stdin: AsyncIterable<Uint8Array | string>,
  stdout: Writable,
): Promise<void> {
  const input = Readable.from(wholeLines(stdin));
  const ended = once(input, 'close');
  const transport = new CountingTransport(input, stdout);
  const server = openToolServer(options);
  await server.connect(transport);
  await ended;
  // A client that sends all requests at once still gets all responses.
  await transport.allAnswered();
  await server.close();
}

/** A transport that records which requests have no response yet. */
class CountingTransport extends StdioServerTransport {
  readonly #open = new Set<RequestId>();
  #tell = () => {};

  override onmessage = (message: JSONRPCMessage) => {
    if (isJSONRPCRequest(message)) this.#open.add(message.id);
    // A cancelled request gets no response.
    const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
    if (cancelled !== undefined) this.#close(cancelled);
  };

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if ('id' in message && message.id !== undefined && !isJSONRPCRequest(message)) {
      this.#close(message.id);
    }
  }

  async allAnswered(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((done) => (this.#tell = done));
  }

  #close(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#tell();
  }
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
