// Clients that publish, answer, withdraw and read, each in its own order, on any available replica.
// A request without a response is repeated under its Idempotency-Key until there is one; all
// responses are recorded.

import { randomUUID } from 'node:crypto';
import type { ResultOf } from '../../src/wire/client.ts';
import { createClient } from '../../src/wire/client.ts';
import type { Routes } from '../../src/wire/routes.ts';
import { openClient } from '../support/client/client.ts';
import {
  createAsset,
  must,
  openWorld,
  type Party,
  publishOk,
  register,
} from '../support/client/client-world.ts';
import type { Entry, FinalState, Told } from './ledger.ts';

/** One may be away, and come back at another address. */
export interface Replica {
  url: string;
}

type Chance = () => number;

/** Numbers below 1 that look random and are the same for the same seed. */
export function openChance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Story {
  readonly assetIds: readonly string[];
  readonly producer: Party;
  readonly consumers: readonly Party[];
}

/** Few assets, so that clients conflict; two of three have a consumer. */
export async function openStory(url: string, key: string, assets: number): Promise<Story> {
  const world = await openWorld(url, key);
  const assetIds: string[] = [];
  for (let i = 0; i < assets; i++) {
    const { id } = await createAsset(world.producer);
    const contractId = await publishOk(world.producer.client, id, {
      schema: schemaOf('first', []),
    });
    if (i % 3 !== 0) await register(world.consumer, contractId);
    if (i % 3 === 2) await register(world.other, contractId);
    assetIds.push(id);
  }
  return { assetIds, producer: world.producer, consumers: [world.consumer, world.other] };
}

const columns = ['a', 'b', 'c', 'd'];

/** Removing a column breaks, adding one does not. */
function schemaOf(mark: string, present: readonly string[]) {
  const properties = Object.fromEntries(
    ['id', ...present].map((name) => [name, { type: 'string' }]),
  );
  return { type: 'object', description: mark, properties, required: ['id'] };
}

export interface Recording {
  readonly entries: readonly Entry[];
  /** Resolves when this many were written down in all. */
  readonly reached: (count: number) => Promise<void>;
}

interface RunOptions {
  readonly replicas: readonly Replica[];
  readonly story: Story;
  readonly clients: number;
  /** Of each client. */
  readonly acts: number;
  /** Ends all clients before that. */
  readonly isOver?: () => boolean;
  readonly chance: Chance;
}

export function runClients(options: RunOptions): Recording & { readonly done: Promise<void> } {
  const entries: Entry[] = [];
  const waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();
  const write = (entry: Entry) => {
    entries.push(entry);
    for (const each of waiting) {
      if (entries.length < each.count) continue;
      waiting.delete(each);
      each.resolve();
    }
  };
  const clock = { now: 0 };
  const done = Promise.all(
    Array.from({ length: options.clients }, (_, client) =>
      runClient(options, client, clock, write),
    ),
  ).then(() => {});
  const reached = (count: number) =>
    new Promise<void>((resolve, reject) => {
      if (entries.length >= count) return resolve();
      waiting.add({ count, resolve });
      // A client that failed writes no more.
      done.catch(reject);
    });
  return { entries, reached, done };
}

async function runClient(
  { replicas, story, acts, chance, isOver = () => false }: RunOptions,
  client: number,
  clock: { now: number },
  write: (entry: Entry) => void,
): Promise<void> {
  const pick = <T>(list: readonly T[]): T => {
    const picked = list[Math.floor(chance() * list.length)];
    if (picked === undefined) throw new Error('There is nothing to pick from.');
    return picked;
  };
  const hand: Hand = {
    producerKey: story.producer.key,
    send: (act) => untilAnswered(() => pick(replicas).url, act),
  };
  let seen: string | null = null;

  for (let number = 0; number < acts && !isOver(); number++) {
    const assetId = pick(story.assetIds);
    const dice = chance();
    const from = ++clock.now;
    const note = (done: Done) => write({ ...done, from, to: ++clock.now });
    if (dice < 0.4) {
      const kept = columns.filter(() => chance() < 0.7);
      const published = await publish(hand, assetId, `mark ${client}/${number}`, kept);
      if (published.told.is === 'proposed') seen = published.told.proposalId;
      note(published);
    } else if (dice < 0.6) note(await readActive(hand, assetId));
    else if (seen === null) continue;
    else if (dice < 0.7) note(await readState(hand, seen));
    else if (dice < 0.95) note(await answer(hand, seen, pick(story.consumers).key));
    else note(await withdraw(hand, seen));
  }
}

/** What a client does its acts by. */
interface Hand {
  readonly producerKey: string;
  readonly send: <R>(
    act: (url: string, headers: Record<string, string>) => Promise<R>,
  ) => Promise<R>;
}

type Untimed<E> = E extends Entry ? Omit<E, 'from' | 'to'> : never;
type Done = Untimed<Entry>;
type DoneAs<A extends Entry['act']> = Extract<Done, { readonly act: A }>;

async function publish(
  { producerKey: key, send }: Hand,
  assetId: string,
  mark: string,
  kept: readonly string[],
): Promise<DoneAs<'publish'>> {
  const params = { asset_id: assetId };
  const body = { schema: schemaOf(mark, kept) };
  const answered = await send((url, headers) =>
    createClient({ baseUrl: url, key }).publishContract({ params, body, headers }),
  );
  return { act: 'publish', assetId, mark, told: toldOf(answered) };
}

