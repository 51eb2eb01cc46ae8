import { once } from 'node:events';

/** A stream that says whether a person is looking at it. */
export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** Writes, and waits while the reader is behind, so that memory stays bounded. */
export async function writeText(stream: OutputStream, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}

/** Whether a reader went away, as `head` does when it has seen enough. That is no failure. */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

export type Paint = (style: 'red' | 'green' | 'yellow' | 'dim' | 'bold', text: string) => string;

/** Colours on a terminal only, and not where NO_COLOR is set. */
export function paintFor(
  stream: OutputStream,
  env: { readonly NO_COLOR?: string | undefined },
): Paint {
  const hasColours = stream.isTTY === true && !env.NO_COLOR;
  return (style, text) => (hasColours ? `\u001b[${styleCode[style]}m${text}\u001b[0m` : text);
}

const styleCode = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;
