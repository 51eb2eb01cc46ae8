// Openings: names that a schema allows without listing them, by a pattern or by a schema for all
// other names that constrains them. Consumers of a map rely on these as on properties.

import {
  complement,
  isSubset,
  type Language,
  noText,
  textsOf,
  unite,
} from '../../schema/patterns/language.ts';
import { compilePattern } from '../../schema/patterns/pattern.ts';
import type { Steps, TooLarge } from '../../schema/patterns/steps.ts';
import { type SchemaNode, saidOfOtherKeys } from '../../schema/schema.ts';
import type { Spot } from './reach.ts';

export interface Opening {
  /** The steps from its spot. */
  readonly step: readonly string[];
  /** Null for every name that its node does not name and no pattern of it matches. */
  readonly pattern: string | null;
  /** The schema of the values. */
  readonly child: SchemaNode;
  readonly node: SchemaNode;
}

type IsNever = (node: SchemaNode) => boolean;

/** The openings that some value fits. */
export function openingsOf({ nodes }: Spot, isNever: IsNever): readonly Opening[] {
  return nodes.flatMap((node) => openingsOfNode(node).filter(({ child }) => !isNever(child)));
}

function openingsOfNode(node: SchemaNode): readonly Opening[] {
  const { patternProperties, additionalProperties, unevaluatedProperties } = node.keywords;
  const others = saidOfOtherKeys(node.keywords);
  const found: Opening[] = [];
  for (const [pattern, child] of patternProperties ?? []) {
    found.push({ step: ['patternProperties', pattern], pattern, child, node });
  }
  for (const [keyword, child] of Object.entries({ additionalProperties, unevaluatedProperties })) {
    if (child !== undefined && others.includes(child)) {
      found.push({ step: [keyword], pattern: null, child, node });
    }
  }
  return found;
}

/**
 * The schemas for every name of an opening; if there are none, the schemas of all openings of the
 * spot.
 */
export function nodesForOpening(opening: Opening, { nodes }: Spot): readonly SchemaNode[] {
  const all = nodes.flatMap(openingsOfNode);
  const same = all.filter(({ pattern }) => pattern === opening.pattern);
  return (same.length > 0 ? same : all).map(({ child }) => child);
}

/**
 * Whether the other spot declares or allows every name of an opening. False if that is not known.
 */
export function isOpeningCovered(
  opening: Opening,
  { nodes }: Spot,
  { isNever, steps }: { readonly isNever: IsNever; readonly steps: Steps },
): boolean {
  const isOpen = (node: SchemaNode) =>
    openingsOfNode(node).some(({ pattern, child }) => pattern === null && !isNever(child));
  const isRefused = (child: SchemaNode | undefined) => child !== undefined && isNever(child);
  for (const node of nodes) {
    const { properties = [], patternProperties = [] } = node.keywords;
    const same =
      opening.pattern === null ? null : node.keywords.patternProperties?.get(opening.pattern);
    if (same != null && !isNever(same)) return true;
    if (!isOpen(node)) continue;
    const known = opening.pattern === null ? opening.node.keywords : {};
    const isHole =
      (own: ReadonlyMap<string, SchemaNode> | undefined) =>
      ([name, child]: readonly [string, SchemaNode]) =>
        isRefused(child) && own?.has(name) !== true;
    const hasHole =
      [...properties].some(isHole(known.properties)) ||
      [...patternProperties].some(isHole(known.patternProperties));
    if (!hasHole) return true;
  }
  return isWithin(opening, nodes, isNever, steps);
}

/** Compares by automata. Openings that are written alike were found before. */
function isWithin(
  { pattern, node: from }: Opening,
  nodes: readonly SchemaNode[],
  isNever: IsNever,
  steps: Steps,
): boolean {
  const names = pattern === null ? otherNames(from, under, steps) : over(pattern, steps);
  const covered = uniteAll(
    nodes.flatMap((node) => coveredBy(node, isNever, steps)),
    steps,
  );
  if (names === 'too_large' || covered === 'too_large') return false;
  return isSubset(names, covered, steps) === true;
}

function coveredBy(
  node: SchemaNode,
  isNever: IsNever,
  steps: Steps,
): readonly (Language | TooLarge)[] {
  const properties = node.keywords.properties ?? [];
  const declared = [...properties].flatMap(([name, child]) => (isNever(child) ? [] : [name]));
  const openings = openingsOfNode(node).filter(({ child }) => !isNever(child));
  return [
    textsOf(declared, steps),
    ...openings.map(({ pattern }) =>
      pattern === null ? otherNames(node, over, steps) : under(pattern, steps),
    ),
  ];
}

type ReadPattern = (pattern: string, steps: Steps) => Language | TooLarge;

/** At most the names that the pattern matches. */
const under: ReadPattern = (source, steps) => {
  const pattern = compilePattern(source, steps);
  return pattern.kind === 'language' ? pattern.language : noText;
};

/** At least the names that the pattern matches. */
const over: ReadPattern = (source, steps) => {
  const pattern = compilePattern(source, steps);
  if (pattern.kind === 'language') return pattern.language;
  return pattern.kind === 'opaque' ? pattern.over : 'too_large';
};

/** The names that the node neither names nor matches by a pattern. */
function otherNames(
  { keywords }: SchemaNode,
  read: ReadPattern,
  steps: Steps,
): Language | TooLarge {
  const { properties, patternProperties } = keywords;
  const patterns = [...(patternProperties?.keys() ?? [])].map((source) => read(source, steps));
  const known = uniteAll([textsOf(properties?.keys() ?? [], steps), ...patterns], steps);
  return known === 'too_large' ? known : complement(known, steps);
}

function uniteAll(parts: readonly (Language | TooLarge)[], steps: Steps): Language | TooLarge {
  let all: Language | TooLarge = noText;
  for (const part of parts) {
    if (all === 'too_large' || part === 'too_large') return 'too_large';
    all = unite(all, part, steps);
  }
  return all;
}
