// The cost of sealing for writers: the same writes with the sealer active, and with its lock held
// by someone else, in many short turns, so that changes of the machine's speed affect both alike.
// The result is the p50 of all writes of each kind. The p50 of one turn varies by up to a fifth,
// and the middle of a few pairs still varied as much as the target allows. Everything is sealed
// before a turn begins. Otherwise the sealer would do the work of the other turn in its own, and
// twice as much would be counted.

import pg from 'pg';
import type { Figure } from './figure.ts';
import { post, quantile, type Request, runLoad } from './load.ts';
import { runOpenLoop } from './open-loop.ts';
import type { BenchDatabase, ServerProcess } from './processes.ts';
import { processCpuMicros } from './processor.ts';

/** Odd, so that there is a middle pair. */
const pairs = 9;
/** A second or so, in which the sealer runs twice. */
const writesOfTurn = 700;
/** The rest of the machine is left to others. */
const shareOfMost = 0.6;
/** Eight passes of the sealer. */
const secondsOfTurn = 4;
const pacedPairs = 30;
/** The rate that the sealer promises to keep up with. */
const eventsPerSecond = 2_000;

const sealLock = 4_827_113_651;

export async function measureWriters(
  database: BenchDatabase,
  product: ServerProcess,
): Promise<readonly Figure[]> {
  const assets = await database.query('select id from asset');
  let made = 0;
  // A different asset each time, so that only the machine is shared.
  const request = (): Request => {
    const id = assets[made++ % assets.length]?.id;
    return { ...post(`/api/v1/assets/${id}`, { metadata: { write: made } }), method: 'PATCH' };
  };
  const load = (count: number) => runLoad({ ...product, connections: 8, count, request });
  // Otherwise a checkpoint would fall into either turn, and the first change of each page after it
  // is more expensive.
  await database.query('checkpoint');
  await load(assets.length);
  const wake = () => load(1);
  const most = await inTurns({ database, wake, count: pairs }, () => load(writesOfTurn));
  const rate = shareOfMost * middleOf(most, ({ out }) => out.perSecond).out.perSecond;
  const paced = await inTurns({ database, wake, count: pacedPairs }, () =>
    pacedTurn(database, product, rate, request),
  );
  return [...figuresOfPaced(paced, rate), ...figuresOfMost(most)];
}

interface Pair<Turn> {
  /** With the sealer active. */
  readonly beside: Turn;
  /** With the sealer locked out. */
  readonly out: Turn;
}

interface Turns {
  readonly database: BenchDatabase;
  readonly count: number;
  /** Wakes the sealer by an event after it was locked out. */
  readonly wake: () => Promise<unknown>;
}

async function inTurns<Turn>(
  { database, count, wake }: Turns,
  turn: () => Promise<Turn>,
): Promise<readonly Pair<Turn>[]> {
  const holder = new pg.Client(database.url);
  await holder.connect();
  const beside = async () => {
    await untilSealed(database);
    return turn();
  };
  const out = async () => {
    await untilSealed(database);
    await holder.query('select pg_advisory_lock($1)', [sealLock]);
    const result = await turn();
    await holder.query('select pg_advisory_unlock($1)', [sealLock]);
    await wake();
    return result;
  };
  const made: Pair<Turn>[] = [];
  try {
    await turn();
    for (let at = 0; at < count; at++) {
      // The order within a pair alternates.
      if (at % 2 === 0) made.push({ beside: await beside(), out: await out() });
      else made.push({ out: await out(), beside: await beside() });
    }
  } finally {
    await holder.end();
  }
  return made;
}

async function untilSealed(database: BenchDatabase): Promise<void> {
  while ((await countUnsealed(database)) > 0) await tick(50);
}

/** The events after the last sealed one, which are all newer, because the trail was sealed. */
async function countUnsealed(database: BenchDatabase): Promise<number> {
  const [row] = await database.query(`
    select count(*)::int as n from audit_event, audit_seal_state
    where transaction_id >= pg_snapshot_xmin(snapshot)
      and not exists (select from audit_seal where event_id = audit_event.id)`);
  return Number(row?.n);
}

// At a rate that the machine bears

interface PacedTurn {
  readonly latenciesMs: readonly number[];
  /** Thousandths of a core, for the server and for all of Postgres. */
  readonly server: number;
  readonly postgres: number;
  readonly unsealed: number;
}

/** Writers at their rate, and enough other events that the sealer gets 2,000 a second. */
async function pacedTurn(
  database: BenchDatabase,
  product: ServerProcess,
  perSecond: number,
  request: () => Request,
): Promise<PacedTurn> {
  const others = new pg.Client(database.url);
  await others.connect();
  const stop = addEvents(others, eventsPerSecond - perSecond);
  const [server, postgres] = [processCpuMicros(product.pid), database.processorMicros()];
  const startedAt = performance.now();
  const result = await runOpenLoop({
    port: product.port,
    perSecond,
    seconds: secondsOfTurn,
    connections: 32,
    request,
  });
  const elapsedMs = performance.now() - startedAt;
  const taken = {
    server: (processCpuMicros(product.pid) - server) / elapsedMs,
    postgres: (database.processorMicros() - postgres) / elapsedMs,
  };
  await stop();
  const unsealed = await countUnsealed(database);
  await others.end();
  return { latenciesMs: result.latenciesMs, ...taken, unsealed };
}

