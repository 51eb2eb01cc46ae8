import { counted } from '../core/value/counted.ts';
import { type CommandFailure, wrongUsage } from './exit-code.ts';

export { counted };

/** A stream that knows whether it is a terminal. */
export type OutputStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/**
 * Writes, and waits until the text is written, so that memory stays bounded. Returns whether there
 * is still a reader. A reader that stops early, such as `head`, has seen enough, and the exit code
 * is unchanged. If the output cannot be written, the command ends.
 */
export async function writeText(stream: OutputStream, text: string): Promise<boolean> {
  const error = await new Promise<unknown>((done) => {
    stream.write(text, (failure?: Error | null) => done(failure ?? null));
  });
  if (error === null) return true;
  if (isClosedPipe(error)) return false;
  throw unwritten(error);
}

/** Collects failures of writes that nobody awaits, such as commander's help pages. */
export function watchOutput(stream: OutputStream): { readonly mustBeWritten: () => Promise<void> } {
  let failure: unknown = null;
  stream.on('error', (error) => {
    failure ??= error;
  });
  return {
    mustBeWritten: async () => {
      await writeText(stream, '');
      if (failure !== null && !isClosedPipe(failure)) throw unwritten(failure);
    },
  };
}

/**
 * Whether the reader has closed the pipe. A stream that already knows this reports that it is
 * destroyed.
 */
function isClosedPipe(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
}

function unwritten(error: unknown): CommandFailure {
  const reason = error instanceof Error ? error.message : String(error);
  return wrongUsage(`The output cannot be written: ${reason}`);
}

export type Paint = (style: 'red' | 'green' | 'yellow' | 'dim' | 'bold', text: string) => string;

/** Uses colours only on a terminal, and not if NO_COLOR is set. */
export function paintFor(
  stream: OutputStream,
  env: { readonly NO_COLOR?: string | undefined; readonly TERM?: string | undefined },
): Paint {
  const hasColours = stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  return (style, text) => (hasColours ? `\u001b[${styleCode[style]}m${text}\u001b[0m` : text);
}

const styleCode = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;

// Control characters, those that reorder or hide text, and halves of pairs.
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed.
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/** What GitHub runs as a command where a line of a job's log has it. */
const logCommand = /(?<=^\s*:)(?=:)|(?<=##)(?=\[)/g;

/**
 * Text from others, for one line of a terminal or of a job's log. Characters that would control the
 * terminal, start a new line or be a command in the log are escaped.
 *
 * @example printable('a\u001b[2J') // 'a\\u001b[2J'
 * @example printable('::debug::a') // ':\\:debug::a'
 */
export function printable(text: string): string {
  return text.replace(logCommand, '\\').replace(unprintable, (character) => {
    if (character === '\n') return '\\n';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** @example listed(['Finance', 'Sales']) // 'Finance and Sales' */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** Further names are counted, because a popular table has hundreds of consumers. */
export const maxNames = 12;

/** @example listedFirst(['Finance', 'Sales'], 'other team') // 'Finance and Sales' */
export function listedFirst(words: readonly string[], noun: string): string {
  const shown = words.slice(0, maxNames);
  const rest = words.length - shown.length;
  return listed(rest > 0 ? [...shown, counted(rest, noun)] : shown);
}
