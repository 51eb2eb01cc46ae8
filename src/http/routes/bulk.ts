// Many writes of one kind in one request. Each item goes to the handler of the single route, so it is
// parsed, decided, recorded and answered as there.

import type { z } from 'zod';
import {
  accept,
  type Failure,
  type FailureCode,
  type Outcome,
  refuse,
} from '../../core/failure.ts';
import { isId } from '../../core/id.ts';
import { parseJson } from '../../core/value/json.ts';
import { rememberNeeds } from '../../engine/remember-needs.ts';
import { keepContext } from '../../ops/outside.ts';
import { allOrNothing } from '../../registry/all-or-nothing.ts';
import type { IdempotencyKey, Ports } from '../../registry/ports.ts';
import type { BulkQuestion } from '../../registry/transaction.ts';
import { representService } from '../../wire/represent/represent.ts';
import type { Route } from '../../wire/route.ts';
import { routes } from '../../wire/routes.ts';
import { type BulkResult, bulkLimit } from '../../wire/shapes/bulk.ts';
import { parseOptions, toValidationFailure } from '../../wire/shapes/problem.ts';
import { type Api, type Call, contextOf, type Handler, keepFailure, write } from '../handler.ts';
import { notFound } from '../not-found.ts';
import { type Answered, type Reply, refusal } from '../request/answer.ts';
import { answerOnce } from '../request/replay.ts';
import { requestFieldsOf } from '../request-fields.ts';
import { createAsset, replyOfUpdate } from './assets.ts';
import { acknowledgeProposal } from './proposals.ts';
import { registerConsumer } from './registrations.ts';

type Handled =
  | 'createAsset'
  | 'registerConsumer'
  | 'acknowledgeProposal'
  | 'updateAsset'
  | 'updateService';
type BulkName = 'bulkAssets' | 'bulkRegistrations' | 'bulkAcknowledgments';
/** What a bulk needs of the call of any route. */
type BulkCall = Pick<
  Call<BulkName | 'reassignAssets'>,
  'actor' | 'context' | 'visit' | 'ifMatch' | 'idempotency'
> & { readonly body: { readonly items: readonly Item[]; readonly mode: Result['mode'] } };
type Result = z.output<typeof BulkResult>;
type Item = Readonly<Record<string, unknown>>;
type ItemResult = Result['results'][number];

interface Single {
  readonly row: Route;
  readonly handler: (api: Api, call: unknown) => Promise<Outcome<Reply>>;
  /** The objects that are locked before the first item runs. */
  readonly locks: (items: readonly Item[]) => BulkQuestion;
  /** What an outcome says of its item beside its place. */
  readonly nameOf?: (item: Item) => Pick<ItemResult, 'asset' | 'service'>;
  /** The route of an item that is not of this kind. */
  readonly otherOf?: (item: Item) => Pick<Single, 'row' | 'handler'> | null;
  /** What the whole answer says beside the outcomes. */
  readonly more?: { readonly next_cursor: string | null };
}

/** The cast is safe, because `parseItem` parses each item by the shapes of this route. */
function single<Name extends Handled>(
  name: Name,
  handler: Handler<Name>,
  locks: Partial<Record<keyof BulkQuestion, string>>,
): Single {
  return {
    row: routes[name],
    handler: handler as Single['handler'],
    locks: (items) => ({
      fqns: textsOf(items, locks.fqns),
      assetIds: idsOf(items, locks.assetIds),
      contractIds: idsOf(items, locks.contractIds),
      proposalIds: idsOf(items, locks.proposalIds),
    }),
  };
}

function idsOf(items: readonly Item[], field: string | undefined): readonly string[] {
  return textsOf(items, field).filter(isId);
}

function textsOf(items: readonly Item[], field: string | undefined): readonly string[] {
  return field === undefined ? [] : items.map((item) => String(item[field]));
}

export const bulkAssets = bulk(single('createAsset', createAsset, { fqns: 'fqn' }));
export const bulkRegistrations = bulk(
  single('registerConsumer', registerConsumer, { contractIds: 'contract_id' }),
);
export const bulkAcknowledgments = bulk(
  single('acknowledgeProposal', acknowledgeProposal, { proposalIds: 'proposal_id' }),
);

/**
 * Every asset of a team is one item, and moves only if it is still the team's. Its services follow the
 * last assets.
 */
