// Walks a sealed audit trail and reports its problems. The registry uses the same walk for its own
// tables as other machines use for an export.

import type { AuditEvent } from '../event.ts';
import type { EventId, Timestamp } from '../id.ts';
import {
  type AuditHead,
  type Authenticator,
  genesisHash,
  type HeadReference,
  type Seal,
  type Sha256,
  sealHash,
  textOfHead,
} from './seal.ts';
import { type Suspect, tellSwapped } from './swapped.ts';

/**
 * In the order of sequences; a head follows the seal that it names, and unsealed events come last.
 */
export type AuditItem =
  | {
      readonly kind: 'sealed';
      readonly seal: Seal;
      /** Null if no event has the sealed id. */
      readonly event: AuditEvent | null;
    }
  | { readonly kind: 'head'; readonly head: AuditHead }
  | {
      readonly kind: 'unsealed';
      readonly event: AuditEvent;
      /** The sealer has passed this event's position, and the event was not there. */
      readonly isPassed: boolean;
    };

type FindingKind = 'altered' | 'removed' | 'added' | 'swapped' | 'cut' | 'head';

interface AuditFinding {
  readonly kind: FindingKind;
  /** Null for an event without a seal. */
  readonly sequence: number | null;
  /** Null if the event is unknown. */
  readonly eventId: EventId | null;
  readonly message: string;
}

export interface AuditCheckOptions {
  readonly sha256: Sha256;
  /** The seal to start from, which is known to be right. If absent, starts at the beginning. */
  readonly from?: HeadReference | undefined;
  /** Heads that the trail must still contain. */
  readonly expected?: readonly HeadReference[];
  /** If absent, heads are not authenticated. */
  readonly authenticator?: Authenticator | undefined;
}

export interface AuditReport {
  readonly isIntact: boolean;
  /** Null if nothing is sealed. */
  readonly sealed: {
    readonly firstSequence: number;
    readonly lastSequence: number;
    readonly lastHash: string;
    /** The sequence of the last checkpoint. */
    readonly sealedAt: Timestamp | null;
  } | null;
  /** Events that are not sealed yet. */
  readonly unsealed: { readonly count: number; readonly oldest: Timestamp | null };
  readonly heads: {
    readonly count: number;
    /** The number of heads authenticated with the given key. */
    readonly authenticated: number;
  };
  /** The first findings, in the order of the trail. */
  readonly findings: readonly AuditFinding[];
  readonly findingCount: number;
}

interface AuditCheck {
  readonly take: (item: AuditItem) => void;
  readonly finish: () => AuditReport;
}

/** Further findings are only counted. */
const maxFindings = 100;

/** At the end each of these is compared with each; further ones are only counted. */
const maxSuspects = 1_000;

/**
 * No transaction takes this long. An event was added afterwards if it was not sealed, and claims a
 * time that is earlier by more than this than the moment up to which everything is sealed.
 */
const lateLimitMs = 60 * 60 * 1000;

interface Progress {
  sequence: number;
  /** The hashes that the next seal may build on; empty after a gap. */
  previous: readonly string[];
  lastHash: string;
  firstSequence: number;
  lastHead: AuditHead | null;
  /** The time up to which everything is sealed, by the heads so far. */
  completeAtMs: number;
}

/**
 * @example
 * const check = startAuditCheck({ sha256 });
 * for (const item of items) check.take(item);
 * check.finish().isIntact // true
 */
