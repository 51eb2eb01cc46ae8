// How many rows break which rule, and a few of the values that do.

import type { Fault } from '../../core/checks/find-faults.ts';
import { isSameJson } from '../../core/value/canonical-json.ts';
import type { Json, JsonObject } from '../../core/value/json.ts';
import { stepsOf, stepText } from '../../core/value/json-path.ts';

export interface CheckedRule {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** How many rows fail; null for a rule that does not count rows. */
  readonly rows: number | null;
  readonly message: string;
  readonly samples: readonly Sample[];
  /** Whether the column has a type of which the contract accepts no value. */
  readonly isOfOtherType?: true;
}

export type Sample = {
  /** Absent if it is not shown: it is personal, or a whole row. */
  readonly value?: Json;
  /** What names the row: its key, or its line; null if nothing does. */
  readonly row: JsonObject | null;
};

/** What leaves the source, in all. */
export const maxSamples = 20;
export const maxSamplesOfRule = 5;
/** Of values with many faults, more names are counted together. */
const maxNames = 200;

export interface Samples {
  left: number;
  /** How many one rule may have. */
  readonly ofRule: number;
  /** Columns whose whole values are not shown. */
  readonly inParts: ReadonlySet<string>;
}

export interface NamedFault {
  readonly name: string;
  readonly message: string;
  readonly column: string | null;
  readonly value?: Json;
}

export function namedFault(
  fault: Fault,
  column: string | null,
  guarantee: string | null,
): NamedFault {
  const { path, rule, message, value } = fault;
  const inside = column === null ? path : `$${stepText(column)}${path.slice(1)}`;
  // A list has as many places as items, and they are one rule.
  const place = inside.replace(/\[\d+\]/g, '[*]');
  const isGuarantee = rule === 'nullability' || rule === 'accepted_values';
  const name =
    guarantee ?? (isGuarantee ? `${rule}.${stepsOf(path).join('.')}` : `${place} ${rule}`);
  return {
    ...{ name, message, column },
    ...(value !== undefined && { value }),
  };
}

export function undecided(column: string | null): NamedFault {
  const place = column === null ? '$' : `$${stepText(column)}`;
  const message = 'cannot be evaluated for the value';
  return { name: `${place} undecided`, message, column };
}

function isTelling({ value, row }: Sample): boolean {
  return value !== undefined || row !== null;
}

/** A value is shown once, whichever row has it. */
function isAlike(one: Sample, other: Sample): boolean {
  return one.value === undefined || other.value === undefined
    ? one.value === other.value && isSameJson(one.row, other.row)
    : isSameJson(one.value, other.value);
}

export function openTally(samples: Samples) {
  const found = new Map<
    string,
    { message: string; rows: number; samples: Sample[]; column: string | null }
  >();
  const others = '$ others';
  return {
    /** The faults of one row, or of one value of it. */
    add: (faults: readonly NamedFault[], row: JsonObject | null) => {
      const once = new Map(faults.map((fault) => [fault.name, fault]));
      for (const [name, { message, column, value }] of once) {
        const isKnown = found.has(name) || found.size < maxNames;
        const key = isKnown ? name : others;
        const words = isKnown ? message : 'more kinds of faults than are told apart';
        const entry = found.get(key) ?? { message: words, rows: 0, samples: [], column };
        found.set(key, entry);
        entry.rows++;
        if (samples.left === 0 || entry.samples.length === samples.ofRule) continue;
        const sample = value === undefined ? { row } : { value, row };
        if (!isTelling(sample) || entry.samples.some((each) => isAlike(each, sample))) continue;
        samples.left--;
        entry.samples.push(sample);
      }
    },
    rules: (columns: readonly string[]): readonly CheckedRule[] => {
      const failed = [...found].map(([name, { message, rows, samples: shown }]) => ({
        ...{ name, message, rows, samples: shown },
        status: 'failed' as const,
      }));
      const failing = new Set([...found.values()].map(({ column }) => column ?? '*'));
      const passed = columns
        .filter((column) => !failing.has(column))
        .map((column) => ({
          name: column === '*' ? '$ schema' : `$${stepText(column)} schema`,
          message: 'matches the schema',
          ...{ status: 'passed' as const, rows: 0, samples: [] },
        }));
      return [...failed, ...passed];
    },
  };
}
