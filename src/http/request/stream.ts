// An answer that is made while it is sent: as fast as its caller reads, and not a page faster.

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * The headers are sent. An error from now on aborts the response, so that it is not taken for
 * complete.
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
