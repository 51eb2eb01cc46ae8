// `concordat check --report`: the result is a quality run of the version that it was checked against.

import { afterAll, beforeAll, expect, test } from 'vitest';
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
    metadata: { rows: 2, samples: { '$.id type': [{ value: 'x', row: null }] } },
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