export const reassignAssets: Handler<'reassignAssets'> = async (api, call) => {
  const { mode, cursor, ...change } = call.body;
  const { team_id: teamId } = call.params;
  if (teamId === change.owner_team_id) {
    return refuse('VALIDATION_ERROR', 'The assets are this team’s already. Choose another one.', {
      field: 'owner_team_id',
    });
  }
  const { reads } = api.ports;
  if ((await reads.getTeam(teamId)) === null) return notFound('TEAM_NOT_FOUND', teamId);
  const listed = await reads.listAssets({
    ...{ page: 1, pageSize: bulkLimit, includeTotal: false, cursor, ownerTeamId: teamId },
    sort: { field: 'fqn', direction: 'ascending' },
  });
  if (!listed.ok) return listed;
  const { results, nextCursor: next_cursor } = listed.value;
  const services = next_cursor === null ? await servicesOf(reads, teamId) : accept([]);
  if (!services.ok) return services;
  const { owner_team_id } = change;
  const items = [
    ...results.map(({ id }) => ({ asset_id: id, ...change })),
    ...services.value.map(({ id }) => ({ service_id: id, owner_team_id })),
  ];
  const names = new Map(services.value.map(({ id, name }) => [id, name]));
  const fqns = new Map(results.map(({ id, fqn }) => [id, fqn]));
  const moving: Single = {
    ...single('updateAsset', moveFrom(teamId), { assetIds: 'asset_id' }),
    nameOf: ({ asset_id, service_id }) =>
      service_id === undefined
        ? { asset: { id: String(asset_id), fqn: fqns.get(String(asset_id)) ?? '' } }
        : { service: { id: String(service_id), name: names.get(String(service_id)) ?? '' } },
    otherOf: ({ service_id }) =>
      service_id === undefined ? null : single('updateService', moveServiceFrom(teamId), {}),
    more: { next_cursor },
  };
  const done = await bulk(moving)(api, { ...call, body: { items, mode } });
  return done.ok ? accept({ status: 200, body: { ...done.value.body, next_cursor } }) : done;
};

function moveFrom(teamId: string): Handler<'updateAsset'> {
  return write({
    verb: (verbs) => verbs.updateAsset,
    command: ({ params, body }) => ({
      assetId: params.asset_id,
      ownerTeamId: body.owner_team_id,
      request: requestFieldsOf(body.request),
      override: body.override,
      reason: body.reason,
      precondition: ({ ownerTeamId }) => ownerTeamId === teamId,
    }),
    reply: replyOfUpdate,
  });
}

/** All of them, because a team has few. */
async function servicesOf(reads: Ports['reads'], ownerTeamId: string) {
  const whole = { page: 1, pageSize: bulkLimit, includeTotal: false, ownerTeamId };
  const listed = await reads.listServices(whole);
  return listed.ok ? accept(listed.value.results.map(({ service }) => service)) : listed;
}

function moveServiceFrom(teamId: string): Handler<'updateService'> {
  return write({
    verb: (verbs) => verbs.updateService,
    command: ({ params, body }) => ({
      serviceId: params.service_id,
      ownerTeamId: body.owner_team_id,
      precondition: ({ ownerTeamId }) => ownerTeamId === teamId,
    }),
    reply: (service) => ({ status: 200, body: representService(service) }),
  });
}

function bulk(of: Single) {
  return async (api: Api, call: BulkCall): Promise<Outcome<{ status: 200; body: Result }>> => {
    const { items, mode } = call.body;
    if (call.ifMatch !== undefined) {
      const message = `If-Match names one resource, and a bulk writes many. Leave it out${of.row === routes.acknowledgeProposal ? ', and send the "round" of each proposal' : ''}.`;
      return refuse('VALIDATION_ERROR', message, { field: 'If-Match' });
    }
    const inTime = call.visit.countItems(items.length);
    if (!inTime.ok) return inTime;
    const done = await (mode === 'partial' ? eachOnItsOwn : together)(of, api, call);
    await noteDenied(call, done);
    return done.ok ? accept({ status: 200, body: done.value }) : done;
  };
}

/** Records each denied item. A bulk that was denied as a whole is recorded by the pipeline. */
async function noteDenied({ visit }: BulkCall, done: Outcome<Result>): Promise<void> {
  if (!done.ok && done.failure.code === 'FORBIDDEN') return;
  const results = done.ok ? done.value.results : (done.failure.details?.items ?? []);
  for (const item of (results as readonly ItemResult[]).filter(isRefused)) {
    const { code, message } = detailOf(item);
    await visit.noteDenied({ code, message: `Item ${item.index}: ${message}` });
  }
}

function together(of: Single, api: Api, call: BulkCall): Promise<Outcome<Result>> {
  const { items } = call.body;
  const context = contextOf(call, (body: Result) => ({ status: 200, body }));
  // The driver refuses reads on another connection inside a transaction, because they do not see what it
  // wrote. These read what the verbs read before they begin one; what must be current, they read
  // again under the lock.
  const reads = keepContext(api.ports.reads);
  const engine = rememberNeeds(api.ports.engine);
  return allOrNothing({ ...api.ports, reads, engine }, context, of.locks(items), async (ports) => {
    const results = await answerItems(of, { ...api, ports }, call, () => undefined);
    const refused = results.filter(isRefused);
    const [first] = refused;
    return first === undefined
      ? accept({ ...resultOf('transaction', results), ...of.more })
      : { ok: false, failure: failureOf(first, refused) };
  });
}

