// What SQL reads: every column that it names is read, wherever it stands, and what is not understood
// reads everything or is reported.

import { describe, expect, test } from 'vitest';
import { openSqlParser } from '../../../../src/cli/needs/parse-sql.ts';
import type { SqlDialect } from '../../../../src/cli/needs/sql-dialects.ts';
import { type Catalog, readsOf, readText } from './support.ts';

type Row = readonly [sql: string, reads: string, dialect?: SqlDialect];

const rows: Readonly<Record<string, readonly Row[]>> = {
  'a query': [
    ['select id from orders', 'orders(id)'],
    ['select o.id from shop.public.orders o', 'shop.public.orders(id)'],
    ['select "Id" from "Orders"', 'Orders(Id)'],
    ['select orders.id from public.orders', 'public.orders(id)'],
    ['select public.orders.id from shop.public.orders', 'shop.public.orders(id)'],
    ['select shop.public.orders.id from shop.public.orders', 'shop.public.orders(id)'],
    ['select ID, id from orders', 'orders(ID)'],
    ['select `p.d.orders`.id, total from `p.d.orders`', 'p.d.orders(id total)', 'bigquery'],
    ['select [a b] from [dbo].[orders]', 'dbo.orders(a b)', 'tsql'],
    ['select 1', ''],
    ['select count(*) from orders', 'orders()'],
  ],
  'a column only in another clause': [
    ['select id from orders where total > 1', 'orders(id total)'],
    ['select o.id from orders o join lines l on l.a = o.b', 'lines(a) orders(b id)'],
    ['select o.id from orders o join lines l using (k)', 'lines(k) orders(id k)'],
    ['select id from orders group by id, a having max(b) > 1', 'orders(a b id)'],
    ['select id from orders order by total', 'orders(id total)'],
    ['select sum(a) over (partition by b order by c) from t', 't(a b c)'],
    ['select sum(a) over w from t window w as (partition by b)', 't(a b)'],
    ['select distinct on (a) b from t', 't(a b)'],
    ['select a from t qualify row_number() over (order by b) = 1', 't(a b)', 'snowflake'],
    ['select a from t limit 1 by b', 't(a b)', 'clickhouse'],
    ['select a from t start with b is null connect by prior c = d', 't(a b c d)', 'oracle'],
    ['select count(*) filter (where a > 1) from t', 't(a)'],
    ['select array_agg(a order by b) from t', 't(a b)'],
    ['select case when a then b else c end from t', 't(a b c)'],
  ],
  'what * passes on': [
    ['with o as (select * from orders) select id from o', 'orders(id)'],
    ['with o as (select * from orders), p as (select * from o) select p.id from p', 'orders(id)'],
    ['select x.id from (select * from orders) x', 'orders(id)'],
    [
      'with o as (select o.*, l.sku from orders o join lines l on l.k = o.k) select id, sku from o',
      'lines(k sku) orders(id k)',
    ],
    ['with o as (select *, 1 as one from orders) select one from o', 'orders()'],
    [
      'with o as (select * exclude (a) rename (b as c) from t) select c, d from o',
      't(a b d)',
      'snowflake',
    ],
    [
      'with o as (select * except (a) replace (b + 1 as b) from t) select b, c from o',
      't(a b c)',
      'bigquery',
    ],
    ['select j.c from (t join u on t.a = u.b) j', 't(a c) u(b c)'],
    [
      'select id from orders where exists (select * from lines where lines.k = orders.k)',
      'lines(k) orders(id k)',
    ],
    ['select count(*) from (select * from orders) x', 'orders()'],
  ],
  'what reads everything': [
    ['select * from orders', 'orders(*)'],
    ['select o.*, l.a from orders o, lines l', 'lines(a) orders(*)'],
    ['from orders', 'orders(*)', 'duckdb'],
    ['select distinct * from orders', 'orders(*)'],
    ['select count(o.*) from orders o', 'orders(*)'],
    ['select row_to_json(o) from orders o', 'orders(*)'],
    ['select object_construct(*) from orders', 'orders(*)', 'snowflake'],
    ['select $1 from orders', 'orders(*)', 'snowflake'],
    ["select columns('a.*') from orders", 'orders(*)', 'duckdb'],
    ['select a from t natural join u', 't(*) u(*)', 'duckdb'],
    ['select * from t pivot(sum(a) for b in (1, 2)) as p', 't(*)', 'snowflake'],
    ['select x.a from (select * from t union all select a, b from u) x', 't(*) u(a b)'],
    ['with o(a) as (select * from t) select a from o', 't(*)'],
    ['select a in (select * from u) from t', 't(a) u(*)'],
    ['create table x as select * from t', 't(*)'],
    ['insert into x select * from t', 't(*)'],
    ['create table x clone t', 't(*)', 'snowflake'],
  ],
  'names of queries': [
    ['with orders as (select id from shop.orders) select id from orders', 'shop.orders(id)'],
    ['with orders as (select * from orders) select id from orders', 'orders(id)', 'snowflake'],
    ['with o as (select a from t), p as (select b from u) select a, b from o, p', 't(a) u(b)'],
    ['select a from t where b in (with x as (select c from u) select c from x)', 't(a b c) u(c)'],
    [
      'with recursive r(n) as (select 1 union all select n + x from r, t) select n from r',
      't(n x)',
    ],
    ['with "O" as (select 1 as a) select a from o', 'o(*)'],
    ['with recursive a as (select x from b), b as (select * from t) select x from a', 't(x)'],
    ['with a as (select x from b), b as (select * from t) select x from a', 'b(x) t()'],
  ],
  'subqueries that refer to the query around them': [
    [
      'select o.id from orders o where exists (select 1 from lines l where l.k = o.k)',
      'lines(k) orders(id k)',
    ],
    ['select (select max(l.a) from lines l where l.k = o.k) from orders o', 'lines(a k) orders(k)'],
    ['select x.b from t, lateral (select u.b from u where u.k = t.k) x', 't(k) u(b k)'],
    ['select z.b from t cross apply (select u.b from u where u.k = t.k) z', 't(k) u(b k)', 'tsql'],
  ],
  'functions that give rows': [
    ['select f.value from t, lateral flatten(input => t.payload) f', 't(payload)', 'snowflake'],
    ['select t.a, x.b from t, unnest(t.items) as x', 't(a items)', 'bigquery'],
    ['select t.a, e.x from t lateral view explode(t.xs) e as x', 't(a xs)', 'spark'],
    ['select t.a from t, generate_series(1, t.n) as g(i)', 't(a n)'],
  ],
  'columns that stand where a relation does': [
    ['select o.id, i.sku from orders o, o.items as i', 'orders(id items)', 'bigquery'],
    ['select i.sku from orders o join o.cart.items i on true', 'orders(cart)', 'bigquery'],
    ['select x.b from shop.t, t.arr as x', 'shop.t(arr)', 'redshift'],
    ['select i.a from o, s.items i', 'o() s.items(a)', 'bigquery'],
  ],
  'parts of a column': [
    ['select t.address.city from t', 't(address)', 'bigquery'],
    ['select address.city from t', 't(address)', 'bigquery'],
    ['select payload:a.b::string from t', 't(payload)', 'snowflake'],
    ['select list_transform(xs, x -> x + y) from t', 't(xs y)', 'duckdb'],
  ],
  'a relation whose name looks like a column': [
    ['select * from (pivot orders on status using sum(amount))', 'orders(*)', 'duckdb'],
    ['select x from (pivot main.orders on status) p', 'main.orders(*)', 'duckdb'],
    ['select * from (unpivot orders on a, b into name n value v)', 'orders(*)', 'duckdb'],
    ['with p as (pivot orders on status) select x from p', 'orders(*)', 'duckdb'],
    ['pivot db.main.orders on status', 'db.main.orders(*)', 'duckdb'],
    ['with o as (select a from t) select * from (pivot o on a)', 't(a)', 'duckdb'],
    ['select * from (table orders)', 'orders(*)', 'duckdb'],
    ['select a from stream(orders)', 'orders(a)', 'databricks'],
    ['select a from l join stream(orders) o on o.x = l.y', 'l(a y) orders(a x)', 'databricks'],
    ['select a from stream orders', 'orders(a) stream(a)', 'databricks'],
    ["select a from remoteSecure('h', db.orders)", 'db.orders(a)', 'clickhouse'],
    ["select a from clusterAllReplicas('c', db.orders)", 'db.orders(a)', 'clickhouse'],
    ["select a from remote('h', shop, orders)", 'shop.orders(a)', 'clickhouse'],
    ["select a from remote('h', shop.orders, 'user', 'x')", 'shop.orders(a)', 'clickhouse'],
    ["select a from cluster('c', shop, orders, key)", 'shop.orders(a key)', 'clickhouse'],
    ["select a from cluster('c', shop.orders, key)", 'shop.orders(a key)', 'clickhouse'],
    ['select a from cluster(c, shop.orders)', 'shop.orders(a)', 'clickhouse'],
    ['select a from cluster(c, shop, orders)', 'shop.orders(a)', 'clickhouse'],
    ['select a from a_macro(orders)', 'orders(*)', 'duckdb'],
    ['select a from t where id in orders', 'orders(*) t(a id orders)', 'clickhouse'],
  ],
  'texts of functions that are values': [
    ["select a from read_csv('x.csv')", '', 'duckdb'],
    ["select * from json_to_recordset('[]') as x(a int)", ''],
    ["select d from generate_series('2020-01-01'::date, now(), '1 day') d", ''],
    ["select f.value from t, lateral flatten(input => t.a, path => 'b') f", 't(a)', 'snowflake'],
    ["select value from table(flatten(input => parse_json('x')))", '', 'snowflake'],
    ['select * from table(information_schema.task_history())', '', 'snowflake'],
    ["select * from table(split_to_table('a b', ' '))", '', 'snowflake'],
  ],
  'names that the parser keeps as texts': [
    ['select t.$1 from orders t', 'orders(*)', 'snowflake'],
    ['select arr[lo:hi] from orders', 'orders(arr hi lo)'],
    ['select json_objectagg(a: b) from orders', 'orders(a b)'],
    ['select data:a[idx] from orders', 'orders(data idx)', 'snowflake'],
    ["select data:a[0].b['c'] from orders", 'orders(data)', 'snowflake'],
    [
      "select t.x.value('.', 'int') from orders o cross apply o.data.nodes('/a') as t(x)",
      'orders(data)',
      'tsql',
    ],
    ["select 1 from orders cross apply data.nodes('/a') as t(x)", 'orders(data)', 'tsql'],
  ],
  'rows that a change gives back': [
    ['update orders set a = 1 output inserted.status, deleted.ts', 'orders(status ts)', 'tsql'],
    ['delete from orders output deleted.ts where id = 1', 'orders(id ts)', 'tsql'],
    ['insert into orders (a) output inserted.id values (1)', 'orders(id)', 'tsql'],
    [
      'merge orders as t using u on t.id = u.id when matched then update set a = 1 output inserted.b',
      'orders(a b id) u(a id)',
      'tsql',
    ],
    ['update orders set a = 1 returning old.status, new.x', 'orders(status x)'],
  ],
  'set operations': [
    ['select a from t union all select b from u', 't(a) u(b)'],
    ['select a from t except select b from u intersect select c from v', 't(a) u(b) v(c)'],
    ['select c from (select * from t union all by name select * from u) q', 't(c) u(c)', 'duckdb'],
  ],
  'statements that change a table': [
    ['insert into x (a) select b from t', 't(b)'],
    ['update t set a = u.b from u where t.id = u.id', 't(id) u(b id)'],
    ['delete from t using u where t.id = u.id returning t.x', 't(id x) u(id)'],
    [
      'merge into t using u on t.id = u.id when matched then update set a = u.b',
      't(a id) u(a b id)',
    ],
    ['create view v as select a from t', 't(a)'],
    ['drop table t; set a = 1; select a from u', 'u(a)'],
  ],
};

