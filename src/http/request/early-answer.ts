// Answers that are given while the request is still being sent. The rest of it is let run past
// unread; should it never end, the connection is closed without a second answer.

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
