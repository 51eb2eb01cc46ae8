import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Team } from '../../src/core/team.ts';
import { RegistryUnavailable } from '../../src/core/unavailable.ts';
import type { Ports } from '../../src/registry/ports.ts';
import { Fenced, type Fences, NameTaken } from '../../src/registry/sources/fencing.ts';
import { verbs } from '../../src/registry/verbs.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { contextOf, openWorld, type World } from '../registry/world.ts';

let world: World;
let old: Store;
let next: Store;
let team: Team;
let count = 0;

beforeAll(async () => {
  world = await openWorld();
  old = await openStore({ url: world.database.url, rowChecks: 'every' });
  next = await openStore({ url: world.database.url, rowChecks: 'every' });
  const made = await verbs.createTeam(world.ports, contextOf(), { name: 'Checkout' });
  if (!made.ok) throw new Error(made.failure.message);
  team = made.value;
});

afterAll(async () => {
  await old?.stop();
  await next?.stop();
  await world?.close();
});

const freshIdentity = () => `source-${++count}`;

const placeOf = (identity: string) => `/srv/${identity}`;

const sourceOf = (identity: string) => ({
  identity,
  kind: 'directory' as const,
  place: placeOf(identity),
});

const portsOf = (store: Store): Ports => ({ ...world.ports, ...store });

const create = (ports: Ports, fqn: string) =>
  verbs.createAsset(ports, contextOf(), { fqn, ownerTeamId: team.id });

async function rowsOf(fqn: string): Promise<number> {
  const rows = await world.database.query('select from asset where fqn = $1', [fqn]);
  return rows.length;
}

describe('A fence', () => {
  test('lets its leader write until another takes over, and nothing afterwards', async () => {
    const identity = freshIdentity();
    const first = await old.fences.take(sourceOf(identity), 'old');
    const oldPorts = old.fences.guard(portsOf(old), first);
    expect((await create(oldPorts, 'fence.before')).ok).toBe(true);
    const second = await next.fences.take(sourceOf(identity), 'next');
    expect(second.number).toBe(first.number + 1);
    await expect(create(oldPorts, 'fence.after')).rejects.toThrow(Fenced);
    expect(await rowsOf('fence.after')).toBe(0);
    const nextPorts = next.fences.guard(portsOf(next), second);
    expect((await create(nextPorts, 'fence.after')).ok).toBe(true);
    // Another source has a separate fence.
    const elsewhere = await old.fences.take(sourceOf(freshIdentity()), 'old');
    const others = old.fences.guard(portsOf(old), elsewhere);
    expect((await create(others, 'fence.elsewhere')).ok).toBe(true);
  });

  test('ends the transaction of a leader that froze in the middle, and undoes it', async () => {
    const identity = freshIdentity();
    const first = await old.fences.take(sourceOf(identity), 'old');
    const oldPorts = old.fences.guard(portsOf(old), first);
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
    const { promise: frozen, resolve: freeze } = Promise.withResolvers<void>();
    const late = create(
      {
        ...oldPorts,
        transact: (context, body) =>
          oldPorts.transact(context, (transaction) =>
            body({
              ...transaction,
              apply: async (writes) => {
                await transaction.apply(writes);
                freeze();
                await woken;
              },
            }),
          ),
      },
      'fence.frozen',
    );
    late.catch(() => {});
    await frozen;
    const askedAtMs = performance.now();
    const second = await next.fences.take(sourceOf(identity), 'next');
    const waitedMs = performance.now() - askedAtMs;
    expect(waitedMs).toBeGreaterThan(3_000);
    const created = await create(next.fences.guard(portsOf(next), second), 'fence.frozen');
    expect(created.ok).toBe(true);
    wake();
    await expect(late).rejects.toThrow(RegistryUnavailable);
    expect(await rowsOf('fence.frozen')).toBe(1);
  });
});

