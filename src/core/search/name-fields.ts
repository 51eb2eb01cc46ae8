// The names of the fields of a contract, for a search. A plain walk within fixed limits, because a
// publish waits for it; `core/needs/list-fields.ts` knows every reference and takes longer.

import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import { percentDecoded, readPointerToken } from '../value/pointer-token.ts';
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
/** How many schemas and names are visited, each once for every place that leads to it: some milliseconds. */
const maxVisits = 20_000;
const maxDepth = 32;
/** A tsvector holds a megabyte; a character has at most three bytes here. */
const maxCharacters = 200_000;
/** Nobody searches for longer names. */
const maxNameLength = 200;
/** How many names from the end of a path are compared as one. */
const maxTail = 4;

interface Spot {
  readonly schemas: readonly Json[];
  readonly path: string;
  readonly names: readonly string[];
  readonly depth: number;
  readonly around: Around | null;
}

/** The schemas on the path from the root. None is visited again, so a schema that contains itself ends. */
interface Around {
  readonly passed: Set<Json>;
  readonly outer: Around | null;
}

interface Walk {
  readonly root: Json;
  readonly referenced: Map<string, Json | undefined>;
  visitsLeft: number;
}

/** @example nameFields({ properties: { a: {} } }).paths // ['$.a'] */
export function nameFields(schema: Json): FieldNames {
  const paths: string[] = [];
  const lexemes = new Set<string>();
  const walk: Walk = { root: schema, referenced: new Map(), visitsLeft: maxVisits };
  let characters = 0;
  const start = { schemas: [schema], path: '$', names: [], depth: 0, around: null };
  const waiting: Spot[] = [start];
  for (const spot of waiting) {
    const { members, items, around } = openSpot(walk, spot);
    const inside = { depth: spot.depth + 1, around };
    for (const [name, schemas] of members) {
      const path = spot.path + stepText(name);
      const names = [...spot.names, name];
      const found = isStorable(name) && name.length <= maxNameLength ? lexemesOf(names) : [];
      const isFull = paths.length >= maxNamedFields || characters > maxCharacters;
      if (isFull) return { paths, lexemes: [...lexemes], isCut: true };
      if (found.length > 0) {
        paths.push(path);
        characters += path.length;
        for (const lexeme of found) {
          if (!lexemes.has(lexeme)) characters += lexeme.length;
          lexemes.add(lexeme);
        }
      }
      if (inside.depth < maxDepth) waiting.push({ ...inside, schemas, path, names });
    }
    if (items.length > 0 && inside.depth < maxDepth) {
      const path = `${spot.path}[*]`;
      waiting.push({ ...inside, schemas: items, path, names: spot.names });
    }
    if (walk.visitsLeft <= 0) break;
  }
  return { paths, lexemes: [...lexemes], isCut: walk.visitsLeft <= 0 };
}

/** Contracts that are older than the check may have names that Postgres cannot store as text. */
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
  readonly around: Around;
}

const partKeywords = ['allOf', 'anyOf', 'oneOf', 'then', 'else'] as const;
const itemKeywords = ['items', 'prefixItems'] as const;

/**
 * The properties and items of a place, from every part of its schemas. Everything that is visited
 * counts, because thousands of places may lead to the same part.
 */
function openSpot(walk: Walk, { schemas, around: outer }: Spot): Opened {
  const members = new Map<string, Json[]>();
  const items: Json[] = [];
  const around = { passed: new Set<Json>(), outer };
  const waiting = [...schemas];
  for (const schema of waiting) {
    if (walk.visitsLeft-- <= 0) break;
    if (!isJsonObject(schema) || hasPassed(around, schema)) continue;
    around.passed.add(schema);
    if (isJsonObject(schema.properties)) {
      for (const [name, member] of Object.entries(schema.properties)) {
        if (walk.visitsLeft-- <= 0) break;
        const known = members.get(name);
        if (known === undefined) members.set(name, [member]);
        else known.push(member);
      }
    }
    for (const keyword of itemKeywords) take(walk, items, schema[keyword]);
    for (const keyword of partKeywords) take(walk, waiting, schema[keyword]);
    take(walk, waiting, referenced(walk, schema));
  }
  return { members, items, around };
}

function hasPassed(around: Around, schema: Json): boolean {
  for (let at: Around | null = around; at !== null; at = at.outer) {
    if (at.passed.has(schema)) return true;
  }
  return false;
}

/** Adds one schema, or as many of a list as may still be visited. */
function take({ visitsLeft }: Walk, into: Json[], found: Json | undefined): void {
  if (found === undefined) return;
  const all = Array.isArray(found) ? found.slice(0, Math.max(0, visitsLeft)) : [found];
  for (const each of all) into.push(each);
}

/** The target of `$ref`, if it is a pointer within the schema. */
function referenced({ root, referenced: known }: Walk, { $ref }: JsonObject): Json | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return undefined;
  if (!known.has($ref)) known.set($ref, followed(root, $ref));
  return known.get($ref);
}

function followed(root: Json, $ref: string): Json | undefined {
  let at: Json | undefined = root;
  for (const step of $ref.slice(1).split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return undefined;
    const name = readPointerToken(percentDecoded(step));
    at = Object.hasOwn(at, name) ? (at as JsonObject)[name] : undefined;
  }
  return at;
}
