// Receives the body of an import, compressed or not, in pieces that can be transferred to a thread.

import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { RequestAborted, refuseType, tooLarge } from './body.ts';
import type { HeldBody, NoRoom } from './import-memory.ts';

type Piece = Uint8Array<ArrayBuffer>;

/**
 * Large enough that 128 MiB are a few hundred pieces, small enough that copying one causes no
 * pause.
 */
const pieceBytes = 512 * 1024;
/** What is unpacked at once: Node's 16 KiB are 4,000 events for 60 MB. */
const chunkBytes = 128 * 1024;

/**
 * Stops at the limit, because a few compressed kilobytes may expand to gigabytes. Also stops if
 * there is no room for it beside the other bodies in memory.
 */
export async function readPieces(
  request: IncomingMessage,
  limitBytes: number,
  held: HeldBody,
): Promise<Outcome<readonly Piece[]> | NoRoom> {
  const wrongType = refuseType(request, ['identity', 'gzip']);
  if (wrongType !== null) return wrongType;
  return new Promise((resolve, reject) => {
    const isPacked = request.headers['content-encoding'] === 'gzip';
    const source = isPacked ? request.pipe(createGunzip({ chunkSize: chunkBytes })) : request;
    const pieces = gatherPieces();
    let isOver = false;
    const end = (outcome: Outcome<readonly Piece[]> | NoRoom) => {
      isOver = true;
      if (typeof outcome === 'string' || !outcome.ok) {
        pieces.drop();
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
      if (pieces.size() + chunk.length > limitBytes) return end(tooLarge(limitBytes));
      const taken = held.take(chunk.length);
      if (taken === 'taken') pieces.add(chunk);
      else end(taken);
    });
    source.on('end', () => {
      if (!isOver) end(accept(pieces.all()));
    });
    const abort = () => {
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

/** Each piece has its own memory, so that it can be transferred to a thread. */
function gatherPieces() {
  let full: Piece[] = [];
  let piece = new Uint8Array(pieceBytes);
  let used = 0;
  let size = 0;
  return {
    size: () => size,
    drop: () => {
      // Freed at once. The garbage collector would do so later, because it does not see the size of
      // the buffers.
      for (const each of [...full, piece]) each.buffer.transfer(0);
      full = [];
      piece = new Uint8Array(0);
    },
    add: (chunk: Buffer): void => {
      size += chunk.length;
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + pieceBytes - used);
        piece.set(part, used);
        used += part.length;
        at += part.length;
        if (used < pieceBytes) continue;
        full.push(piece);
        piece = new Uint8Array(pieceBytes);
        used = 0;
      }
    },
    all: (): readonly Piece[] => [...full, piece.slice(0, used)],
  };
}