export function startAuditCheck(options: AuditCheckOptions): AuditCheck {
  const { sha256, from, authenticator } = options;
  const findings = collectFindings();
  const suspects: Suspect[] = [];
  const expected = new Map(options.expected?.map(({ sequence, hash }) => [sequence, hash]));
  const start = from === undefined ? undefined : expected.get(from.sequence);
  if (from !== undefined && start !== undefined && start !== from.hash) {
    const message = `The trail starts after ${from.sequence}, with a different seal than the given checkpoint.`;
    findings.add('head', from.sequence, null, message);
  }
  const heads = { count: 0, authenticated: 0 };
  const unsealed: { count: number; oldest: Timestamp | null } = { count: 0, oldest: null };
  const at: Progress = {
    sequence: from?.sequence ?? 0,
    previous: [from?.hash ?? genesisHash],
    lastHash: from?.hash ?? genesisHash,
    firstSequence: (from?.sequence ?? 0) + 1,
    lastHead: null,
    completeAtMs: Number.NEGATIVE_INFINITY,
  };

  const takeSealed = (seal: Seal, event: AuditEvent | null) => {
    if (seal.sequence <= at.sequence) {
      findings.add('swapped', seal.sequence, seal.eventId, 'Its seal is out of order.');
      return;
    }
    if (seal.sequence > at.sequence + 1) {
      findings.add('removed', at.sequence + 1, null, gapText(at.sequence + 1, seal.sequence - 1));
      at.previous = [];
    }
    at.sequence = seal.sequence;
    at.lastHash = seal.hash;
    holdAgainstExpected(expected, seal, findings);
    if (event === null) {
      const message = `The event ${seal.eventId} was sealed but is missing now.`;
      findings.add('removed', seal.sequence, seal.eventId, message);
      at.previous = [seal.hash];
      return;
    }
    const computed = at.previous.map((previous) => sealHash(previous, event, sha256));
    const isRight = at.previous.length === 0 || computed.includes(seal.hash);
    if (!isRight && suspects.length < maxSuspects) {
      suspects.push({ seal, event, previous: at.previous });
    } else if (!isRight) {
      findings.countOne();
    }
    // If the seal itself was altered, the next one builds on its original hash.
    at.previous = isRight ? [seal.hash] : [seal.hash, ...computed.slice(-1)];
    if (isRight && Date.parse(event.timestamp) + lateLimitMs < at.completeAtMs) {
      const message = `The event ${event.id} has the time ${event.timestamp}, but did not exist when that time was sealed.`;
      findings.add('added', seal.sequence, event.id, message);
    }
  };

  const takeHead = (head: AuditHead) => {
    heads.count++;
    if (head.sequence > at.sequence) {
      findings.add('removed', at.sequence + 1, null, gapText(at.sequence + 1, head.sequence));
      at.sequence = head.sequence;
      at.previous = [head.hash];
      at.lastHash = head.hash;
    } else if (head.sequence < at.sequence || head.hash !== at.lastHash) {
      const message = `The checkpoint at ${head.sequence} does not match the hash of its seal.`;
      findings.add('head', head.sequence, null, message);
    }
    const problem = authenticator === undefined ? null : problemOfHead(head, at, authenticator);
    if (problem !== null) findings.add('head', head.sequence, null, problem);
    else if (authenticator?.keyId === head.keyId && head.mac !== null) heads.authenticated++;
    at.lastHead = head;
    if (head.completeAt !== null) at.completeAtMs = Date.parse(head.completeAt);
  };

  const takeUnsealed = (event: AuditEvent, isPassed: boolean) => {
    if (isPassed || Date.parse(event.timestamp) + lateLimitMs < at.completeAtMs) {
      const message = `The event ${event.id} has no seal, although later events have one. It was added afterwards, or its seal was removed.`;
      findings.add('added', null, event.id, message);
      return;
    }
    unsealed.count++;
    unsealed.oldest ??= event.timestamp;
  };

  return {
    take: (item) => {
      switch (item.kind) {
        case 'sealed':
          return takeSealed(item.seal, item.event);
        case 'head':
          return takeHead(item.head);
        case 'unsealed':
          return takeUnsealed(item.event, item.isPassed);
        default:
          return item satisfies never;
      }
    },
    finish: () => {
      for (const { seal, swappedWith } of tellSwapped(suspects, sha256)) {
        if (swappedWith === null) {
          const message = `The event ${seal.eventId} or its seal was altered.`;
          findings.add('altered', seal.sequence, seal.eventId, message);
        } else {
          const message = `The event ${seal.eventId} was swapped with ${swappedWith.eventId}, sealed at ${swappedWith.sequence}.`;
          findings.add('swapped', seal.sequence, seal.eventId, message);
        }
      }
      findEnd(at, expected, findings);
      const { first, count } = findings.told();
      return {
        isIntact: count === 0,
        sealed: sealedOf(at),
        unsealed,
        heads,
        findings: first,
        findingCount: count,
      };
    },
  };
}

