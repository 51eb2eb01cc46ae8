// Sends a response while the request is still arriving. The rest of the request is received but not
// read; if it never ends, the connection is closed without a second response.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const answered = new WeakSet<Duplex>();

export function noteAnsweredEarly(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  answered.add(socket);
  request.once('end', () => answered.delete(socket));
}

export function isAnsweredEarly(socket: Duplex): boolean {
  return answered.has(socket);
}
