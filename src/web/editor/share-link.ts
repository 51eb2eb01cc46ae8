// A draft in the fragment of a link, which browsers send to no server. Opening a link only puts its
// text into the editor.

import { isJsonObject, type JsonObject, parseJson } from '../../core/value/json.ts';

/** Longer links are cut by chats and mail programs. */
const mostLetters = 16_000;

/** More than any accepted schema has. Without a limit, a short link could unpack to gigabytes. */
const mostBytes = 2_000_000;

const name = 'draft=';

/** Null if the link would be too long. */
export async function linkOf(draft: JsonObject): Promise<string | null> {
  const packing = new Blob([JSON.stringify(draft)])
    .stream()
    .pipeThrough(new CompressionStream('deflate-raw'));
  const packed = await new Response(packing).bytes();
  if (packed.length > mostLetters) return null;
  const letters = btoa(String.fromCharCode(...packed))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  if (letters.length > mostLetters) return null;
  return `${location.origin}${location.pathname}#${name}${letters}`;
}

export function isDraftLink(fragment: string): boolean {
  return fragment.startsWith(`#${name}`);
}

/** Null if the link is damaged. */
export async function openLink(fragment: string): Promise<JsonObject | null> {
  try {
    const letters = fragment
      .slice(name.length + 1)
      .replaceAll('-', '+')
      .replaceAll('_', '/');
    const packed = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    const unpacked = await unpack(packed);
    const parsed = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(unpacked));
    return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
  } catch {
    return null;
  }
}

async function unpack(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes += next.value.length;
    if (bytes > mostBytes) {
      await reader.cancel();
      throw new RangeError('The draft is too large.');
    }
    chunks.push(next.value);
  }
  return new Response(new Blob(chunks)).bytes();
}
