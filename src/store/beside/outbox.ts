// Turns messages into deliveries, and decides which process sends them. The network is used between
// these transactions, never within them, and no row is locked that writers lock.

import { type CommonQueryMethods, type DatabasePool, type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { SecretCipher } from '../../core/secret-cipher.ts';
import { webhookFormats } from '../../core/webhook.ts';
import type {
  Claimed,
  ClaimQuestion,
  Dispatch,
  DispatchResult,
  Message,
  Outbox,
  Receiver,
} from '../../registry/webhooks/outbox.ts';
import { transactionPatienceMs, whileAvailable } from '../postgres/database-errors.ts';
import {
  eventColumns,
  eventRow,
  id,
  isSending,
  nextSummary,
  nothingRow,
  timestamp,
} from '../postgres/rows.ts';
import { encryptedTarget, isReadable, targetOf, userUrl } from '../postgres/webhook-secrets.ts';

export function outboxOf(pool: DatabasePool, cipher: SecretCipher | null): Outbox {
  return {
    fanOut: () => whileAvailable(() => fanOut(pool), transactionPatienceMs),
    claim: (question) => whileAvailable(() => claim(pool, cipher, question), transactionPatienceMs),
    settle: (dispatch, result) =>
      whileAvailable(() => settle(pool, dispatch, result), transactionPatienceMs),
    giveBack: (dispatch) => whileAvailable(() => giveBack(pool, dispatch)),
    findReceiver: (webhookId) => whileAvailable(() => findReceiver(pool, cipher, webhookId)),
    prune: () => whileAvailable(() => prune(pool), transactionPatienceMs),
  };
}

/** About a millisecond per hundred, so a writer that waits for a connection waits little longer. */
const fanOutLimit = 500;

const outboxRow = z.object({ id: z.int(), toldTo: z.array(id).nullable() });
const lockRow = z.object({ mine: z.boolean() });

/**
 * Only one process at a time, because two could deliver messages of one asset out of order. A
 * message that commits later is found by the next pass, whatever its number.
 */
function fanOut(pool: DatabasePool): Promise<boolean> {
  return pool.transaction(async (connection) => {
    const { mine } = await connection.one(sql.type(lockRow)`
      select pg_try_advisory_xact_lock(hashtextextended('outbox', 3)) as mine`);
    if (!mine) return false;
    const waiting = await connection.any(sql.type(outboxRow)`
      select id, told_to as "toldTo" from outbox order by id limit ${fanOutLimit}`);
    if (waiting.length === 0) return false;
    const told = new Set(waiting.flatMap(({ toldTo }) => toldTo ?? []));
    await connection.query(sql.type(nothingRow)`
      with subscriber as materialized (
        -- Held against being deleted, before any lane is: who deletes takes them in this order.
        select webhook.id, webhook.events,
          case when webhook.user_id is null then webhook.team_ids else array(
            select team_id from app_user where app_user.id = webhook.user_id) end as team_ids
        from webhook
        where ${isSending} and (webhook.user_id is null or webhook.user_id in (
          select app_user.id from app_user
          where app_user.team_id = any(${sql.array([...told], 'uuid')})))
        order by webhook.id for key share of webhook
      ), taken as (
        delete from outbox
        where id = any(${sql.array(
          waiting.map((each) => each.id),
          'int8',
        )})
        returning id, event_id, event_type, asset_id, told_to, created_at
      ), made as (
        insert into delivery (webhook_id, asset_id, sequence, place, event_id, event_type,
          team_ids, state, created_at, queued_at)
        select subscriber.id, taken.asset_id, taken.id, taken.id, taken.event_id,
          taken.event_type, taken.told_to, 'pending', taken.created_at, clock_timestamp()
        from taken
        join subscriber
          on (subscriber.events = '{}' or taken.event_type = any(subscriber.events))
          and (subscriber.team_ids = '{}' or taken.told_to && subscriber.team_ids)
        where taken.told_to is not null
        on conflict (webhook_id, event_id) do nothing
        returning webhook_id, asset_id, event_id
      ), urgent as (
        -- An answer that is asked for by the day of the next summary: it would come too late there.
        update webhook set summary_due_at = clock_timestamp()
        from made
        where webhook.id = made.webhook_id and webhook.daily_at is not null
          and webhook.summary_claim is null
          and (
            select coalesce(metadata -> 'request' ->> 'answer_by', metadata ->> 'answer_by')
            from audit_event where audit_event.id = made.event_id
          ) <= to_char(webhook.summary_due_at at time zone 'UTC', 'YYYY-MM-DD')
      ), lane as (
        insert into delivery_lane (webhook_id, asset_id, due_at)
        select webhook_id, asset_id, clock_timestamp() from made group by webhook_id, asset_id
        on conflict (webhook_id, asset_id) do update
        set due_at = coalesce(delivery_lane.due_at, excluded.due_at)
      )
      select`);
    return waiting.length === fanOutLimit;
  });
}

const laneRow = z.object({
  webhookId: id,
  assetId: id,
  claim: id,
  hasGap: z.boolean(),
});

type Lane = z.infer<typeof laneRow>;

function claim(
  pool: DatabasePool,
  cipher: SecretCipher | null,
  question: ClaimQuestion,
): Promise<Claimed> {
  return pool.transaction(async (connection) => {
    const lanes = await claimLanes(connection, cipher, question);
    const dispatches = lanes.length === 0 ? [] : await begin(connection, cipher, lanes);
    await releaseEmpty(connection, lanes, dispatches);
    const limit = question.limit - lanes.length;
    const summaries = limit === 0 ? [] : await claimSummaries(connection, cipher, question, limit);
    const mayBeMore = summaries.length === limit;
    const nextDueInMs = mayBeMore ? null : await findNextDue(connection, cipher, question);
    return { dispatches: [...dispatches, ...summaries], nextDueInMs };
  });
}

/**
 * Those that wait longest first, of each webhook as many as it may have under way. Deliveries that
 * this process could not sign are left to a replica that has the key.
 */
function claimLanes(
  connection: CommonQueryMethods,
  cipher: SecretCipher | null,
  question: ClaimQuestion,
) {
  const { limit, webhookLimit, leaseMs } = question;
  return connection.any(sql.type(laneRow)`
    with room as (
      select webhook.id, greatest(0, ${webhookLimit}::bigint - coalesce(busy.count, 0)) as free
      from webhook
      left join ${busyTable(question)} on busy.webhook_id = webhook.id
      where webhook.daily_at is null and ${isSending} and ${isReadable(cipher)}
    ), due as materialized (
      select lane.webhook_id, lane.asset_id
      from room
      cross join lateral (
        select webhook_id, asset_id, due_at from delivery_lane
        where delivery_lane.webhook_id = room.id and delivery_lane.due_at <= now()
        order by due_at
        limit room.free
        for update skip locked
      ) lane
      order by lane.due_at
      limit ${limit}
    )
    update delivery_lane
    set due_at = now() + make_interval(secs => ${leaseMs / 1000}), claim = gen_random_uuid()
    from due
    where delivery_lane.webhook_id = due.webhook_id and delivery_lane.asset_id = due.asset_id
    returning delivery_lane.webhook_id as "webhookId", delivery_lane.asset_id as "assetId",
      delivery_lane.claim, delivery_lane.has_gap as "hasGap"`);
}

function busyTable({ underWay }: ClaimQuestion) {
  const rows = [...underWay].map(([webhookId, count]) => [webhookId, count]);
  return sql.fragment`${sql.unnest(rows, ['uuid', 'int8'])} as busy (webhook_id, count)`;
}

const receiverColumns = {
  webhookId: id,
  format: z.enum(webhookFormats),
  teamId: id.nullable(),
  userUrl: z.string().nullable(),
  url: z.string(),
  secret: z.string(),
  encrypted: z.string().nullable(),
};

const receiverRow = z.object(receiverColumns);

const selectedReceiver = sql.fragment`
  webhook.id as "webhookId", webhook.format, webhook.url, ${userUrl} as "userUrl",
  coalesce(webhook.team_id, (
    select team_id from app_user where app_user.id = webhook.user_id)) as "teamId",
  webhook.secret, ${encryptedTarget} as encrypted`;

function receiverOf(cipher: SecretCipher | null, row: z.infer<typeof receiverRow>): Receiver {
  const { webhookId, format, teamId, userUrl: own, url, secret, encrypted } = row;
  const target = targetOf(cipher, webhookId, { url, secret, encrypted });
  return {
    ...{ webhookId, format, teamId, isOwnChoice: own !== null },
    target: target === null || own === null ? target : { ...target, url: own },
  };
}

async function findReceiver(
  pool: DatabasePool,
  cipher: SecretCipher | null,
  webhookId: string,
): Promise<Receiver | null> {
  const row = await pool.maybeOne(sql.type(receiverRow)`
    select ${selectedReceiver} from webhook where webhook.id = ${webhookId}`);
  return row === null ? null : receiverOf(cipher, row);
}

const dispatchRow = eventRow.extend({
  deliveryId: id,
  ...receiverColumns,
  claim: id,
  hasGap: z.boolean(),
  assetId: id,
  sequence: z.int(),
  attempts: z.int(),
  ageMs: z.number(),
  isReplay: z.boolean(),
  createdAt: timestamp,
  teams: z.array(z.object({ id, name: z.string() })),
});

/** The first delivery of each lane: read after the lanes were locked, so it really is the first. */
async function begin(
  connection: CommonQueryMethods,
  cipher: SecretCipher | null,
  lanes: readonly Lane[],
): Promise<readonly Dispatch[]> {
  const rows = await beginAll(
    connection,
    sql.fragment`
      select waiting.id, lane.claim, lane.has_gap
      from ${sql.unnest(
        lanes.map(({ webhookId, assetId, claim: own, hasGap }) => [
          ...[webhookId, assetId, own],
          hasGap,
        ]),
        ['uuid', 'uuid', 'uuid', 'bool'],
      )} as lane (webhook_id, asset_id, claim, has_gap)
      cross join lateral (
        select id from delivery
        where delivery.webhook_id = lane.webhook_id and delivery.asset_id = lane.asset_id
          and delivery.state = 'pending'
        order by place
        limit 1
      ) waiting`,
    sql.fragment`delivery.queued_at`,
  );
  return rows.map((row) => dispatchOf(cipher, row, [messageOf(row)], false));
}

type DispatchRow = z.infer<typeof dispatchRow>;

/** @param head the deliveries, each with its claim, and whether one before it was given up */
function beginAll(
  connection: CommonQueryMethods,
  head: FragmentSqlToken,
  queuedAt: FragmentSqlToken,
): Promise<readonly DispatchRow[]> {
  return connection.any(sql.type(dispatchRow)`
    with head as (${head}), begun as (
      update delivery
      set attempts = attempts + 1, last_attempt_at = clock_timestamp(), next_attempt_at = null,
        queued_at = ${queuedAt}
      from head
      where delivery.id = head.id
      returning delivery.*, head.claim, head.has_gap
    )
    select ${eventColumns}, begun.claim, begun.has_gap as "hasGap",
      begun.id as "deliveryId", ${selectedReceiver}, begun.asset_id as "assetId", begun.sequence, begun.attempts,
      (extract(epoch from clock_timestamp() - begun.queued_at) * 1000)::float8 as "ageMs",
      begun.is_replay as "isReplay", begun.created_at as "createdAt",
      (
        select coalesce(json_agg(json_build_object('id', team.id, 'name', team.name)
          order by team.name, team.id), '[]'::json)
        from team
        where team.id = any(begun.team_ids)
      ) as teams
    from begun
    join webhook on webhook.id = begun.webhook_id
    join audit_event on audit_event.id = begun.event_id
    order by begun.place`);
}

function messageOf(row: DispatchRow): Message {
  const {
    claim: _claim,
    webhookId: _w,
    format: _f,
    teamId: _t,
    url: _u,
    userUrl: _o,
    ...more
  } = row;
  const { secret: _s, encrypted: _e, deliveryId, assetId, sequence, attempts, ...rest } = more;
  const { ageMs, hasGap, isReplay, createdAt, teams, ...event } = rest;
  const delivery = { deliveryId, assetId, sequence, attempts, ageMs };
  return { ...delivery, hasGap, isReplay, createdAt, teams, event };
}

function dispatchOf(
  cipher: SecretCipher | null,
  row: DispatchRow,
  messages: Dispatch['messages'],
  isSummary: boolean,
): Dispatch {
  return { ...receiverOf(cipher, row), claim: row.claim, messages, isSummary };
}

const summaryRow = z.object({ webhookId: id, claim: id });

/** Chats take little text in one message; what is more follows in the next one. */
const summaryLimits = { chat: 20, other: 100 } as const;

/** All that waits for the webhooks whose hour has come. Those for which nothing waits are due tomorrow. */
async function claimSummaries(
  connection: CommonQueryMethods,
  cipher: SecretCipher | null,
  { leaseMs }: ClaimQuestion,
  limit: number,
): Promise<readonly Dispatch[]> {
  const due = await connection.any(sql.type(summaryRow)`
    update webhook
    set summary_due_at = now() + make_interval(secs => ${leaseMs / 1000}),
      summary_claim = gen_random_uuid()
    from (
      select webhook.id from webhook
      where webhook.daily_at is not null and webhook.summary_due_at <= now()
        and ${isReadable(cipher)}
      order by webhook.summary_due_at
      limit ${limit}
      for no key update skip locked
    ) due
    where webhook.id = due.id
    returning webhook.id as "webhookId", webhook.summary_claim as claim`);
  if (due.length === 0) return [];
  const rows = await beginAll(
    connection,
    sql.fragment`
      select waiting.id, summary.claim, coalesce(delivery_lane.has_gap, false) as has_gap
      from ${sql.unnest(
        due.map(({ webhookId, claim: own }) => [webhookId, own]),
        ['uuid', 'uuid'],
      )} as summary (webhook_id, claim)
      join webhook on webhook.id = summary.webhook_id and ${isSending}
      cross join lateral (
        select id, asset_id from delivery
        where delivery.webhook_id = summary.webhook_id and delivery.state = 'pending'
        order by place
        limit case when webhook.format in ('slack', 'teams')
          then ${summaryLimits.chat}::bigint else ${summaryLimits.other} end
      ) waiting
      left join delivery_lane on delivery_lane.webhook_id = summary.webhook_id
        and delivery_lane.asset_id = waiting.asset_id`,
    // The time for which it is tried begins with the first attempt: it waited for its hour before.
    sql.fragment`case when delivery.attempts = 0 then clock_timestamp() else delivery.queued_at end`,
  );
  const summaries = [...Map.groupBy(rows, ({ claim: own }) => own).values()].flatMap(
    ([first, ...others]) =>
      first === undefined
        ? []
        : [dispatchOf(cipher, first, [messageOf(first), ...others.map(messageOf)], true)],
  );
  const used = new Set(summaries.map(({ webhookId }) => webhookId));
  const empty = due.filter(({ webhookId }) => !used.has(webhookId)).map((each) => each.webhookId);
  if (empty.length > 0) {
    await connection.query(sql.type(nothingRow)`
      update webhook
      set summary_claim = null, summary_due_at = ${nextSummary(sql.fragment`daily_at`)}
      where id = any(${sql.array(empty, 'uuid')})`);
  }
  return summaries;
}

/** Removes lanes without pending deliveries: these were removed or are finished. */
async function releaseEmpty(
  connection: CommonQueryMethods,
  lanes: readonly Lane[],
  dispatches: readonly Dispatch[],
): Promise<void> {
  const used = new Set(dispatches.map((dispatch) => dispatch.claim));
  const empty = lanes.filter((lane) => !used.has(lane.claim));
  if (empty.length === 0) return;
  await connection.query(sql.type(nothingRow)`
    update delivery_lane set due_at = null, claim = null
    from ${sql.unnest(
      empty.map((lane) => [lane.webhookId, lane.assetId, lane.claim]),
      ['uuid', 'uuid', 'uuid'],
    )} as empty (webhook_id, asset_id, claim)
    where delivery_lane.webhook_id = empty.webhook_id
      and delivery_lane.asset_id = empty.asset_id and delivery_lane.claim = empty.claim`);
}

const dueRow = z.object({ dueInMs: z.number().nullable() });

/** Claims lanes of webhooks below their limit; the others are claimed when a delivery ends. */
async function findNextDue(
  connection: CommonQueryMethods,
  cipher: SecretCipher | null,
  { underWay, webhookLimit }: ClaimQuestion,
): Promise<number | null> {
  const full = [...underWay].filter(([, count]) => count >= webhookLimit).map(([each]) => each);
  const { dueInMs } = await connection.one(sql.type(dueRow)`
    select (extract(epoch from least((
      select min(due_at) from delivery_lane
      join webhook on webhook.id = delivery_lane.webhook_id
      where due_at is not null and not (webhook_id = any(${sql.array(full, 'uuid')}))
        and webhook.daily_at is null and ${isSending} and ${isReadable(cipher)}
    ), (
      select min(summary_due_at) from webhook
      where webhook.daily_at is not null and ${isReadable(cipher)}
    )) - clock_timestamp()) * 1000)::float8 as "dueInMs"`);
  return dueInMs === null ? null : Math.max(0, dueInMs);
}

/**
 * A sender that took longer than its lease may still record a success, though the lane has a new
 * owner.
 */
function settle(pool: DatabasePool, dispatch: Dispatch, result: DispatchResult): Promise<void> {
  return pool.transaction(async (connection) => {
    const isHeld = await connection.exists(held(dispatch));
    if (!isHeld && result.kind === 'failed') return;
    await noteResult(connection, dispatch.messages, result);
    if (!isHeld) return;
    if (dispatch.isSummary) await settleSummary(connection, dispatch, result);
    else await settleLane(connection, dispatch, result);
  });
}

/**
 * Read after it was locked, so deliveries that are added meanwhile find the lane in this state. A
 * summary locks out those that add deliveries.
 */
function held({ webhookId, messages: [{ assetId }], isSummary, claim: own }: Dispatch) {
  return isSummary
    ? sql.type(nothingRow)`
        select from webhook where id = ${webhookId} and summary_claim = ${own} for update`
    : sql.type(nothingRow)`
        select from delivery_lane
        where webhook_id = ${webhookId} and asset_id = ${assetId} and claim = ${own} for update`;
}

async function settleLane(
  connection: CommonQueryMethods,
  { webhookId, messages: [{ assetId }] }: Dispatch,
  result: DispatchResult,
): Promise<void> {
  const retryInMs = result.kind === 'failed' ? (result.retriesInMs[0] ?? null) : null;
  const due =
    retryInMs === null
      ? sql.fragment`case when exists (
          select from delivery
          where webhook_id = ${webhookId} and asset_id = ${assetId} and state = 'pending'
        ) then clock_timestamp() end`
      : sql.fragment`clock_timestamp() + make_interval(secs => ${retryInMs / 1000})`;
  const gap =
    result.kind === 'delivered'
      ? sql.fragment`false`
      : sql.fragment`has_gap or ${retryInMs === null}`;
  await connection.query(sql.type(nothingRow)`
    update delivery_lane set claim = null, due_at = ${due}, has_gap = ${gap}
    where webhook_id = ${webhookId} and asset_id = ${assetId}`);
}

/** What came while it was sent follows at once: nobody can tell whether it is urgent. */
async function settleSummary(
  connection: CommonQueryMethods,
  { webhookId, messages }: Dispatch,
  result: DispatchResult,
): Promise<void> {
  const retries = result.kind === 'failed' ? result.retriesInMs : [];
  const parked = messages.filter((_, index) => retries[index] === null);
  const gap =
    result.kind === 'delivered'
      ? sql.fragment`false`
      : sql.fragment`has_gap or asset_id = any(${sql.array(
          parked.map(({ assetId }) => assetId),
          'uuid',
        )})`;
  await connection.query(sql.type(nothingRow)`
    update delivery_lane
    set has_gap = ${gap}, due_at = case when exists (
      select from delivery
      where delivery.webhook_id = ${webhookId} and delivery.asset_id = delivery_lane.asset_id
        and delivery.state = 'pending'
    ) then due_at end
    where webhook_id = ${webhookId}
      and asset_id = any(${sql.array([...new Set(messages.map(({ assetId }) => assetId))], 'uuid')})`);
  const waits = retries.filter((retry) => retry !== null);
  const due =
    waits.length > 0
      ? sql.fragment`clock_timestamp() + make_interval(secs => ${Math.min(...waits) / 1000})`
      : sql.fragment`case when exists (
          select from delivery where webhook_id = ${webhookId} and state = 'pending'
        ) then clock_timestamp() else ${nextSummary(sql.fragment`daily_at`)} end`;
  await connection.query(sql.type(nothingRow)`
    update webhook
    set summary_claim = null, summary_due_at = case when daily_at is not null then ${due} end
    where id = ${webhookId}`);
}

async function noteResult(
  connection: CommonQueryMethods,
  messages: Dispatch['messages'],
  result: DispatchResult,
): Promise<void> {
  if (result.kind === 'delivered') {
    const ids = messages.map(({ deliveryId }) => deliveryId);
    await connection.query(sql.type(nothingRow)`
      update delivery
      set state = 'delivered', last_status = ${result.status}, last_error = null,
        next_attempt_at = null, finished_at = clock_timestamp()
      where id = any(${sql.array(ids, 'uuid')}) and state = 'pending'`);
    return;
  }
  const { status, error, retriesInMs } = result;
  const rows = messages.map(({ deliveryId }, index) => {
    const retryInMs = retriesInMs[index] ?? null;
    return [deliveryId, retryInMs === null ? null : retryInMs / 1000];
  });
  await connection.query(sql.type(nothingRow)`
    update delivery
    set last_status = ${status}, last_error = ${error},
      state = case when failed.wait is null then 'parked' else 'pending' end,
      finished_at = case when failed.wait is null then clock_timestamp() end,
      next_attempt_at = case when failed.wait is null then delivery.next_attempt_at
        else clock_timestamp() + make_interval(secs => failed.wait) end
    from ${sql.unnest(rows, ['uuid', 'float8'])} as failed (id, wait)
    where delivery.id = failed.id and delivery.state = 'pending'`);
}

async function giveBack(pool: DatabasePool, dispatch: Dispatch) {
  const { webhookId, claim: own, isSummary, messages } = dispatch;
  await pool.query(
    isSummary
      ? sql.type(nothingRow)`
          update webhook set summary_claim = null, summary_due_at = clock_timestamp()
          where id = ${webhookId} and summary_claim = ${own}`
      : sql.type(nothingRow)`
          update delivery_lane set claim = null, due_at = clock_timestamp()
          where webhook_id = ${webhookId} and asset_id = ${messages[0].assetId} and claim = ${own}`,
  );
}

/** Long enough to investigate; a parked delivery waits to be replayed. */
const keptDays = { delivered: 7, parked: 30 } as const;

const pruneLimit = 5_000;

async function prune(pool: DatabasePool): Promise<void> {
  for (const [state, days] of Object.entries(keptDays)) {
    for (let removed = pruneLimit; removed === pruneLimit; ) {
      const { rowCount } = await pool.query(sql.type(nothingRow)`
        delete from delivery
        where id in (
          select id from delivery
          where state = ${state} and finished_at < now() - make_interval(days => ${days})
          order by finished_at
          limit ${pruneLimit}
          for update skip locked)`);
      removed = rowCount;
    }
  }
  // What waited when the user left whose own choice it is.
  await pool.query(sql.type(nothingRow)`
    delete from delivery using webhook
    where webhook.id = delivery.webhook_id and delivery.state = 'pending' and not ${isSending}`);
  await pool.query(sql.type(nothingRow)`
    delete from delivery_lane
    where (webhook_id, asset_id) in (
      select webhook_id, asset_id from delivery_lane
      where due_at is null and not has_gap
      for update skip locked)`);
}
