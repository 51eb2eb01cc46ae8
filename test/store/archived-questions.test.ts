// Questions about the audit trail by chance: once months have left Postgres, each has the same answer as before.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditEvent, EntityType, EventType } from '../../src/core/event.ts';
import { readConfig } from '../../src/ops/config/config.ts';
import { archiveTrail } from '../../src/registry/audit/archive-trail.ts';
import { verifyAudit } from '../../src/registry/audit/audit-trail.ts';
import type { EventQuery } from '../../src/registry/lists.ts';
import { openArchive } from '../../src/start/audit-archive.ts';
import { sha256 } from '../../src/store/beside/audit-seals.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { startS3Server } from '../support/object-store/s3-server.ts';
import { addMonths } from '../support/postgres/audit-events.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';
import { seed, shuffled } from '../support/shuffled.ts';

let objects: Awaited<ReturnType<typeof startS3Server>>;
let database: TestDatabase;
let store: Store;
let archive: NonNullable<ReturnType<typeof openArchive>>;

const bornMs = Date.parse('2026-01-01T00:00:00.000Z');
const daysOfAll = 120;

beforeAll(async () => {
  objects = await startS3Server();
  database = await openDatabase();
  await addMonths(database, `timestamp '2026-01-01'`, `timestamp '2026-04-01'`);
  const read = readConfig({ OBJECT_STORE_URL: objects.url });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const opened = openArchive(read.config);
  if (opened === undefined) throw new Error('There is a store.');
  archive = opened;
  store = await openStore({ url: database.serviceUrl, packs: archive.reader });
});
afterAll(async () => {
  await store?.stop();
  await database?.drop();
  await objects?.stop();
});

const kinds: readonly (readonly [EventType, EntityType])[] = [
  ['asset.updated', 'asset'],
  ['contract.published', 'contract'],
  ['proposal.created', 'proposal'],
  ['user.updated', 'user'],
  ['auth.login', 'user'],
  ['auth.login', 'api_key'],
  ['api_key.created', 'api_key'],
  ['trust.created', 'trust'],
];

/** One of a few ids of that kind. */
const idOf = (kind: number, n: number) =>
  `a0000000-0000-4000-8000-${`${kind}${n}`.padStart(4, '0')}${sha256(`${kind} ${n}`).slice(0, 8)}`;

const aFew = fc.nat(5);
const anAsset = aFew.map((n) => idOf(0, n));
const aPerson = aFew.map((n) => idOf(3, n));

/** At any time: many within the same hours at the end of a month, a few in the same millisecond. */
const aTime = fc.oneof(
  fc.integer({ min: 0, max: daysOfAll * 86_400_000 }),
  fc
    .tuple(fc.constantFrom(31, 59, 90), fc.integer({ min: -900, max: 900 }))
    .map(([day, seconds]) => day * 86_400_000 + seconds * 1000),
);

const anEvent = fc.record({
  at: aTime,
  kind: fc.nat(kinds.length - 1),
  entity: aFew,
  actor: aPerson,
  asset: fc.option(anAsset),
  user: fc.option(aPerson),
});

type Drawn = typeof anEvent extends fc.Arbitrary<infer One> ? One : never;

