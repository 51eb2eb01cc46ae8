// The audit trail through the API: sealed while others write, verified, exported, and everything
// about an asset in one request.

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { auditAuthenticator } from '../../src/ops/audit-key.ts';
import { startExportCheck } from '../../src/wire/audit-export.ts';
import { checkedFetch } from '../support/client/client.ts';
import { openProcess, openRegistry } from '../support/client/client-registry.ts';
import {
  createAsset,
  must,
  mustRefuse,
  openRegistryForFile,
  openWorld,
  orderSchema,
  proposedAsset,
  publishedAsset,
  publishOk,
} from '../support/client/client-world.ts';
import { eventIdAt, insertEvents } from '../support/postgres/audit-events.ts';
import { openDatabase } from '../support/postgres/postgres.ts';

const auditKey = 'the audit key of the tests, long enough';
const settings = { AUDIT_KEY: auditKey };
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const { registry, world } = await openRegistryForFile(settings);

async function verified(query: { head?: string; from?: string } = {}) {
  return must(await world.consumer.client.verifyAudit({ query }), 200);
}

/** Waits until every written event is sealed. */
async function whenSealed() {
  await expect
    .poll(async () => (await verified()).unsealed.events, { timeout: 10_000, interval: 100 })
    .toBe(0);
  return await verified();
}

/** Bypasses the triggers, as the owner of the database can; then enables them again. */
async function tamper(...statements: readonly string[]): Promise<void> {
  for (const table of ['audit_event', 'audit_seal', 'audit_head']) {
    await registry.database.query(`alter table ${table} disable trigger user`);
  }
  for (const statement of statements) await registry.database.query(statement);
  for (const table of ['audit_event', 'audit_seal', 'audit_head']) {
    await registry.database.query(`alter table ${table} enable trigger user`);
  }
}

describe('GET /audit/events', () => {
  test('returns everything about an asset in one request', async () => {
    const { assetId, contractId, proposalId } = await proposedAsset(world.producer, [
      world.consumer,
    ]);
    const upstream = await createAsset(world.producer);
    const { client } = world.producer;
    const params = { asset_id: assetId };
    const dependency = must(
      await client.addDependency({ params, body: { depends_on_asset_id: upstream.id } }),
      201,
    );
    must(
      await client.recordQualityRun({
        params,
        body: { status: 'passed', triggered_by: 'build_test', guarantees: [] },
      }),
      201,
    );
    must(
      await client.withdrawProposal({
        params: { proposal_id: proposalId },
        body: { reason: 'It has to be.' },
      }),
      200,
    );
    await publishedAsset(world.producer);
    const { results, total } = must(await client.listEvents({ query: { asset_id: assetId } }), 200);
    expect(results.map((event) => event.event_type)).toEqual([
      'proposal.withdrawn',
      'audit_run.recorded',
      'dependency.created',
      'proposal.created',
      'registration.created',
      'contract.published',
      'asset.created',
    ]);
    expect(total).toBe(7);
    const ids = results.map((event) => event.entity_id);
    for (const id of [assetId, contractId, proposalId, dependency.id]) expect(ids).toContain(id);
    const query = { asset_id: assetId, entity_type: 'proposal' } as const;
    expect(must(await client.listEvents({ query }), 200).total).toBe(2);
    const ofNobody = { asset_id: '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21' };
    expect(must(await client.listEvents({ query: ofNobody }), 200).total).toBe(0);
  });
});