describe('The name of a cluster', () => {
  test('belongs to one cluster, until that is gone for a minute', async () => {
    const identity = freshIdentity();
    const named = (cluster: string) => ({ ...sourceOf(identity), cluster });
    const first = await old.fences.take(named('first'), 'old');
    await expect(next.fences.take(named('second'), 'next')).rejects.toThrow(NameTaken);
    expect(await old.fences.renew(first)).toBe('held');
    // Another replica in the same cluster.
    const second = await old.fences.take(named('first'), 'next');
    await world.database.query(
      `update controller_lease set renewed_at = renewed_at - interval '61 seconds'
       where identity = $1`,
      [identity],
    );
    const third = await next.fences.take(named('second'), 'next');
    expect([first.number, second.number, third.number]).toEqual([1, 2, 3]);
  });
});

describe('The lease of a source without a cluster', () => {
  const leaseMs = 60_000;
  const expire = (identity: string) =>
    world.database.query(
      `update controller_lease set renewed_at = renewed_at - interval '61 seconds'
       where identity = $1`,
      [identity],
    );

  test('is held by one process at a time, and expires without renewal', async () => {
    const identity = freshIdentity();
    const first = await old.fences.takeIfExpired(sourceOf(identity), 'old', leaseMs);
    if (first === null) throw new Error('nobody held it');
    expect(await next.fences.takeIfExpired(sourceOf(identity), 'next', leaseMs)).toBeNull();
    await expire(identity);
    expect(await old.fences.renew(first)).toBe('held');
    expect(await next.fences.takeIfExpired(sourceOf(identity), 'next', leaseMs)).toBeNull();
    await expire(identity);
    const second = await next.fences.takeIfExpired(sourceOf(identity), 'next', leaseMs);
    expect(second?.number).toBe(first.number + 1);
    expect(await old.fences.renew(first)).toBe('lost');
    await old.fences.giveBack(first);
    expect(await old.fences.takeIfExpired(sourceOf(identity), 'old', leaseMs)).toBeNull();
  });

  test('tells its holder once that an administrator confirmed what is missing', async () => {
    const identity = freshIdentity();
    const fence = await old.fences.take(sourceOf(identity), 'old');
    await world.database.query(
      'update controller_lease set is_confirmed = true where identity = $1',
      [identity],
    );
    expect(await old.fences.renew(fence)).toBe('confirmed');
    expect(await old.fences.renew(fence)).toBe('held');
  });

  test('is free at once after its holder gives it back', async () => {
    const identity = freshIdentity();
    const first = await old.fences.takeIfExpired(sourceOf(identity), 'old', leaseMs);
    if (first === null) throw new Error('nobody held it');
    await old.fences.giveBack(first);
    expect(await next.fences.takeIfExpired(sourceOf(identity), 'next', leaseMs)).not.toBeNull();
  });

  test('is taken by only one of several processes at once', async () => {
    const identity = freshIdentity();
    const ask = (fences: Fences, holder: string) =>
      fences.takeIfExpired(sourceOf(identity), holder, leaseMs);
    const stores = [old, next, old, next, old, next];
    const taken = await Promise.all(stores.map(({ fences }, i) => ask(fences, `process ${i}`)));
    expect(taken.filter((fence) => fence !== null)).toHaveLength(1);
  });
});

