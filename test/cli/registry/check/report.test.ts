// `concordat check --report`: the result is a quality run of the version that it was checked against.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../../../support/client/client-registry.ts';
import {
  createAsset,
  must,
  openWorld,
  publishOk,
  type World,
} from '../../../support/client/client-world.ts';
import { type Folder, makeFolder, run } from '../../support.ts';

let registry: TestRegistry;
let world: World;
let folder: Folder;
beforeAll(async () => {
  registry = await openRegistry();
  world = await openWorld(registry.url, registry.bootstrapKey);
  folder = await makeFolder();
});
afterAll(async () => {
  await folder.remove();
  await registry.stop();
});

const schema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    email: { type: 'string', format: 'email', 'x-classification': 'pii' },
  },
};

async function published() {
  const { id: assetId, fqn } = await createAsset(world.producer);
  return { assetId, fqn, contractId: await publishOk(world.producer.client, assetId, { schema }) };
}

const check = (fqn: string, source: string, ...more: readonly string[]) =>
  run(['check', '--contract', fqn, '--source', source, ...more], '', {
    env: { CONCORDAT_URL: registry.url, CONCORDAT_KEY: world.producer.key },
  });

const runsOf = async (assetId: string) =>
  must(
    await world.producer.client.listQualityRuns({ params: { asset_id: assetId }, query: {} }),
    200,
  ).results;

test('A check is a quality run with its rules, counts and samples, without personal data', async () => {
  const { fqn, assetId, contractId } = await published();
  const source = await folder.file('rows.csv', 'id,email\n1,a@b.example\nx,nobody\n');
  expect(await check(fqn, source, '--report')).toMatchObject({ code: 1, stderr: '' });
  const [failed] = await runsOf(assetId);
  expect(failed).toMatchObject({
    ...{ status: 'failed', contract_id: contractId, contract_version: '1.0.0' },
    triggered_by: 'concordat check',
    guarantees: [
      { name: '$.id type', status: 'failed', rows: 1 },
      { name: '$.email format', status: 'failed', rows: 1 },
    ],
    metadata: { rows: 2, samples: { '$.id type': [{ value: 'x', row: { row_number: 2 } }] } },
  });
  expect(JSON.stringify(failed)).not.toContain('nobody');
  const right = await folder.file('right.csv', 'id,email\n1,a@b.example\n');
  const named = ['--run-id', 'nightly-7', '--triggered-by', 'nightly'];
  expect(await check(fqn, right, '--report', ...named)).toMatchObject({ code: 0 });
  expect(
    (await runsOf(assetId)).map(({ status, run_id, triggered_by }) => [
      status,
      run_id,
      triggered_by,
    ]),
  ).toEqual([
    ['passed', 'nightly-7', 'nightly'],
    ['failed', null, 'concordat check'],
  ]);
});

test('Nothing is recorded unless it is asked for, or if the source cannot be read', async () => {
  const { fqn, assetId } = await published();
  const source = await folder.file('right.csv', 'id,email\n1,a@b.example\n');
  expect(await check(fqn, source)).toMatchObject({ code: 0 });
  expect(await check(fqn, 'gone.csv', '--report')).toMatchObject({ code: 3, stdout: '' });
  expect(await runsOf(assetId)).toEqual([]);
});

test('Values are held against a version of a registry', async () => {
  const { fqn } = await published();
  const validate = (version: string) =>
    run(['validate', fqn, '--contract-version', version], '{"id": 1}\n{"id": "x"}\n', {
      env: { CONCORDAT_URL: registry.url, CONCORDAT_KEY: world.producer.key },
    });
  expect(await validate('1.0.0')).toEqual({
    ...{ code: 1, stderr: '' },
    stdout: '✗ line 2: $.id must be an integer, not "x"\n2 values: 1 valid, 1 not valid.\n',
  });
  expect(await validate('7.0.0')).toMatchObject({ stdout: '', code: 2 });
});

test('A file as a contract cannot be reported', async () => {
  const contract = await folder.file('contract.json', schema);
  const source = await folder.file('right.csv', 'id,email\n1,a@b.example\n');
  expect(await check(contract, source, '--report')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      '--report needs a contract of a registry. Name the asset with --contract, and the registry with --registry.\n',
  });
});

describe('The number of rows may change by as much as the contract says', () => {
  const guarantees = { volume: { max_row_delta_pct: 20 } };
  const rowsOf = (count: number) => folder.file(`${count}.csv`, `id\n${'7\n'.repeat(count)}`);

  /** The result of a check of so many rows, and what is told of the rule. */
  async function told(contract: string, count: number, ...more: readonly string[]) {
    const { code, stdout } = await check(contract, await rowsOf(count), '--format=json', ...more);
    const { rules } = JSON.parse(stdout) as { rules: { name: string; message: string }[] };
    return [code, rules.find(({ name }) => name === 'volume.max_row_delta_pct')?.message];
  }

  async function promised() {
    const { id: assetId, fqn } = await createAsset(world.producer);
    await publishOk(world.producer.client, assetId, {
      schema: { type: 'object', properties: { id: { type: 'integer' } } },
      guarantees,
    });
    return { assetId, fqn };
  }

  test('since the last run in the registry that did not break it', async () => {
    const { fqn, assetId } = await promised();
    expect(await told(fqn, 100, '--report')).toEqual([0, expect.stringContaining('not known')]);
    expect(await told(fqn, 79, '--report')).toEqual([1, expect.stringContaining('were 100 on 20')]);
    // What is wrong stays wrong, however often it is checked.
    expect(await told(fqn, 79, '--report')).toEqual([1, expect.stringContaining('were 100 on 20')]);
    expect(await told(fqn, 121)).toEqual([1, expect.stringContaining('--rows-before 121')]);
    expect(await told(fqn, 80, '--report')).toEqual([0, expect.stringContaining('there are 80')]);
    const [newest] = await runsOf(assetId);
    const recorded = newest?.guarantees.find(({ name }) => name === 'volume.max_row_delta_pct');
    expect(recorded?.status).toBe('passed');
    expect(await told(fqn, 70, '--report')).toEqual([0, expect.stringContaining('were 80 on 20')]);
    // Another job may count something else.
    const another = await told(fqn, 5, '--triggered-by', 'hourly');
    expect(another).toEqual([0, expect.stringContaining('not known')]);
  });

  test('although a hundred runs have broken it since', async () => {
    const { fqn, assetId } = await promised();
    await told(fqn, 100, '--report');
    const { client } = world.producer;
    for (let run = 0; run < 100; run++) {
      const body = {
        ...{ status: 'failed' as const, triggered_by: 'concordat check', metadata: { rows: 5 } },
        guarantees: [{ name: 'volume.max_row_delta_pct', status: 'failed' as const }],
      };
      must(await client.recordQualityRun({ params: { asset_id: assetId }, body }), 201);
    }
    expect(await told(fqn, 5)).toEqual([1, expect.stringContaining('there were 100 on 20')]);
  });

  test.each([
    [100, 80, 0],
    [100, 79, 1],
    [0, 0, 0],
    [0, 9, 0],
    [9, 0, 1],
  ])('since %i rows that are given: %i end with %i', async (before, now, code) => {
    const contract = await folder.file('promised.json', {
      apiVersion: 'concordat.dev/v1',
      kind: 'DataContract',
      metadata: { name: 'promised' },
      spec: { fqn: 'shop.promised', schema: { type: 'object' }, guarantees },
    });
    expect((await told(contract, now, '--rows-before', String(before)))[0]).toBe(code);
  });
});
