// Holds values against a contract that are read once: records of a topic, lines of a file or of a pipe.

import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckedTerms } from '../../core/checks/open-check.ts';
import { columnsOfTable } from '../../core/checks/sql/plan-table.ts';
import { canonicalJson } from '../../core/value/canonical-json.ts';
import { isJsonObject, type Json } from '../../core/value/json.ts';
import { type CheckResult, checkLines, type LinesOptions, type RowValue } from './run-check.ts';
import { betweenTexts } from './source.ts';

export async function checkValues(
  terms: CheckedTerms,
  values: AsyncIterable<RowValue>,
  options: Omit<LinesOptions, 'openTable'>,
): Promise<CheckResult> {
  const members = columnsOfTable(terms.guarantees);
  if (members.length === 0) return checkLines(terms, values, options);
  const kept = await keepMembers(members);
  try {
    return await checkLines(terms, kept.keeping(values), { ...options, openTable: kept.open });
  } finally {
    await kept.remove();
  }
}

/** How much is written at once. */
const chunkLength = 128 * 1024;

/**
 * What is unique and how old the newest is are questions to all rows. Their members are kept in a file that
 * nobody else can read, for as long as the check runs: as the validator read them, each as a text that
 * is the same for the same values.
 */
async function keepMembers(members: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-check-'));
  const path = join(folder, 'members');
  const file: FileHandle = await open(path, 'wx', 0o600);
  let chunk = '';
  const write = async () => {
    await file.writeFile(chunk);
    chunk = '';
  };
  return {
    async *keeping(values: AsyncIterable<RowValue>): AsyncGenerator<RowValue> {
      for await (const value of values) {
        if (value.ok) chunk += `${lineOf(members, value.value)}\n`;
        if (chunk.length > chunkLength) await write();
        yield value;
      }
      await write();
    },
    async open() {
      const { openTexts } = await import('./duckdb-source.ts');
      return openTexts(path, members);
    },
    async remove() {
      await file.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function lineOf(members: readonly string[], value: Json): string {
  if (!isJsonObject(value)) return betweenTexts.repeat(members.length - 1);
  const texts = members.map((name) => {
    const member = Object.hasOwn(value, name) ? (value[name] ?? null) : null;
    return member === null ? '' : canonicalJson(member);
  });
  return texts.join(betweenTexts);
}
