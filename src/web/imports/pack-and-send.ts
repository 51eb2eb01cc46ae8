// A fetch that compresses the body and reports progress: a manifest of twelve megabytes shrinks to
// one, which takes two seconds at 4 Mbit/s in place of twenty-four.

import type { Progress } from './import.types.ts';

/** Smaller bodies are not worth compressing. */
const packedFromBytes = 64 * 1024;

export function packAndSend(tell: (progress: Progress) => void): typeof fetch {
  return async (url, init = {}) => {
    const packed = await pack(typeof init.body === 'string' ? init.body : '');
    const headers = new Headers(init.headers);
    if (packed.isPacked) headers.set('content-encoding', 'gzip');
    return send(String(url), init.method ?? 'POST', headers, packed.body, tell);
  };
}

async function pack(text: string): Promise<{ body: Blob; isPacked: boolean }> {
  const body = new Blob([text]);
  if (body.size < packedFromBytes) return { body, isPacked: false };
  const packed = body.stream().pipeThrough(new CompressionStream('gzip'));
  return { body: await new Response(packed).blob(), isPacked: true };
}

/** Uses XMLHttpRequest, because fetch does not report how much was sent. */
function send(
  url: string,
  method: string,
  headers: Headers,
  body: Blob,
  tell: (progress: Progress) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open(method, url);
    for (const [name, value] of headers) call.setRequestHeader(name, value);
    call.upload.onprogress = ({ loaded, total }) => {
      tell({ step: 'sending', part: total === 0 ? null : loaded / total });
    };
    call.upload.onload = () => tell({ step: 'waiting', part: null });
    call.onload = () => {
      resolve(new Response(call.responseText, { status: call.status, headers: readHeaders(call) }));
    };
    call.onerror = () => reject(new TypeError('The network failed.'));
    call.onabort = () => reject(new TypeError('The request was taken back.'));
    tell({ step: 'sending', part: 0 });
    call.send(body);
  });
}

function readHeaders(call: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of call.getAllResponseHeaders().split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}
