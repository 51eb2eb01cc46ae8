// Patterns whose automata explode, asked of the program itself, which tells how much memory it took.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Json } from '../../../../src/core/value/json.ts';

const root = join(import.meta.dirname, '../../../..');

/** Says at its end how much memory it held at its highest. */
const tellMemory =
  'data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS))';

interface Outcome {
  /** A line each. */
  readonly answers: readonly string[];
  readonly kilobytes: number;
}

/** Fails where the program does not end by itself, and well. */
export function ask(questions: readonly Json[]): Promise<Outcome> {
  const args = ['--import', tellMemory, join(root, 'bin/concordat.js'), 'contains', '--ndjson'];
  return new Promise((resolve, reject) => {
    const done = (error: unknown, stdout: string, stderr: string): void => {
      if (error !== null) reject(error);
      else resolve({ answers: stdout.split('\n').slice(0, -1), kilobytes: Number(stderr) });
    };
    const child = execFile(process.execPath, args, { cwd: root, maxBuffer: 2 ** 30 }, done);
    child.stdin?.end(questions.map((each) => `${JSON.stringify(each)}\n`).join(''));
  });
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

const letters = (count: number, spell: (code: string, index: number) => string) =>
  range(count).map((index) => spell(`\\u{${(0x20000 + 2 * index).toString(16)}}`, index));

/** The first was once 4 GB and then the end of the process, by 14 characters. */
export const patterns: readonly string[] = [
  '^([\'"]).*\\1$',
  '^(?<quote>[\'"]).*\\k<quote>$',
  '^(.{1,300})\\1(.{1,300})\\2$',
  '^((a?){100}){1000}\\2$',
  '^(a*)*(a*)*\\1\\2b$',
  '^(?i:[a-z]+)$',
  `^(?i:${range(3_000)
    .map((index) => `word${index}`)
    .join('|')})$`,
  '(?s:.)',
  '^(?s:(?:.{0,300}a){20})$',
  '(?m:^a$)',
  '(?m:^(?=.*a$)(?<=^b.*)c)',
  '(?=.{1000}a)(?=.{999}b)(?!.{500}c)',
  `^(?:${range(100)
    .map((index) => `(?=.*${index})`)
    .join('|')}|.)*$`,
  `^(?:${range(100)
    .map((index) => `(?!.*${index}x)`)
    .join('|')}|.)*$`,
  `^(?:${range(100)
    .map((index) => `(?<!${index}.{9})`)
    .join('')}a)*$`,
  range(150)
    .map((index) => `(?<=${index}.*)a`)
    .join('|'),
  '^(?:(?:(?:a{1,50}){1,50}){1,50}){1,50}$',
  '^(?:a{1000})*$',
  '^\\p{L}{1,1000}$',
  '^\\p{L}{1,60000}$',
  letters(5_000, (code) => `[\\p{L}${code}]`).join(''),
  letters(4_000, (code, i) => `[\\u{${(0x2000 + i).toString(16)}}-${code}]`).join('|'),
];

const others = ['[\\s\\S]', '^[\\p{L}\\p{N}]{1,900}$'];

/** Of texts and of keys, both ways. */
export function questionsOf(pattern: string): readonly Json[] {
  return others.flatMap((other) => [
    { a: { type: 'string', pattern }, b: { pattern: other } },
    { a: { type: 'string', pattern: other }, b: { pattern } },
    {
      a: { type: 'object', propertyNames: { pattern }, minProperties: 3 },
      b: { propertyNames: { pattern: other } },
    },
  ]);
}
