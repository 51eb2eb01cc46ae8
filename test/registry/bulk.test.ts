// Many verbs in one transaction: what they ask the engine, and how long they hold their locks.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { accept } from '../../src/core/failure.ts';
import { rememberNeeds } from '../../src/engine/remember-needs.ts';
import { keepContext } from '../../src/ops/outside.ts';
import { allOrNothing } from '../../src/registry/all-or-nothing.ts';
import type { Context, Ports } from '../../src/registry/ports.ts';
import {
  accepted,
  codeOf,
  contextOf,
  makeAsset,
  makeTeam,
  openWorld,
  published,
  schemaOf,
  verbs,
  type World,
} from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

async function readers(ports: Ports) {
  const owner = await makeTeam(world.ports);
  const consumer = await makeTeam(world.ports);
  const assets = [await makeAsset(world.ports, owner), await makeAsset(world.ports, owner)];
  const contractIds = await Promise.all(
    assets.map(async ({ id }) => (await published(world.ports, id, schemaOf('a', 'b'))).id),
  );
  const question = { fqns: [], assetIds: [], proposalIds: [], contractIds };
  const registerAll = (context: Context) =>
    allOrNothing(
      { ...ports, reads: keepContext(ports.reads), engine: rememberNeeds(ports.engine) },
      context,
      question,
      async (within) => {
        for (const contractId of contractIds) {
          const command = { contractId, consumerTeamId: consumer.id, needs: { fields: ['$.a'] } };
          const outcome = await verbs.registerConsumer(within, contextOf(), command);
          if (!outcome.ok) return outcome;
        }
        return accept(contractIds.length);
      },
    );
  const count = async () =>
    await world.database.query(
      `select count(*)::int as count from registration where consumer_team_id = '${consumer.id}'`,
    );
  return { registerAll, count };
}

test('the engine is asked about the needs of a bulk while none of its assets is locked', async () => {
  let asked = 0;
  const examineNeed: Ports['engine']['examineNeed'] = async (question) => {
    asked++;
    await world.database.query('select id from asset for update nowait');
    return world.ports.engine.examineNeed(question);
  };
  const { registerAll, count } = await readers({
    ...world.ports,
    engine: { ...world.ports.engine, examineNeed },
  });
  expect(accepted(await registerAll(contextOf()))).toBe(2);
  expect(await count()).toEqual([{ count: 2 }]);
  expect(asked).toBe(1);
});

test('a bulk that has its assets locked for too long writes nothing', async () => {
  const { registerAll, count } = await readers(world.ports);
  let at = Date.parse('2026-01-01T00:00:00Z');
  const now = () => {
    at += 15_000;
    return new Date(at).toISOString();
  };
  const outcome = await registerAll({ ...contextOf(), now });
  expect(codeOf(outcome)).toBe('REGISTRY_UNAVAILABLE');
  expect(await count()).toEqual([{ count: 0 }]);
});
