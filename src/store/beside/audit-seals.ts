// The sealer: appends committed events that have no seal yet to the chain. Writers never wait for
// it, and it takes no lock that they need.

import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type DatabasePool,
  type DatabaseTransactionConnection,
  type FragmentSqlToken,
  sql,
} from 'slonik';
import { z } from 'zod';
import { type AuditHead, type Authenticator, sealHash, textOfHead } from '../../core/audit/seal.ts';
import type { AuditEvent } from '../../core/event.ts';
import { eventColumns, eventRow, id, timestamp, writtenRow } from '../postgres/rows.ts';
import { isElsewhere, listUnsealed } from '../read/trail/audit-trail.ts';

export interface Sealing {
  /** Null if there was nothing to seal, or if another process is sealing. */
  readonly head: AuditHead | null;
  readonly sealed: number;
  /** Whether the caller should seal the next batch at once. */
  readonly hasMore: boolean;
}

export interface SealOptions {
  readonly authenticator: Authenticator | null;
  readonly now: () => string;
  readonly batchSize?: number;
}

/** The number of events between two passes at 2,000 events a second: about 1 MB. */
const defaultBatchSize = 1_000;

/** Half a millisecond of work; requests are answered in between. */
const hashedAtOnce = 100;

/**
 * An arbitrary number, used for nothing else: a second sealer finds the lock taken and does
 * nothing.
 */
const sealLock = 4_827_113_651;

const idle: Sealing = { head: null, sealed: 0, hasMore: false };

/** Seals one batch. */
export function sealEvents(pool: DatabasePool, options: SealOptions): Promise<Sealing> {
  return pool.transaction(async (connection) => {
    const { mine } = await connection.one(sql.type(lockRow)`
      select pg_try_advisory_xact_lock(${sealLock}) as mine, ${byIndexes} as set`);
    if (!mine) return idle;
    const at = await readState(connection, options.now());
    if (at.isElsewhere) return await adoptRestored(connection, at, options);
    const limit = options.batchSize ?? defaultBatchSize;
    // One event more than the batch shows whether events are left. So each pass ends with events,
    // and with a checkpoint that says up to when everything is sealed.
    const found = await findCandidates(connection, at, limit + 1);
    const goesOn = found.length > limit;
    const candidates = found.slice(0, limit);
    const events = candidates.filter(({ isSealed }) => !isSealed);
    // Without new events nothing is written, except at the end of a pass.
    if (candidates.length === 0 && !at.isUnderWay) return idle;
    const last = candidates.at(-1);
    const left =
      goesOn && last !== undefined
        ? { ...at, atTransaction: last.transactionId, atEvent: last.id }
        : { snapshot: at.pass, ...betweenPasses };
    const head = await append(connection, at, events, { ...options, isComplete: !goesOn, left });
    return { head, sealed: events.length, hasMore: goesOn };
  });
}

/**
 * Forces the use of the indexes, in their order. A planner that expects only a few rows would read
 * and sort the whole backlog for each batch, and one that has seen few seals would read all of them
 * for each event. Only one plan is left, so planning it again for each batch, with every partition,
 * would be a waste.
 */
const byIndexes = sql.fragment`set_config('enable_sort', 'off', true)
  || set_config('enable_seqscan', 'off', true)
  || set_config('plan_cache_mode', 'force_generic_plan', true)`;

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

const lockRow = z.object({ mine: z.boolean(), set: z.string() });

const stateRow = z.object({
  sequence: z.number(),
  hash: z.string(),
  snapshot: z.string(),
  pass: z.string(),
  passAt: timestamp,
  isUnderWay: z.boolean(),
  atTransaction: z.string(),
  atEvent: id,
  isElsewhere: z.boolean(),
  current: z.string(),
});

type State = z.infer<typeof stateRow>;

/** The id before all event ids. */
const noEvent = '00000000-0000-0000-0000-000000000000';

/**
 * The current pass, or a new one up to what is committed now. Uses the slower of our clock and the
 * database's: a checkpoint with a future time would make later events look forged.
 */
function readState(connection: DatabaseTransactionConnection, now: string): Promise<State> {
  return connection.one(sql.type(stateRow)`
    select sequence, encode(hash, 'hex') as hash, snapshot::text,
      coalesce(pass, pg_current_snapshot())::text as pass,
      coalesce(pass_at, least(${now}::timestamptz, clock_timestamp())) as "passAt", pass is not null as "isUnderWay",
      coalesce(at_transaction, '0')::text as "atTransaction",
      coalesce(at_event, ${noEvent}::uuid) as "atEvent",
      ${isElsewhere} as "isElsewhere",
      pg_current_snapshot()::text as current
    from audit_seal_state`);
}

const candidateRow = eventRow.extend({ transactionId: z.string(), isSealed: z.boolean() });

type Candidate = z.infer<typeof candidateRow>;

/**
 * The events that the last pass did not see, in the order of transactions: those of transactions
 * that began later, and those that were still running. Each range is read through its index from
 * its lower bound, whatever the table holds. Whether an event is already sealed is a subquery that
 * no planner turns into a join.
 */