test('What a newer release writes is shown and sealed, although this one does not know its type', async () => {
  const own = await openRegistry(settings);
  try {
    const { admin, producer, consumer } = await openWorld(own.url, own.bootstrapKey);
    const { assetId, proposalId } = await proposedAsset(producer, [consumer]);
    const body = { url: 'https://dreams.example/', events: ['asset.deleted' as const] };
    const { id } = must(await admin.createWebhook({ body }), 201);
    // The newer release serves beside this one while it is rolled out.
    await own.database.query(`update webhook set events = '{proposal.dreamt}' where id = $1`, [id]);
    await own.database.query(
      `insert into audit_event (id, event_type, entity_type, entity_id, actor_type, actor_id, occurred_at,
         metadata)
       select overlay(id::text placing 'ffffffffffff' from 25)::uuid, 'proposal.dreamt', entity_type, entity_id,
         actor_type, actor_id, occurred_at, metadata
       from audit_event where entity_id = $1`,
      [proposalId],
    );
    const headers = { authorization: `Bearer ${own.bootstrapKey}` };
    for (const path of [
      `audit/events?asset_id=${assetId}`,
      `audit/entities/proposal/${proposalId}/history`,
      'webhooks',
    ]) {
      const response = await fetch(`${own.url}/api/v1/${path}`, { headers });
      const shows = (await response.text()).includes('proposal.dreamt');
      expect({ path, status: response.status, shows }).toEqual({ path, status: 200, shows: true });
    }
    const verify = async () => must(await admin.verifyAudit({ query: {} }), 200);
    await expect.poll(async () => (await verify()).unsealed.events).toBe(0);
    expect(await verify()).toMatchObject({ intact: true });
  } finally {
    await own.stop();
  }
});

describe('GET /audit/events?about', () => {
  test('tells contracts apart from people and their access, with the total of each', async () => {
    await createAsset(world.producer);
    const ask = async (about?: 'contracts' | 'access') =>
      must(await world.admin.listEvents({ query: { limit: 100, ...(about && { about }) } }), 200);
    const [all, contracts, access] = [await ask(), await ask('contracts'), await ask('access')];
    const isAccess = ({ entity_type }: { readonly entity_type: string }) =>
      ['user', 'api_key', 'trust'].includes(entity_type);
    expect([contracts.results.some(isAccess), access.results.every(isAccess)]).toEqual([
      false,
      true,
    ]);
    expect([contracts.results.length > 0, access.results.length > 0]).toEqual([true, true]);
    expect((contracts.total ?? 0) + (access.total ?? 0)).toBe(all.total);
    // What a reader may not see anyway is not counted twice.
    const query = { about: 'contracts', limit: 1 } as const;
    const seen = must(await world.consumer.client.listEvents({ query }), 200);
    expect(seen.total).toBe(contracts.total);
  });
});

