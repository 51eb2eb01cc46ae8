// Teams, keys and assets as the starting point of a test, created through the API.

import { afterAll, expect } from 'vitest';
import type { ReplyOf, Routes } from '../../../src/wire/routes.ts';
import { type BrowserSession, openClient, type TestClient } from './client.ts';
import { openRegistry, type TestRegistry } from './client-registry.ts';

export interface Party {
  readonly teamId: string;
  readonly name: string;
  /** Scope write, only for this team. */
  readonly key: string;
  readonly client: TestClient;
}

export interface World {
  readonly url: string;
  /** With the bootstrap key. */
  readonly admin: TestClient;
  readonly producer: Party;
  readonly consumer: Party;
  readonly other: Party;
}

/** Three teams in a registry, shared by the tests of a file. */
export async function openRegistryForFile(
  ...asked: Parameters<typeof openRegistry>
): Promise<{ readonly registry: TestRegistry; readonly world: World }> {
  const registry = await openRegistry(...asked);
  afterAll(() => registry.stop());
  return { registry, world: await openWorld(registry.url, registry.bootstrapKey) };
}

export async function openWorld(url: string, bootstrapKey: string): Promise<World> {
  const admin = openClient(url, bootstrapKey);
  const [producer, consumer, other] = await Promise.all([
    openParty(admin, 'producer'),
    openParty(admin, 'consumer'),
    openParty(admin, 'other'),
  ]);
  return { url, admin, producer, consumer, other };
}

export async function openParty(admin: TestClient, role: string): Promise<Party> {
  const name = uniqueName(role);
  const team = must(await admin.createTeam({ body: { name } }), 201);
  const key = await issueKey(admin, { team_id: team.id, scopes: ['write'] });
  return { teamId: team.id, name, key, client: admin.as(key) };
}

type KeyCreate = Parameters<TestClient['issueApiKey']>[0]['body'];

export async function issueKey(admin: TestClient, key: Omit<KeyCreate, 'name'>): Promise<string> {
  const issued = must(await admin.issueApiKey({ body: { name: uniqueName('key'), ...key } }), 201);
  if (issued.key === undefined) throw new Error('The key came without its secret.');
  return issued.key;
}

export const password = 'correct horse battery staple';

type UserCreate = Parameters<TestClient['createUser']>[0]['body'];

export async function createUser(admin: TestClient, more: Partial<UserCreate> = {}) {
  const email = `${uniqueName('user').replace(' ', '-')}@example.com`;
  return must(await admin.createUser({ body: { email, password, ...more } }), 201);
}

/** Signs in like a browser, and keeps the cookie and the token. */
export async function signIn(client: TestClient, email: string): Promise<BrowserSession> {
  const answer = await client.logIn({ body: { email, password } });
  const { csrf_token } = must(answer, 200);
  return { cookie: cookieOf(answer.headers), csrfToken: csrf_token };
}

export function cookieOf(headers: Headers): string {
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

let names = 0;

/** Files share nothing but code, so a number makes names unique. */
export function uniqueName(what: string): string {
  names++;
  return `${what} ${names}`;
}

type Result = { readonly ok: boolean; readonly status: number };

type BodyOf<R, S> = R extends { readonly ok: true; readonly status: S; readonly body: infer B }
  ? B
  : never;

/** The body of a response that must have this status. */
export function must<R extends Result, S extends Extract<R, { readonly ok: true }>['status']>(
  result: R,
  status: S,
): BodyOf<R, S> {
  if (!result.ok || result.status !== status) {
    const refusal = 'refusal' in result ? JSON.stringify(result.refusal) : '';
    throw new Error(`Expected ${status}, and the answer was ${result.status} ${refusal}`);
  }
  // The status determines which of the bodies it is.
  return ('body' in result ? result.body : undefined) as BodyOf<R, S>;
}

/** Checks that a response is this refusal, and returns its detail. */
export function mustRefuse(result: Result, status: number, code: string): Record<string, unknown> {
  const refusal = 'refusal' in result ? (result.refusal as Record<string, unknown>) : null;
  expect({ status: result.status, code: refusal?.code ?? 'none' }, JSON.stringify(refusal)).toEqual(
    {
      status,
      code,
    },
  );
  return refusal ?? {};
}

export const orderSchema = {
  type: 'object',
  properties: { id: { type: 'integer' }, total: { type: 'number' } },
  required: ['id'],
};

/** Another optional property, which does not break. */
export const widerSchema = {
  ...orderSchema,
  properties: { ...orderSchema.properties, note: { type: 'string' } },
};

/** One property less, which breaks. */
export const narrowerSchema = {
  type: 'object',
  properties: { id: { type: 'integer' } },
  required: ['id'],
};

export async function createAsset(party: Party, more: Record<string, unknown> = {}) {
  const fqn = `shop.public.${uniqueName('orders').replace(' ', '_')}`;
  return must(
    await party.client.createAsset({ body: { fqn, owner_team_id: party.teamId, ...more } }),
    201,
  );
}

type PublishBody = Parameters<TestClient['publishContract']>[0]['body'];

export async function createService(party: Party, more: Record<string, unknown> = {}) {
  const body = {
    ...{ name: uniqueName('service').replace(' ', '-'), owner_team_id: party.teamId },
    ...more,
  };
  return must(await party.client.createService({ body }), 201);
}

export async function publish(
  client: TestClient,
  assetId: string,
  body: PublishBody,
): Promise<ReplyOf<Routes['publishContract']>['body']> {
  const result = await client.publishContract({ params: { asset_id: assetId }, body });
  if (!result.ok) throw new Error(`Publishing was refused: ${JSON.stringify(result.refusal)}`);
  return result.body;
}

/** Publishes a schema that must be accepted, and returns the contract's id. */
export async function publishOk(
  client: TestClient,
  assetId: string,
  body: PublishBody,
): Promise<string> {
  const result = await publish(client, assetId, body);
  if (result.action !== 'published' || result.contract.id === null) {
    throw new Error(`Expected it to be published: ${JSON.stringify(result)}`);
  }
  return result.contract.id;
}

export async function register(party: Party, contractId: string) {
  return must(
    await party.client.registerConsumer({
      body: { contract_id: contractId, consumer_team_id: party.teamId },
    }),
    201,
  );
}

export interface Published {
  readonly assetId: string;
  readonly fqn: string;
  readonly contractId: string;
}

export async function publishedAsset(
  producer: Party,
  more: Record<string, unknown> = {},
): Promise<Published> {
  const asset = await createAsset(producer, more);
  const contractId = await publishOk(producer.client, asset.id, { schema: orderSchema });
  return { assetId: asset.id, fqn: asset.fqn, contractId };
}

interface Proposed extends Published {
  readonly proposalId: string;
}

/** An asset with these consumers, and a pending proposal for them. */
export async function proposedAsset(
  producer: Party,
  consumers: readonly Party[],
  more: Record<string, unknown> = {},
): Promise<Proposed> {
  const published = await publishedAsset(producer, more);
  for (const consumer of consumers) await register(consumer, published.contractId);
  const proposalId = await propose(producer.client, published.assetId, narrowerSchema);
  return { ...published, proposalId };
}

export async function propose(
  client: TestClient,
  assetId: string,
  schema: PublishBody['schema'],
): Promise<string> {
  const result = await publish(client, assetId, { schema });
  if (result.action !== 'proposal_created' || result.proposal.id === null) {
    throw new Error(`Expected a proposal: ${JSON.stringify(result)}`);
  }
  return result.proposal.id;
}
