// The annotations of a document by their locations: at every schema, by the table of keywords,
// including parts that are not compared (conditions, unused definitions, siblings of references).

import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import { writePointerToken } from '../value/pointer-token.ts';
import type { Dialect } from './dialects.ts';
import { isAnnotation } from './keywords.ts';
import { resourceStart, type Standing, standingBelow } from './places.ts';
import { type Annotations, pointerOf, type SchemaDocument, stepsOf } from './schema.ts';

/** By pointer; locations without annotations are omitted. */
export type WrittenAnnotations = ReadonlyMap<string, Annotations>;

/** @example listWritten(parseSchema({ not: { title: 'a' } })) // Map { '/not' => { title: 'a' } } */
export function listWritten(document: SchemaDocument): WrittenAnnotations {
  const { written, references, visit } = openListing(false);
  visit(document.json, rootOf(document));
  visitReferredData(document, references, visit);
  return written;
}

/** All annotations but those in definitions. All references of the document must lead to definitions. */
export function listWrittenApart(document: SchemaDocument): WrittenAnnotations {
  const { written, visit } = openListing(true);
  visit(document.json, rootOf(document));
  return written;
}

/** The annotations in one definition. All references of the document must lead to definitions. */
export function listWrittenIn(document: SchemaDocument, definition: string): WrittenAnnotations {
  const { written, visit } = openListing(false);
  const pointer = `/$defs/${writePointerToken(definition)}`;
  const node = document.nodeAt(pointer);
  if (node !== undefined) visit(node.raw, { ...rootOf(document), pointer });
  return written;
}

function rootOf({ dialect }: SchemaDocument): At {
  return { standing: 'schema', dialect, resource: '', pointer: '' };
}

interface Listing {
  readonly written: Map<string, Annotations>;
  readonly references: Map<string, Reference>;
  readonly visit: (raw: Json, around: At) => void;
}

function openListing(isApart: boolean): Listing {
  const written = new Map<string, Annotations>();
  const references = new Map<string, Reference>();
  const visit = (raw: Json, around: At): void => {
    const at = around.standing === 'schema' ? enter(raw, around) : around;
    const { dialect, pointer, resource } = at;
    if (at.standing === 'schema' && isJsonObject(raw)) {
      const own = annotationsAt(raw, at);
      if (own !== null) written.set(pointer, own);
      if (typeof raw.$ref === 'string') {
        const key = `${raw.$ref} ${resource}`;
        if (!references.has(key)) references.set(key, { text: raw.$ref, from: pointer, resource });
      }
    }
    const where = { dialect, isRoot: pointer === '' };
    const goOn = (step: string | number, member: Json): void => {
      if (typeof member !== 'object' || member === null) return;
      const standing = standingBelow(at.standing, raw, step, where);
      if (standing === 'data' || (isApart && pointer === '' && step === '$defs')) return;
      visit(member, { ...at, standing, pointer: `${pointer}/${writePointerToken(String(step))}` });
    };
    if (Array.isArray(raw)) for (const [index, member] of raw.entries()) goOn(index, member);
    else if (isJsonObject(raw)) for (const key in raw) goOn(key, raw[key] ?? null);
  };
  return { written, references, visit };
}

interface At {
  readonly standing: Standing;
  readonly dialect: Dialect;
  /** The pointer to the root of the resource. */
  readonly resource: string;
  readonly pointer: string;
}

/** A reference, which means the same anywhere in its resource. */
interface Reference {
  readonly text: string;
  readonly from: string;
  readonly resource: string;
}

function enter(raw: Json, at: At): At {
  const start = isJsonObject(raw) ? resourceStart(raw, at.dialect) : undefined;
  return start === undefined ? at : { ...at, dialect: start.dialect, resource: at.pointer };
}

/** These are neither schemas nor annotations, but contain the schemas that references lead to. */
const holders = new Set(['components', 'paths']);

function annotationsAt(raw: JsonObject, { dialect, pointer }: At): Annotations | null {
  let own: Record<string, Json> | null = null;
  for (const name in raw) {
    if (!isAnnotation(dialect, name) || (pointer === '' && holders.has(name))) continue;
    own ??= {};
    own[name] = raw[name] ?? null;
  }
  return own;
}

/** The target of a reference is a schema, even in a location without a keyword. */
function visitReferredData(
  document: SchemaDocument,
  references: ReadonlyMap<string, Reference>,
  visit: (raw: Json, at: At) => void,
): void {
  const visited = new Set<string>();
  // Visiting a target may add references, which the loop then reaches.
  for (const { text, from, resource } of references.values()) {
    const node = document.nodeAt(from);
    const target = node === undefined ? undefined : document.resolve(node, text);
    if (target === undefined || 'code' in target || target.document !== document) continue;
    if (isSchemaPlace(document, stepsOf(target))) continue;
    const pointer = pointerOf(target);
    if (visited.has(pointer)) continue;
    visited.add(pointer);
    visit(target.raw, { standing: 'schema', dialect: target.dialect, resource, pointer });
  }
}

function isSchemaPlace(document: SchemaDocument, steps: readonly (string | number)[]): boolean {
  let raw: Json = document.json;
  let { dialect } = document;
  let standing: Standing = 'schema';
  for (const [depth, step] of steps.entries()) {
    if (standing === 'schema' && isJsonObject(raw)) {
      dialect = resourceStart(raw, dialect)?.dialect ?? dialect;
    }
    standing = standingBelow(standing, raw, step, { dialect, isRoot: depth === 0 });
    raw = (raw as { readonly [step: string | number]: Json })[step] ?? null;
  }
  return standing === 'schema';
}