describe('A source that was not read since', () => {
  const asset = 'production/shop.orders';
  const ago = (msAgo: number, ...unsettled: string[]) => ({ msAgo, unsettled });

  test('is told if it is configured, also before anybody has read it', async () => {
    const [own, other, unknown] = [freshIdentity(), freshIdentity(), freshIdentity()];
    const fence = await old.fences.take(sourceOf(own), 'old');
    const held = await next.fences.take(sourceOf(other), 'next');
    const unread = (withinMs: number) =>
      old.fences.listUnread(fence, [own, other, unknown], asset, withinMs);
    const all = [placeOf(other), unknown];
    expect(await unread(0)).toEqual(all);
    await next.fences.renew(held, null);
    expect(await unread(60_000)).toEqual(all);
    await next.fences.renew(held, ago(10_000));
    expect(await unread(9_000)).toEqual(all);
    expect(await unread(60_000)).toEqual([unknown]);
    // Its reader has something left to register, so its last complete reading counts.
    await next.fences.renew(held, null);
    expect(await unread(60_000)).toEqual([unknown]);
  });

  test('is told if another process reconciles it, unless that is of an earlier release', async () => {
    const [own, other] = [freshIdentity(), freshIdentity()];
    const fence = await old.fences.take(sourceOf(own), 'old');
    const held = await next.fences.take(sourceOf(other), 'next');
    const unread = async () =>
      (await old.fences.listUnread(fence, [own], asset, 1_000)).includes(placeOf(other));
    expect(await unread()).toBe(false);
    await next.fences.renew(held, ago(60_000));
    expect(await unread()).toBe(true);
    await next.fences.giveBack(held);
    expect(await unread()).toBe(false);
  });

  test('is told if it has a registration of the asset, or of any, that cannot register', async () => {
    const [own, other] = [freshIdentity(), freshIdentity()];
    const fence = await old.fences.take(sourceOf(own), 'old');
    const held = await next.fences.take(sourceOf(other), 'next');
    const unread = async (...unsettled: string[]) => {
      await next.fences.renew(held, ago(0, ...unsettled));
      return old.fences.listUnread(fence, [own, other], asset, 60_000);
    };
    expect(await unread('production/shop.other')).toEqual([]);
    expect(await unread('production/shop.other', asset)).toEqual([placeOf(other)]);
    await next.fences.renew(held, null);
    expect(await old.fences.listUnread(fence, [own, other], asset, 60_000)).toEqual([
      placeOf(other),
    ]);
    expect(await unread('*')).toEqual([placeOf(other)]);
    expect(await unread()).toEqual([]);
  });
});

describe('Only the leader writes', () => {
  test('the records of its objects, which are read back unchanged', async () => {
    const identity = freshIdentity();
    const fence = await old.fences.take(sourceOf(identity), 'old');
    const records = old.sourceObjects(fence);
    const record = {
      key: 'DataContract/shop/orders',
      generation: 1,
      specDigest: 'a',
      isClaimed: false,
      status: null,
      lastSpec: { fqn: 'shop.orders', schema: { maximum: 12 } },
    };
    await records.save(identity, record);
    const other = { ...record, key: 'DataContract/shop/lines' };
    await records.save(identity, other);
    const changed = { ...record, generation: 2, isClaimed: true, status: { version: '1.0.0' } };
    await records.save(identity, changed);
    expect(await records.load(identity)).toEqual([other, changed]);
    await records.remove(identity, other.key);
    expect(await next.sourceObjects(fence).load(identity)).toEqual([changed]);
    await next.fences.take(sourceOf(identity), 'next');
    await expect(records.save(identity, record)).rejects.toThrow(Fenced);
    await expect(records.remove(identity, record.key)).rejects.toThrow(Fenced);
    expect(await records.load(identity)).toEqual([changed]);
  });

  test('the teams of its namespaces: a slug stays with the team it was bound to', async () => {
    const identity = freshIdentity();
    const fence = await old.fences.take(sourceOf(identity), 'old');
    const bindings = old.fences.bindings(fence);
    const made = await verbs.createTeam(world.ports, contextOf(), { name: `Other ${count}` });
    if (!made.ok) throw new Error(made.failure.message);
    const binding = { namespace: 'shop', slug: 'checkout', teamId: team.id };
    expect(await bindings.bind(binding)).toBe(team.id);
    expect(await bindings.bind({ ...binding, teamId: made.value.id })).toBe(team.id);
    expect(await bindings.load()).toEqual([binding]);
    await bindings.unbind('shop', ['billing']);
    expect(await bindings.load()).toEqual([binding]);
    await bindings.unbind('shop', ['checkout']);
    expect(await bindings.load()).toEqual([]);
    await next.fences.take(sourceOf(identity), 'next');
    await expect(bindings.bind(binding)).rejects.toThrow(Fenced);
  });
});
