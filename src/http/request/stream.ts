// Sends a response while it is produced, no faster than its caller reads.

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * The headers are already sent, so from now on an error aborts the response. Otherwise it could be
 * taken for complete.
 */
export async function sendStream(
  response: ServerResponse,
  lines: AsyncIterable<string>,
): Promise<void> {
  try {
    await pipeline(Readable.from(lines, { objectMode: true, highWaterMark: 1 }), response);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** The client has disconnected. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
