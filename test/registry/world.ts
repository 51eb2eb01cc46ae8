// A registry without HTTP: verbs on a real database, with as many processes as a test wants.

import { createHash, randomBytes } from 'node:crypto';
import { type Actor, bootstrapActor } from '../../src/core/actor.ts';
import type { Asset } from '../../src/core/asset.ts';
import type { Contract } from '../../src/core/contract.ts';
import type { PublishContract, PublishResult } from '../../src/core/decide/commands.ts';
import type { Outcome } from '../../src/core/failure.ts';
import type { Proposal } from '../../src/core/proposal.ts';
import type { Registration } from '../../src/core/registration.ts';
import type { Team } from '../../src/core/team.ts';
import type { Json } from '../../src/core/value/json.ts';
import { startComparePool } from '../../src/engine/compare-pool.ts';
import { newUuid } from '../../src/ops/uuid.ts';
import type { Context, Ports } from '../../src/registry/ports.ts';
import { verbs } from '../../src/registry/verbs.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { openDatabase, type TestDatabase } from '../support/postgres/postgres.ts';

export interface World {
  readonly database: TestDatabase;
  readonly ports: Ports;
  /** Another process on the same database. */
  readonly otherPorts: Ports;
  readonly close: () => Promise<void>;
}

export async function openWorld(): Promise<World> {
  const database = await openDatabase();
  const engine = startComparePool({ workers: 2, stepBudget: 400_000 });
  const stores: Store[] = [];
  const failures: unknown[] = [];
  const open = async (): Promise<Ports> => {
    const store = await openStore({ url: database.url, rowChecks: 'every' });
    stores.push(store);
    return {
      ...store,
      policy: { keyMaxDays: null, fourEyes: false },
      engine,
      reportError: (error) => void failures.push(error),
    };
  };
  const [ports, otherPorts] = [await open(), await open()];
  return {
    database,
    ports,
    otherPorts,
    close: async () => {
      await Promise.all(stores.map((store) => store.stop()));
      await engine.stop();
      await database.drop();
      if (failures.length > 0) throw new AggregateError(failures, 'Follow-ups failed.');
    },
  };
}

export function contextOf(actor: Actor = bootstrapActor): Context {
  return { actor, requestId: 'req-1', now: () => new Date().toISOString(), newId: newUuid };
}

/** An actor with a key of that team. */
export function memberOf(...teams: readonly Team[]): Actor {
  return {
    type: 'api_key',
    id: newUuid(),
    name: `key of ${teams.map(({ name }) => name).join(', ')}`,
    scope: 'write',
    teams: teams.map(({ id }) => id),
  };
}

export function accepted<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
  return outcome.value;
}

export function codeOf(outcome: Outcome<unknown>): string {
  return outcome.ok ? 'ok' : outcome.failure.code;
}

export async function makeTeam(ports: Ports, name = newName('team')): Promise<Team> {
  return accepted(await verbs.createTeam(ports, contextOf(), { name }));
}

export async function makeAsset(
  ports: Ports,
  owner: Team,
  more: {
    readonly fqn?: string;
    readonly environment?: string;
    readonly autoPublish?: boolean;
  } = {},
): Promise<Asset> {
  const command = { fqn: newName('shop.orders'), ownerTeamId: owner.id, ...more };
  return accepted(await verbs.createAsset(ports, contextOf(), command));
}

export function publish(
  ports: Ports,
  assetId: string,
  schema: Json,
  more: Partial<PublishContract> & { readonly actor?: Actor } = {},
): Promise<Outcome<PublishResult>> {
  const { actor, ...command } = more;
  return verbs.publishContract(ports, contextOf(actor), {
    assetId,
    schema,
    dryRun: false,
    supersede: false,
    ...command,
  });
}

export async function published(
  ports: Ports,
  assetId: string,
  schema: Json,
  more: Partial<PublishContract> = {},
): Promise<Contract> {
  const result = accepted(await publish(ports, assetId, schema, more));
  if (result.action !== 'published' || result.contract.id === null) {
    throw new Error(`Not published but ${result.action}.`);
  }
  return { ...result.contract, id: result.contract.id };
}

export async function proposed(
  ports: Ports,
  assetId: string,
  schema: Json,
  more: Partial<PublishContract> = {},
): Promise<Proposal> {
  const result = accepted(await publish(ports, assetId, schema, more));
  if (result.action !== 'proposal_created' || result.proposal.id === null) {
    throw new Error(`Not proposed but ${result.action}.`);
  }
  return { ...result.proposal, id: result.proposal.id };
}

export async function consume(ports: Ports, contractId: string, team: Team): Promise<Registration> {
  const command = { contractId, consumerTeamId: team.id };
  return accepted(await verbs.registerConsumer(ports, contextOf(), command));
}

/** An object with these properties, all strings; the named ones are required. */
export function schemaOf(...properties: readonly string[]): Json {
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map((name) => [name, { type: 'string' }])),
  };
}

export function newName(prefix: string): string {
  return `${prefix}_${randomBytes(5).toString('hex')}`;
}

export function newSecret(): { readonly digest: Uint8Array; readonly prefix: string } {
  const secret = `cdt_live_${randomBytes(20).toString('hex')}`;
  return { digest: createHash('sha256').update(secret).digest(), prefix: secret.slice(0, 12) };
}

export const page = { page: 1, pageSize: 100, includeTotal: true };

/** The audit events of an object, oldest first. */
export async function historyOf(ports: Ports, entityId: string) {
  const query = { personal: 'all' as const, limit: 100, offset: 0, includeTotal: true, entityId };
  return accepted(await ports.reads.listEvents(query)).results.toReversed();
}

export { verbs };
