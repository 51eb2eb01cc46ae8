// Queries that are made of known tables, so what they read is known: it is found, no less and no more.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SqlDialect } from '../../../../src/cli/needs/sql-dialects.ts';
import { nameOf, readsOf } from './support.ts';

const tables: Readonly<Record<string, readonly string[]>> = {
  't.orders': ['o1', 'o2', 'o3', 'o4'],
  't.lines': ['l1', 'l2', 'l3'],
  't.shops': ['s1', 's2', 's3', 's4', 's5'],
};

/** Chooses by a list of numbers, which fast-check shortens. */
function openChoice(numbers: readonly number[]) {
  let at = 0;
  const below = (limit: number) => (numbers[at++ % numbers.length] ?? 0) % limit;
  const of = <T>(items: readonly T[]): T => {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error('There is nothing to choose from.');
    return item;
  };
  return { below, of };
}

/** What can be read from: SQL, and for each column whether it is one of a table. */
interface Made {
  readonly sql: string;
  readonly columns: readonly string[];
  /** The table of a column that only `*` has passed on. */
  readonly origin: ReadonlyMap<string, string>;
}

function makeQuery(numbers: readonly number[]) {
  const choice = openChoice(numbers);
  const reads = new Set<string>();
  const named: string[] = [];
  let aliases = 0;

  const note = (source: Made, column: string) => {
    const table = source.origin.get(column);
    if (table !== undefined) reads.add(`${table}.${column}`);
  };

  const source = (depth: number): Made => {
    const kind = depth <= 0 ? 0 : choice.below(4);
    if (kind === 0) {
      const [name, columns] = choice.of(Object.entries(tables));
      return { sql: name, columns, origin: new Map(columns.map((column) => [column, name])) };
    }
    const inner = kind === 1 ? starQuery(depth - 1) : query(depth - 1);
    if (kind !== 3) return { ...inner, sql: `(${inner.sql})` };
    const name = `q${named.length}`;
    named.push(`${name} as (${inner.sql})`);
    return { ...inner, sql: name };
  };

  /** A query that passes on all columns, or all but those that it names. */
  const starQuery = (depth: number): Made => {
    const [from, alias] = [source(depth), `a${aliases++}`];
    const star = choice.below(2) === 0 ? '*' : `${alias}.*`;
    const [where, used] = condition([[alias, from]]);
    for (const [each, column] of used) note(each, column);
    return { ...from, sql: `select ${star} from ${from.sql} ${alias}${where}` };
  };

  type Aliased = readonly [alias: string, source: Made];
  type Use = readonly [source: Made, column: string];

  const use = (from: readonly Aliased[], isInside = false): readonly [sql: string, use: Use] => {
    const [alias, each] = choice.of(from);
    const column = choice.of(each.columns);
    // Without a qualifier, it could belong to another source, or to a query inside.
    const isBare = from.length === 1 && !isInside && choice.below(2) === 0;
    const sql = isBare ? column : `${alias}.${column}`;
    return [sql, [each, column]];
  };

  const condition = (from: readonly Aliased[]): readonly [string, readonly Use[]] => {
    if (choice.below(2) === 0) return ['', []];
    const [sql, used] = use(from);
    return [` where ${sql} is not null`, [used]];
  };

  const query = (depth: number): Made => {
    const count = 1 + choice.below(2);
    const from = Array.from({ length: count }, (): Aliased => [`a${aliases++}`, source(depth)]);
    const used: Use[] = [];
    const take = (isInside = false) => {
      const [sql, each] = use(from, isInside);
      used.push(each);
      return sql;
    };
    const results = Array.from({ length: 1 + choice.below(3) }, (_, index) => {
      const expression = choice.of([
        () => take(),
        () => `coalesce(${take()}, ${take()})`,
        () => `max(${take()}) over (partition by ${take()} order by ${take()} desc)`,
        () => `case when ${take()} > 1 then ${take()} end`,
        () => `cast(${take()} as varchar)`,
      ]);
      return `${expression()} as r${aliases}_${index}`;
    });
    const joins = from.map(([alias, each], index) => {
      if (index === 0) return `${each.sql} ${alias}`;
      return ` left join ${each.sql} ${alias} on ${take()} = ${take()}`;
    });
    const [where, conditions] = condition(from);
    const order = choice.below(3) === 0 ? ` order by ${take()}` : '';
    const exists =
      choice.below(3) === 0 && where !== ''
        ? ` and exists (select * from t.shops x where x.s5 = ${take(true)})`
        : '';
    if (exists !== '') reads.add('t.shops.s5');
    for (const [each, column] of [...used, ...conditions]) note(each, column);
    const columns = results.map((_, index) => `r${aliases}_${index}`);
    const sql = `select ${results.join(', ')} from ${joins.join('')}${where}${exists}${order}`;
    return { sql, columns, origin: new Map() };
  };

  const { sql } = query(3);
  return { sql: named.length === 0 ? sql : `with ${named.join(', ')} ${sql}`, reads };
}

const dialects: readonly SqlDialect[] = [
  ...(['postgres', 'snowflake', 'bigquery', 'redshift', 'databricks', 'duckdb'] as const),
];

test('what a generated query reads is found, no less and no more', async () => {
  const numbers = fc.array(fc.nat(1_000), { minLength: 20, maxLength: 200 });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(numbers, fc.constantFrom(...dialects), async (chosen, dialect) => {
      const { sql, reads } = makeQuery(chosen);
      const found = await readsOf(sql, dialect);
      const all = found.reads.flatMap(({ name, fields }) =>
        (fields?.map(nameOf) ?? ['*']).map((each) => `${name.join('.')}.${each}`),
      );
      count += reads.size;
      expect({ sql, reads: all.sort() }).toEqual({ sql, reads: [...reads].sort() });
      expect([found.unread, found.doubts]).toEqual([[], []]);
    }),
    { numRuns: 400 },
  );
  expect(count).toBeGreaterThan(400);
});
