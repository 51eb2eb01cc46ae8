// `concordat contains --ndjson`: one question a line, one answer a line, in order, in bounded memory.

import type { ContainmentQuestion } from '../core/containment/containment.types.ts';
import { contains } from '../core/containment/contains.ts';
import type { Dialect } from '../core/schema/dialects.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../core/value/json.ts';
import type { CommandLineIo } from './command-line.ts';
import { writeText } from './output.ts';
import { lineIdOf } from './read-line-id.ts';
import { readLines } from './read-lines.ts';

/** Two documents of 12 MB each, and as much again for escapes. */
const maxLineBytes = 64 * 1024 * 1024;

const problems = {
  too_long: `The line is longer than ${maxLineBytes} bytes.`,
  not_utf8: 'The line is not UTF-8.',
} as const;

interface LineAnswer {
  readonly id: Json;
  readonly verdict: 'yes' | 'no' | 'undecided';
  readonly witness?: Json;
  readonly reason?: string;
  /** Measured from parsed JSON and including hashing; nothing is cached from the previous line. */
  readonly micros: number;
}

/** Answers every non-blank line; an invalid one gets an undecided answer with the reason. */
export async function answerLines(io: CommandLineIo, stepBudget?: number): Promise<void> {
  for await (const line of readLines(io.stdin, maxLineBytes)) {
    if (line.kind === 'line' && line.text.trim() === '') continue;
    const answer =
      line.kind !== 'line'
        ? undecided(null, problems[line.kind])
        : answerLine(line.text, stepBudget);
    if (!(await writeText(io.stdout, lineOf(answer)))) return;
  }
}

function lineOf(answer: LineAnswer): string {
  return `${JSON.stringify(answer)}\n`;
}

function answerLine(text: string, stepBudget: number | undefined): LineAnswer {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const id = parsed.reason === 'too_deep' ? lineIdOf(text) : null;
    return undecided(id, `The line is not valid JSON: ${parsed.message}`);
  }
  if (!isJsonObject(parsed.value)) return undecided(null, 'The line is not an object {id, a, b}.');
  const id = parsed.value.id ?? null;
  const question = readQuestion(parsed.value, stepBudget);
  if (typeof question === 'string') return undecided(id, question);

  const start = performance.now();
  const answer = contains(question);
  const micros = Math.round((performance.now() - start) * 1000);
  switch (answer.verdict) {
    case 'yes':
      return { id, verdict: 'yes', micros };
    case 'no':
      return { id, verdict: 'no', witness: answer.witness, micros };
    case 'undecided':
      return { id, verdict: 'undecided', reason: `${answer.place}: ${answer.reason}`, micros };
    default:
      return answer satisfies never;
  }
}

function undecided(id: Json, reason: string): LineAnswer {
  return { id, verdict: 'undecided', reason, micros: 0 };
}

/** Parses the question of a line, or explains why it is not one. */
function readQuestion(
  line: JsonObject,
  stepBudget: number | undefined,
): ContainmentQuestion | string {
  const { a, b, dialect, formats, closed } = line;
  if (a === undefined || b === undefined) return 'The line has no a or no b.';
  const named = dialects.find((each) => each === dialect);
  if (dialect !== undefined && named === undefined) {
    return `Unknown dialect ${JSON.stringify(dialect)}. Use ${dialects.join(', ')}.`;
  }
  if (formats !== undefined && typeof formats !== 'boolean')
    return 'formats must be true or false.';
  if (closed !== undefined && typeof closed !== 'boolean') return 'closed must be true or false.';
  return {
    a,
    b,
    ...(named === undefined ? {} : { dialect: named }),
    ...(formats === undefined ? {} : { formats }),
    ...(closed === undefined ? {} : { closed }),
    ...(stepBudget === undefined ? {} : { stepBudget }),
  };
}

const dialects: readonly Dialect[] = [
  'draft-04',
  'draft-06',
  'draft-07',
  '2019-09',
  '2020-12',
  'openapi-3.0',
  'openapi-3.1',
];
