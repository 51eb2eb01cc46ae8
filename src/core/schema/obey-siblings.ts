// Up to draft-07 keywords next to `$ref` do not count, and ajv, which most people use, obeys them all the same.
// So whatever is answered has to hold for both.

import { isJsonObject, type Json, type JsonObject, someObject } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import type { Dialect } from './dialects.ts';
import { constraintsOf, defaultDialect, idKeyword, isOpenApi } from './keywords.ts';
import { parseSchema } from './parse-schema.ts';
import { dialectOfDocument, isBareReference, type Standing, standingBelow } from './places.ts';
import { stepsOf } from './schema.ts';

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
  const targets = targetsInData(schema, dialect);
  const obeyed = rewrite({ raw: schema, standing: 'schema', path: '$', dialect, moved, targets });
  return moved.size === 0 ? null : { schema: obeyed, moved };
}

function hasSiblings(raw: JsonObject, dialect: Dialect): boolean {
  if (!isBareReference(raw, dialect)) return false;
  return Object.keys(raw).some((key) => key !== '$ref' && constraintsOf(dialect).has(key));
}

interface Found {
  readonly raw: Json;
  readonly standing: Standing;
  readonly steps: readonly (string | number)[];
}

/**
 * The schemas that references lead to although no keyword of the dialect contains them.
 *
 * @example of { $ref: '#/$defs/a', $defs: { a: {} } } in draft-07, which does not know $defs: the schema a
 */
function targetsInData(schema: Json, dialect: Dialect): ReadonlySet<JsonObject> {
  const document = parseSchema(schema, dialect);
  const visited = new Set<JsonObject>();
  const referred: Found[] = [];
  const visit = (start: Found): void => {
    const waiting = [start];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const { raw, standing, steps } = at;
      if (isJsonObject(raw) && standing === 'schema') {
        if (visited.has(raw)) continue;
        visited.add(raw);
        const node = typeof raw.$ref === 'string' ? document.nodeBelow(steps) : undefined;
        const target = node && document.resolve(node, String(raw.$ref));
        if (target !== undefined && !('code' in target) && target.document === document) {
          referred.push({ raw: target.raw, standing, steps: stepsOf(target) });
        }
      }
      const where = { dialect, isRoot: steps.length === 0 };
      for (const [step, member] of membersOf(raw)) {
        const below = standingBelow(standing, raw, step, where);
        if (below === 'data') continue;
        waiting.push({ raw: member, standing: below, steps: [...steps, step] });
      }
    }
  };
  visit({ raw: schema, standing: 'schema', steps: [] });
  const inData = new Set<JsonObject>();
  for (const target of referred) {
    if (!isJsonObject(target.raw) || visited.has(target.raw)) continue;
    inData.add(target.raw);
    visit(target);
  }
  return inData;
}

function membersOf(raw: Json): Iterable<readonly [string | number, Json]> {
  if (Array.isArray(raw)) return raw.entries();
  return isJsonObject(raw) ? Object.entries(raw) : [];
}

interface Place {
  readonly raw: Json;
  readonly standing: Standing;
  readonly path: string;
  readonly dialect: Dialect;
  readonly moved: Map<string, string>;
  /** Schemas where the keywords have data. */
  readonly targets: ReadonlySet<JsonObject>;
}

function rewrite(place: Place): Json {
  const { raw, path, dialect, moved, targets } = place;
  const standing = isJsonObject(raw) && targets.has(raw) ? 'schema' : place.standing;
  if (standing === 'data' && targets.size === 0) return raw;
  const below = (member: Json, step: string | number): Json =>
    rewrite({
      ...place,
      raw: member,
      standing: standingBelow(standing, raw, step, { dialect, isRoot: path === '$' }),
      path: `${path}${stepText(step)}`,
    });
  if (Array.isArray(raw)) return raw.map(below);
  if (!isJsonObject(raw)) return raw;
  const members = Object.entries(raw).map(([key, value]) => [key, below(value, key)] as const);
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
