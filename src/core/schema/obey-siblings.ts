// Up to draft-07 keywords next to `$ref` do not count, and ajv, which most people use, obeys them all the same.
// So whatever is answered has to hold for both.

import { isJsonObject, type Json, type JsonObject, someObject } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import type { Dialect } from './dialects.ts';
import { constraintsOf, defaultDialect, idKeyword, isOpenApi } from './keywords.ts';
import { dialectOfDocument, isBareReference, type Standing, standingBelow } from './places.ts';

export interface Obeying {
  readonly schema: Json;
  /** Where a reference went, and where it stood: JSON paths. */
  readonly moved: ReadonlyMap<string, string>;
}

/**
 * The schema as it is read by validators that obey keywords next to `$ref`. Null if they read the same.
 *
 * @example obeySiblings({ $ref: '#/definitions/a', minLength: 1 }, 'draft-07')?.schema
 *   // { allOf: [{ $ref: '#/definitions/a' }], minLength: 1 }
 */
export function obeySiblings(schema: Json, stated: Dialect = defaultDialect): Obeying | null {
  const dialect = dialectOfDocument(schema, stated);
  // Tools that read OpenAPI 3.0 put the target in place of the reference.
  if (isOpenApi(dialect) || !isBareReference({ $ref: '#' }, dialect)) return null;
  if (!someObject(schema, (raw) => hasSiblings(raw, dialect))) return null;
  const moved = new Map<string, string>();
  const obeyed = rewrite({ raw: schema, standing: 'schema', path: '$', dialect, moved });
  return moved.size === 0 ? null : { schema: obeyed, moved };
}

/** Terms as such validators read them; the same object if they read the same. */
export function asObeyed<
  T extends { readonly schema: Json; readonly dialect?: Dialect | undefined },
>(terms: T): T {
  const obeying = obeySiblings(terms.schema, terms.dialect);
  return obeying === null ? terms : { ...terms, schema: obeying.schema };
}

function hasSiblings(raw: JsonObject, dialect: Dialect): boolean {
  if (!isBareReference(raw, dialect)) return false;
  return Object.keys(raw).some((key) => key !== '$ref' && constraintsOf(dialect).has(key));
}

interface Place {
  readonly raw: Json;
  readonly standing: Standing;
  readonly path: string;
  readonly dialect: Dialect;
  readonly moved: Map<string, string>;
}

function rewrite({ raw, standing, path, dialect, moved }: Place): Json {
  if (standing === 'data') return raw;
  if (Array.isArray(raw)) {
    return raw.map((item, index) => {
      const below = standingBelow(standing, raw, index, { dialect, isRoot: path === '$' });
      return rewrite({ raw: item, standing: below, path: `${path}[${index}]`, dialect, moved });
    });
  }
  if (!isJsonObject(raw)) return raw;
  const members = Object.entries(raw).map(([key, value]): [string, Json] => {
    const below = standingBelow(standing, raw, key, { dialect, isRoot: path === '$' });
    const at = `${path}${stepText(key)}`;
    return [key, rewrite({ raw: value, standing: below, path: at, dialect, moved })];
  });
  const rewritten: JsonObject = Object.fromEntries(members);
  if (standing !== 'schema' || !hasSiblings(raw, dialect)) return rewritten;
  // A name next to a reference names nothing, for these validators neither.
  const { $ref = null, allOf = [], [idKeyword(dialect) ?? '']: _, ...others } = rewritten;
  const around = Array.isArray(allOf) ? allOf : [allOf];
  moved.set(`${path}.allOf[${around.length}]`, path);
  return { ...others, allOf: [...around, { $ref }] };
}

/**
 * A path of the rewritten schema, as the schema was written.
 *
 * @example asWritten('$.allOf[0].properties.a', new Map([['$.allOf[0]', '$']])) // '$.properties.a'
 */
export function asWritten(path: string, moved: Obeying['moved']): string {
  for (const [from, to] of moved) {
    const rest = path.slice(from.length);
    if (path.startsWith(from) && /^(?:[.[]|$)/.test(rest)) return asWritten(`${to}${rest}`, moved);
  }
  return path;
}
