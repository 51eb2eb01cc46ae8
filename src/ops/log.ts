// Structured logs: a line of JSON each, or readable ones on a terminal. Never a secret: what is
// logged is named member by member, and the usual places of secrets are struck out once more.

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

export function createLog(level: string, format: 'json' | 'pretty'): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretPaths, censor: '(hidden)' },
  };
  return format === 'json' ? pino(options) : pino(options, readableLines());
}

function readableLines(): { write(line: string): void } {
  return {
    write(line) {
      const { time, level, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
      const clock = String(time).slice(11, 19);
      const facts = Object.entries(rest).map(([name, value]) => `${name}=${inText(value)}`);
      process.stderr.write(`${[clock, String(level).padEnd(5), msg, ...facts].join(' ')}\n`);
    },
  };
}

function inText(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'stack' in value) return String(value.stack);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
