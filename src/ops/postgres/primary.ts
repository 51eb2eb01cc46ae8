// Finds the host that accepts writes among several, and never goes back to an older primary.
// docs/decisions/failover.md

import type { Client, ClientConfig } from 'pg';
import type { DatabaseAddress, DatabaseHost } from './database-url.ts';

type Open = (host: DatabaseHost, more?: ClientConfig) => Promise<Client>;

/** What a process knows of these hosts. */
interface Hosts {
  /** The last primary first. */
  order: readonly DatabaseHost[];
  /** With the password of the last connection. */
  connect: Open;
  /** The highest timeline of a host that accepted writes; 0 before there was one. */
  timeline: number;
  /** Open connections, with the timeline of their host when they were opened. */
  readonly open: Map<Client, number>;
  /** Ends the looks at the other hosts. */
  stopLooking: (() => void) | null;
}

interface Found {
  readonly client: Client;
  readonly host: DatabaseHost;
  /** Null if it accepts no writes. */
  readonly timeline: number | null;
}

/** A host that takes longer to connect or to answer is away. */
const hostPatienceMs = 2_000;
const lookEveryMs = 1_000;

/** No host accepts writes. Has the code of Postgres for a server that is read-only. */
class NoPrimary extends Error {
  readonly code = '25006';
}

/** Has the code of Postgres for a connection that an operator ended. */
class Replaced extends Error {
  readonly code = '57P01';
}

const known = new Map<string, Hosts>();

export async function connectToPrimary({ hosts }: DatabaseAddress, open: Open): Promise<Client> {
  const name = JSON.stringify(hosts);
  const group = known.get(name) ?? newGroup(hosts, open);
  known.set(name, group);
  group.connect = open;
  const isNew = group.timeline === 0;
  const { client, host, timeline } = await (isNew ? findNewest(group) : findKnown(group));
  if (timeline < group.timeline) {
    // Another connection found a newer primary meanwhile.
    cut(client);
    throw new NoPrimary('The primary changed.');
  }
  adopt(group, host, timeline);
  group.open.set(client, timeline);
  client.once('end', () => {
    group.open.delete(client);
    if (group.open.size > 0) return;
    group.stopLooking?.();
    group.stopLooking = null;
  });
  if (hosts.length > 1) group.stopLooking ??= lookAtOthers(group);
  return client;
}

function newGroup(order: readonly DatabaseHost[], connect: Open): Hosts {
  return { order, connect, timeline: 0, open: new Map(), stopLooking: null };
}

type Primary = Found & { readonly timeline: number };

/** Asks all hosts at once: one of them may be an old primary. */
async function findNewest({ order, connect }: Hosts): Promise<Primary> {
  const asked = await Promise.allSettled(order.map((host) => ask(host, connect)));
  const found = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const primaries = found.filter(isPrimary).sort((a, b) => b.timeline - a.timeline);
  const [newest] = primaries;
  for (const each of found) if (each !== newest) void each.client.end().catch(() => {});
  if (newest !== undefined) return newest;
  throw problemOf(asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : [])));
}

async function findKnown({ order, timeline, connect }: Hosts): Promise<Primary> {
  const problems: unknown[] = [];
  for (const host of order) {
    try {
      const found = await ask(host, connect);
      if (isPrimary(found) && found.timeline >= timeline) return found;
      void found.client.end().catch(() => {});
    } catch (error) {
      problems.push(error);
    }
  }
  throw problemOf(problems);
}

function isPrimary(found: Found): found is Primary {
  return found.timeline !== null;
}

function problemOf(problems: readonly unknown[]): unknown {
  return problems[0] ?? new NoPrimary('None of the hosts of DATABASE_URL accepts writes.');
}

async function ask(host: DatabaseHost, open: Open): Promise<Found> {
  const client = await open(host, { connectionTimeoutMillis: hostPatienceMs });
  return { client, host, timeline: await askTimeline(client) };
}

/** Cuts a connection that does not answer in time. */
async function askTimeline(client: Client): Promise<number | null> {
  const timer = setTimeout(() => cut(client), hostPatienceMs);
  try {
    const { rows } = await client.query<{ timeline: number | null }>(question);
    return rows[0]?.timeline ?? null;
  } catch (error) {
    cut(client);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const question = `
  select case
    when pg_is_in_recovery() or current_setting('transaction_read_only')::boolean then null
    else ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int
  end as timeline`;

/** Notes a primary, and cuts every connection to an older one. */
function adopt(group: Hosts, host: DatabaseHost, timeline: number): void {
  group.order = [host, ...group.order.filter((each) => each !== host)];
  if (timeline === group.timeline) return;
  group.timeline = timeline;
  for (const [client, older] of group.open) if (older < timeline) cut(client);
}

/** Without a goodbye: its host may never answer. */
function cut(client: Client): void {
  client.connection.stream.destroy(
    new Replaced('Connection terminated: its host is away, or there is a newer primary.'),
  );
}

/** Asks each host but the primary once a second, on connections that are kept. */
function lookAtOthers(group: Hosts): () => void {
  const kept = new Map<DatabaseHost, Client>();
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const lookAt = async (host: DatabaseHost) => {
    try {
      const client =
        kept.get(host) ?? (await group.connect(host, { connectionTimeoutMillis: hostPatienceMs }));
      kept.set(host, client);
      const timeline = await askTimeline(client);
      if (timeline !== null && timeline > group.timeline) adopt(group, host, timeline);
    } catch {
      kept.delete(host);
    }
  };
  const look = async () => {
    const [primary, ...others] = group.order;
    if (primary !== undefined) {
      const gone = kept.get(primary);
      kept.delete(primary);
      void gone?.end().catch(() => {});
    }
    await Promise.all(others.map(lookAt));
    if (isStopped) close();
    else timer = setTimeout(look, lookEveryMs).unref();
  };
  const close = () => {
    for (const client of kept.values()) void client.end().catch(() => {});
    kept.clear();
  };
  void look();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    close();
  };
}