describe.each(Object.entries(rows))('%s', (_what, cases) => {
  test.each(cases.map(([sql, reads, dialect = 'postgres']) => [sql, reads, dialect] as const))(
    '%s',
    async (sql, reads, dialect) => {
      const found = await readsOf(sql, dialect);
      expect([readText(found), found.unread]).toEqual([reads, []]);
    },
  );
});

const catalog: Catalog = { t: ['a', 'b'], u: ['c', 'd'] };

test.each([
  ['select a, c from t, u', 't(a) u(c)'],
  ['select a from t where exists (select 1 from u where c = b)', 't(a b) u(c)'],
  ['select a as x from t group by x', 't(a)'],
  ['with j as (select * from t, u) select a, d from j', 't(a) u(d)'],
  // The catalog may be older than the query.
  ['select e from t, u', 't(e) u(e)'],
])('with the columns of relations known: %s', async (sql, reads) => {
  const found = await readsOf(sql, 'postgres', catalog);
  expect([readText(found), found.doubts]).toEqual([reads, []]);
});

test('a column that may belong to several relations counts for each, and is reported', async () => {
  const found = await readsOf('select x, t.a from t, u');
  expect(readText(found)).toBe('t(a x) u(x)');
  expect(found.doubts).toEqual(['x may be a column of t or u, so it counts for each']);
});

