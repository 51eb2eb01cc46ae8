// Whether a new schema describes everything that the producer of the old one writes, as far as the
// declared paths show. Names that the new schema declares unconditionally are described in every
// value. Names that it declares only in a branch, under a condition or behind a dynamic reference
// are described in some values: the engine has to be asked about them.

import type { SchemaNode } from '../../schema/schema.ts';
import { saidOfOtherKeys, saysSomething } from '../../schema/schema.ts';
import { isWrittenAlike, type PathSides } from '../places/declared-paths.ts';
import { isOpeningCovered, nodesForOpening, type Opening, openingsOf } from '../places/openings.ts';
import { type Path, pathBelow, rootPath } from '../places/path.ts';
import { openReach, type Reach, type Spot } from '../places/reach.ts';

/** Something that may no longer be described in some value. */
export interface Doubt {
  readonly path: Path;
  /** Null for all names of an opening or of a place. */
  readonly key: string | null;
  /** `place`: any name may occur there, because some values leave the place open. */
  readonly of: 'name' | 'opening' | 'place';
  /** The way to it in a value; null stands for any key or any item. */
  readonly trail: readonly (string | null)[];
}

interface Doubts {
  readonly doubts: readonly Doubt[];
  readonly isCutShort: boolean;
}

/** The maximum number of doubts to collect; the first ones are enough to show the rest. */
const maxDoubts = 1_000;
const maxSpots = 100_000;
const openingSteps = 2_000_000;

/**
 * A place of the values. Each side has the nodes that may apply to it and the nodes that certainly
 * do.
 */
interface Place {
  readonly from: Spot;
  readonly fromSure: Spot;
  readonly to: Spot;
  readonly toSure: Spot;
  readonly path: Path;
  readonly trail: Doubt['trail'];
}

type Nodes = readonly SchemaNode[];
type NodesOf = (reach: Reach, spot: Spot, isSure: boolean) => Nodes;

export function findDoubts(sides: PathSides): Doubts {
  const { from, to } = sides;
  const reaches = {
    from: openReach(from.isNever, 'written'),
    fromSure: openReach(from.isNever, 'sure'),
    to: openReach(to.isNever, 'most'),
    toSure: openReach(to.isNever, 'sure'),
  };
  const doubts: Doubt[] = [];
  const seen = new Set<string>();
  const waiting: Place[] = [];
  const steps = { left: openingSteps };
  const push = (parts: Record<keyof typeof reaches, Nodes>, path: Path, trail: Doubt['trail']) => {
    if (!parts.from.some(mayHaveParts) || isKept(sides, parts)) return;
    const spots = {
      from: reaches.from.spotOf(parts.from),
      fromSure: reaches.fromSure.spotOf(parts.fromSure),
      to: reaches.to.spotOf(parts.to),
      toSure: reaches.toSure.spotOf(parts.toSure),
    };
    const key = Object.values(spots)
      .map((spot) => spot.key)
      .join('/');
    if (seen.has(key)) return;
    seen.add(key);
    waiting.push({ ...spots, path, trail });
  };
  const goOn = (
    at: Place,
    nodesOf: NodesOf,
    step: readonly (string | number)[],
    key: string | null,
  ) => {
    const parts = {
      from: nodesOf(reaches.from, at.from, false),
      fromSure: nodesOf(reaches.fromSure, at.fromSure, true),
      to: nodesOf(reaches.to, at.to, false),
      toSure: nodesOf(reaches.toSure, at.toSure, true),
    };
    push(parts, pathBelow(at.path, step), [...at.trail, key]);
  };
  const [old, next] = [[from.root], [to.root]];
  push({ from: old, fromSure: old, to: next, toSure: next }, rootPath, []);
  for (let index = 0; index < waiting.length; index++) {
    const at = waiting[index];
    if (at === undefined || doubts.length > maxDoubts || seen.size > maxSpots) {
      return { doubts, isCutShort: true };
    }
    const { path, trail } = at;
    const named = [...reaches.from.declaredKeys(at.from)];
    const openings = openingsOf(at.from, from.isNever);
    const isTaken = takesAnyKey(at.to);
    if (!describesAllKeys(at.toSure, isTaken)) {
      if (mayBeOpen(at.fromSure) && at.to.nodes.some(isDescribing)) {
        doubts.push({ path, key: null, of: 'place', trail });
      }
      for (const key of named) {
        if (nodesAtKey(key)(reaches.toSure, at.toSure, isTaken).length > 0) continue;
        const below = pathBelow(path, ['properties', key]);
        doubts.push({ path: below, key, of: 'name', trail: [...trail, key] });
      }
      for (const opening of openings) {
        const isCovered = isOpeningCovered(opening, at.toSure, { isNever: to.isNever, steps });
        if (isCovered && !isTaken) continue;
        const below = pathBelow(path, opening.step);
        doubts.push({ path: below, key: null, of: 'opening', trail: [...trail, null] });
      }
    }
    for (const key of named) {
      goOn(at, nodesAtKey(key), ['properties', key], key);
    }
    for (const opening of openings) {
      goOn(at, (_, spot, isSure) => nodesAtOpening(opening, spot, isSure), opening.step, null);
    }
    const positions = Math.max(reaches.from.namedItems(at.from), reaches.to.namedItems(at.to));
    for (let position = 0; position < positions; position++) {
      goOn(at, nodesAtItem(position), ['prefixItems', position], null);
    }
    goOn(at, nodesAtItem(null), ['items'], null);
  }
  return { doubts, isCutShort: false };
}

