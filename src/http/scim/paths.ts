// Paths of attributes and filters, as far as identity providers send them.

import { accept, type Outcome, refuse } from '../../core/failure.ts';

/** An attribute in lower case, because SCIM ignores their case. */
export interface AttributePath {
  /** Such as `name.givenname`, or `emails.value`. */
  readonly name: string;
  /** Of `emails[type eq "work"].value`; empty if there is none. */
  readonly filter: readonly Comparison[];
}

/** An attribute that equals a value. */
interface Comparison {
  readonly name: string;
  readonly value: string | boolean;
}

const coreSchema = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i;
const pathPattern = /^([a-z][\w$-]*)(?:\[([^[\]]*)\])?(?:\.([a-z][\w$-]*))?$/i;

/**
 * An extension is an attribute that nobody knows.
 *
 * @example readPath('emails[type eq "work"].value') // { name: 'emails.value', filter: [...] }
 */
export function readPath(path: string): Outcome<AttributePath> {
  const own = path.replace(coreSchema, '');
  if (/^urn:/i.test(own)) return accept({ name: own.toLowerCase(), filter: [] });
  const [, attribute, filter, sub] = pathPattern.exec(own) ?? [];
  const inner = filter === undefined ? [] : readComparisons(filter);
  if (attribute === undefined || inner === null) {
    return refuse('VALIDATION_ERROR', `The path ${quote(path)} cannot be read.`, {
      details: { scim_type: 'invalidPath' },
    });
  }
  const name = (sub === undefined ? attribute : `${attribute}.${sub}`).toLowerCase();
  return accept({ name, filter: inner });
}

/** Each name that may be compared, in lower case, and what it stands for. */
type Comparable<By> = Readonly<Record<string, By>>;

/**
 * The conditions of a filter, which all hold.
 *
 * @example readFilter('userName eq "ada"', { username: 'userName' }) // [{ by: 'userName', is: 'ada' }]
 */
export function readFilter<By extends string>(
  text: string,
  comparable: Comparable<By>,
): Outcome<readonly { readonly by: By; readonly is: string | boolean }[]> {
  const compared = readComparisons(text);
  const where: { readonly by: By; readonly is: string | boolean }[] = [];
  for (const { name, value } of compared ?? []) {
    const path = readPath(name);
    const by = path.ok ? comparable[path.value.name] : undefined;
    if (by !== undefined && typeof value === (by === 'active' ? 'boolean' : 'string')) {
      where.push({ by, is: value });
    }
  }
  if (compared !== null && where.length === compared.length) return accept(where);
  const names = Object.keys(comparable).join(', ');
  return refuse(
    'VALIDATION_ERROR',
    `The filter ${quote(text)} is not supported. Compare with eq, and join comparisons with and. These can be compared: ${names}.`,
    { details: { scim_type: 'invalidFilter' } },
  );
}

const comparison =
  /\s*([a-z](?:[\w$:.-]|\[[^[\]]*\])*)\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)(?=\s|$)\s*/iy;
const joint = /and\s+/iy;

/** Null if the text is anything else than comparisons with `eq` that are joined by `and`. */
function readComparisons(text: string): readonly Comparison[] | null {
  const found: Comparison[] = [];
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const taken = pattern.exec(text);
    at = taken === null ? at : pattern.lastIndex;
    return taken;
  };
  do {
    const [, name, literal] = take(comparison) ?? [];
    const value = literal === undefined ? null : readLiteral(literal);
    if (name === undefined || value === null) return null;
    found.push({ name, value });
  } while (at < text.length && take(joint) !== null);
  return at === text.length ? found : null;
}

function readLiteral(literal: string): string | boolean | null {
  try {
    // Some send True.
    const value: unknown = JSON.parse(literal.startsWith('"') ? literal : literal.toLowerCase());
    return typeof value === 'string' || typeof value === 'boolean' ? value : null;
  } catch {
    return null;
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length <= 200 ? text : `${text.slice(0, 200)}...`);
}
