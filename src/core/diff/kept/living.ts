// Whether some value has a declared path, as far as the keywords show. Something around a named
// property may make it impossible: `not`, `maxProperties`, a list without items, or a branch that
// no value enters. If no keyword at the places on the way can do this, the engine need not be
// asked.

import { createKnownShapes, overlappingBranches } from '../../containment/terms/apart.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import { isWrittenAlike, type PathSides } from '../places/declared-paths.ts';
import type { Emptiness } from '../places/emptiness.ts';
import { type Opening, openingsOf } from '../places/openings.ts';
import { type Path, pathBelow, rootPath } from '../places/path.ts';
import type { Place, PlaceBook } from '../places/place.types.ts';
import { openReach, type Spot } from '../places/reach.ts';
import { placesAtKey } from '../places/regions.ts';
import { typeBit } from '../places/type-set.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';

/** A path that possibly no value has. */
interface Doubtful {
  readonly path: Path;
  readonly key: string | null;
  readonly trail: Trail;
  /** The definition was met before, at another place. Something around one of the two may forbid it there. */
  readonly isAgain: boolean;
}

type Step =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'opening'; readonly opening: Opening }
  /** One of the items from this position on, or exactly the item at this position if `isOnly`. */
  | { readonly kind: 'item'; readonly from: number; readonly isOnly: boolean };
type Trail = readonly Step[];

interface LivingSides extends PathSides {
  /** Whether names that the other side does not cover count as well. */
  readonly countsUncovered?: true;
  readonly toBook: PlaceBook;
  readonly toEmptiness: Emptiness;
}

interface Visit {
  readonly from: Spot;
  readonly to: Spot;
  /** Places that some value certainly reaches here; none if that is not known. */
  readonly alive: readonly Place[];
  readonly path: Path;
  readonly trail: Trail;
  readonly above: Visit | null;
  readonly key: string;
  readonly isAgain: boolean;
}

/** The most further places of definitions of which it is not known whether values reach them. */
const maxAgain = 1_000;

const maxSpots = 100_000;

/**
 * The visits below which nothing is doubtful, whatever leads to them: operations of one document, and
 * variants of one union, lead to the same definitions.
 */
const clean = new WeakMap<Emptiness, Set<string>>();

/** The paths of one side that possibly no value of the other side has, although it covers them. */
export function findDoubtful(sides: LivingSides): {
  readonly doubtful: readonly Doubtful[];
  readonly isCutShort: boolean;
} {
  const { from, to, toBook } = sides;
  const fromReach = openReach(from.isNever, 'most');
  const toReach = openReach(to.isNever, 'most');
  const doubtful: Doubtful[] = [];
  const seen = new Set<string>();
  const known = clean.get(sides.toEmptiness) ?? new Set<string>();
  clean.set(sides.toEmptiness, known);
  let againLeft = maxAgain;
  const waiting: Visit[] = [];
  const push = (
    fromNodes: readonly SchemaNode[],
    toNodes: readonly SchemaNode[],
    rest: Pick<Visit, 'alive' | 'path' | 'trail' | 'above'>,
  ) => {
    if (fromNodes.length === 0) return;
    if (areAllAlive(rest.alive, toNodes) && isWrittenAlike(sides, fromNodes, toNodes)) return;
    const [from, to] = [fromReach.spotOf(fromNodes), toReach.spotOf(toNodes)];
    const alive = rest.alive.map((place) => place.id).sort((a, b) => a - b);
    const key = `${from.key}/${to.key}/${alive.join()}/${sides.countsUncovered}`;
    if (known.has(key)) return;
    const isAgain = seen.has(key);
    if (isAgain && (alive.length > 0 || againLeft-- <= 0 || isWithin(rest.above, key))) return;
    seen.add(key);
    waiting.push({ from, to, ...rest, key, isAgain });
  };
  const root = toBook.placeOf([to.root]);
  push([from.root], [to.root], { alive: [root], path: rootPath, trail: [], above: null });
  for (let index = 0; index < waiting.length; index++) {
    const at = waiting[index];
    if (at === undefined || seen.size > maxSpots) return { doubtful, isCutShort: true };
    const alive = unique(at.alive.flatMap((place) => withBranches(place, 0)));
    const { isAgain } = at;
    for (const key of fromReach.declaredKeys(at.from)) {
      const isCovered = toReach.covers(at.to, key);
      if (!isCovered && sides.countsUncovered !== true) continue;
      const fromNodes = fromReach.nodesAtKey(at.from, key);
      const toNodes = toReach.nodesAtKey(at.to, key);
      const isSame = isWrittenAlike(sides, fromNodes, toNodes);
      const below = isCovered
        ? unique(alive.flatMap((place) => aliveAtKey(sides, place, key, isSame)))
        : [];
      const path = pathBelow(at.path, ['properties', key]);
      const trail: Trail = [...at.trail, { kind: 'key', key }];
      if (below.length === 0) doubtful.push({ path, key, trail, isAgain });
      push(fromNodes, toNodes, { alive: below, path, trail, above: at });
    }
    for (const opening of openingsOf(at.from, from.isNever)) {
      const path = pathBelow(at.path, opening.step);
      const trail: Trail = [...at.trail, { kind: 'opening', opening }];
      const below = unique(alive.flatMap((place) => aliveAtOpening(sides, place, opening)));
      if (below.length === 0) doubtful.push({ path, key: null, trail, isAgain });
      const { pattern } = opening;
      const toNodes = openingsOf(at.to, to.isNever).filter((each) => each.pattern === pattern);
      push(
        [opening.child],
        toNodes.map(({ child }) => child),
        { alive: below, path, trail, above: at },
      );
    }
    const named = Math.max(fromReach.namedItems(at.from), toReach.namedItems(at.to));
    for (let position = 0; position <= named; position++) {
      const isOnly = position < named;
      const below = unique(alive.flatMap((place) => aliveAtItem(sides, place, position)));
      push(
        fromReach.nodesAtItem(at.from, isOnly ? position : null),
        toReach.nodesAtItem(at.to, isOnly ? position : null),
        {
          alive: below,
          path: pathBelow(at.path, isOnly ? ['prefixItems', position] : ['items']),
          trail: [...at.trail, { kind: 'item', from: position, isOnly }],
          above: at,
        },
      );
    }
  }
  if (doubtful.length === 0) for (const key of seen) known.add(key);
  return { doubtful, isCutShort: false };
}