/** In transactions of a tenth of a second each, like those of imports. */
function addEvents(client: pg.Client, perSecond: number): () => Promise<void> {
  const everyMs = 100;
  let isOver = false;
  const adding = (async () => {
    const startedAt = performance.now();
    for (let added = 0; !isOver; ) {
      const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1000);
      await client.query({ name: 'add', text: insertEventsNow, values: [due - added] });
      added = due;
      await tick(everyMs);
    }
  })();
  return () => {
    isOver = true;
    return adding;
  };
}

const insertEventsNow = `
  insert into audit_event (id, event_type, entity_type, entity_id, actor_type, actor_id,
    occurred_at, request_id, metadata)
  select (substr(uuid_floor(now())::text, 1, 24) || substr(md5(random()::text), 1, 12))::uuid,
    'asset.updated', 'asset', gen_random_uuid(), 'user', gen_random_uuid(),
    date_trunc('milliseconds', now()), 'a request',
    json_build_object('asset_fqn', 'shop.area.table_' || i, 'environment', 'production',
      'changes', json_build_array('metadata'), 'actor_name', 'a key of the shop')
  from generate_series(1, $1::int) i`;

function figuresOfPaced(made: readonly Pair<PacedTurn>[], rate: number): readonly Figure[] {
  const at = `at ${Math.round(rate)} writes and 2,000 events a second`;
  const beside = together(made.map((pair) => pair.beside));
  const out = together(made.map((pair) => pair.out));
  const [server, postgres] = [beside.server - out.server, beside.postgres - out.postgres];
  const perEvent = (more: number) => ((more * 1_000) / eventsPerSecond).toFixed(0);
  return [
    {
      name: `a write while the sealer is at work, ${at}: p50`,
      unit: 'ms',
      value: beside.p50Ms,
      against: { name: 'the sealer kept out', value: out.p50Ms },
      targetRatio: 1.05,
      note: `p99 ${beside.p99Ms.toFixed(1)} ms, without ${out.p99Ms.toFixed(1)} ms; ${made.length} turns of each`,
    },
    {
      name: `what sealing takes of a core ${at}`,
      unit: '%',
      value: (server + postgres) / 10,
      note: `${perEvent(server)} us an event in the server, ${perEvent(postgres)} us in Postgres`,
    },
    {
      name: `events without a seal at the end of a turn, ${at}`,
      unit: 'events',
      value: beside.unsealed,
      targetValue: eventsPerSecond,
      note: 'the most of any turn; those of the last second may be',
    },
  ];
}

/** All writes of all turns of one kind. */
function together(turns: readonly PacedTurn[]) {
  const latencies = turns.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b);
  const mean = (takenBy: (turn: PacedTurn) => number) =>
    turns.reduce((sum, turn) => sum + takenBy(turn), 0) / turns.length;
  return {
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    server: mean((turn) => turn.server),
    postgres: mean((turn) => turn.postgres),
    unsealed: Math.max(...turns.map((turn) => turn.unsealed)),
  };
}

// As many writes as there can be

type MostTurn = Awaited<ReturnType<typeof runLoad>>;

function figuresOfMost(made: readonly Pair<MostTurn>[]): readonly Figure[] {
  const rate = middleOf(made, ({ beside, out }) => beside.perSecond / out.perSecond);
  const latency = middleOf(made, ({ beside, out }) => beside.p50Ms / out.p50Ms);
  return [
    {
      name: 'writes while the sealer is at work: the most that 8 connections can',
      unit: 'a second',
      value: rate.beside.perSecond,
      against: { name: 'the sealer kept out', value: rate.out.perSecond },
      targetRatio: 0.95,
      higherIsBetter: true,
      note: `the middle of ${made.length} pairs`,
    },
    {
      name: 'the same: p50 of a write',
      unit: 'ms',
      value: latency.beside.p50Ms,
      against: { name: 'the sealer kept out', value: latency.out.p50Ms },
      targetRatio: 1.05,
      note: `p99 ${latency.beside.p99Ms.toFixed(1)} ms, without ${latency.out.p99Ms.toFixed(1)} ms`,
    },
  ];
}

function middleOf<Turn>(made: readonly Pair<Turn>[], figureOf: (pair: Pair<Turn>) => number) {
  const middle = [...made].sort((a, b) => figureOf(a) - figureOf(b))[Math.floor(made.length / 2)];
  if (middle === undefined) throw new Error('Nothing was measured.');
  return middle;
}

function tick(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
