// The sweep holds needs against the contract in force. One that cannot be examined stops no other.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSweep } from '../../src/registry/sweep.ts';
import {
  accepted,
  consume,
  contextOf,
  makeAsset,
  makeTeam,
  openWorld,
  published,
  schemaOf,
  verbs,
  type World,
} from './world.ts';

const reason = 'They asked us to.';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

test('a need that cannot be examined does not stop the review of the others', async () => {
  const { database } = world;
  const errors: unknown[] = [];
  const ports = { ...world.ports, reportError: (error: unknown) => void errors.push(error) };
  const asset = await makeAsset(ports, await makeTeam(ports));
  const { id } = await published(ports, asset.id, schemaOf('a', 'b'));
  for (const _ of [1, 2]) {
    const { id: registrationId } = await consume(ports, id, await makeTeam(ports));
    const needs = { fields: ['$.a'] };
    accepted(await verbs.updateRegistration(ports, contextOf(), { registrationId, needs, reason }));
  }
  await database.query('update registration set need_contract_id = null');
  await database.query(
    `update registration set need = '{"digest": "d", "status": "met", "stated": 1}'
     where id = (select min(id::text)::uuid from registration)`,
  );
  await openSweep(ports, contextOf())();
  const held = await database.query(
    'select need_contract_id as held from registration order by id::text',
  );
  expect(held).toEqual([{ held: null }, { held: id }]);
  expect(errors).toHaveLength(1);
  // The sweeps of the other tests would report it again.
  await database.query(`update registration set need = null where need ->> 'digest' = 'd'`);
});

test('a publish records which needs its version meets, so nobody looks at them again', async () => {
  const { database } = world;
  const errors: unknown[] = [];
  const engine = {
    ...world.ports.engine,
    examineNeed: () => Promise.reject(new Error('A need was examined.')),
  };
  const reportError = (error: unknown) => void errors.push(error);
  const asset = await makeAsset(world.ports, await makeTeam(world.ports));
  const { id } = await published(world.ports, asset.id, schemaOf('a', 'b'));
  for (const field of ['$.a', '$.b']) {
    const { id: registrationId } = await consume(world.ports, id, await makeTeam(world.ports));
    const needs = { fields: [field] };
    accepted(
      await verbs.updateRegistration(world.ports, contextOf(), { registrationId, needs, reason }),
    );
  }
  const ports = { ...world.ports, engine, reportError };
  const next = await published(ports, asset.id, schemaOf('a', 'b', 'c'));
  const held = await database.query(
    `select need_contract_id as held from registration where asset_id = '${asset.id}'`,
  );
  expect(held).toEqual([{ held: next.id }, { held: next.id }]);
  expect(errors).toEqual([]);
});

const fresh = { freshness: { max_staleness_minutes: 60 } };

async function readerOfFreshness(contractId: string): Promise<string> {
  const { id: registrationId } = await consume(
    world.ports,
    contractId,
    await makeTeam(world.ports),
  );
  const needs = { fields: ['$.a'], guarantees: ['freshness'] };
  accepted(
    await verbs.updateRegistration(world.ports, contextOf(), { registrationId, needs, reason }),
  );
  return registrationId;
}

async function statusOnceReviewed(registrationId: string) {
  await openSweep(world.ports, contextOf())();
  const registration = await world.ports.reads.getRegistration(registrationId);
  return registration?.need?.status;
}

test('a version that drops a guarantee without asking is not recorded as one that meets the need of it', async () => {
  const { ports } = world;
  const asset = await makeAsset(ports, await makeTeam(ports));
  const { id } = await published(ports, asset.id, schemaOf('a'), { guarantees: fresh });
  const reader = await readerOfFreshness(id);
  await published(ports, asset.id, schemaOf('a'), { guarantees: null });
  expect(await statusOnceReviewed(reader)).toBe('unmet');
});

test('a version meets no need that nobody held against the version before it', async () => {
  const { ports } = world;
  const asset = await makeAsset(ports, await makeTeam(ports));
  const { id } = await published(ports, asset.id, schemaOf('a'), { guarantees: fresh });
  const reader = await readerOfFreshness(id);
  // Published by a process that ended before it looked at the needs.
  const examineNeed = () => Promise.reject(new Error('The process ended.'));
  const ended = { ...ports, engine: { ...ports.engine, examineNeed }, reportError: () => {} };
  await published(ended, asset.id, schemaOf('a'), { guarantees: null });
  await published(ended, asset.id, schemaOf('a', 'b'), { guarantees: null });
  expect(await statusOnceReviewed(reader)).toBe('unmet');
});
