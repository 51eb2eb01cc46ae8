// Where nobody has said what it reads, answers are what they were before there were needs: the previous
// release and this one are asked the same, each on a database of its own. Texts for people may differ, and
// members may have come that say nothing of needs. Once the previous release has needs, this holds that
// they change nothing for those who do not use them.

import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';
import { bootstrapKey, openProcess } from '../support/client/client-registry.ts';
import { manifestOf } from '../support/manifest.ts';
import { openPrevious } from './previous-release.ts';

const text = { type: 'string' };
const schemaOf = (...names: readonly string[]): Json => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
});
const manifest = manifestOf('shop', [{ name: 'orders', columns: { a: 'text' } }]);
const [wider, narrower] = [schemaOf('a', 'b', 'c'), schemaOf('a')];

interface Call {
  readonly call: string;
  /** `$name` stands for what an earlier answer has at `keeps`. */
  readonly body?: JsonObject;
  readonly keeps?: Readonly<Record<string, readonly string[]>>;
  readonly as?: string;
}

const reads = [
  ...['/assets/$asset', '/assets', '/assets/$asset/contracts', '/assets/$asset/lineage'],
  ...['/contracts', '/contracts/$contract', '/contracts/$contract/registrations'],
  ...['/registrations', '/registrations/$registration'],
  ...['/proposals', '/proposals/$proposal', '/proposals/$proposal/status'],
  '/audit/entities/contract/$contract/history',
  '/audit/entities/proposal/$proposal/history',
  '/audit/entities/registration/$registration/history',
].map((path): Call => ({ call: `GET ${path}` }));

const contracts = 'POST /assets/$asset/contracts';
const proposal = { proposal: ['proposal', 'id'] };
const answered = 'POST /proposals/$proposal/acknowledge';

const calls: readonly Call[] = [
  { call: 'POST /teams', body: { name: 'producer' }, keeps: { producer: ['id'] } },
  { call: 'POST /teams', body: { name: 'consumer' }, keeps: { consumer: ['id'] } },
  {
    call: 'POST /api-keys',
    body: { name: 'consumer', team_id: '$consumer', scopes: ['write'] },
    keeps: { key: ['key'] },
  },
  {
    call: 'POST /assets',
    body: { fqn: 'shop.public.orders', owner_team_id: '$producer' },
    keeps: { asset: ['id'] },
  },
  {
    call: contracts,
    body: { schema: schemaOf('a', 'b') },
    keeps: { contract: ['contract', 'id'] },
  },
  {
    call: 'POST /registrations',
    body: { contract_id: '$contract', consumer_team_id: '$consumer' },
    keeps: { registration: ['id'] },
  },
  ...[wider, narrower].map((each) => ({
    ...{ call: 'POST /assets/$asset/impact', body: { proposed_schema: each } },
  })),
  { call: contracts, body: { schema: wider }, keeps: { contract: ['contract', 'id'] } },
  { call: contracts, body: { schema: narrower, dry_run: true } },
  { call: contracts, body: { schema: narrower }, keeps: proposal },
  { call: 'PATCH /registrations/$registration', body: { notes: 'reads a and b' } },
  ...reads,
  { call: 'POST /proposals/$proposal/publish', body: {} },
  { call: answered, body: { response: 'blocked', notes: 'Not yet.' }, as: 'key' },
  { call: 'POST /proposals/$proposal/rebase', body: {} },
  { call: answered, body: {}, as: 'key' },
  { call: 'POST /proposals/$proposal/publish', body: {} },
  ...reads,
  // By force, withdrawn, and a move.
  { call: contracts, body: { schema: schemaOf('z') }, keeps: proposal },
  { call: 'POST /proposals/$proposal/force', body: { reason: 'It was agreed by telephone.' } },
  ...reads,
  { call: contracts, body: { schema: wider, compatibility_mode: 'none' }, keeps: proposal },
  { call: 'POST /proposals/$proposal/withdraw', body: { reason: 'It stays.' } },
  { call: 'PATCH /assets/$asset', body: { environment: 'staging' }, keeps: proposal },
  { call: 'POST /proposals/$proposal/withdraw', body: { reason: 'It stays.' } },
  { call: 'PATCH /assets/$asset', body: { metadata: { tier: 1 } } },
  { call: 'POST /sync/buildtool/impact', body: { manifest, owner_team_id: '$producer' } },
  { call: 'POST /sync/buildtool/upload', body: { manifest, owner_team_id: '$producer' } },
  ...reads,
  { call: 'DELETE /registrations/$registration', as: 'key' },
];

interface Answer {
  readonly call: string;
  readonly status: number;
  readonly body: Json;
}