function gapText(first: number, last: number): string {
  return first === last
    ? `The seal ${first} is missing, and its event may be missing too.`
    : `The seals ${first} to ${last} are missing, and their events may be missing too.`;
}

type Findings = ReturnType<typeof collectFindings>;

function collectFindings() {
  const all: AuditFinding[] = [];
  const kept = new Map<FindingKind, number>();
  let count = 0;
  return {
    countOne: (): void => {
      count++;
    },
    add: (
      kind: FindingKind,
      sequence: number | null,
      eventId: EventId | null,
      message: string,
    ): void => {
      count++;
      // Keeps the first of each kind, so that the first of all are among them.
      const known = kept.get(kind) ?? 0;
      kept.set(kind, known + 1);
      if (known < maxFindings) all.push({ kind, sequence, eventId, message });
    },
    told: () => {
      const order = (finding: AuditFinding) => finding.sequence ?? Number.POSITIVE_INFINITY;
      // Two without a sequence compare as NaN, which keeps their order.
      all.sort((a, b) => order(a) - order(b) || 0);
      return { first: all.slice(0, maxFindings), count };
    },
  };
}

function holdAgainstExpected(
  expected: Map<number, string>,
  { sequence, hash }: Seal,
  findings: Findings,
): void {
  const wanted = expected.get(sequence);
  if (wanted === undefined) return;
  expected.delete(sequence);
  if (wanted === hash) return;
  const message = `The seal ${sequence} does not match the given checkpoint. The trail up to it was rewritten.`;
  findings.add('head', sequence, null, message);
}

function problemOfHead(
  head: AuditHead,
  { lastHead }: Progress,
  { mac, keyId }: Authenticator,
): string | null {
  const since = (lastHead?.sequence ?? 0) + 1;
  if (head.mac === null) {
    return lastHead?.keyId === keyId
      ? `The head at ${head.sequence} is not authenticated, although the one before it is. The seals ${since} to ${head.sequence} may have been rewritten.`
      : null;
  }
  // Made with an earlier key, which is needed to authenticate it.
  if (head.keyId !== keyId) return null;
  return mac(textOfHead(head)) === head.mac
    ? null
    : `The checkpoint at ${head.sequence} was not made by the registry. The seals ${since} to ${head.sequence} were rewritten.`;
}

/** Reports expected heads that did not come. */
function findEnd(at: Progress, expected: ReadonlyMap<number, string>, findings: Findings): void {
  for (const [sequence] of expected) {
    if (sequence < at.firstSequence) continue;
    const message = `The trail ends at ${at.sequence}, but the given checkpoint is at ${sequence}. The trail was truncated.`;
    findings.add('cut', at.sequence + 1, null, message);
  }
  const headed = at.lastHead?.sequence ?? at.firstSequence - 1;
  if (at.sequence <= headed) return;
  const message = `The seals ${headed + 1} to ${at.sequence} have no checkpoint. It was removed, or the seals were added.`;
  findings.add('head', headed + 1, null, message);
}

function sealedOf(at: Progress): AuditReport['sealed'] {
  if (at.sequence < at.firstSequence) return null;
  return {
    firstSequence: at.firstSequence,
    lastSequence: at.sequence,
    lastHash: at.lastHash,
    sealedAt: at.lastHead?.sealedAt ?? null,
  };
}
