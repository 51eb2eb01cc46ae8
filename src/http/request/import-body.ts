// Receives the body of an import, compressed or not, into memory that can be handed to a thread.

import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { RequestAborted, refuseType, tooLarge } from './body.ts';
import type { HeldBody, NoRoom } from './import-memory.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** Pages are taken only when they are written, so a larger step costs nothing. */
const growthBytes = 1024 * 1024;
/** What is unpacked at once: Node's 16 KiB are 4,000 events for 60 MB. */
const chunkBytes = 128 * 1024;

/**
 * Stops at the limit, because a few compressed kilobytes may expand to gigabytes. Also stops if
 * there is no room for it beside the other bodies in memory.
 */
export async function readImportBody(
  request: IncomingMessage,
  limitBytes: number,
  held: HeldBody,
): Promise<Outcome<Bytes> | NoRoom> {
  const wrongType = refuseType(request, ['identity', 'gzip']);
  if (wrongType !== null) return wrongType;
  return new Promise((resolve, reject) => {
    const isPacked = request.headers['content-encoding'] === 'gzip';
    const source = isPacked ? request.pipe(createGunzip({ chunkSize: chunkBytes })) : request;
    const bytes = growBytes(limitBytes);
    let isOver = false;
    // Called again by what follows: the rest of a packed body, or a sender who hangs up. By then
    // the memory is free, or belongs to the thread.
    const end = (outcome: Outcome<Bytes> | NoRoom) => {
      if (isOver) return;
      isOver = true;
      if (typeof outcome === 'string' || !outcome.ok) {
        bytes.drop();
        if (isPacked) {
          request.unpipe();
          source.destroy();
        }
      }
      // The rest is received but not read.
      request.resume();
      resolve(outcome);
    };
    source.on('data', (chunk: Buffer) => {
      if (isOver) return;
      if (bytes.size() + chunk.length > limitBytes) return end(tooLarge(limitBytes));
      const taken = held.take(chunk.length);
      if (taken !== 'taken') return end(taken);
      bytes.add(chunk);
      // zlib writes into another buffer from here on.
      const isFull = chunk.byteOffset + chunk.length === chunk.buffer.byteLength;
      if (isPacked && isFull) free(chunk.buffer);
    });
    source.on('end', () => {
      if (!isOver) end(accept(bytes.all()));
    });
    const abort = () => {
      if (isOver) return;
      isOver = true;
      bytes.drop();
      if (isPacked) source.destroy();
      reject(new RequestAborted());
    };
    request.on('error', abort).on('close', () => {
      if (!request.complete) abort();
    });
    if (isPacked) {
      source.on('error', () => {
        end(refuse('INVALID_JSON', 'The body is not valid gzip.'));
      });
    }
  });
}

/**
 * One buffer that grows where it is, so that a body stands in memory once: pieces would be put
 * together by its thread. Its memory goes back to the system at once, and does not stay with
 * malloc in holes between other things.
 */
function growBytes(limitBytes: number) {
  const buffer = new ArrayBuffer(0, { maxByteLength: limitBytes });
  const bytes = new Uint8Array(buffer);
  let size = 0;
  return {
    size: () => size,
    add: (chunk: Buffer): void => {
      const need = size + chunk.length;
      if (need > buffer.byteLength) buffer.resize(Math.min(limitBytes, need + growthBytes));
      bytes.set(chunk, size);
      size = need;
    },
    all: (): Bytes => {
      buffer.resize(size);
      return bytes;
    },
    drop: () => free(buffer),
  };
}

/** Frees it now. The garbage collector would do so much later, because it does not see its size. */
export function free(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
