// The lines of "Use it" run as they are copied, and register the team.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { checkSpec } from '../../../src/controller/check-spec.ts';
import { contractRegistration } from '../../../src/controller/crd/contract-registration.ts';
import { createClient } from '../../../src/wire/client.ts';
import { findViolations } from '../support/axe.ts';
import { openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';
import { bodyOf, createAsset, createTeam, publish, type StoryTeam } from '../support/story.ts';

const { registry, browser } = await openBrowserForFile();
const admin = createClient({ baseUrl: registry.url, key: registry.bootstrapKey });
const run = promisify(execFile);

const schema = {
  type: 'object',
  properties: { id: { type: 'integer' }, note: { type: 'string' } },
  required: ['id'],
};

let person: Person;
let owner: StoryTeam;
let consumer: StoryTeam;

beforeAll(async () => {
  owner = await createTeam(admin, 'Parcels');
  consumer = await createTeam(admin, 'Readers');
  person = await openPerson(browser, { url: registry.url, width: 360 });
  await signIn(person.page, registry.bootstrapKey, 'Readers');
});

async function open(fqn: string, environment?: string) {
  const body = { fqn, owner_team_id: owner.id, ...(environment && { environment }) };
  const { id } = bodyOf(await admin.createAsset({ body }));
  await publish(admin, id, schema, {});
  await person.page.goto(`/assets/${id}`);
  await person.page.getByRole('link', { name: 'Use it' }).click();
  return id;
}

/** Copies the lines as a reader does. */
async function copied(way: string): Promise<string> {
  const { page } = person;
  const lines = page.locator('.panel', { hasText: 'in a program' });
  await lines.getByRole('button', { name: way, exact: true }).click();
  await lines.getByRole('region', { name: way }).waitFor();
  await lines.getByRole('button', { name: 'Copy' }).click();
  return page.evaluate<string>('navigator.clipboard.readText()');
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'use-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'rows.ndjson'), '{"id": 1}\n{"id": "two"}\n');
  return folder;
}

const runners: Readonly<Record<string, (file: string) => readonly [string, ...string[]]>> = {
  curl: (file) => ['bash', '-eu', file],
  Python: (file) => ['python3', file],
  TypeScript: (file) => [process.execPath, file],
  // The second row is not valid, which ends `validate` with 1.
  concordat: (file) => ['bash', '-u', file],
};

describe('The lines to use a contract', () => {
  test.each([
    ['curl', 'sh'],
    ['Python', 'py'],
    ['TypeScript', 'mts'],
    ['concordat', 'sh'],
  ])('with %s check a row and register the team', async (way, ending) => {
    const assetId = await open(`use.it.${way.toLowerCase()}`, 'staging');
    const folder = await makeFolder();
    const file = join(folder, `lines.${ending}`);
    await writeFile(file, await copied(way));
    const { key } = bodyOf(
      await admin.issueApiKey({
        body: { name: 'lines', team_id: consumer.id, scopes: ['write'] },
      }),
    );
    const [program, ...args] = runners[way]?.(file) ?? ['false'];
    const PATH = `${join(import.meta.dirname, '../../../bin')}:${process.env.PATH}`;
    const ran = await run(program, args, {
      cwd: folder,
      env: { ...process.env, PATH, CONCORDAT_KEY: key ?? '' },
    });
    expect(ran.stdout).toContain('two');
    if (ending === 'sh') {
      expect(JSON.parse(await readFile(join(folder, 'schema.json'), 'utf8'))).toEqual(schema);
    }
    const listed = await admin.listRegistrations({ query: { asset_id: assetId } });
    expect(bodyOf(listed).results.map((one) => one.consumer_team_id)).toEqual([consumer.id]);
  });

  test('in a cluster are an object that the controller accepts', async () => {
    await open('use.it.Cluster_rows');
    const object = parse(await copied('Kubernetes'));
    expect(object.metadata.name).toBe('cluster-rows');
    expect(object.spec).toEqual({ fqn: 'use.it.Cluster_rows' });
    expect(checkSpec(contractRegistration.spec, object.spec)).toEqual([]);
  });

  test('in CI are steps of a workflow', async () => {
    await open('use.it.steps');
    const { env, steps } = parse(await copied('CI'));
    expect(env.CONCORDAT_URL).toBe(registry.url);
    expect(steps.map((step: { run: string }) => step.run)).toEqual([
      'concordat validate use.it.steps rows.ndjson',
      'concordat impact contracts/',
    ]);
  });
});

test('A contract is shown as files of five kinds, saved, and a link keeps the choice', async () => {
  const { page, complaints } = person;
  await open('use.it.types');
  const types = page.locator('.panel', { hasText: 'As a file' });
  await types.getByText('export interface Types {').waitFor();
  await types.getByRole('button', { name: 'Python' }).click();
  await types.getByText('class Types(TypedDict):').waitFor();
  await page.reload();
  await types.getByText('class Types(TypedDict):').waitFor();
  const saving = page.waitForEvent('download');
  await types.getByRole('button', { name: 'Download' }).click();
  expect((await saving).suggestedFilename()).toBe('use.it.types-1.0.0.py');
  for (const [kind, text] of [
    ['JSON Schema', '"note": {'],
    ['ODCS', 'apiVersion: v3.2.0'],
    ['Manifest', 'kind: DataContract'],
  ] as const) {
    await types.getByRole('button', { name: kind }).click();
    await types.getByText(text).waitFor();
  }
  expect(await findViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  expect(complaints).toEqual([]);
});

test('The schema is copied from its view as JSON', async () => {
  const { page } = person;
  const id = await open('use.it.schema');
  await page.goto(`/assets/${id}?as=json`);
  await page.locator('.json').getByRole('button', { name: 'Copy' }).click();
  const text = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(JSON.parse(text)).toEqual(schema);
});

test('An asset without a contract says that it has none', async () => {
  const id = await createAsset(admin, owner, 'use.it.nothing');
  await person.page.goto(`/assets/${id}/use`);
  await person.page.getByText('This asset has no contract yet.').waitFor();
});