async function readActive({ producerKey, send }: Hand, assetId: string): Promise<Done> {
  const params = { asset_id: assetId };
  const query = { status: 'active' as const };
  const answered = await send((url) =>
    openClient(url, producerKey).listAssetContracts({ params, query }),
  );
  const versions = must(answered, 200).results.map(({ version }) => version);
  return { act: 'read active', assetId, versions };
}

async function readState({ producerKey, send }: Hand, proposalId: string): Promise<Done> {
  const params = { proposal_id: proposalId };
  const answered = await send((url) => openClient(url, producerKey).getProposal({ params }));
  return { act: 'read state', proposalId, state: must(answered, 200).status };
}

async function answer({ send }: Hand, proposalId: string, key: string): Promise<Done> {
  const params = { proposal_id: proposalId };
  const { ok: isTaken } = await send((url, headers) =>
    createClient({ baseUrl: url, key }).acknowledgeProposal({ params, body: {}, headers }),
  );
  return { act: 'answer', proposalId, isTaken };
}

async function withdraw({ producerKey: key, send }: Hand, proposalId: string): Promise<Done> {
  const params = { proposal_id: proposalId };
  const body = { reason: 'It was a mistake.' };
  const { ok: isTaken } = await send((url, headers) =>
    createClient({ baseUrl: url, key }).withdrawProposal({ params, body, headers }),
  );
  return { act: 'withdraw', proposalId, isTaken };
}

/** Nobody waits longer for a registry that comes back. */
const patienceMs = 120_000;
const answerMs = 15_000;

/** With one key: the last response says whether the first, unanswered request took effect. */
async function untilAnswered<R>(
  urlOf: () => string,
  act: (url: string, headers: Record<string, string>) => Promise<R>,
): Promise<R> {
  const headers = { 'Idempotency-Key': randomUUID() };
  const startedAt = performance.now();
  for (;;) {
    const result = await Promise.race([
      act(urlOf(), headers).catch((error: unknown) => ({ error })),
      new Promise<{ readonly error: unknown }>((late) => {
        setTimeout(() => late({ error: new Error('Nobody answered.') }), answerMs).unref();
      }),
    ]);
    if (!isAway(result)) return result as R;
    if (performance.now() - startedAt > patienceMs) throw new Error(JSON.stringify(result));
    await new Promise((again) => setTimeout(again, 50));
  }
}

function isAway(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false;
  if ('error' in result) return true;
  const { status, refusal } = result as { status?: number; refusal?: { code?: string } };
  return (status ?? 0) >= 500 || refusal?.code === 'IDEMPOTENCY_CONFLICT';
}

function toldOf(answer: ResultOf<Routes['publishContract']>): Told {
  if (!answer.ok) return { is: 'refused', code: answer.refusal.code };
  const { body } = answer;
  if (body.action === 'published') {
    return { is: 'published', contractId: body.contract.id ?? '', version: body.contract.version };
  }
  if (body.action === 'unchanged') return { is: 'refused', code: 'unchanged' };
  return { is: 'proposed', proposalId: body.proposal.id ?? '', isNew: body.existing !== true };
}

/** Everything that is known of these assets, by the lists that people use. */
export async function readEnd(url: string, key: string, story: Story): Promise<FinalState> {
  const client = openClient(url, key);
  const contracts: FinalState['contracts'][number][] = [];
  const proposals: FinalState['proposals'][number][] = [];
  for (const assetId of story.assetIds) {
    const query = { page_size: 100, include_total: false };
    const versions = await allPages((cursor) =>
      client
        .listAssetContracts({ params: { asset_id: assetId }, query: { ...query, cursor } })
        .then((answer) => must(answer, 200)),
    );
    for (const { id, version, status, schema } of versions) {
      contracts.push({ id, assetId, version, status, mark: markOf(schema) });
    }
    const asked = await allPages((cursor) =>
      client
        .listProposals({ query: { ...query, asset_id: assetId, cursor } })
        .then((answer) => must(answer, 200)),
    );
    for (const { id } of asked) {
      const whole = must(await client.getProposal({ params: { proposal_id: id } }), 200);
      const { status: state, proposed_schema, published_contract_id } = whole;
      const mark = markOf(proposed_schema);
      proposals.push({ id, state, mark, publishedContractId: published_contract_id });
    }
  }
  const events = await allPages((cursor) =>
    client
      .listEvents({ query: { limit: 100, include_total: false, cursor } })
      .then((answer) => must(answer, 200)),
  );
  return {
    // What the story began with was recorded by nobody.
    contracts: contracts.filter(({ mark }) => mark !== 'first'),
    proposals,
    events: events.map(({ event_type, entity_id }) => ({ type: event_type, entityId: entity_id })),
  };
}

function markOf(schema: unknown): string {
  return String((schema as { readonly description?: unknown } | undefined)?.description);
}

async function allPages<T>(
  read: (cursor: string | undefined) => Promise<{
    readonly results: readonly T[];
    readonly next_cursor: string | null;
  }>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    all.push(...page.results);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}
