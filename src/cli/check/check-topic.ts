// Holds the records of a Kafka topic against a contract.

import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckedTerms } from '../../core/checks/open-check.ts';
import { columnsOfTable } from '../../core/checks/sql/plan-table.ts';
import { canonicalJson } from '../../core/value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import { type CheckResult, checkLines, type RowValue } from './run-check.ts';
import { openTopic, type TopicTarget } from './topic-source.ts';

export async function checkTopic(
  terms: CheckedTerms,
  target: TopicTarget,
  { redact }: { readonly redact: readonly string[] },
): Promise<CheckResult> {
  const topic = await openTopic(target);
  const members = columnsOfTable(terms.guarantees);
  const kept = members.length === 0 ? null : await keepMembers(members);
  try {
    const values = kept === null ? topic.values : kept.keeping(topic.values);
    const result = await checkLines(terms, values, {
      ...{ redact, isPart: topic.isPart },
      ...(kept !== null && { openTable: kept.open }),
    });
    return { ...result, read: topic.told() };
  } finally {
    await topic.close();
    await kept?.remove();
  }
}

/** How much is written at once. */
const chunkLength = 128 * 1024;

/**
 * A topic is read once. What rules of all rows need of it (what is unique, how old the newest is) is kept in
 * a file that nobody else can read, for as long as the check runs.
 */
async function keepMembers(members: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-check-'));
  const path = join(folder, 'members.ndjson');
  const file: FileHandle = await open(path, 'wx', 0o600);
  let chunk = '';
  const write = async () => {
    await file.writeFile(chunk);
    chunk = '';
  };
  return {
    async *keeping(values: AsyncIterable<RowValue>): AsyncGenerator<RowValue> {
      for await (const value of values) {
        if (value.ok) chunk += `${canonicalJson(only(members, value.value))}\n`;
        if (chunk.length > chunkLength) await write();
        yield value;
      }
      await write();
    },
    async open() {
      const { openJson } = await import('./duckdb-source.ts');
      return openJson([path], members);
    },
    async remove() {
      await file.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function only(members: readonly string[], value: Json): JsonObject {
  if (!isJsonObject(value)) return {};
  const kept = members.filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(kept.map((name) => [name, value[name] ?? null]));
}
