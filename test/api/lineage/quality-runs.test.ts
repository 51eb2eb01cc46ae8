// Quality runs: recording them, their history, and their trends.

import { describe, expect, test } from 'vitest';
import {
  createAsset,
  must,
  mustRefuse,
  openRegistryForFile,
  publishedAsset,
  type World,
} from '../../support/client/client-world.ts';

const { world } = await openRegistryForFile();

const nobody = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';
const anId = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
);
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

type Body = Parameters<World['admin']['recordQualityRun']>[0]['body'];

const record = (assetId: string, body: Partial<Body> = {}, client = world.producer.client) =>
  client.recordQualityRun({
    params: { asset_id: assetId },
    body: { status: 'passed', triggered_by: 'build_test', ...body },
  });

const historyOf = async (assetId: string, query = {}) =>
  must(await world.consumer.client.listQualityRuns({ params: { asset_id: assetId }, query }), 200);

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

describe('A quality run', () => {
  test('is recorded with 201, shown in the history, and recorded in the audit trail', async () => {
    const { assetId, fqn, contractId } = await publishedAsset(world.producer);
    const guarantees = [
      { name: 'not_null_orders_id', status: 'failed', rows: 3, message: '3 rows have no id.' },
      { name: 'unique_orders_id', status: 'passed' },
    ] as const;
    const made = must(
      await record(assetId, {
        status: 'failed',
        run_id: 'ci-4711',
        contract_id: contractId,
        guarantees: [...guarantees],
        started_at: '2026-03-14T10:26:53.589+01:00',
        finished_at: '2026-03-14T09:30:00Z',
        metadata: { rows: 12 },
      }),
      201,
    );
    expect(made).toEqual({
      id: anId,
      asset_id: assetId,
      contract_id: contractId,
      contract_version: '1.0.0',
      status: 'failed',
      triggered_by: 'build_test',
      run_id: 'ci-4711',
      guarantees,
      started_at: '2026-03-14T09:26:53.589Z',
      finished_at: '2026-03-14T09:30:00.000Z',
      occurred_at: '2026-03-14T09:30:00.000Z',
      recorded_at: aTime,
      metadata: { rows: 12 },
    });
    expect(await historyOf(assetId)).toEqual({ results: [made], total: 1, next_cursor: null });
    const params = { entity_type: 'audit_run', entity_id: made.id } as const;
    expect(must(await world.admin.listEntityHistory({ params }), 200).results).toMatchObject([
      {
        event_type: 'audit_run.recorded',
        metadata: {
          asset_fqn: fqn,
          version: '1.0.0',
          status: 'failed',
          triggered_by: 'build_test',
          run_id: 'ci-4711',
          guarantees: 2,
          failed_guarantees: ['not_null_orders_id'],
        },
      },
    ]);
  });

  test('needs only its result and its trigger', async () => {
    const { id } = await createAsset(world.producer);
    const made = must(await record(id), 201);
    expect(made).toMatchObject({
      contract_id: null,
      contract_version: null,
      run_id: null,
      guarantees: [],
      started_at: null,
      finished_at: null,
      occurred_at: made.recorded_at,
      metadata: {},
    });
  });

  test('with a time in the future counts as now', async () => {
    const { id } = await createAsset(world.producer);
    const made = must(await record(id, { finished_at: ago(-5) }), 201);
    expect(made.occurred_at).toBe(made.recorded_at);
  });

  test('is refused without an asset, for a contract of another asset, by another team, and with times out of order', async () => {
    const { id } = await createAsset(world.producer);
    const { contractId } = await publishedAsset(world.producer);
    mustRefuse(await record(nobody), 404, 'ASSET_NOT_FOUND');
    mustRefuse(await record(id, {}, world.other.client), 403, 'FORBIDDEN');
    const foreign = mustRefuse(
      await record(id, { contract_id: contractId }),
      404,
      'CONTRACT_NOT_FOUND',
    );
    expect(foreign.field).toBe('contract_id');
    const times = { started_at: ago(1), finished_at: ago(2) };
    const early = mustRefuse(await record(id, times), 400, 'VALIDATION_ERROR');
    expect(early.field).toBe('finished_at');
    const unnamed = mustRefuse(await record(id, { triggered_by: ' ' }), 400, 'VALIDATION_ERROR');
    expect(unnamed.field).toBe('triggered_by');
    expect((await historyOf(id)).total).toBe(0);
  });
});

describe('The history', () => {
  test('is newest first, filtered by status and trigger, limited to 20, and paged by cursor', async () => {
    const { id } = await createAsset(world.producer);
    const hours = Array.from({ length: 23 }, (_, i) => i + 1);
    for (const hour of [...hours].reverse()) {
      const status = hour % 2 === 0 ? 'failed' : 'passed';
      const triggered_by = hour % 3 === 0 ? 'schedule' : 'build_test';
      must(
        await record(id, { status, triggered_by, run_id: `${hour}`, finished_at: ago(hour) }),
        201,
      );
    }
    const names = (page: { results: readonly { run_id: string | null }[] }) =>
      page.results.map(({ run_id }) => Number(run_id));
    const first = await historyOf(id);
    expect(first.total).toBe(23);
    expect(names(first)).toEqual(hours.slice(0, 20));
    expect(names(await historyOf(id, { cursor: first.next_cursor }))).toEqual([21, 22, 23]);
    expect(names(await historyOf(id, { limit: 2 }))).toEqual([1, 2]);
    const some = await historyOf(id, { status: 'failed', triggered_by: 'schedule' });
    expect(some.total).toBe(3);
    expect(names(some)).toEqual([6, 12, 18]);
    const params = { asset_id: id };
    const refused = await world.admin.listQualityRuns({ params, query: { limit: 101 } });
    expect(mustRefuse(refused, 400, 'VALIDATION_ERROR').field).toBe('limit');
  });

  test('of an asset that does not exist is 404', async () => {
    const params = { asset_id: nobody };
    mustRefuse(await world.admin.listQualityRuns({ params }), 404, 'ASSET_NOT_FOUND');
    mustRefuse(await world.admin.getQualityTrends({ params }), 404, 'ASSET_NOT_FOUND');
  });
});