async function askAll(url: string): Promise<readonly Answer[]> {
  const kept: Record<string, string> = {};
  const fill = (within: string) => within.replace(/\$(\w+)/g, (whole, name) => kept[name] ?? whole);
  const answers: Answer[] = [];
  for (const { call, body, keeps = {}, as } of calls) {
    const [method = '', path = ''] = call.split(' ');
    const response = await fetch(`${url}/api/v1${fill(path)}`, {
      method,
      headers: {
        authorization: `Bearer ${(as && kept[as]) ?? bootstrapKey}`,
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: fill(JSON.stringify(body)) }),
    });
    const said = await response.text();
    const answer: Json = said === '' ? null : JSON.parse(said);
    for (const [name, steps] of Object.entries(keeps)) kept[name] = String(at(answer, steps));
    answers.push({ call, status: response.status, body: answer });
  }
  return answers;
}

function at(value: Json, steps: readonly string[]): Json | undefined {
  return steps.reduce<Json | undefined>(
    (found, step) => (isJsonObject(found ?? null) ? (found as JsonObject)[step] : undefined),
    value,
  );
}

/** Ids by their first appearance, and no times: they differ between two runs of one release. */
function withoutChance(answers: readonly Answer[]): readonly Answer[] {
  const ids = new Map<string, string>();
  const named = (id: string) => {
    const name = ids.get(id) ?? `id ${ids.size}`;
    ids.set(id, name);
    return name;
  };
  const written = JSON.stringify(answers)
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, named)
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'a time')
    .replace(/cdt_live_\w+/g, 'a key');
  return JSON.parse(written);
}

const texts = new Set(['message', 'description']);

/** The members that only the second has, and what else differs. */
function differences(before: Json, now: Json, path: string): readonly string[] {
  if (Array.isArray(before) && Array.isArray(now) && before.length === now.length) {
    return before.flatMap((each, index) => differences(each, now[index] ?? null, `${path}[]`));
  }
  if (!isJsonObject(before) || !isJsonObject(now)) {
    const isSame = JSON.stringify(before) === JSON.stringify(now);
    return isSame ? [] : [`${path} was ${JSON.stringify(before)}, is ${JSON.stringify(now)}`];
  }
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].flatMap((key) => {
    const [was, is] = [before[key], now[key]];
    if (texts.has(key) && typeof was === 'string' && typeof is === 'string') return [];
    if (was === undefined) return [`${path}.${key} is new`];
    if (is === undefined) return [`${path}.${key} is gone`];
    return differences(was, is, `${path}.${key}`);
  });
}

const speaksOfNeeds = /need|consumers|excused|affected|verdict|witness|origin|found|reader|sunset/;

/** The specification names them: the setting, and the answer for each consumer beside the others. */
const added = [
  'POST /assets/$asset/impact: .consumers is new',
  'GET /assets/$asset: .needs_mode is new',
  'PATCH /assets/$asset: .needs_mode is new',
  'POST /assets/$asset/contracts: .proposal.affected_consumers is new',
  'PATCH /assets/$asset: .proposal.affected_consumers is new',
];

test('where nobody has said what it reads, answers are what they were before there were needs', async () => {
  const previous = await openPrevious('without_needs');
  const ours = await previous.anotherDatabase('without_needs_now');
  // The previous release has no limit for keys.
  const settings = { MIGRATE: 'true', API_KEY_MAX_DAYS: '0' };
  const [old, now] = [
    await openProcess(previous.url, settings, previous.folder),
    await openProcess(ours, settings),
  ];
  try {
    const [before = [], after = []] = (await Promise.all([askAll(old.url), askAll(now.url)])).map(
      withoutChance,
    );
    const found = after.flatMap(({ call, status, body }, index) => {
      const was = before[index];
      const path = `${call}: `;
      if (was?.status !== status) return [`${path}${was?.status} became ${status}`];
      return differences(was.body, body, path);
    });
    const isNew = (each: string) => each.endsWith(' is new');
    expect(found.filter((each) => !isNew(each))).toEqual([]);
    const ofNeeds = found.filter((each) => isNew(each) && speaksOfNeeds.test(each));
    expect(added).toEqual(expect.arrayContaining([...new Set(ofNeeds)]));
    // One publish is too early, and one proposal is not outdated.
    expect(after.filter(({ status }) => status >= 400).map(({ call }) => call)).toEqual([
      ...['POST /proposals/$proposal/publish', 'POST /proposals/$proposal/rebase'],
    ]);
  } finally {
    await Promise.all([old.stop(), now.stop()]);
    await previous.remove();
  }
});
