import { open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { CommandFailure, exitCode } from '../exit-code.ts';

/** The registry's own limit for imports. */
export const maxFileBytes = 128 * 1024 * 1024;

/** Refuses a symbolic link that leads out of a folder, which its author may not want to be read. */
export async function mustBeInside(path: string, folder: string): Promise<void> {
  const [file, home] = await Promise.all([realpath(path).catch(() => null), realpath(folder)]);
  // A link to nothing is not read either.
  if (file === null || file.startsWith(home.endsWith(sep) ? home : `${home}${sep}`)) return;
  throw refusal(`${path} is a link out of ${folder}, which is not followed. Name its target.`);
}

export async function readTextFile(path: string): Promise<string> {
  const bytes = await readBytes(path);
  return decodeText(bytes, path);
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path);
    const found = await file.stat();
    if (found.size > maxFileBytes) throw tooLarge(path);
    // A pipe or a device has no known size, and may never end.
    if (!found.isFile() && !found.isDirectory()) return await gather(file.createReadStream(), path);
    return await file.readFile();
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw refusal(`${path} cannot be read: ${whyUnread(error)}.`);
  }
}

/** @example whyUnread(error) // 'ENOENT, the file does not exist' */
export function whyUnread(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return `${code === '' ? '' : `${code}, `}${reason}`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/** Reads standard input, which `-` names, to its end. */
export async function readStandardInput(
  stdin: AsyncIterable<Uint8Array | string>,
): Promise<string> {
  return decodeText(await gather(stdin, 'standard input'), 'standard input');
}

async function gather(
  stream: AsyncIterable<Uint8Array | string>,
  path: string,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    size += bytes.length;
    if (size > maxFileBytes) throw tooLarge(path);
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

/** A byte order mark at the start is not part of the text. */
export function decodeText(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const isUtf16 = ['fffe', 'feff'].includes(Buffer.from(bytes.subarray(0, 2)).toString('hex'));
    throw refusal(`${path} is ${isUtf16 ? 'UTF-16' : 'not UTF-8'}. Save it as UTF-8.`);
  }
}

function tooLarge(path: string): CommandFailure {
  return refusal(`${path} is larger than ${maxFileBytes} bytes. Split it.`);
}

/** One sentence with the file, the position if it is known, and the problem. */
export function unreadable(
  file: { readonly path: string },
  place: string,
  message: string,
): CommandFailure {
  const where = place === '$' ? file.path : `${file.path}, ${place}`;
  return new CommandFailure(exitCode.unreadableInput, `${where}: ${message}`);
}

function refusal(message: string): CommandFailure {
  return new CommandFailure(exitCode.unreadableInput, message);
}