/** Whether the visit is below another one of the same definition, as in a recursion. */
function isWithin(above: Visit | null, key: string): boolean {
  for (let at = above; at !== null; at = at.above) if (at.key === key) return true;
  return false;
}

/** Whether each of these nodes describes a place that some value reaches. */
function areAllAlive(alive: readonly Place[], nodes: readonly SchemaNode[]): boolean {
  const reached = new Set(alive.flatMap((place) => place.nodes));
  return nodes.every((node) => reached.has(node));
}

/**
 * Branches that lead to the same place count once: otherwise objects that expand into each other
 * would double the list at each level.
 */
function unique(places: readonly Place[]): readonly Place[] {
  return places.length < 2 ? places : [...new Map(places.map((each) => [each.id, each])).values()];
}

/** The maximum nesting of unions to look into. */
const maxDepth = 10;

/**
 * A place that is only an `anyOf`, or a `oneOf` whose branches do not overlap, stands for its
 * branches if it allows all their types. Returns nothing for any other place with one union.
 */
function withBranches(place: Place, depth: number): readonly Place[] {
  const { unions, parts } = place.view;
  const [union, ...others] = unions;
  if (union === undefined || others.length > 0) return [place];
  if (depth > maxDepth || !parts.every(saysOnlyUnions)) return [];
  if (union.members.some((member) => (member.view.types & ~place.view.types) !== 0)) return [];
  if (union.kind === 'oneOf' && !areApart(union.members)) return [];
  return union.members.flatMap((member) => withBranches(member, depth + 1));
}

function saysOnlyUnions({ node: { keywords } }: Place['view']['parts'][number]): boolean {
  const names = ['ref', 'allOf', 'anyOf', 'oneOf', 'types'];
  for (const name in keywords) if (!names.includes(name)) return false;
  return true;
}

/** Whether no value fits two of the branches. */
function areApart(members: readonly Place[]): boolean {
  let seen = 0;
  for (const { view } of members) {
    if (seen & view.types & ~typeBit.object) return false;
    seen |= view.types;
  }
  const nodes = members.map((place) => nodeOfPlace(place.book, place));
  return overlappingBranches(createKnownShapes(), nodes).length === 0;
}