function findCandidates(
  connection: DatabaseTransactionConnection,
  at: State,
  limit: number,
): Promise<readonly Candidate[]> {
  const chosen = (condition: FragmentSqlToken) => sql.fragment`
    select ${eventColumns}, audit_event.transaction_id as place
    from audit_event
    where ${condition}
      and pg_visible_in_snapshot(audit_event.transaction_id, ${at.pass}::pg_snapshot)
    order by audit_event.transaction_id, audit_event.id
    limit ${limit}`;
  // A single lower bound: with two, Postgres may start at the very first event and walk up to the
  // other.
  const from = (first: FragmentSqlToken) => sql.fragment`
    (audit_event.transaction_id, audit_event.id) > (
      greatest(${first}, ${at.atTransaction}::xid8),
      case when ${at.atTransaction}::xid8 < ${first} then ${noEvent}::uuid
        else ${at.atEvent}::uuid end)`;
  const began = sql.fragment`${from(sql.fragment`pg_snapshot_xmax(${at.snapshot}::pg_snapshot)`)}
    and audit_event.transaction_id < pg_snapshot_xmax(${at.pass}::pg_snapshot)`;
  // A range, not "equal to". With "equal to" the sort by transaction is dropped, and after an
  // import, whose transactions have many events, Postgres would walk a month of events by id.
  const underWay = sql.fragment`${from(sql.fragment`under_way.transaction_id`)}
    and audit_event.transaction_id <= under_way.transaction_id`;
  return connection.any(sql.type(candidateRow)`
    with candidate as materialized (
      select late.*
      from pg_snapshot_xip(${at.snapshot}::pg_snapshot) as under_way (transaction_id)
      cross join lateral (${chosen(underWay)}) late
      union all
      (${chosen(began)})
    )
    select candidate.id, "eventType", "entityType", "entityId", "actorId", "actorType",
      "timestamp", metadata, "requestId", place::text as "transactionId",
      (select true from audit_seal where audit_seal.event_id = candidate.id) is not null
        as "isSealed"
    from candidate
    order by place, candidate.id
    limit ${limit}`);
}

/** The state for the next pass. */
interface Left {
  readonly snapshot: string;
  readonly pass: string | null;
  readonly passAt: string | null;
  readonly atTransaction: string | null;
  readonly atEvent: string | null;
}

interface Appending extends SealOptions {
  /** Whether this batch completes everything that was committed by the start of the pass. */
  readonly isComplete: boolean;
  readonly left: Left;
}

/** Writes seals, their head and the sealer's position, in one statement. */
async function append(
  connection: DatabaseTransactionConnection,
  at: State,
  events: readonly AuditEvent[],
  { authenticator, now, isComplete, left }: Appending,
): Promise<AuditHead | null> {
  let last = at.hash;
  const hashes: string[] = [];
  for (const event of events) {
    if (hashes.length % hashedAtOnce === 0) await nextTurn();
    last = sealHash(last, event, sha256);
    hashes.push(last);
  }
  const sequence = at.sequence + events.length;
  const unsigned = {
    sequence,
    hash: last,
    sealedAt: now(),
    completeAt: isComplete ? at.passAt : null,
  };
  const mac = authenticator?.mac(textOfHead(unsigned)) ?? null;
  const head: AuditHead = { ...unsigned, mac, keyId: authenticator?.keyId ?? null };
  await connection.query(sql.type(writtenRow)`
    with seal as (
      insert into audit_seal (sequence, event_id, hash)
      select ${at.sequence}::bigint + place, event_id, decode(hash, 'hex')
      from unnest(
        string_to_array(${events.map((event) => event.id).join(' ')}, ' ')::uuid[],
        string_to_array(${hashes.join(' ')}, ' ')
      ) with ordinality as made (event_id, hash, place)
    ), head as (
      insert into audit_head (sequence, hash, sealed_at, complete_at, mac, key_id)
      select ${sequence}::bigint, decode(${last}, 'hex'), ${head.sealedAt}::timestamptz,
        ${head.completeAt}::timestamptz, decode(${mac}::text, 'hex'), ${head.keyId}::text
      where ${events.length > 0}
    )
    update audit_seal_state
    set sequence = ${sequence}, hash = decode(${last}, 'hex'),
      snapshot = ${left.snapshot}::pg_snapshot, pass = ${left.pass}::pg_snapshot,
      pass_at = ${left.passAt}::timestamptz, at_transaction = ${left.atTransaction}::xid8,
      at_event = ${left.atEvent}::uuid`);
  return events.length > 0 ? head : null;
}

/**
 * The events of a restored database carry another count of transactions: they are searched once for
 * events without a seal, and the new count begins.
 */
async function adoptRestored(
  connection: DatabaseTransactionConnection,
  at: State,
  options: SealOptions,
): Promise<Sealing> {
  const events: AuditEvent[] = [];
  let after: string | null = noEvent;
  while (after !== null && events.length < (options.batchSize ?? defaultBatchSize)) {
    const page = await listUnsealed(connection, after, withoutAnySeal);
    events.push(...page.events.map(({ event }) => event));
    after = page.last;
  }
  const isComplete = after === null;
  const left = { snapshot: isComplete ? at.current : at.snapshot, ...betweenPasses };
  const head = await append(connection, at, events, { ...options, isComplete, left });
  return { head, sealed: events.length, hasMore: !isComplete };
}

const withoutAnySeal = { lastSequence: Number.MAX_SAFE_INTEGER, committed: null, passed: null };
const betweenPasses = { pass: null, passAt: null, atTransaction: null, atEvent: null };
