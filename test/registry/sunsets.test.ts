// Fields with a sunset date: their readers are told, each time once.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StatedNeed } from '../../src/core/need.ts';
import { tellInWords } from '../../src/notify/tell-in-words.ts';
import { openSweep } from '../../src/registry/sweep.ts';
import {
  accepted,
  contextOf,
  historyOf,
  makeAsset,
  makeTeam,
  openWorld,
  published,
  verbs,
  type World,
} from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const dayMs = 86_400_000;
const timeAfter = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const dayAfter = (days: number) => timeAfter(days).slice(0, '2026-01-31'.length);

/** As every replica does about each minute, so many days from now. */
async function sweepAfter(days: number): Promise<void> {
  const context = { ...contextOf(), now: () => timeAfter(days) };
  const [one, two] = [openSweep(world.ports, context), openSweep(world.otherPorts, context)];
  await Promise.all([one(), two()]);
  await one();
}

/** `$.old` ends on this day. */
function schemaUntil(sunset: string, more: object = {}) {
  const text = { type: 'string' };
  const old = { ...text, deprecated: true, 'x-sunset': sunset };
  return { type: 'object', properties: { id: text, old, ...more } };
}

/** An asset with `$.old`, and a team for each need; null is a team without one. */
async function readBy(sunset: string, ...needs: readonly (StatedNeed | null)[]) {
  const { ports } = world;
  const asset = await makeAsset(ports, await makeTeam(ports));
  const contract = await published(ports, asset.id, schemaUntil(sunset));
  const teams = [];
  for (const need of needs) teams.push(await register(contract.id, need));
  return { asset, contract, teams };
}

async function register(contractId: string, need: StatedNeed | null) {
  const team = await makeTeam(world.ports);
  const command = { contractId, consumerTeamId: team.id, ...(need !== null && { needs: need }) };
  const { id } = accepted(await verbs.registerConsumer(world.ports, contextOf(), command));
  return { team, registrationId: id };
}

const readsOld = { fields: ['$.old'] };
const readsId = { fields: ['$.id'] };

async function eventsOf(contractId: string) {
  const events = await historyOf(world.ports, contractId);
  return events.filter(({ eventType }) => eventType === 'contract.fields_ending');
}

/** The stages that were told, each with its teams. */
async function toldOf(contractId: string) {
  return (await eventsOf(contractId)).map(({ metadata }) => {
    const affected = metadata.affected as readonly { readonly team_name: string }[];
    return [metadata.stage, affected.map(({ team_name }) => team_name).sort()];
  });
}

test('The readers of a field are told of its sunset date when it is set, a month before and after it, once each', async () => {
  const sunset = dayAfter(60);
  const { asset, contract, teams } = await readBy(sunset, readsOld, readsId, null);
  const names = [teams[0], teams[2]].map((each) => each?.team.name).sort();
  await sweepAfter(0);
  await sweepAfter(29);
  expect(await toldOf(contract.id)).toEqual([['announced', names]]);
  await sweepAfter(30);
  await sweepAfter(60);
  expect(await toldOf(contract.id)).toEqual([
    ['announced', names],
    ['near', names],
  ]);
  await sweepAfter(61);
  await sweepAfter(99);
  // A clock that is late tells nothing again.
  await world.database.query('update contract set sunsets_due = current_date where id = $1', [
    contract.id,
  ]);
  await sweepAfter(50);
  expect((await toldOf(contract.id)).map(([stage]) => stage)).toEqual([
    ...['announced', 'near', 'over'],
  ]);
  const [first] = await eventsOf(contract.id);
  const reader = teams[0]?.team;
  expect(first).toMatchObject({
    actorType: 'system',
    metadata: {
      ...{ asset_fqn: asset.fqn, version: '1.0.0', stage: 'announced', sunset, field_count: 1 },
      fields: [{ path: '$.old', sunset }],
      affected: expect.arrayContaining([
        { team_id: reader?.id, team_name: reader?.name, fields: ['$.old'] },
      ]),
    },
  });
  if (first === undefined || reader === undefined) throw new Error('They were told.');
  expect(tellInWords(first, { teamId: reader.id, baseUrl: null })).toEqual({
    title: `Fields of ${asset.fqn} that you read end on ${sunset}`,
    lines: ['- $.old'],
    parts: [],
    link: null,
  });
  const deliveries = await world.database.query('select team_ids from outbox where event_id = $1', [
    first.id,
  ]);
  expect(deliveries).toHaveLength(1);
});

test('A team of which the field was only found is told, and one that reads it no more is not', async () => {
  const { contract, teams } = await readBy(dayAfter(10), readsOld, readsId);
  const [leaves, finds] = teams;
  if (leaves === undefined || finds === undefined) throw new Error('They were made.');
  const places = [{ place: 'models/a.sql', fields: ['$.old'] }];
  const found = { origin: 'dbt' as const, source: 'analytics', places };
  const { registrationId } = finds;
  accepted(await verbs.findNeeds(world.ports, contextOf(), { ...found, registrationId }));
  const both = [leaves.team.name, finds.team.name].sort();
  await sweepAfter(0);
  expect(await toldOf(contract.id)).toEqual([['near', both]]);
  const { registrationId: leaving } = leaves;
  const away = { registrationId: leaving, needs: readsId, reason: 'They asked us to.' };
  accepted(await verbs.updateRegistration(world.ports, contextOf(), away));
  await sweepAfter(11);
  expect(await toldOf(contract.id)).toEqual([
    ['near', both],
    ['over', [finds.team.name]],
  ]);
});