test.each([
  ["select a from identifier('x.t')", 'identifier() reads', 'snowflake'],
  ['select a from identifier($t)', 'identifier() reads is known only when', 'snowflake'],
  ["select a from identifier('x.' || 't')", 'identifier() reads is known only', 'databricks'],
  ['select a from table($t)', 'table() reads is known only when it runs', 'snowflake'],
  ["select a from dblink('x', 'select b from t') as d(a int)", 'dblink() reads', 'postgres'],
  ["execute immediate 'select a from t'", '"command"', 'snowflake'],
  ['declare c cursor for select a from t', '"declare"', 'postgres'],
  [
    "select * from table(system.query(query => 'select a from t'))",
    'query() reads stands in a text',
    'trino',
  ],
  ["select a from table_changes('orders', 2)", 'table_changes() reads', 'databricks'],
  ["select * from crosstab('select a from t') as c(a int)", 'crosstab() reads', 'postgres'],
  ["select * from ts_stat('select a from t')", 'ts_stat() reads', 'postgres'],
  ["select table_to_xml('orders', true, false, '')", 'table_to_xml() reads', 'postgres'],
  ["select joinGet('db.orders', 'a', id) from t", 'joinget() reads', 'clickhouse'],
  ["select a from postgresql('h', 'db', 'orders', 'u', 'p')", 'postgresql() reads', 'clickhouse'],
  ["select a from cluster('c', shop, 'orders')", 'cluster() reads', 'clickhouse'],
  ["select a from map_orders('select * from orders')", 'map_orders() reads', 'postgres'],
  ["select a from read_table('orders')", 'read_table() reads', 'postgres'],
  ["select a from json_rows('orders')", 'json_rows() reads', 'postgres'],
  ["select a from shop.explode('orders')", 'shop.explode() reads', 'postgres'],
  ["select a from shop.rows_of('orders')", 'rows_of() reads', 'databricks'],
  ["select a from rows_of('orders') as r(a int)", 'rows_of() reads', 'postgres'],
  ['vacuum t', '"command"', 'postgres'],
  ['table orders', '"alias"', 'postgres'],
  [
    "create function f() returns int as 'select a from t' language sql",
    'create_function',
    'postgres',
  ],
] as const)(
  'what may read something that is not found is reported: %s',
  async (sql, why, dialect) => {
    expect((await readsOf(sql, dialect)).unread.join()).toContain(why);
  },
);

