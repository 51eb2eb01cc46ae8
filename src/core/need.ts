// A need: what a consumer reads of a contract, or sends to it.

import type { Change, Comparison } from './comparison.ts';
import type { Timestamp } from './id.ts';
import type { Dialect } from './schema/dialects.ts';
import { canonicalJson } from './value/canonical-json.ts';
import type { Json } from './value/json.ts';

/** Fields are paths in values: `$.amount`, `$.lines[*].sku`, `$.prices.*`. */
export type StatedNeed = ({ readonly schema: Json } | { readonly fields: readonly string[] }) & {
  /** The guarantees that the consumer relies on, such as `freshness`. Without it: all. */
  readonly guarantees?: readonly string[];
};

export interface Need {
  readonly stated: StatedNeed;
  /** Stated fields as a schema, otherwise the stated schema. */
  readonly schema: Json;
  /** Used if the schema has no `$schema`. */
  readonly dialect: Dialect;
}

/** The need of a registration. */
export interface RegisteredNeed extends Need {
  /** Equal for needs that say the same. */
  readonly digest: string;
  /** `unmet`: the contract in force did not meet it, and the consumer stated it nevertheless. */
  readonly status: 'met' | 'unmet';
}

export const foundOrigins = ['dbt', 'sql', 'graphql', 'openlineage'] as const;

/** What reads a contract, such as a model of a dbt project. */
export interface FoundPlace {
  readonly place: string;
  /** Null: it reads everything, or it is not known what. */
  readonly fields: readonly string[] | null;
}

/** Places that are read together, such as those of a dbt project, replace the places of before. */
export interface FoundSource {
  readonly origin: (typeof foundOrigins)[number];
  readonly source: string;
}

/** What was found that a consumer reads. It excuses nobody. */
export interface FoundNeed {
  /** Another one whenever the fields are others. */
  readonly digest: string;
  /** The fields of all places; null: everything. */
  readonly fields: readonly string[] | null;
  readonly places: readonly (FoundSource & FoundPlace & { readonly lastSeenAt: Timestamp })[];
}

/** What is asked of what was found: the schema is made from the contract that changes. */
export type FoundFields = Pick<FoundNeed, 'fields'>;

/** Why a contract does not meet a need. */
export interface UnmetNeed {
  /** A field or a guarantee that the contract does not have. */
  readonly path?: string;
  /** A value that one side writes and the other refuses. */
  readonly witness?: Json;
  readonly message: string;
}

/** A valid need, and whether a contract meets it. */
export interface ExaminedNeed {
  readonly need: Need;
  readonly digest: string;
  readonly unmet: UnmetNeed | null;
}

type Verdict = 'unaffected' | 'breaks' | 'may_break';

/** What a change does to a consumer. `breaks` has a path or a witness. */
export interface ConsumerVerdict {
  readonly verdict: Verdict;
  /** The field that is gone or no longer fits, as a path in values, or the guarantee that changed. */
  readonly path?: string;
  /** For what is read, a value of the new version; for what is sent, a value of the consumer. */
  readonly witness?: Json;
  /** Why nothing was proven, as a sentence. */
  readonly reason?: string;
}

/** What a change does to consumers, by the digest of their need. */
export type Verdicts = Readonly<Record<string, ConsumerVerdict>>;

/**
 * Whether a version meets the needs that it leaves unaffected, if the version before it did. A
 * guarantee may go without a break, and then affects nobody.
 */
export function meetsUnaffected(changes: readonly Pick<Change, 'path'>[]): boolean {
  return !changes.some(({ path }) => path.startsWith('$.guarantees'));
}

/**
 * Without a need, a consumer reads everything, also what the mode of the contract allows to go.
 * Null: nothing changes.
 */
export function verdictWithoutNeed(
  comparison: Pick<Comparison, 'isBreaking' | 'breaksBackward'> | null,
): ConsumerVerdict {
  const isBroken = comparison?.isBreaking === true || comparison?.breaksBackward === true;
  if (!isBroken) return { verdict: 'unaffected' };
  return {
    verdict: 'may_break',
    reason: 'The change breaks, and the consumer has not said what it reads.',
  };
}

/** Whether the consumer reads nothing, and only wants to be notified. */
export function readsNothing({ stated }: Pick<Need, 'stated'>): boolean {
  return 'fields' in stated && stated.fields.length === 0;
}

/** Equal for needs of which the same is asked. */
export function needKey(need: Need): string {
  const { schema, dialect, stated } = need;
  const guarantees = stated.guarantees?.toSorted() ?? null;
  return canonicalJson({ schema, dialect, guarantees, readsNothing: readsNothing(need) });
}