/** Whether the keywords show that an object (or list) of the place can get any further part. */
function isRoomy({ view }: Place, type: 'object' | 'array'): boolean {
  if (view.isNever || (view.types & typeBit[type]) === 0 || view.values !== null) return false;
  const { unions, nots, ifs, dynamic, problems, isOpaque } = view;
  if (unions.length + nots.length + ifs.length + dynamic.length + problems.length > 0) return false;
  if (isOpaque) return false;
  if (type === 'array') return view.contains.length + view.unevaluatedItems.length === 0;
  return (
    view.maxProperties === Number.POSITIVE_INFINITY &&
    view.objects.length <= 1 &&
    view.propertyNames.length + view.unevaluatedProperties.length === 0 &&
    view.dependentRequired.size + view.dependentSchemas.size === 0
  );
}

function aliveAtKey(
  sides: LivingSides,
  place: Place,
  key: string,
  isSame: boolean,
): readonly Place[] {
  if (!isRoomy(place, 'object') || !sides.toEmptiness.isFilledBy(place, 'object')) return [];
  const [regions] = place.view.objects;
  const [only, ...others] = regions === undefined ? [] : placesAtKey(regions, key);
  if (only === undefined || others.length > 0) return [];
  // An unchanged schema accepts what it accepted before.
  return isSame || sides.toEmptiness.isFilled(only) ? [only] : [];
}

function aliveAtOpening(sides: LivingSides, place: Place, opening: Opening): readonly Place[] {
  if (!isRoomy(place, 'object') || !sides.toEmptiness.isFilledBy(place, 'object')) return [];
  const [regions] = place.view.objects;
  if (regions === undefined || regions.properties.size > 0) return [];
  const { pattern } = opening;
  const own = pattern === null ? regions.additional : regions.patterns.get(pattern);
  const isAlone = regions.patterns.size === (pattern === null ? 0 : 1);
  if (own === null || own === undefined || !isAlone) return [];
  return sides.toEmptiness.isFilled(own) ? [own] : [];
}

function aliveAtItem(sides: LivingSides, place: Place, position: number): readonly Place[] {
  const { view } = place;
  if (!isRoomy(place, 'array') || view.maxItems <= position || view.items === null) return [];
  const { prefix, rest } = view.items;
  const own = prefix[position] ?? rest;
  // If no two items are equal, an item may exclude those that it would need beside it.
  const isAlone = position === 0 && (prefix.length === 0 || view.minItems <= 1);
  if (view.isUnique && !isAlone) return [];
  if (own === null || own === undefined || !sides.toEmptiness.isFilledBy(place, 'array')) return [];
  // Every list with this item also has the items before it.
  const around = [...prefix.slice(0, position), own];
  return around.every(sides.toEmptiness.isFilled) ? [own] : [];
}

/** A schema of the values that have a part at the end of the trail. */
export function valueWith(book: PlaceBook, trail: Trail): SchemaNode {
  const made = (keywords: SchemaNode['keywords']) => book.madeNode(book.document.root, keywords);
  const anything = made({});
  const isSome = (lists: SchemaNode['keywords']) => ({ not: made(lists) });
  return trail.reduceRight((inner, step): SchemaNode => {
    const none = made({ not: inner });
    switch (step.kind) {
      case 'key': {
        const properties = new Map([[step.key, inner]]);
        return made({ types: ['object'], required: [step.key], properties });
      }
      case 'opening': {
        const { pattern, node } = step.opening;
        const { properties, patternProperties } = node.keywords;
        const any = (names: ReadonlyMap<string, SchemaNode> | undefined) =>
          new Map([...(names?.keys() ?? [])].map((name) => [name, anything]));
        const all =
          pattern === null
            ? {
                properties: any(properties),
                patternProperties: any(patternProperties),
                additionalProperties: none,
              }
            : { patternProperties: new Map([[pattern, none]]) };
        return made({ types: ['object'], ...isSome(all) });
      }
      case 'item': {
        const before = Array.from({ length: step.from }, () => anything);
        if (step.isOnly) {
          const prefixItems = [...before, inner];
          return made({ types: ['array'], prefixItems, minItems: step.from + 1 });
        }
        const prefixItems = before.length === 0 ? {} : { prefixItems: before };
        return made({ types: ['array'], ...isSome({ ...prefixItems, items: none }) });
      }
      default:
        return step satisfies never;
    }
  }, anything);
}