/** In about the order of their times, as writers commit: some are late by many others. */
function committed(events: readonly Drawn[]): readonly Drawn[] {
  const lateness = shuffled(
    events.map((_, index) => index % 90),
    seed,
  );
  const inTime = events.toSorted((a, b) => a.at - b.at);
  const places = new Map(inTime.map((event, index) => [event, index + (lateness[index] ?? 0)]));
  return inTime.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

async function insert(events: readonly Drawn[], first: number): Promise<void> {
  const rows = events.map(({ at, kind, entity, actor, asset, user }, index) => {
    const [type, entityType] = kinds[kind] ?? ['asset.updated', 'asset'];
    const time = (bornMs + at).toString(16).padStart(12, '0');
    const end = (first + index).toString(16).padStart(12, '0');
    return {
      id: `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${end}`,
      ...{ event_type: type, entity_type: entityType, entity_id: idOf(kind, entity) },
      ...{ actor_type: 'user', actor_id: actor },
      occurred_at: new Date(bornMs + at).toISOString(),
      metadata: {
        bytes: 2 ** 60 + index,
        share: index / 7,
        ...(asset !== null && { asset_id: asset }),
        ...(user && { user_id: user }),
      },
    };
  });
  await database.query(`insert into audit_event (id, event_type, entity_type, entity_id, actor_type,
      actor_id, occurred_at, metadata)
    select * from json_to_recordset('${JSON.stringify(rows)}') as event (id uuid, event_type text,
      entity_type text, entity_id uuid, actor_type text, actor_id uuid, occurred_at timestamptz,
      metadata json)`);
}

const aMoment = aTime.map((at) => new Date(bornMs + at).toISOString());

const everyFilter = fc.record({
  endDate: aMoment,
  about: fc.constantFrom('contracts' as const, 'access' as const),
  eventType: fc.constantFrom(...kinds.map(([type]) => type)),
  entityType: fc.constantFrom(...kinds.map(([, entityType]) => entityType)),
  entityId: fc.tuple(fc.nat(kinds.length - 1), aFew).map(([kind, n]) => idOf(kind, n)),
  assetId: anAsset,
  actorId: aPerson,
});

const filterNames: readonly string[] = [
  ...['endDate', 'about', 'eventType', 'entityType', 'entityId', 'assetId', 'actorId'],
];

const aQuestion = fc
  .record({
    limit: fc.constantFrom(7, 50, 400),
    personal: fc.oneof(fc.constant('all' as const), fc.array(aPerson, { maxLength: 2 })),
    startDate: fc.oneof(fc.constant(new Date(bornMs - 1).toISOString()), aMoment),
    filters: everyFilter,
    names: fc.subarray([...filterNames], { maxLength: 2 }),
  })
  .map(({ filters, names, ...rest }) => ({
    ...rest,
    ...Object.fromEntries(Object.entries(filters).filter(([name]) => names.includes(name))),
  }));

type Question = Omit<EventQuery, 'offset' | 'includeTotal'>;

async function pageOf(query: Question, offset: number) {
  const page = await store.reads.listEvents({ ...query, offset, includeTotal: false });
  if (!page.ok) throw new Error(page.failure.message);
  return page.value;
}

/** All of it by cursors, and some pages by numbers. */
async function answerOf(query: Question) {
  const pages: (readonly AuditEvent[])[] = [];
  let cursor: string | undefined;
  do {
    const page = await pageOf({ ...query, cursor }, 0);
    pages.push(page.results);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && pages.length < 200);
  const numbered = [1, 2, 3, 20, 200].map((page) => pageOf(query, page * query.limit));
  return [...pages, ...(await Promise.all(numbered)).map(({ results }) => results)];
}

test(`What is asked has the same answer before and after three months have left (SEED=${seed})`, async () => {
  const [drawn = []] = fc.sample(
    fc.array(anEvent, { minLength: 900, maxLength: 900, size: 'max' }),
    {
      seed,
      numRuns: 1,
    },
  );
  const inOrder = committed(drawn);
  for (let at = 0; at < inOrder.length; at += 60) {
    await insert(inOrder.slice(at, at + 60), at);
    const now = () => new Date(bornMs).toISOString();
    const options = { authenticator: null, now, batchSize: 1 + (at % 23) };
    while ((await store.sealEvents(options)).hasMore);
  }
  const questions = fc.sample(aQuestion, { seed, numRuns: 60 });
  const askAll = async () => {
    const answers = [];
    for (const question of questions) answers.push(await answerOf(question));
    return answers;
  };
  const before = await askAll();
  const report = await verifyAudit(store.reads, { sha256 });
  const all = { ...archive, packs: store.auditPacks };
  const months = monthsSince(2026, 4);
  const signal = new AbortController().signal;
  const left: string[] = [];
  const size = { seals: 40, characters: 2_000 };
  for await (const outcome of archiveTrail(store.reads, all, months, signal, size)) {
    left.push(`${outcome.month} ${outcome.kind}`);
  }
  expect(left).toEqual(['2026-01-01 left', '2026-02-01 left', '2026-03-01 left']);
  const after = await askAll();
  for (const [index, answer] of after.entries()) {
    expect({ question: questions[index], answer }).toEqual({
      question: questions[index],
      answer: before[index],
    });
  }
  expect(before.flat(2).length).toBeGreaterThan(1_000);
  expect(await verifyAudit(store.reads, { sha256 })).toEqual(report);
  const { value } = (await store.reads.listEvents({
    ...{ personal: 'all', limit: 1, offset: 0, includeTotal: true },
  })) as { value: { total: number } };
  const [counted] = await database.query('select count(*)::int as count from audit_event');
  expect(value.total).toBe(counted?.count);
});

/** So many months ago it was the month before this one. */
function monthsSince(year: number, month: number): number {
  const now = new Date();
  return (now.getUTCFullYear() - year) * 12 + now.getUTCMonth() + 1 - month;
}
