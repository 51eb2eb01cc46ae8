// `impact` and `can-i-deploy`: what a change does to each consumer, by what it has said that it reads.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import {
  must,
  narrowerSchema,
  openWorld,
  orderSchema,
  type Party,
  publishedAsset,
  type World,
  widerSchema,
} from '../../support/client/client-world.ts';
import { type Folder, makeFolder, run } from '../support.ts';

let registry: TestRegistry;
let world: World;
let folder: Folder;

beforeAll(async () => {
  registry = await openRegistry({});
  world = await openWorld(registry.url, registry.bootstrapKey);
  folder = await makeFolder();
  await folder.file('narrow.json', narrowerSchema);
  await folder.file('wide.json', widerSchema);
  await folder.file('same.json', orderSchema);
});
afterAll(async () => {
  await folder.remove();
  await registry.stop();
});

function as({ key }: Pick<Party, 'key'>, args: readonly string[]) {
  const env = { CONCORDAT_URL: registry.url, CONCORDAT_KEY: key };
  return run(args, '', { env, cwd: folder.path });
}

type Needs = { fields: string[] } | { schema: object } | null;

/** An asset that these teams consume; null is a team that has not said what it reads. */
async function consumed(readers: readonly (readonly [Party, Needs])[]) {
  const published = await publishedAsset(world.producer);
  for (const [party, needs] of readers) {
    const body = {
      ...{ contract_id: published.contractId, consumer_team_id: party.teamId },
      ...(needs !== null && { needs: needs as { fields: string[] } }),
    };
    must(await party.client.registerConsumer({ body }), 201);
  }
  return published;
}

const impact = (fqn: string, ...more: string[]) =>
  as(world.producer, ['impact', '--asset', fqn, ...more]);

describe('impact', () => {
  test('shows the consumer that breaks, with the field, and counts the others: 1', async () => {
    const { consumer, other } = world;
    const { fqn } = await consumed([
      [consumer, { fields: ['$.id'] }],
      [other, { fields: ['$.total'] }],
    ]);
    const ran = await impact(fqn, 'narrow.json');
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout).toContain(`✗ ${other.name} breaks at $.total\n`);
    expect(ran.stdout).toContain('✓ 1 consumer is not affected.\n');
    const markdown = await impact(fqn, '--format', 'markdown', 'narrow.json');
    expect(markdown.stdout).toContain('❌ ');
    expect(markdown.stdout).toContain(' breaks at `$.total`');
    const json = await impact(fqn, '--format', 'json', 'narrow.json');
    expect(JSON.parse(json.stdout).items[0].consumer_verdicts).toEqual(
      expect.arrayContaining([
        { team: consumer.name, verdict: 'unaffected', origin: 'declared' },
        { team: other.name, verdict: 'breaks', origin: 'declared', path: '$.total' },
      ]),
    );
  });

  test('of a break that leaves all consumers unaffected is 0', async () => {
    const { fqn } = await consumed([[world.consumer, { fields: ['$.id'] }]]);
    expect(await impact(fqn, 'narrow.json')).toMatchObject({ code: 0, stderr: '' });
  });

  test('of a break for a consumer that has not said what it reads is 1', async () => {
    const { fqn } = await consumed([
      [world.consumer, { fields: ['$.id'] }],
      [world.other, null],
    ]);
    const ran = await impact(fqn, 'narrow.json');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(`? ${world.other.name} may break`);
  });

  test('of a compatible change that a consumer refuses is 1, with the value', async () => {
    const strict = { schema: { ...orderSchema, additionalProperties: false } };
    const { fqn } = await consumed([[world.consumer, strict]]);
    const ran = await impact(fqn, 'wide.json');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/✗ .* breaks: \{.*"note"/);
    expect(await as(world.producer, ['diff', '--asset', fqn, 'wide.json'])).toMatchObject({
      code: 0,
    });
  });
});

