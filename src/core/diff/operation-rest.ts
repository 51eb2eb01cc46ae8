// The parts of an operation beside its request and its response: each status, what a caller must
// present, and the requests that the API sends itself. docs/decisions/openapi.md has the rules.

import type { Direction } from '../comparison.ts';
import type { SameSource } from '../same/same-source.ts';
import { type SchemaNode, saysSomething } from '../schema/schema.ts';

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
  const isWhole = responses.old !== null || security.old !== null;
  const parts: readonly RestPart[] = [
    ...statusParts(responses),
    ...sharedParts(
      types,
      (name) => isWhole && hasContent(old, name),
      (name) => hasContent(next, name),
    ),
    ...(isWhole ? [{ ...security, ...presented }] : []),
    { ...callbacks, direction: 'response' },
    ...sharedParts(
      answers,
      (name) => isWhole && hasCallback(old, name),
      (name) => hasCallback(next, name),
    ),
  ];
  return parts.filter(({ old, next }) => {
    if (old === null || next === null) return old !== next;
    return !isSameSource(old, next);
  });
}

/** Whether the request has such a body, or there is a response. */
function hasContent(side: Properties, name: string): boolean {
  if (name === 'response') return side?.has(name) === true;
  const body = side?.get('request')?.keywords.properties?.get(name);
  // A body that is refused is none.
  const refused = body?.keywords.not;
  return body !== undefined && (refused === undefined || saysSomething(refused));
}

function hasCallback(side: Properties, name: string): boolean {
  return side?.get('callbacks')?.keywords.properties?.has(name) === true;
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
      const isSuccess = status.startsWith('2');
      // Its single statuses are compared, and so are those of an error. Of success, the statuses that nobody
      // names any more are gone.
      const isOfSingles =
        (was === null && coversOne(status, before)) ||
        (is === null && coversOne(status, after) && !isSuccess);
      const isGone = was === null || is === null;
      return [
        {
          path: [...path, status],
          old: was,
          next: is,
          direction: 'response',
          ...((isOfSingles || (isGone && !isSuccess)) && { mayLosePaths: true }),
        },
      ];
    },
  );
}

/**
 * A part for each property that both sides have. What one side lacks is reported where it is described, if
 * it is gone there, too.
 */
function sharedParts(
  { path, old, next }: Sides,
  wasDescribed: (name: string) => boolean,
  isDescribed: (name: string) => boolean,
): readonly RestPart[] {
  const [before, after] = [old, next].map((each) => (each === null ? new Map() : statusesOf(each)));
  if (!before || !after) return [{ path, old, next, direction: 'request' }];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): readonly RestPart[] => {
    const part = { old: before.get(name) ?? null, next: after.get(name) ?? null };
    if (part.old === null ? !wasDescribed(name) : part.next === null && !isDescribed(name))
      return [];
    return [{ path: [...path, name], ...part, direction: 'request' }];
  });
}

/** Null if the schema says more than what each status has. */
function statusesOf(node: SchemaNode | null): ReadonlyMap<string, SchemaNode> | null {
  if (node === null) return null;
  const { properties, types, ...others } = node.keywords;
  const isObject = types?.length === 1 && types.includes('object');
  return Object.keys(others).length > 0 || !isObject ? null : (properties ?? new Map());
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