describe('GET /audit/verify', () => {
  test('reports how far the trail is sealed, and that it is intact', async () => {
    const told = await whenSealed();
    const [row] = await registry.database.query('select count(*)::int as events from audit_event');
    expect(told).toMatchObject({
      intact: true,
      first: null,
      findings: [],
      findings_total: 0,
      sealed: { first_sequence: 1, last_sequence: row?.events },
      unsealed: { events: 0, oldest: null },
    });
    expect(told.heads.authenticated).toBe(told.heads.total);
    expect(told.heads.total).toBeGreaterThan(0);
  });

  test('compares a given head with the trail', async () => {
    const { sealed } = await whenSealed();
    const head = sealed?.head ?? '';
    await createAsset(world.producer);
    await whenSealed();
    expect(await verified({ head })).toMatchObject({ intact: true });
    const onlyNew = await verified({ from: head });
    expect(onlyNew).toMatchObject({
      intact: true,
      sealed: { first_sequence: (sealed?.last_sequence ?? 0) + 1 },
    });
    // A start that the trail does not contain is refused.
    const beyond = await verified({ from: `1000000:${'0'.repeat(64)}` });
    expect(beyond.first).toMatchObject({ kind: 'cut' });
    const elsewhere = await verified({ from: `${head.split(':')[0]}:${'0'.repeat(64)}` });
    expect(elsewhere.first).toMatchObject({ kind: 'head', sequence: sealed?.last_sequence });
    const [sequence] = head.split(':');
    const wrong = `${sequence}:${'0'.repeat(64)}`;
    expect((await verified({ head: wrong })).first).toMatchObject({ kind: 'head' });
    expect((await verified({ head: `1000000:${'0'.repeat(64)}` })).first).toMatchObject({
      kind: 'cut',
    });
  });

  test.each(['', 'x', '1', `1:${'g'.repeat(64)}`, `-1:${'0'.repeat(64)}`])(
    'refuses the head "%s"',
    async (head) => {
      const answer = await world.consumer.client.verifyAudit({ query: { head } });
      expect(mustRefuse(answer, 400, 'VALIDATION_ERROR').field).toBe('head');
    },
  );

  test('reports altered, removed, added, swapped and truncated events, until they are repaired', async () => {
    const asset = await createAsset(world.producer);
    await publishOk(world.producer.client, asset.id, { schema: orderSchema });
    const { sealed } = await whenSealed();
    const head = sealed?.head ?? '';
    const rows = await registry.database.query(
      'select sequence::int, event_id as id from audit_seal order by sequence desc limit 4',
    );
    const [last, second, third] = rows.map((row) => ({
      sequence: Number(row.sequence),
      id: String(row.id),
    }));
    if (last === undefined || second === undefined || third === undefined) throw new Error('Few.');

    const swap = (a: string, b: string) =>
      `update audit_event set metadata = other.metadata, entity_id = other.entity_id,
         event_type = other.event_type, entity_type = other.entity_type,
         occurred_at = other.occurred_at, request_id = other.request_id,
         actor_id = other.actor_id, actor_type = other.actor_type
       from (select * from audit_event where id in ('${a}', '${b}')) other
       where audit_event.id in ('${a}', '${b}') and audit_event.id <> other.id`;
    const cases = [
      {
        does: [`update audit_event set metadata = '{"fqn": "another"}' where id = '${second.id}'`],
        finds: [{ kind: 'altered', sequence: second.sequence, event_id: second.id }],
      },
      {
        does: [
          `update audit_event set occurred_at = occurred_at + interval '1 microsecond'
           where id = '${third.id}'`,
        ],
        finds: [{ kind: 'altered', sequence: third.sequence, event_id: third.id }],
      },
      {
        does: [`delete from audit_event where id = '${second.id}'`],
        finds: [{ kind: 'removed', sequence: second.sequence, event_id: second.id }],
      },
      {
        does: [swap(second.id, third.id)],
        finds: [
          { kind: 'swapped', sequence: third.sequence, event_id: third.id },
          { kind: 'swapped', sequence: second.sequence, event_id: second.id },
        ],
      },
      {
        does: [
          `insert into audit_event (id, event_type, entity_type, entity_id, actor_type, actor_id,
             occurred_at, metadata)
           select '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21', event_type, entity_type, entity_id,
             actor_type, actor_id, '2026-01-01T00:00:00Z', metadata
           from audit_event where id = '${second.id}'`,
        ],
        // It is found whether or not the sealer has sealed it by then.
        finds: [{ kind: 'added', event_id: '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21' }],
        sealsMore: true,
      },
    ];
    for (const { does, finds, sealsMore = false } of cases) {
      await tamper(
        'create table kept as select * from audit_event',
        'create table kept_seal as select * from audit_seal',
        'create table kept_head as select * from audit_head',
        'create table kept_state as select * from audit_seal_state',
        ...does,
      );
      if (sealsMore) {
        await expect.poll(async () => (await verified()).intact, { timeout: 5_000 }).toBe(false);
      }
      const told = await verified();
      expect(told.findings, does[0]).toMatchObject(finds);
      expect(told.intact).toBe(false);
      expect(told.first).toEqual(told.findings[0]);
      await tamper(
        'delete from audit_event',
        'insert into audit_event (id, event_type, entity_type, entity_id, actor_type, actor_id, occurred_at, request_id, metadata, transaction_id) select id, event_type, entity_type, entity_id, actor_type, actor_id, occurred_at, request_id, metadata, transaction_id from kept',
        'delete from audit_seal',
        'insert into audit_seal select * from kept_seal',
        'delete from audit_head',
        'insert into audit_head select * from kept_head',
        'update audit_seal_state set sequence = kept_state.sequence, hash = kept_state.hash from kept_state',
        'drop table kept, kept_seal, kept_head, kept_state',
      );
      expect((await verified({ head })).findings, 'healed').toEqual([]);
    }

    // Truncates the tail with everything that refers to it, which only a separately kept head
    // reveals.
    await tamper(
      `delete from audit_event where id in (select event_id from audit_seal where sequence >= ${second.sequence})`,
      `delete from audit_seal where sequence >= ${second.sequence}`,
      `delete from audit_head where sequence >= ${second.sequence}`,
      `update audit_seal_state set sequence = ${third.sequence},
         hash = (select hash from audit_seal where sequence = ${third.sequence})`,
    );
    expect((await verified({ head })).findings).toContainEqual(
      expect.objectContaining({ kind: 'cut', sequence: second.sequence }),
    );
  });
});