test('a word that the parser has left out is reported', async () => {
  const parsed = (await openSqlParser('postgres'))('select a from t where b > 1');
  if (!parsed.ok) throw new Error(parsed.message);
  expect(parsed.sql.words).toEqual(['a', 't', 'b']);
});

test.each([
  ['what is no SQL', 'select from where )', 'does not accept it'],
  ['a template', "select a from {{ ref('orders') }}", 'It is a template'],
  ['data', `select ${'a,'.repeat(600_000)}a`, 'Split it'],
  [
    'nesting without end',
    `select ${'('.repeat(50_000)}a${')'.repeat(50_000)} from t`,
    'does not accept it',
  ],
])('%s is refused with a sentence', async (_what, sql, message) => {
  const parsed = (await openSqlParser('postgres'))(sql);
  expect(parsed.ok ? '' : parsed.message).toContain(message);
});

test('long chains of queries and unions are read', async () => {
  const chain = Array.from({ length: 2_000 }, (_, i) => `c${i + 1} as (select * from c${i})`);
  const queries = `with c0 as (select * from t), ${chain.join(', ')} select a from c2000`;
  expect(readText(await readsOf(queries))).toBe('t(a)');
  const union = Array.from({ length: 400 }, () => 'select a from t').join(' union all ');
  expect(readText(await readsOf(union))).toBe('t(a)');
  const doubling = Array.from(
    { length: 60 },
    (_, i) => `d${i + 1} as (select x.* from d${i} x, d${i} y)`,
  );
  const doubled = `with d0 as (select * from t), ${doubling.join(', ')} select a from d60`;
  expect(readText(await readsOf(doubled))).toBe('t(a)');
});
