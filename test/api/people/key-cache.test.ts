// How long a cached key is accepted.

import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthenticate } from '../../../src/http/request/caller/auth.ts';
import type { HeardChanges } from '../../../src/http/request/caller/lookup.ts';
import { openSessionDoor } from '../../../src/http/request/caller/session.ts';
import { openStore, type Store } from '../../../src/store/store.ts';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import {
  createUser,
  issueKey,
  openWorld,
  signIn,
  type World,
} from '../../support/client/client-world.ts';

let registry: TestRegistry;
let world: World;
let store: Store;

beforeAll(async () => {
  registry = await openRegistry();
  world = await openWorld(registry.url, registry.bootstrapKey);
  store = await openStore({ url: registry.database.url });
});
afterAll(async () => {
  await store.stop();
  await registry.stop();
});

/** Looks up keys in the real store, with a clock and notifications under the test's control. */
function openDoor() {
  const door = { now: 1_000_000, isListening: true };
  const hearers: ((heard: HeardChanges) => void)[] = [];
  const authenticate = createAuthenticate({
    findKeysByDigest: store.reads.findKeysByDigest,
    keyChanges: {
      isListening: () => door.isListening,
      onChange: (hear) => hearers.push(hear),
    },
    bootstrapKey: undefined,
    acceptsBootstrapKey: () => true,
    clock: () => door.now,
    elapsedMs: () => door.now,
  });
  return Object.assign(door, {
    admits: async (key: string) => (await authenticate(`Bearer ${key}`)).ok,
    hear: (heard: HeardChanges) => {
      for (const hear of hearers) hear(heard);
    },
  });
}

async function newKey(): Promise<string> {
  return issueKey(world.admin, { team_id: world.other.teamId, scopes: ['read'] });
}

/** Directly in the database, without a notification. */
async function revokeUnheard(key: string): Promise<void> {
  await registry.database.query('update api_key set revoked_at = now() where digest = $1', [
    hash('sha256', key, 'buffer'),
  ]);
}

test('Without notifications, a revoked key is accepted for at most one second', async () => {
  const door = openDoor();
  door.isListening = false;
  const key = await newKey();
  expect(await door.admits(key)).toBe(true);
  await revokeUnheard(key);
  door.now += 999;
  expect(await door.admits(key)).toBe(true);
  door.now += 1;
  expect(await door.admits(key)).toBe(false);
});

test('With notifications, a lost one is made up for within ten seconds', async () => {
  const door = openDoor();
  const key = await newKey();
  expect(await door.admits(key)).toBe(true);
  await revokeUnheard(key);
  door.now += 9_999;
  expect(await door.admits(key)).toBe(true);
  door.now += 1;
  expect(await door.admits(key)).toBe(false);
});

test('Losing notifications shortens the life of existing cache entries', async () => {
  const door = openDoor();
  const key = await newKey();
  expect(await door.admits(key)).toBe(true);
  await revokeUnheard(key);
  door.isListening = false;
  door.now += 1_000;
  expect(await door.admits(key)).toBe(false);
});

test.each<[string, HeardChanges]>([
  ['a revoked key', { events: [{ eventType: 'api_key.revoked' }] }],
  ['a deleted team', { events: [{ eventType: 'team.deleted' }] }],
  ['more than a message holds, or hearing anew', { events: 'many' }],
])('Hearing of %s ends the belief at once', async (_what, heard) => {
  const door = openDoor();
  const key = await newKey();
  expect(await door.admits(key)).toBe(true);
  await revokeUnheard(key);
  door.hear(heard);
  expect(await door.admits(key)).toBe(false);
});

test('Unrelated notifications cause no lookup', async () => {
  const door = openDoor();
  const key = await newKey();
  expect(await door.admits(key)).toBe(true);
  await revokeUnheard(key);
  door.hear({ events: [{ eventType: 'contract.published' }] });
  expect(await door.admits(key)).toBe(true);
});

test('A lookup during which its key was revoked is not cached', async () => {
  const door = openDoor();
  const key = await newKey();
  const underWay = door.admits(key);
  door.hear({ events: [{ eventType: 'api_key.revoked' }] });
  await underWay;
  await revokeUnheard(key);
  expect(await door.admits(key)).toBe(false);
});

test('Unknown keys wait for one statement, and share the next', async () => {
  const batches: number[] = [];
  const authenticate = createAuthenticate({
    findKeysByDigest: (digests) => {
      batches.push(digests.length);
      return store.reads.findKeysByDigest(digests);
    },
    keyChanges: { isListening: () => true, onChange: () => {} },
    bootstrapKey: undefined,
    acceptsBootstrapKey: () => true,
    clock: Date.now,
    elapsedMs: () => 0,
  });
  const good = [await newKey(), await newKey()];
  const guesses = Array.from({ length: 600 }, (_, i) => `cdt_live_${String(i).padStart(43, '0')}`);
  const asked = [...guesses.slice(0, 300), good[0], ...guesses.slice(300), good[1]];
  const answers = await Promise.all(asked.map(async (key) => authenticate(`Bearer ${key}`)));
  expect(batches).toEqual([1, 500, 101]);
  expect(asked.filter((_, i) => answers[i]?.ok)).toEqual(good);
});

test('A session that ended in this process is refused before any notification arrives', async () => {
  const door = openSessionDoor({
    findSessions: store.reads.findSessions,
    changes: { isListening: () => true, onChange: () => {} },
    isOffered: () => true,
    clock: Date.now,
    elapsedMs: () => 1_000_000,
    noteUse: () => {},
  });
  const user = await createUser(world.admin);
  const { cookie } = await signIn(world.admin, user.email);
  const token = cookie.split('=')[1] ?? '';
  const isIn = async () => (await door.resume(token, 'counts')) !== null;
  expect(await isIn()).toBe(true);
  await registry.database.query('delete from session where user_id = $1', [user.id]);
  expect(await isIn()).toBe(true);
  door.end(token);
  expect(await isIn()).toBe(false);
});
