// The names of the fields of a contract, for a search. A plain walk within fixed limits, because a
// publish waits for it; `core/needs/list-fields.ts` knows every reference and takes longer.

import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import { partsOf, spellingsOf } from './words.ts';

interface FieldNames {
  /** Such as `$.lines[*].sku`. Fields nearer to the root come first. */
  readonly paths: readonly string[];
  /** The words of the paths; and with `=` in front, whole names and the ends of paths. */
  readonly lexemes: readonly string[];
  /** There are more fields than are named. */
  readonly isCut: boolean;
}

export const maxNamedFields = 1_000;
/** Schemas that are looked at: some milliseconds. */
const maxVisits = 20_000;
const maxDepth = 32;
/** A tsvector holds a megabyte; a character has at most three bytes here. */
const maxCharacters = 200_000;
/** A longer name is no name that anybody looks for. */
const maxNameLength = 200;
/** How many names from the end of a path are compared as one. */
const maxTail = 4;

interface Spot {
  readonly schemas: readonly Json[];
  readonly path: string;
  readonly names: readonly string[];
  /** What the way from the root has passed, so that a schema that contains itself ends. */
  readonly around: ReadonlySet<Json>;
}

/** @example nameFields({ properties: { a: {} } }).paths // ['$.a'] */
export function nameFields(schema: Json): FieldNames {
  const paths: string[] = [];
  const lexemes = new Set<string>();
  const visits = { left: maxVisits };
  let characters = 0;
  const waiting: Spot[] = [{ schemas: [schema], path: '$', names: [], around: new Set() }];
  for (let at = 0; at < waiting.length; at++) {
    const spot = waiting[at] as Spot;
    const { members, items, inside } = openSpot(schema, spot, visits);
    for (const [name, schemas] of members) {
      const path = spot.path + stepText(name);
      const names = [...spot.names, name];
      const found = isStorable(name) ? lexemesOf(names) : [];
      const isFull = paths.length >= maxNamedFields || characters > maxCharacters;
      if (isFull || visits.left <= 0) return { paths, lexemes: [...lexemes], isCut: true };
      if (found.length > 0 && name.length <= maxNameLength) {
        paths.push(path);
        characters += path.length;
        for (const lexeme of found) {
          if (!lexemes.has(lexeme)) characters += lexeme.length;
          lexemes.add(lexeme);
        }
      }
      if (names.length < maxDepth) waiting.push({ schemas, path, names, around: inside });
    }
    if (items.length > 0) {
      waiting.push({ ...spot, schemas: items, path: `${spot.path}[*]`, around: inside });
    }
  }
  return { paths, lexemes: [...lexemes], isCut: visits.left <= 0 };
}

/** Contracts of before there was a check may have names that Postgres cannot store as text. */
function isStorable(name: string): boolean {
  return !name.includes('\0') && name.isWellFormed();
}

function lexemesOf(names: readonly string[]): readonly string[] {
  const tails = names.slice(-maxTail).map((_, index, last) => last.slice(index).join(' '));
  const own = names.at(-1) ?? '';
  return [...partsOf(own), ...tails.flatMap(spellingsOf).map(wholeLexeme)];
}

/** @example wholeLexeme('customer id') // '=customer id' */
export function wholeLexeme(spelling: string): string {
  return `=${spelling}`.slice(0, maxNameLength).toWellFormed();
}

interface Opened {
  readonly members: ReadonlyMap<string, readonly Json[]>;
  readonly items: readonly Json[];
  readonly inside: ReadonlySet<Json>;
}

const listsOfSchemas = ['allOf', 'anyOf', 'oneOf'] as const;
const branches = ['then', 'else'] as const;

/** The properties and items of a place, in whatever part of its schemas they stand. */
function openSpot(root: Json, { schemas, around }: Spot, visits: { left: number }): Opened {
  const members = new Map<string, Json[]>();
  const items: Json[] = [];
  const inside = new Set(around);
  const waiting = [...schemas];
  for (const schema of waiting) {
    if (!isJsonObject(schema) || inside.has(schema)) continue;
    if (visits.left-- <= 0) break;
    inside.add(schema);
    if (isJsonObject(schema.properties)) {
      for (const [name, member] of Object.entries(schema.properties)) {
        const known = members.get(name);
        if (known === undefined) members.set(name, [member]);
        else known.push(member);
      }
    }
    items.push(...listOf(schema.items), ...listOf(schema.prefixItems));
    for (const keyword of listsOfSchemas) waiting.push(...listOf(schema[keyword]));
    for (const keyword of branches) waiting.push(...listOf(schema[keyword]));
    waiting.push(...referenced(root, schema));
  }
  return { members, items, inside };
}

function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** What `$ref` leads to, if it is a pointer within the schema. */
function referenced(root: Json, { $ref }: JsonObject): readonly Json[] {
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return [];
  let at: Json | undefined = root;
  for (const step of $ref.slice(1).split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return [];
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = Object.hasOwn(at, name) ? (at as JsonObject)[name] : undefined;
  }
  return listOf(at);
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
