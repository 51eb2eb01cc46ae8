// Takes the body of an import as it comes, packed or not, and gives its bytes to a thread to read.

import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { accept, type Outcome, refuse } from '../core/failure.ts';
import type { ImportKind } from '../core/import/report-kinds.ts';
import type { Engine, ImportDocument } from '../registry/ports.ts';
import { RequestAborted, refuseType, tooLarge } from './body.ts';

export interface ReadImportBody {
  readonly document: ImportDocument;
  /** Stands for the text where a repeated request has to be told from another. */
  readonly digest: string;
}

export async function readImportBody(
  request: IncomingMessage,
  kind: ImportKind,
  limitBytes: number,
  engine: Pick<Engine, 'readDocument'>,
): Promise<Outcome<ReadImportBody>> {
  const wrongType = refuseType(request, ['identity', 'gzip']);
  if (wrongType !== null) return wrongType;
  const unpacked = await unpack(request, limitBytes);
  if (!unpacked.ok) return unpacked;
  const isRepeatable = request.headers['idempotency-key'] !== undefined;
  const digest = isRepeatable ? hash('sha256', unpacked.value) : '';
  const document = await engine.readDocument(kind, unpacked.value);
  return document.ok ? accept({ document: document.value, digest }) : document;
}

/** Stops at the limit: a few packed kilobytes may hold gigabytes. */
function unpack(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Outcome<Uint8Array<ArrayBuffer>>> {
  return new Promise((resolve, reject) => {
    const isPacked = request.headers['content-encoding'] === 'gzip';
    const source = isPacked ? request.pipe(createGunzip()) : request;
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (outcome: Outcome<Uint8Array<ArrayBuffer>>) => {
      chunks.length = 0;
      if (isPacked && !outcome.ok) {
        request.unpipe();
        source.destroy();
      }
      // The rest is let run past, unread.
      request.resume();
      resolve(outcome);
    };
    source.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limitBytes) end(tooLarge(limitBytes));
      else chunks.push(chunk);
    });
    source.on('end', () => {
      if (size <= limitBytes) end(accept(joined(chunks, size)));
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
        end(refuse('INVALID_JSON', 'The body is not gzip that can be unpacked.'));
      });
    }
  });
}

/** In memory of its own, so that it can be given to a thread. */
function joined(chunks: readonly Buffer[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