describe('GET /audit/events/export', () => {
  async function exported(url: string, key: string, query = ''): Promise<string> {
    const answer = await fetch(`${url}/api/v1/audit/events/export${query}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    return await answer.text();
  }

  function checkLines(text: string, expected: { sequence: number; hash: string }[] = []) {
    const authenticator = auditAuthenticator(auditKey);
    const check = startExportCheck({ sha256, authenticator, expected });
    for (const line of text.split('\n')) check.takeLine(line);
    return check.finish();
  }

  test('is only for administrators', async () => {
    mustRefuse(await world.producer.client.exportEvents(), 403, 'FORBIDDEN');
  });

  test('streams all events with their seals, which verify without the registry', async () => {
    const other = await openRegistry(settings);
    const { admin, producer } = await openWorld(other.url, other.bootstrapKey);
    const { assetId } = await publishedAsset(producer);
    await expect
      .poll(async () => must(await admin.verifyAudit(), 200).unsealed.events, { timeout: 10_000 })
      .toBe(0);
    const text = await exported(other.url, other.bootstrapKey);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ export: { format: 'concordat-audit/1', from: null } });
    expect(lines.at(-1)).toEqual({ end: { lines: lines.length - 2 } });
    const created = lines.find((line) => line.entity_id === assetId);
    const read = must(await admin.getEvent({ params: { event_id: created.id } }), 200);
    expect(created).toEqual({
      ...read,
      seal: { sequence: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    const whole = checkLines(text);
    if (!whole.ok) throw new Error(whole.message);
    const last = whole.report.sealed;
    expect(whole.report).toMatchObject({ isIntact: true, findingCount: 0 });
    expect(whole.report.heads.authenticated).toBe(whole.report.heads.count);

    const altered = checkLines(text.replace('"contract.published"', '"contract.archived"'));
    expect(altered).toMatchObject({ ok: true, report: { isIntact: false } });
    expect(altered.ok && altered.report.findings[0]).toMatchObject({ kind: 'altered' });
    const without = text
      .split('\n')
      .filter((line) => !line.includes(created.id))
      .join('\n');
    expect(checkLines(without).ok).toBe(false);
    const cut = text.split('\n').slice(0, 4).join('\n');
    expect(checkLines(cut)).toEqual({ ok: false, message: expect.stringContaining('cut short') });
    expect(checkLines('{"some":"json"}').ok).toBe(false);
    expect(checkLines('').ok).toBe(false);

    // From a head: nothing, until the next event.
    const head = { sequence: last?.lastSequence ?? 0, hash: last?.lastHash ?? '' };
    await publishedAsset(producer);
    await expect
      .poll(async () => must(await admin.verifyAudit(), 200).unsealed.events, { timeout: 10_000 })
      .toBe(0);
    const rest = await exported(
      other.url,
      other.bootstrapKey,
      `?from=${head.sequence}:${head.hash}`,
    );
    const tail = checkLines(rest);
    expect(tail).toMatchObject({
      ok: true,
      report: { isIntact: true, sealed: { firstSequence: head.sequence + 1 } },
    });
    expect(checkLines(rest.replace(head.hash, '0'.repeat(64)))).toMatchObject({
      report: { isIntact: false },
    });
    await other.stop();
  });

  test('has what was committed before it was asked for, whatever is sealed meanwhile', async () => {
    for (let count = 0; count < 15; count++) {
      const { id } = await createAsset(world.producer);
      const text = await exported(registry.url, registry.bootstrapKey);
      expect(text).toContain(`"entity_id":"${id}"`);
      expect(checkLines(text)).toMatchObject({ ok: true });
    }
  });

  test('ends without an error when its caller disconnects', async () => {
    await insertEvents(registry.database, 1, 20_000);
    const leaving = new AbortController();
    const answer = await fetch(`${registry.url}/api/v1/audit/events/export`, {
      headers: { authorization: `Bearer ${registry.bootstrapKey}` },
      signal: leaving.signal,
    });
    await answer.body?.getReader().read();
    leaving.abort();
    expect((await checkedFetch(`${registry.url}/health`)).status).toBe(200);
    expect(registry.takeCrashes()).toEqual([]);
  });
});

describe('Sealing', () => {
  test('continues while two processes write and seal, and after one of them is killed', async () => {
    const other = await openRegistry(settings);
    const beside = await openProcess(other.database.serviceUrl, settings);
    const { producer } = await openWorld(other.url, other.bootstrapKey);
    // A backlog that takes both a while, so that the kill happens during it.
    await insertEvents(other.database, 1, 12_000);
    const writing = Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        checkedFetch(`${i % 2 === 0 ? other.url : beside.url}/api/v1/assets`, {
          method: 'POST',
          headers: { authorization: `Bearer ${producer.key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ fqn: `sealed.while_${i}`, owner_team_id: producer.teamId }),
        }),
      ),
    );
    const countSeals = async () => {
      const [row] = await other.database.query('select count(*)::int as n from audit_seal');
      return Number(row?.n);
    };
    await expect.poll(countSeals, { timeout: 20_000, interval: 5 }).toBeGreaterThan(1_000);
    for (const answer of await writing) expect(answer.status).toBe(201);
    await beside.kill();
    const { client } = producer;
    const verify = async () => must(await client.verifyAudit(), 200);
    await expect
      .poll(async () => (await verify()).unsealed.events, { timeout: 30_000, interval: 200 })
      .toBe(0);
    const [row] = await other.database.query('select count(*)::int as n from audit_event');
    const told = await verify();
    // The backlog's events claim to be from January, which was sealed long before they were
    // written.
    const wrong = told.findings.filter(
      ({ kind, event_id }) => kind !== 'added' || event_id === null || event_id > eventIdAt(12_000),
    );
    expect(wrong).toEqual([]);
    expect(told.sealed?.last_sequence).toBe(row?.n);
    expect(new Set([await countSeals()])).toEqual(new Set([row?.n]));
    await other.stop();
  });

  test('leaves a backlog to the next process when its own is asked to stop', async () => {
    const database = await openDatabase();
    // Stopping takes a moment, during which the sealer continues.
    const backlog = 40_000;
    await insertEvents(database, 1, backlog);
    const countSeals = async () => {
      const [row] = await database.query('select count(*)::int as n from audit_seal');
      return Number(row?.n);
    };
    // Read from an index: counting again and again would be most of the work.
    const lastSeal = async () => {
      const [row] = await database.query('select max(sequence)::int as n from audit_seal');
      return Number(row?.n);
    };
    const first = await openProcess(database.serviceUrl, settings);
    await expect.poll(lastSeal, { timeout: 20_000, interval: 5 }).toBeGreaterThan(0);
    await first.stop();
    const left = await countSeals();
    expect(left).toBeLessThan(backlog);
    const next = await openProcess(database.serviceUrl, settings);
    await expect.poll(lastSeal, { timeout: 100_000 }).toBe(backlog);
    expect(await countSeals()).toBe(backlog);
    await next.stop();
    await database.drop();
  });
});