/** Whether nothing below changed, and all nodes there apply to every value. */
function isKept(sides: PathSides, parts: Record<'from' | 'to' | 'toSure', Nodes>): boolean {
  return parts.to.length === parts.toSure.length && isWrittenAlike(sides, parts.from, parts.to);
}

/**
 * Whether a value may be an object or a list. A value without keys and items is described by any
 * schema that accepts it.
 */
function mayHaveParts({ keywords: { types } }: SchemaNode): boolean {
  return types?.some((type) => type === 'object' || type === 'array') ?? true;
}

function describesAllKeys({ nodes }: Spot, isTaken: boolean): boolean {
  return nodes.some(({ keywords }) =>
    isTaken ? saysSomething(keywords.additionalProperties) : saidOfOtherKeys(keywords).length > 0,
  );
}

/** `additionalProperties: true` leaves no keys to `unevaluatedProperties`, and describes none. */
function takesAnyKey({ nodes }: Spot): boolean {
  return nodes.some(
    ({ keywords: { additionalProperties: others } }) =>
      others !== undefined && !saysSomething(others),
  );
}

/**
 * Whether a producer may write any key here, because some values fit no schema that describes the
 * place.
 */
function mayBeOpen({ nodes }: Spot): boolean {
  return !nodes.some((node) => surelyDescribes(node, new Set(), 0));
}

function isDescribing({ keywords }: SchemaNode): boolean {
  return keywords.properties !== undefined || keywords.patternProperties !== undefined;
}

/** The maximum nesting of unions, and the maximum length of a chain of references, to look into. */
const maxDepth = 500;

function surelyDescribes(node: SchemaNode, seen: Set<SchemaNode>, depth: number): boolean {
  if (depth > maxDepth || seen.has(node)) return false;
  seen.add(node);
  const { ref, allOf = [], anyOf, oneOf, types } = node.keywords;
  // Only objects have keys.
  if (isDescribing(node) || types?.includes('object') === false) return true;
  const isSure = (other: SchemaNode) => surelyDescribes(other, seen, depth + 1);
  if (allOf.some(isSure) || (ref !== undefined && isSure(ref))) return true;
  return [anyOf, oneOf].some((members) => members?.every(isSure) === true);
}

/**
 * `unevaluatedProperties` applies only if no branch evaluates the key, so it is not certain to
 * apply.
 */
function nodesAtKey(key: string): NodesOf {
  return (reach, spot, isSure) => {
    const nodes = reach.nodesAtKey(spot, key);
    if (!isSure) return nodes;
    const rest = new Set(spot.nodes.map(({ keywords }) => keywords.unevaluatedProperties));
    return nodes.filter((node) => !rest.has(node));
  };
}

function nodesAtOpening(opening: Opening, spot: Spot, isSure: boolean): Nodes {
  if (!isSure) return nodesForOpening(opening, spot);
  // Only the schemas that apply to every name of the opening.
  return spot.nodes.flatMap((node) => {
    const { patternProperties, properties, additionalProperties } = node.keywords;
    if (opening.pattern !== null) return patternProperties?.get(opening.pattern) ?? [];
    const known = opening.node.keywords;
    const isOther =
      [...(properties?.keys() ?? [])].every((key) => known.properties?.has(key) === true) &&
      [...(patternProperties?.keys() ?? [])].every((each) => known.patternProperties?.has(each));
    return isOther && saysSomething(additionalProperties) ? [additionalProperties] : [];
  });
}

function nodesAtItem(position: number | null): NodesOf {
  return (reach, spot, isSure) => {
    if (!isSure) return reach.nodesAtItem(spot, position);
    return spot.nodes.flatMap(({ keywords: { prefixItems, items } }) => {
      return (position === null ? items : (prefixItems?.[position] ?? items)) ?? [];
    });
  };
}