test('A team that begins to read a field is told at once, and once: by registering, by its need, or as one is found', async () => {
  const { ports } = world;
  const { contract, teams } = await readBy(dayAfter(60), readsId, readsId);
  const [states, finds] = teams;
  if (states === undefined || finds === undefined) throw new Error('They were made.');
  await sweepAfter(0);
  expect(await toldOf(contract.id)).toEqual([]);
  const widened = { registrationId: states.registrationId, needs: readsOld, reason: 'We use it.' };
  accepted(await verbs.updateRegistration(ports, contextOf(), widened));
  await sweepAfter(0);
  const places = [{ place: 'models/a.sql', fields: ['$.old'] }];
  const found = { origin: 'dbt' as const, source: 'analytics', places };
  const { registrationId } = finds;
  accepted(await verbs.findNeeds(ports, contextOf(), { ...found, registrationId }));
  await sweepAfter(1);
  const comes = await register(contract.id, null);
  await sweepAfter(2);
  await register(contract.id, readsId);
  await sweepAfter(2);
  const expected = [states, finds, comes].map(({ team }) => ['announced', [team.name]]);
  expect(await toldOf(contract.id)).toEqual(expected);
  // Who leaves and comes back knows it.
  const { registrationId: coming } = comes;
  for (const needs of [readsId, null]) {
    const change = { registrationId: coming, needs, reason: 'We tried.' };
    accepted(await verbs.updateRegistration(ports, contextOf(), change));
    await sweepAfter(3);
  }
  expect(await toldOf(contract.id)).toEqual(expected);
  // Also after the day, when no stage begins any more.
  await sweepAfter(61);
  await sweepAfter(61);
  const late = await register(contract.id, readsOld);
  await sweepAfter(62);
  const names = [states, finds, comes].map(({ team }) => team.name).sort();
  expect(await toldOf(contract.id)).toEqual([
    ...expected,
    ['over', names],
    ['over', [late.team.name]],
  ]);
  const read = await eventsOf(contract.id);
  expect(read.at(-1)?.metadata).toMatchObject({
    fields: [{ path: '$.old', sunset: dayAfter(60) }],
  });
});

test('A team that begins to read while a sweep looks is told by the next one', async () => {
  const { ports } = world;
  const { contract, teams } = await readBy(dayAfter(60), readsOld);
  const { reads } = ports;
  let came: Awaited<ReturnType<typeof register>> | null = null;
  const slow = {
    ...ports,
    reads: {
      ...reads,
      // All that it needs was read by then.
      listFoundFields: async (assetId: typeof contract.assetId) => {
        const seen = await reads.listFoundFields(assetId);
        if (assetId === contract.assetId) came ??= await register(contract.id, readsOld);
        return seen;
      },
    },
  };
  await openSweep(slow, contextOf())();
  await sweepAfter(0);
  expect(came).not.toBeNull();
  const told = await toldOf(contract.id);
  expect(told.flatMap(([, names]) => names)).toHaveLength(2);
  expect(told.flatMap(([, names]) => names)).toContain(teams[0]?.team.name);
});

test('A newer version with the same date tells nobody again, and one with another date does', async () => {
  const { ports } = world;
  const { asset, contract, teams } = await readBy(dayAfter(60), readsOld);
  await sweepAfter(0);
  const note = { note: { type: 'string' } };
  const second = await published(ports, asset.id, schemaUntil(dayAfter(60), note));
  await sweepAfter(0);
  expect([await toldOf(contract.id), await toldOf(second.id)]).toMatchObject([
    [['announced', [teams[0]?.team.name]]],
    [],
  ]);
  await sweepAfter(31);
  expect((await toldOf(second.id)).map(([stage]) => stage)).toEqual(['near']);
  const third = await published(ports, asset.id, schemaUntil(dayAfter(90), note));
  await sweepAfter(31);
  expect((await toldOf(third.id)).map(([stage]) => stage)).toEqual(['announced']);
});

test('Nobody is told of what is no date, nor of a field that nobody reads, nor of a deleted asset', async () => {
  const { ports } = world;
  const noDate = await readBy('when it is ready', readsOld);
  const wrongDate = await readBy('2031-02-30', readsOld);
  const unread = await readBy(dayAfter(3), readsId);
  const gone = await readBy(dayAfter(3), readsOld);
  const force = { force: true, reason: 'It moved.' };
  accepted(await verbs.deleteAsset(ports, contextOf(), { assetId: gone.asset.id, ...force }));
  await sweepAfter(0);
  for (const { contract } of [noDate, wrongDate, unread, gone]) {
    expect(await eventsOf(contract.id)).toEqual([]);
  }
  // They are looked at again when a stage begins, and not before.
  const due = await world.database.query(
    `select to_char(sunsets_due, 'YYYY-MM-DD') as day from contract where id = any($1) order by id`,
    [[noDate, wrongDate, unread].map(({ contract }) => contract.id)],
  );
  expect(due.map(({ day }) => day)).toEqual([null, null, dayAfter(4)]);
});