describe('can-i-deploy', () => {
  test('answers for each consumer, and is 1 if one breaks', async () => {
    const { fqn } = await consumed([
      [world.consumer, { fields: ['$.id'] }],
      [world.other, { fields: ['$.total'] }],
    ]);
    const no = await as(world.producer, ['can-i-deploy', '--asset', fqn, 'narrow.json']);
    expect(no.code).toBe(1);
    const lines = no.stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(lines).toContainEqual([fqn, world.other.name, 'NO', '$.total']);
    expect(lines).toContainEqual([fqn, world.consumer.name, 'yes']);
    const yes = await as(world.producer, ['can-i-deploy', '--asset', fqn, 'wide.json']);
    expect(yes).toMatchObject({ code: 0, stderr: '' });
    expect(yes.stdout).toContain('\nYes.\n');
  });

  test('answers for what a consumer reads of the contracts in force', async () => {
    const [first, second] = [await consumed([]), await consumed([])];
    await folder.file('needs.json', {
      [first.fqn]: { fields: ['$.id'] },
      [second.fqn]: { schema: { properties: { id: { type: 'number' } } } },
    });
    const yes = await as(world.other, ['can-i-deploy', '--needs', 'needs.json']);
    expect(yes).toMatchObject({ code: 0, stderr: '' });
    expect(yes.stdout).toContain('met by 1.0.0');
    await folder.file('wants.json', {
      [first.fqn]: { fields: ['$.colour'] },
      [second.fqn]: { fields: ['$.id'], guarantees: ['freshness'] },
      'shop.public.none': { fields: ['$.id'] },
    });
    const no = await as(world.other, [
      ...['can-i-deploy', '--needs', 'wants.json', '--format', 'json'],
    ]);
    expect(no.code).toBe(1);
    expect(JSON.parse(no.stdout)).toMatchObject({
      can_deploy: false,
      answers: [
        { asset: first.fqn, answer: 'no', why: 'The contract has no field `$.colour`.' },
        { asset: second.fqn, answer: 'no' },
        { asset: 'shop.public.none', answer: 'no' },
      ],
    });
  });

  test.each([
    ['without files or needs', [], 'Name the files of a producer'],
    ['with needs that are a list', ['--needs', 'list.json'], 'must be an object'],
    ['with a need of nothing', ['--needs', 'empty.json'], 'must have fields'],
  ] as const)('%s is 2', async (_what, args, message) => {
    await folder.file('list.json', []);
    await folder.file('empty.json', { 'shop.public.none': {} });
    const ran = await as(world.other, ['can-i-deploy', ...args]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
  });
});

describe('needs', () => {
  /** An asset of whose consumer this was found, and the arguments that show it. */
  async function found(fields: readonly string[] | null) {
    const { consumer } = world;
    const { fqn, assetId } = await consumed([[consumer, null]]);
    const query = { asset_id: assetId };
    const [registration] = must(await consumer.client.listRegistrations({ query }), 200).results;
    const params = { registration_id: registration?.id ?? '' };
    const places = [{ place: 'models/a.sql', fields: fields === null ? null : [...fields] }];
    const body = { origin: 'dbt' as const, source: 'analytics', places };
    const { found_needs } = must(await consumer.client.findNeeds({ params, body }), 200);
    return { args: ['needs', fqn], digest: found_needs?.digest ?? '' };
  }

  test('shows what was found with its place and digest, and confirms it', async () => {
    const { args, digest } = await found(['$.id']);
    const shown = await as(world.consumer, args);
    expect(shown.stdout).toContain('"everything"');
    expect(shown.stdout).toContain(`(${digest}):`);
    expect(shown.stdout).toMatch(/dbt analytics, models\/a\.sql: \["\$\.id"\] \(last seen 2/);
    const confirmed = await as(world.consumer, [...args, '--confirm', digest]);
    expect(confirmed).toMatchObject({ code: 0 });
    expect(confirmed.stdout).toContain('reads of');
    expect(confirmed.stdout).toContain('{"fields":["$.id"]}');
  });

  test('does not confirm a place that reads everything, and says which', async () => {
    const { args, digest } = await found(null);
    expect((await as(world.consumer, args)).stdout).toContain('models/a.sql: everything');
    const refused = await as(world.consumer, [...args, '--confirm', digest]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('models/a.sql');
  });

  test('takes --confirm without another need', async () => {
    const { args, digest } = await found(['$.id']);
    const refused = await as(world.consumer, [...args, '--confirm', digest, '--everything']);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('--confirm says what the team reads');
  });
});
