// One message, and its answer: for a transport without sessions.

import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { openToolServer, type ToolServerOptions } from './tool-server.ts';

/** Null if the message asks nothing. */
export async function answerMessage(
  options: ToolServerOptions,
  message: unknown,
): Promise<JSONRPCMessage | null> {
  if (!isJSONRPCRequest(message)) return null;
  const server = openToolServer(options);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const answered = new Promise<JSONRPCMessage>((done) => {
    ours.onmessage = done;
  });
  try {
    await server.connect(theirs);
    await ours.send(message);
    return await answered;
  } finally {
    await server.close();
  }
}
