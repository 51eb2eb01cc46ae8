// The parts of an operation beside its request and its response: each status, what a caller must
// present, and the requests that the API sends itself. docs/decisions/openapi.md has the rules.

import type { Direction } from '../comparison.ts';
import type { SameSource } from '../same/same-source.ts';
import { type SchemaNode, saysSomething } from '../schema/schema.ts';
import { namedIn } from './named-in.ts';
import type { PlaceBook } from './places/place.types.ts';
import { openReach } from './places/reach.ts';

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

type Properties = ReadonlyMap<string, SchemaNode>;

/** What an operation says by name. */
interface Said {
  readonly book: PlaceBook;
  readonly properties: Properties | undefined;
}

export const furtherMembers = [
  'responses',
  'media_types',
  'security',
  'callbacks',
  'callback_responses',
] as const;

/** The parts that are written differently on both sides. */
export function restOfOperation(
  old: Said,
  next: Said,
  isSameSource: SameSource,
): readonly RestPart[] {
  const [responses, types, security, callbacks, answers] = furtherMembers.map((name) => ({
    path: [name],
    old: old.properties?.get(name) ?? null,
    next: next.properties?.get(name) ?? null,
  }));
  if (!responses || !types || !security || !callbacks || !answers) return [];
  // A contract without statuses does not describe what callers present or answer either.
  const isWhole = responses.old !== null || security.old !== null;
  const listed = (sides: Sides): Listed => ({
    ...sides,
    before: listIn(old.book, sides.old),
    after: listIn(next.book, sides.next),
  });
  const parts: readonly RestPart[] = [
    ...statusParts(listed(responses)),
    ...sharedParts(
      listed(types),
      (name) => isWhole && hasContent(old, name),
      (name) => hasContent(next, name),
    ),
    ...(isWhole ? [{ ...security, ...presented }] : []),
    { ...callbacks, direction: 'response' },
    ...sharedParts(
      listed(answers),
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
function hasContent({ book, properties }: Said, name: string): boolean {
  if (name === 'response') return properties?.has(name) === true;
  const request = properties?.get('request');
  const body = request && namedIn(book, request).properties.get(name);
  // A body that is refused is none.
  const refused = body?.keywords.not;
  return body !== undefined && (refused === undefined || saysSomething(refused));
}

function hasCallback({ book, properties }: Said, name: string): boolean {
  const callbacks = properties?.get('callbacks');
  return callbacks !== undefined && namedIn(book, callbacks).properties.has(name);
}

/** A caller may always present more than it must. */
const presented = { direction: 'request', mayLosePaths: true, isDemanded: true } as const;

type Sides = Pick<RestPart, 'path' | 'old' | 'next'>;

interface Listed extends Sides {
  readonly before: List;
  readonly after: List;
}

interface List {
  readonly named: Properties;
  /** Whether the schema says only what each property holds. */
  readonly isPlain: boolean;
}

/**
 * A part for each status that either side names. A status that a side does not name is that of its
 * range or the default. An error that is no longer described breaks nobody.
 */
function statusParts(sides: Listed): readonly RestPart[] {
  const { path, old, next } = sides;
  const [before, after] = [sides.before.named, sides.after.named];
  const whole = { path, old, next, direction: 'response' } as const;
  if (old === null || next === null) return [whole];
  const parts = [...new Set([...before.keys(), ...after.keys()])].flatMap(
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
  return sides.before.isPlain && sides.after.isPlain ? parts : [whole, ...parts];
}

/**
 * A part for each property that both sides have. What one side lacks is reported where it is described, if
 * it is gone there, too.
 */
function sharedParts(
  sides: Listed,
  wasDescribed: (name: string) => boolean,
  isDescribed: (name: string) => boolean,
): readonly RestPart[] {
  const { path, old, next } = sides;
  const [before, after] = [sides.before.named, sides.after.named];
  const parts = [...new Set([...before.keys(), ...after.keys()])].flatMap(
    (name): readonly RestPart[] => {
      const part = { old: before.get(name) ?? null, next: after.get(name) ?? null };
      if (part.old === null ? !wasDescribed(name) : part.next === null && !isDescribed(name))
        return [];
      return [{ path: [...path, name], ...part, direction: 'request' }];
    },
  );
  const isPlain = sides.before.isPlain && sides.after.isPlain;
  return isPlain ? parts : [{ path, old, next, direction: 'request' }, ...parts];
}

function listIn(book: PlaceBook, node: SchemaNode | null): List {
  if (node === null) return { named: new Map(), isPlain: true };
  const parts = openReach(() => false, 'sure').spotOf([node]).nodes;
  const isPlain =
    parts.some(({ keywords }) => keywords.types?.join() === 'object') &&
    parts.every(({ keywords }) => Object.keys(keywords).every((name) => ofLists.has(name)));
  return { named: namedIn(book, node).properties, isPlain };
}

const ofLists = new Set(['types', 'properties', 'ref', 'allOf', 'isIdle']);

/** What describes a status: itself, its range, or the default. */
export function effective(
  statuses: ReadonlyMap<string, SchemaNode>,
  status: string,
): SchemaNode | null {
  const own = statuses.get(status) ?? statuses.get(`${status.slice(0, 1)}XX`);
  return own ?? statuses.get('default') ?? null;
}

/** Whether a range or the default stands for a status that is named. */
function coversOne(status: string, statuses: ReadonlyMap<string, SchemaNode>): boolean {
  if (!status.endsWith('XX')) return false;
  return [...statuses.keys()].some((each) => each.startsWith(status.slice(0, 1)));
}
