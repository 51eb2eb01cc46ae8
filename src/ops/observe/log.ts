// Structured logs: one line of JSON each, or readable lines on a terminal. They never contain
// secrets: each logged member is named, and the usual places of secrets are redacted as well.

import { type Logger, pino } from 'pino';

export type Log = Logger;

const secretPaths = [
  'authorization',
  'cookie',
  'password',
  'key',
  'headers.authorization',
  'headers.cookie',
];

/** `facts` are added to each line, such as the ids of the active trace. */
export function createLog(
  level: string,
  format: 'json' | 'pretty',
  facts: () => Readonly<Record<string, unknown>> = () => ({}),
): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: facts,
    redact: { paths: secretPaths, censor: '(hidden)' },
  };
  return format === 'json' ? pino(options) : pino(options, readableLines());
}

function readableLines(): { write(line: string): void } {
  return {
    write: (line) => void process.stderr.write(readableLine(line)),
  };
}

/**
 * One message for people. Text from callers can neither imitate the start of a message nor control
 * the terminal.
 *
 * @example readableLine('{"time":"2026-01-31T12:00:00.000Z","level":"info","msg":"a","b":"c"}')
 * // '12:00:00 info  a b=c\n'
 */
export function readableLine(line: string): string {
  const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 19);
  const facts = Object.entries(rest).map(([name, value]) => `${plain(name)}=${inText(value)}`);
  return `${[clock, String(level).padEnd(5), plain(String(msg)), ...facts].join(' ')}\n`;
}

function inText(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'stack' in value) {
    const { message, stack } = value as { readonly message?: unknown; readonly stack: unknown };
    return String(stack || message)
      .split('\n')
      .map(plain)
      .join('\n    ');
  }
  return plain(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Line ends, what terminals obey, and what turns the direction of reading. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
const steering = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

function plain(text: string): string {
  return text.replace(steering, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