/** A caller who hung up long ago is not worked for. */
const partialLimitMs = 60_000;

const tooLate = refuse(
  'REGISTRY_UNAVAILABLE',
  `The bulk ran for ${partialLimitMs / 1000} seconds, and this item was not tried. Send the request again with the same Idempotency-Key, or only the items that were not tried.`,
);

/**
 * Each item has its own part of the request's Idempotency-Key. A repeated request runs only the items
 * that the first one did not reach, and those that were refused for a reason that may pass.
 */
async function eachOnItsOwn(of: Single, api: Api, call: BulkCall): Promise<Outcome<Result>> {
  const { idempotency, actor, context } = call;
  const until = Date.parse(context.now()) + partialLimitMs;
  const results = await answerItems(
    of,
    api,
    call,
    (index, item) =>
      idempotency === undefined
        ? undefined
        : // What is left of the assets of a team changes with each attempt, so its items go by their asset.
          { ...idempotency, path: `${idempotency.path}/${idOf(of.nameOf?.(item)) ?? index}` },
    () => Date.parse(context.now()) > until,
  );
  const result = { ...resultOf('partial', results), ...of.more };
  const isFinal = results.every((item) => !isRefused(item) || keepFailure(detailOf(item)) !== null);
  if (idempotency !== undefined && isFinal) {
    const kept = { status: 200, body: JSON.stringify(result) };
    await api.ports.keepAnswer(actor.id, idempotency, kept, context.now());
  }
  return accept(result);
}

function idOf(named: Pick<ItemResult, 'asset' | 'service'> | undefined): string | undefined {
  return named?.asset?.id ?? named?.service?.id;
}

async function answerItems(
  of: Single,
  api: Api,
  call: BulkCall,
  keyOf: (index: number, item: Item) => IdempotencyKey | undefined,
  isLate = () => false,
): Promise<readonly ItemResult[]> {
  const results: ItemResult[] = [];
  for (const [index, item] of call.body.items.entries()) {
    const idempotency = keyOf(index, item);
    const answered = isLate()
      ? answerOf(refusal(tooLate.failure))
      : await answerItem(of, api, { ...call, idempotency }, item);
    results.push({ index, ...of.nameOf?.(item), ...answered });
  }
  return results;
}

async function answerItem(of: Single, api: Api, call: BulkCall, item: Item) {
  const { row, handler } = of.otherOf?.(item) ?? of;
  const parsed = parseItem(row, item);
  const sender = senderOf(api.ports, call);
  const answered = parsed.ok
    ? await answerOnce(sender, () => handler(api, { ...call, ...parsed.value }))
    : refusal(parsed.failure);
  return answerOf(answered);
}

function answerOf({ status, text = '{}' }: Answered): Pick<ItemResult, 'status' | 'body'> {
  const body = parseJson(text);
  if (!body.ok) throw new Error(`An answer is no JSON: ${body.message}`);
  return { status, body: body.value as ItemResult['body'] };
}

function senderOf(ports: Ports, { actor, idempotency, context }: BulkCall) {
  return { ports, actor, idempotency, now: context.now() };
}

/** An item has the fields of the path and of the body side by side. */
function parseItem({ params, body }: Route, item: Item): Outcome<object> {
  const inPath = new Set(Object.keys(params?.shape ?? {}));
  const partOf = (isOfPath: boolean) =>
    Object.fromEntries(Object.entries(item).filter(([field]) => inPath.has(field) === isOfPath));
  const path = params?.safeParse(partOf(true), parseOptions);
  if (path?.error !== undefined) return { ok: false, failure: toValidationFailure(path.error) };
  const rest = body?.safeParse(partOf(false), parseOptions);
  if (rest?.error !== undefined) return { ok: false, failure: toValidationFailure(rest.error) };
  return accept({ params: path?.data, query: {}, body: rest?.data, ifMatch: undefined });
}

function resultOf(mode: Result['mode'], results: readonly ItemResult[]): Result {
  const refused = results.filter(isRefused).length;
  return { mode, succeeded: results.length - refused, refused, results: [...results] };
}

function isRefused({ status }: ItemResult): boolean {
  return status >= 400;
}

/** The error of the first refused item, with its index, and the outcomes of all refused items. */
function failureOf(first: ItemResult, refused: readonly ItemResult[]): Failure {
  const { code, message, field, details } = detailOf(first);
  const place = `items.${first.index}`;
  return {
    code,
    message: `Nothing was written, because ${refused.length === 1 ? 'an item was' : `${refused.length} items were`} refused. Item ${first.index}: ${message}`,
    field: field === undefined ? place : `${place}.${field}`,
    details: { ...details, items: refused },
  };
}

function detailOf({ body }: ItemResult): Failure {
  const { code, message, field, ...details } = body.detail as {
    readonly code: FailureCode;
    readonly message: string;
    readonly field?: string;
  };
  return { code, message, ...(field !== undefined && { field }), details };
}
