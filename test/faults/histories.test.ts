// Random clients at once on few assets and two processes: all responses fit one order.

import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  openProcess,
  openRegistry,
  type ProcessRegistry,
  type TestRegistry,
} from '../support/client/client-registry.ts';
import { problemsOf } from './ledger.ts';
import { openChance, openStory, readEnd, runClients } from './recorded-clients.ts';

/** More in `make soak`. */
const histories = Number(process.env.API_HISTORIES ?? 10);
const firstSeed = Number(process.env.HISTORY_SEED ?? 1);

let registry: TestRegistry;
let beside: ProcessRegistry;

beforeAll(async () => {
  registry = await openRegistry();
  beside = await openProcess(registry.database.serviceUrl);
});
afterAll(async () => {
  await beside?.stop();
  await registry?.stop();
});

test.each(Array.from({ length: histories }, (_, i) => firstSeed + i))(
  'History %i has one order that agrees with every response',
  async (seed) => {
    const story = await openStory(registry.url, registry.bootstrapKey, 3);
    const clients = runClients({
      replicas: [registry, beside].map(({ url }) => ({ url })),
      story,
      clients: 6,
      acts: 20,
      chance: openChance(seed),
    });
    await clients.done;
    const end = await readEnd(beside.url, registry.bootstrapKey, story);
    expect(end.contracts.length + end.proposals.length).toBeGreaterThan(5);
    expect(problemsOf(clients.entries, end)).toEqual([]);
  },
);
