// The table behind the story: 500 orders in the embedded Postgres, three of which break their contract.

import { connect } from '../../ops/postgres/connect.ts';

export const storyTable = { fqn: 'warehouse.sales.orders', table: 'sales.orders' } as const;
const database = 'warehouse';

/** The address of the table's database. */
export function storySourceOf(postgres: string): string {
  const url = new URL(postgres);
  url.pathname = `/${database}`;
  return url.href;
}

/** Creates database and table unless they are there. */
export async function createStoryTable(postgres: string): Promise<void> {
  const known = await runSql(postgres, `SELECT 1 FROM pg_database WHERE datname = '${database}'`);
  if (known === 0) await runSql(postgres, `CREATE DATABASE ${database}`);
  await runSql(storySourceOf(postgres), tableSql);
}

/** A job that wrote a refund as a negative order, and two orders with a status of its own. */
export async function breakStoryTable(url: string): Promise<void> {
  await runSql(url, refundSql);
  await runSql(url, statusSql);
}

/** The job is repaired, and has loaded the table again. */
export async function repairStoryTable(url: string): Promise<void> {
  await runSql(url, repairSql);
}

async function runSql(url: string, sql: string): Promise<number> {
  const client = await connect(url);
  try {
    const result = await client.query(sql);
    return result.rowCount ?? 0;
  } finally {
    await client.end();
  }
}

const tableSql = `
  CREATE SCHEMA IF NOT EXISTS sales;
  CREATE TABLE IF NOT EXISTS sales.orders (
    order_id uuid PRIMARY KEY,
    customer_id uuid NOT NULL,
    amount numeric(10, 2) NOT NULL,
    currency text NOT NULL,
    status text NOT NULL,
    placed_at timestamptz NOT NULL,
    channel text NOT NULL
  );
  INSERT INTO sales.orders
  SELECT md5('order ' || n)::uuid, md5('customer ' || n % 80)::uuid, (n * 37 % 20000) / 100.0 + 1,
    (ARRAY['EUR', 'USD', 'GBP'])[n % 3 + 1], (ARRAY['placed', 'paid', 'shipped', 'cancelled'])[n % 4 + 1],
    now() - n * interval '1 minute', (ARRAY['web', 'shop'])[n % 2 + 1]
  FROM generate_series(1, 500) AS n
  WHERE NOT EXISTS (SELECT FROM sales.orders)`;

const refundSql =
  "UPDATE sales.orders SET amount = -abs(amount) WHERE order_id = md5('order 17')::uuid";
const statusSql =
  "UPDATE sales.orders SET status = 'returned' WHERE order_id IN (md5('order 40')::uuid, md5('order 41')::uuid)";
const repairSql = `
  UPDATE sales.orders SET amount = abs(amount), status = replace(status, 'returned', 'shipped'),
    placed_at = placed_at + (SELECT now() - max(placed_at) FROM sales.orders)`;