describe('The trends', () => {
  test('cover a day, a week and a month, and name the worst guarantees', async () => {
    const { id } = await createAsset(world.producer);
    const check = (status: 'passed' | 'failed' | 'skipped', other: 'passed' | 'failed') => [
      { name: 'not_null', status },
      { name: 'unique', status: other },
      { name: 'fresh', status: 'passed' as const },
    ];
    const runs = [
      [1, 'passed', check('passed', 'passed')],
      [2, 'failed', check('failed', 'passed')],
      [48, 'failed', check('skipped', 'failed')],
      [72, 'failed', check('failed', 'failed')],
      [24 * 20, 'failed', check('failed', 'passed')],
      [24 * 40, 'failed', check('failed', 'failed')],
    ] as const;
    for (const [hours, status, guarantees] of runs) {
      must(await record(id, { status, guarantees: [...guarantees], finished_at: ago(hours) }), 201);
    }
    const trends = must(
      await world.consumer.client.getQualityTrends({ params: { asset_id: id } }),
      200,
    );
    const worst = (name: string, runs: number, failed_runs: number) => ({
      name,
      runs,
      failed_runs,
      failure_rate: failed_runs / runs,
    });
    expect(trends).toEqual({
      asset_id: id,
      windows: [
        {
          window: '24h',
          since: aTime,
          runs: 2,
          failed_runs: 1,
          failure_rate: 0.5,
          worst_guarantees: [worst('not_null', 2, 1)],
        },
        {
          window: '7d',
          since: aTime,
          runs: 4,
          failed_runs: 3,
          failure_rate: 0.75,
          worst_guarantees: [worst('not_null', 3, 2), worst('unique', 4, 2)],
        },
        {
          window: '30d',
          since: aTime,
          runs: 5,
          failed_runs: 4,
          failure_rate: 0.8,
          worst_guarantees: [worst('not_null', 4, 3), worst('unique', 5, 2)],
        },
      ],
      incidents: [],
    });
  });

  test('count a run once, however often it names a guarantee', async () => {
    const { id } = await createAsset(world.producer);
    const twice = (['passed', 'failed'] as const).map((status) => ({ name: 'not_null', status }));
    must(await record(id, { status: 'failed', guarantees: twice, finished_at: ago(1) }), 201);
    const { windows } = must(await world.admin.getQualityTrends({ params: { asset_id: id } }), 200);
    expect(windows[0]?.worst_guarantees).toEqual([
      { name: 'not_null', runs: 1, failed_runs: 1, failure_rate: 1 },
    ]);
  });

  test('have no rate for an asset without runs', async () => {
    const { id } = await createAsset(world.producer);
    const { windows } = must(await world.admin.getQualityTrends({ params: { asset_id: id } }), 200);
    expect(windows.map((one) => [one.window, one.runs, one.failure_rate])).toEqual([
      ['24h', 0, null],
      ['7d', 0, null],
      ['30d', 0, null],
    ]);
  });
});

test('Assets are listed by the result of their newest run: after a success they no longer count as failed', async () => {
  const [bad, healed, good, none] = await Promise.all(
    [1, 2, 3, 4].map(() => createAsset(world.other)),
  );
  await record(bad?.id ?? '', { finished_at: ago(3) }, world.other.client);
  await record(bad?.id ?? '', { status: 'failed', finished_at: ago(2) }, world.other.client);
  await record(healed?.id ?? '', { status: 'failed', finished_at: ago(3) }, world.other.client);
  await record(healed?.id ?? '', { finished_at: ago(2) }, world.other.client);
  await record(good?.id ?? '', {}, world.other.client);
  const found = async (quality: 'passed' | 'failed') => {
    const query = { owner_team_id: world.other.teamId, quality, sort: 'created_at' } as const;
    const { results, total } = must(await world.admin.listAssets({ query }), 200);
    return [results.map(({ id }) => id).sort(), total];
  };
  expect(await found('failed')).toEqual([[bad?.id], 1]);
  expect(await found('passed')).toEqual([[healed?.id, good?.id].sort(), 2]);
  expect(none?.id).toBeDefined();

  // A run that is reported late counts for its own time.
  await record(bad?.id ?? '', { finished_at: ago(5) }, world.other.client);
  expect(await found('failed')).toEqual([[bad?.id], 1]);
  // A deleted and recreated name keeps its runs.
  must(await world.other.client.deleteAsset({ params: { asset_id: bad?.id ?? '' } }), 204);
  expect(await found('failed')).toEqual([[], 0]);
  const anew = await createAsset(world.other, { fqn: bad?.fqn });
  expect(await found('failed')).toEqual([[anew.id], 1]);
  await record(anew.id, {}, world.other.client);
  expect(await found('failed')).toEqual([[], 0]);
});
