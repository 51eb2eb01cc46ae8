// Whom a change of a contract's terms asks, by what each consumer reads.

import type { NeedsMode } from '../asset.ts';
import type { Comparison, CompatibilityMode, Direction } from '../comparison.ts';
import type { ConsumerVerdict, Verdicts } from '../need.ts';
import type { Asks } from '../proposal.ts';
import type { Consumer } from '../registration.ts';

interface AskedTerms {
  readonly compatibilityMode: CompatibilityMode;
  readonly direction: Direction;
}

interface TermsChange {
  readonly base: AskedTerms | null;
  /** Null if they could not be read. */
  readonly terms: AskedTerms | null;
  /** Null if there is nothing to compare with. */
  readonly comparison: Pick<Comparison, 'changes' | 'isBreaking'> | null;
  /** By the digests of the needs. A need without a verdict may be affected. */
  readonly verdicts: Verdicts | undefined;
}

export interface Asking {
  readonly asks: Asks;
  readonly verdicts: Verdicts;
  /** Whether the change waits for the answers of these consumers. */
  readonly isProposed: boolean;
  /** If it does not wait, these are the consumers whose need a compatible change may affect. */
  readonly asked: readonly Consumer[];
  readonly excused: readonly Consumer[];
}

/**
 * `compatible`: as the mode of the contract says. `breaking`: of values or guarantees. `promise`: it
 * breaks, and needs say nothing of it, because they say which values a consumer reads.
 */
export type ChangeKind = 'compatible' | 'breaking' | 'promise';

interface AskingRow {
  readonly asks: Asks;
  /** Whether the change waits for their answers. If not, they are notified. */
  readonly waits: boolean;
}

const all: AskingRow = { asks: 'all', waits: true };
const affected: AskingRow = { asks: 'affected', waits: true };

/** docs/asking.md is made from it. */
export const askingTable: Readonly<Record<ChangeKind, Readonly<Record<NeedsMode, AskingRow>>>> = {
  compatible: {
    narrow: { asks: 'stated', waits: false },
    protect: { asks: 'stated', waits: true },
    ignore: { asks: 'stated', waits: false },
  },
  breaking: { narrow: affected, protect: affected, ignore: all },
  promise: { narrow: all, protect: all, ignore: all },
};

/**
 * A breaking change of an asset without consumers is proposed, too. If it has consumers, and all
 * are excused, it is not.
 */
export function askingOf(
  consumers: readonly Consumer[],
  needsMode: NeedsMode,
  change: TermsChange,
): Asking {
  const { verdicts = {}, comparison } = change;
  if (comparison === null) return { ...nobody, excused: consumers };
  const { asks, waits } = askingTable[kindOf(change)][needsMode];
  const isOneAsked = (consumer: Consumer) => isAsked(consumer, { asks, verdicts });
  const asked = consumers.filter(isOneAsked);
  const excused = consumers.filter((consumer) => !isOneAsked(consumer));
  const hasNoConsumers = comparison.isBreaking && consumers.length === 0;
  return {
    ...{ asks, verdicts: asks === 'all' ? {} : verdicts, asked, excused },
    isProposed: waits && (asked.length > 0 || hasNoConsumers),
  };
}

const nobody: Asking = {
  ...{ asks: 'stated', verdicts: {}, isProposed: false, asked: [], excused: [] },
};

function kindOf({ base, terms, comparison }: TermsChange): ChangeKind {
  if (comparison?.isBreaking !== true) return 'compatible';
  const isPromise =
    base?.compatibilityMode === 'full' ||
    base?.direction !== terms?.direction ||
    comparison.changes.some(({ type }) => type === 'compatibility_mode_relaxed');
  return isPromise ? 'promise' : 'breaking';
}

/** With `ignore`, a proposal that excused consumers asks everybody, too. */
export function asksAllNow(needsMode: NeedsMode, asks: Asks): boolean {
  return needsMode === 'ignore' && asks === 'affected';
}

/** The function `asks_consumer` of the database has the same rule. */
export function isAsked(
  consumer: Reader,
  { asks, verdicts }: { readonly asks: Asks; readonly verdicts: Verdicts },
): boolean {
  if (asks === 'all') return true;
  if (asks === 'affected' && consumer.needDigest === null) return true;
  return digestsOf(consumer).some((digest) => verdicts[digest]?.verdict !== 'unaffected');
}

type Reader = Pick<Consumer, 'needDigest' | 'foundDigest'>;

/** Of all that is asked for a consumer. What was found only adds to whom a change asks. */
export function digestsOf({ needDigest, foundDigest }: Reader): readonly string[] {
  return [needDigest, foundDigest].filter((each) => each !== null);
}

/**
 * The worst that is known; null while a verdict is missing and the others are `unaffected`. Without
 * a need a consumer reads everything, so what was found never says that it is unaffected.
 */
export function verdictOn(consumer: Reader, verdicts: Verdicts): ConsumerVerdict | null {
  const found = digestsOf(consumer).map((digest) => verdicts[digest]);
  const worst =
    found.find((each) => each?.verdict === 'breaks') ??
    found.find((each) => each?.verdict === 'may_break');
  const isUnknown = consumer.needDigest === null || found.includes(undefined);
  return worst ?? (isUnknown ? null : (found[0] ?? null));
}

/** Whether each of the consumers' needs has a verdict, and also what was found. */
export function coversNeeds(consumers: readonly Reader[], verdicts: Verdicts): boolean {
  return consumers.flatMap(digestsOf).every((digest) => Object.hasOwn(verdicts, digest));
}
