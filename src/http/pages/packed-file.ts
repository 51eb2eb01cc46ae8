// A file that is compressed once for each process, and sent as the client asks for it.

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

export interface PackedFile {
  readonly type: string;
  readonly raw: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** Compresses the page's largest file well in a tenth of a second. */
const brotliQuality = 9;

export async function packFile(type: string, raw: Buffer): Promise<PackedFile> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(raw, { params }),
    promisify(gzip)(raw),
  ]);
  return { type, raw, br, gzip: zipped };
}

export function sendPacked(
  request: Request,
  response: Response,
  file: PackedFile,
  headers: Readonly<Record<string, string>>,
): void {
  response.set({ ...headers, 'Content-Type': file.type, Vary: 'Accept-Encoding' });
  // Asked for both at once, this would choose the first that the browser lists, which is gzip.
  const encoding = request.acceptsEncodings('br') || request.acceptsEncodings('gzip');
  if (encoding === 'br' || encoding === 'gzip') {
    response.set('Content-Encoding', encoding).end(file[encoding]);
  } else {
    response.end(file.raw);
  }
}
