// Every known way around review: the attempt, and what refuses it. Each is tried with one process,
// and with two that share a database.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openClient } from '../support/client/client.ts';
import { openProcess, openRegistry } from '../support/client/client-registry.ts';
import { openParty, openWorld, type World } from '../support/client/client-world.ts';
import { afterApproval } from './ways/after-approval.ts';
import { answering } from './ways/answering.ts';
import { atOnce } from './ways/at-once.ts';
import { forcing } from './ways/forcing.ts';
import { imports } from './ways/imports.ts';
import { keysAndRaces } from './ways/keys-and-races.ts';
import { needs } from './ways/needs.ts';
import { selfPublishing } from './ways/on-its-own.ts';
import { promises } from './ways/promises.ts';
import { retired } from './ways/retired.ts';
import { spellings } from './ways/spellings.ts';
import { outcomeOf, type Way } from './ways/way.ts';
import { widened } from './ways/widened.ts';

type Ways = Readonly<Record<string, readonly Way[]>>;

const ways: Ways = {
  'Consumers who come after an approval': afterApproval,
  'Consumers who have said what they read': needs,
  'Archived versions and deleted assets': retired,
  'Answers and reasons': answering,
  'Approvals of less than what would go': widened,
  'Promises taken away': promises,
  'Files imported': imports,
  'Schemas written otherwise': spellings,
  'Keys, agreed questions, and two at once': keysAndRaces,
  'Proposals that publish themselves, and many answers at once': selfPublishing,
  'Two of whom one must be refused': atOnce,
};

const waysOfOne: Ways = { 'One administrator where two are needed': forcing };

const fourEyes = { FOUR_EYES: 'true' };

type Settings = Readonly<Record<string, string>>;

interface Opened {
  readonly world: World;
  readonly stop: () => Promise<void>;
}

async function openOne(settings: Settings): Promise<Opened> {
  const registry = await openRegistry(settings);
  const world = await openWorld(registry.url, registry.bootstrapKey);
  return { world, stop: registry.stop };
}

/** The producer uses one process, its consumers and the administrators the other. */
async function openTwo(settings: Settings): Promise<Opened> {
  const registry = await openRegistry(settings);
  const second = await openProcess(registry.database.serviceUrl, settings);
  const { url, producer } = await openWorld(registry.url, registry.bootstrapKey);
  const admin = openClient(second.url, registry.bootstrapKey);
  const [consumer, other] = [await openParty(admin, 'consumer'), await openParty(admin, 'other')];
  return {
    world: { url, admin, producer, consumer, other },
    stop: async () => {
      await second.stop();
      await registry.stop();
    },
  };
}

describe.each([
  ['one process', openOne, {}, ways],
  ['two processes', openTwo, {}, ways],
  ['one process with FOUR_EYES', openOne, fourEyes, waysOfOne],
  ['two processes with FOUR_EYES', openTwo, fourEyes, waysOfOne],
] as const)('No way around review, on %s:', (_name, open, settings, tried) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(settings);
  });
  afterAll(() => opened.stop());

  describe.each(Object.entries(tried))('%s', (_title, rows) => {
    test.each(rows.map((row) => [row.way, row.refusedBy, row] as const))(
      '%s: %s',
      async (_way, refusedBy, { attempt }) => {
        expect(outcomeOf(await attempt(opened.world))).toBe(refusedBy);
      },
    );
  });
});
