// The locations of the ids and anchors of a document. Built once, and only for a document that
// refers by name: a pointer (`#/$defs/a`) needs no index.

import { isJsonObject, type Json, type JsonObject } from '../value/json.ts';
import type { Dialect } from './dialects.ts';
import { hasIdAnchors, keywordsOf } from './keywords.ts';
import { idOf, isBareReference, resourceStart, type Standing, standingBelow } from './places.ts';
import { resolveUri, splitFragment } from './uri.ts';

interface Place {
  /** The path from the root of the document. */
  readonly steps: readonly (string | number)[];
  /** The location does not count, so any name that counts takes precedence. */
  readonly isIgnored: boolean;
}

/** The location of a name; `repeated` if there are two, so that the name is ambiguous. */
export type Named = Place | 'repeated';

export interface ReferenceIndex {
  /** By absolute URI without fragment. */
  readonly resources: ReadonlyMap<string, Named>;
  /** By the raw root of the resource, then by name. */
  readonly anchors: ReadonlyMap<object, ReadonlyMap<string, Named>>;
  /** Like `anchors`; the empty name represents `$recursiveAnchor: true`. */
  readonly dynamicAnchors: ReadonlyMap<object, ReadonlyMap<string, Named>>;
}

interface Visit {
  readonly raw: Json;
  readonly standing: Standing;
  readonly trail: Trail | undefined;
  readonly resource: JsonObject;
  readonly base: string;
  readonly dialect: Dialect;
}

interface Trail {
  readonly before: Trail | undefined;
  readonly step: string | number;
}

/** `roots` are the schemas of a document that is none itself. */
export function indexReferences(
  json: Json,
  dialect: Dialect,
  roots: readonly (readonly string[])[] = [[]],
): ReferenceIndex {
  const index: Making = { resources: new Map(), anchors: new Map(), dynamicAnchors: new Map() };
  const resource = isJsonObject(json) ? json : {};
  const pending = roots.map((steps): Visit => {
    let raw: Json = json;
    let trail: Trail | undefined;
    for (const step of steps) {
      raw = (raw as Readonly<Record<string, Json>>)[step] ?? null;
      trail = { before: trail, step };
    }
    return { raw, trail, resource, base: '', dialect, standing: 'schema' };
  });
  // The siblings of a `$ref` that ignores them. They may contain schemas all the same: a name there
  // is used if it occurs nowhere else.
  const ignored: Visit[] = [];
  const walk = (isIgnored: boolean): void => {
    for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
      const at = visit.standing === 'schema' ? enter(visit, index, isIgnored) : visit;
      const { raw } = at;
      const isBare =
        at.standing === 'schema' && isJsonObject(raw) && isBareReference(raw, at.dialect);
      (isBare && !isIgnored ? ignored : pending).push(...visitsBelow(at));
    }
  };
  walk(false);
  pending.push(...ignored);
  walk(true);
  return index;
}

interface Making {
  readonly resources: Map<string, Named>;
  readonly anchors: Map<object, Map<string, Named>>;
  readonly dynamicAnchors: Map<object, Map<string, Named>>;
}

/** The schemas one step below, and the keywords that contain more. */
function visitsBelow(at: Visit): Visit[] {
  const { raw, standing, dialect } = at;
  if (typeof raw !== 'object' || raw === null) return [];
  const where = { dialect, isRoot: at.trail === undefined };
  const below: Visit[] = [];
  const visit = (step: string | number, member: Json): void => {
    const inside = standingBelow(standing, raw, step, where);
    if (inside === 'data' || typeof member !== 'object' || member === null) return;
    below.push({ ...at, raw: member, standing: inside, trail: { before: at.trail, step } });
  };
  if (Array.isArray(raw)) for (const [step, member] of raw.entries()) visit(step, member);
  else if (isJsonObject(raw)) for (const step of Object.keys(raw)) visit(step, raw[step] ?? null);
  return below;
}

/** A cheap check for the many documents that have none and need no index. */
export function mentionsDynamicAnchors(json: Json): boolean {
  const pending: Json[] = [json];
  for (let raw = pending.pop(); raw !== undefined; raw = pending.pop()) {
    if (typeof raw !== 'object' || raw === null) continue;
    if (Array.isArray(raw)) {
      for (const item of raw) if (typeof item === 'object') pending.push(item);
      continue;
    }
    if (!isJsonObject(raw)) continue;
    for (const key in raw) {
      if (key === '$dynamicAnchor' || key === '$recursiveAnchor') return true;
      const member = raw[key];
      if (typeof member === 'object' && member !== null) pending.push(member);
    }
  }
  return false;
}

/** Adds the names of a schema, and the resource that it starts. */
function enter(visit: Visit, index: Making, isIgnored: boolean): Visit {
  const { raw } = visit;
  if (!isJsonObject(raw)) return visit;
  const own = resourceStart(raw, visit.dialect);
  const at =
    own === undefined
      ? visit
      : {
          ...visit,
          dialect: own.dialect,
          base: resolveUri(visit.base, own.id),
          resource: raw,
        };
  if (own !== undefined) addName(index.resources, at.base, at, isIgnored);
  addAnchors(at, raw, index, isIgnored);
  return at;
}

function addAnchors(at: Visit, raw: JsonObject, index: Making, isIgnored: boolean): void {
  const { dialect, resource } = at;
  if (isBareReference(raw, dialect)) return;
  const table = keywordsOf(dialect);
  const nameSaidBy = (keyword: string): Json | undefined =>
    table.get(keyword)?.use === 'names' ? raw[keyword] : undefined;
  const add = (to: Map<object, Map<string, Named>>, name: string): void => {
    const names = to.get(resource) ?? new Map<string, Named>();
    to.set(resource, names);
    addName(names, name, at, isIgnored);
  };
  const id = hasIdAnchors(dialect) ? idOf(raw, dialect) : undefined;
  if (id?.includes('#') && !id.endsWith('#')) add(index.anchors, splitFragment(id)[1]);
  const anchor = nameSaidBy('$anchor');
  if (typeof anchor === 'string') add(index.anchors, anchor);
  const dynamic = nameSaidBy('$dynamicAnchor');
  if (typeof dynamic === 'string') {
    // One schema may have the same name in both ways.
    if (dynamic !== anchor) add(index.anchors, dynamic);
    add(index.dynamicAnchors, dynamic);
  }
  // Only the root of a resource makes it recursive; elsewhere the keyword has no effect.
  if (nameSaidBy('$recursiveAnchor') === true && raw === resource) add(index.dynamicAnchors, '');
}

function addName(names: Map<string, Named>, name: string, at: Visit, isIgnored: boolean): void {
  const known = names.get(name);
  if (known === undefined) names.set(name, { steps: stepsOf(at.trail), isIgnored });
  else if (known !== 'repeated' && known.isIgnored === isIgnored) names.set(name, 'repeated');
}

function stepsOf(trail: Trail | undefined): (string | number)[] {
  const steps: (string | number)[] = [];
  for (let at = trail; at !== undefined; at = at.before) steps.push(at.step);
  return steps.reverse();
}
