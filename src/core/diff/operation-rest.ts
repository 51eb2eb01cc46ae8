// The parts of an operation beside its request and its response: each status, what a caller must
// present, and the requests that the API sends itself. docs/decisions/openapi.md has the rules.

import type { Direction } from '../comparison.ts';
import type { SameSource } from '../same/same-source.ts';
import type { SchemaNode } from '../schema/schema.ts';

export interface RestPart {
  readonly direction: Exclude<Direction, 'operation'>;
  /** The properties that lead to the part. */
  readonly path: readonly string[];
  /** Null if the side does not have it. */
  readonly old: SchemaNode | null;
  readonly next: SchemaNode | null;
  readonly mayLosePaths?: true;
  /** Whether every value has the part, even if nothing is said about it. */
  readonly isDemanded?: true;
}

type Properties = ReadonlyMap<string, SchemaNode> | undefined;

export const furtherMembers = [
  'responses',
  'media_types',
  'security',
  'callbacks',
  'callback_responses',
] as const;

/** The parts that are written differently on both sides. */
export function restOfOperation(
  old: Properties,
  next: Properties,
  isSameSource: SameSource,
): readonly RestPart[] {
  const [responses, types, security, callbacks, answers] = furtherMembers.map((name) => ({
    path: [name],
    old: old?.get(name) ?? null,
    next: next?.get(name) ?? null,
  }));
  if (!responses || !types || !security || !callbacks || !answers) return [];
  // A contract without statuses does not describe what callers present or answer either.
  const isWhole = responses.old !== null;
  const parts: readonly RestPart[] = [
    ...statusParts(responses),
    ...sharedParts(types),
    ...(isWhole ? [{ ...security, ...presented }] : []),
    { ...callbacks, direction: 'response' },
    ...sharedParts(answers),
  ];
  return parts.filter(({ old, next }) => {
    if (old === null || next === null) return old !== next;
    return !isSameSource(old, next);
  });
}

/** A caller may always present more than it must. */
const presented = { direction: 'request', mayLosePaths: true, isDemanded: true } as const;

type Sides = Pick<RestPart, 'path' | 'old' | 'next'>;

/**
 * A part for each status that either side names. A status that a side does not name is that of its
 * range or the default. An error that is no longer described breaks nobody.
 */
function statusParts({ path, old, next }: Sides): readonly RestPart[] {
  const [before, after] = [statusesOf(old), statusesOf(next)];
  if (before === null || after === null) return [{ path, old, next, direction: 'response' }];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap(
    (status): readonly RestPart[] => {
      const was = effective(before, status);
      const is = effective(after, status);
      // Its single statuses are compared.
      if (was === null && coversOne(status, before)) return [];
      if (is === null && coversOne(status, after)) return [];
      const isGone = was === null || is === null;
      return [
        {
          path: [...path, status],
          old: was,
          next: is,
          direction: 'response',
          ...(isGone && !status.startsWith('2') && { mayLosePaths: true }),
        },
      ];
    },
  );
}

/** A part for each property that both sides have. What one side lacks is reported elsewhere. */
function sharedParts({ path, old, next }: Sides): readonly RestPart[] {
  const [before, after] = [statusesOf(old), statusesOf(next)];
  if (before === null || after === null) return [];
  return [...before].flatMap(([name, was]): readonly RestPart[] => {
    const is = after.get(name);
    if (is === undefined) return [];
    return [{ path: [...path, name], old: was, next: is, direction: 'request' }];
  });
}

/** Null if the schema says more than what each status has. */
function statusesOf(node: SchemaNode | null): ReadonlyMap<string, SchemaNode> | null {
  if (node === null) return null;
  const { properties, types: _, ...others } = node.keywords;
  return Object.keys(others).length > 0 ? null : (properties ?? new Map());
}

function effective(statuses: ReadonlyMap<string, SchemaNode>, status: string): SchemaNode | null {
  const own = statuses.get(status) ?? statuses.get(`${status.slice(0, 1)}XX`);
  return own ?? statuses.get('default') ?? null;
}

/** Whether a range or the default stands for a status that is named. */
function coversOne(status: string, statuses: ReadonlyMap<string, SchemaNode>): boolean {
  if (!status.endsWith('XX')) return false;
  return [...statuses.keys()].some((each) => each.startsWith(status.slice(0, 1)));
}
