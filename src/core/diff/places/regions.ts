// Which schema applies to which key of an object and to which item of an array, if several nodes
// constrain them. `additionalProperties` covers the keys that its own node does not name, so two
// nodes are merged key by key, and never by combining their keywords.

import { type Keywords, type SchemaNode, saysSomething } from '../../schema/schema.ts';
import { matchesKey } from './key-pattern.ts';
import { KeyedPlaces } from './keyed-places.ts';
import type { ArrayRegions, ObjectRegions, Place, PlaceBook } from './place.types.ts';

/** Merges the nodes into one record if possible, otherwise into as few as possible. */
export function mergeObjects(
  book: PlaceBook,
  keywords: readonly Keywords[],
): readonly ObjectRegions[] {
  const pieces = keywords.filter(speaksOfKeys);
  const [first, ...others] = pieces;
  if (first === undefined) return [];
  const merged: Piece[] = [pieceOf(first)];
  for (const other of others) {
    const piece = pieceOf(other);
    const at = merged.findIndex((each) => canMerge(each, piece));
    const partner = merged[at];
    if (partner === undefined) merged.push(piece);
    else merged[at] = mergedPieces(book, partner, piece);
  }
  return merged.map((piece) => sealed(book, piece)).filter((each) => !saysNothing(each));
}

export function mergeArrays(book: PlaceBook, keywords: readonly Keywords[]): ArrayRegions | null {
  const pieces = keywords.filter((each) => (each.prefixItems ?? each.items) !== undefined);
  if (pieces.length === 0) return null;
  const length = Math.max(...pieces.map((piece) => piece.prefixItems?.length ?? 0));
  const prefix = Array.from({ length }, (_, index) =>
    book.placeOf(pieces.flatMap((piece) => piece.prefixItems?.[index] ?? piece.items ?? [])),
  );
  const rest = pieces
    .flatMap((piece) => piece.items ?? [])
    .filter((node) => (saysSomething(node) && !node.keywords.isIdle) || book.usesUnevaluated);
  if (length === 0 && rest.length === 0) return null;
  return { prefix, rest: rest.length === 0 ? null : book.placeOf(rest) };
}

/** The places that a record applies to one key. */
export function placesAtKey(regions: ObjectRegions, key: string): readonly Place[] {
  const named = regions.properties.get(key);
  const patterned = [...regions.patterns]
    .filter(([pattern, { book }]) => matchesKey(book.document, pattern, key))
    .map(([, place]) => place);
  const found = named === undefined ? patterned : [named, ...patterned];
  if (found.length > 0) return found;
  return regions.additional === null ? [] : [regions.additional];
}

type NodesByKey = ReadonlyMap<string, SchemaNode | readonly SchemaNode[]>;

interface Piece {
  readonly properties: NodesByKey;
  readonly patterns: NodesByKey;
  readonly additional: readonly SchemaNode[];
  readonly isDeclaring: boolean;
  readonly isOpen: boolean;
}

function speaksOfKeys(keywords: Keywords): boolean {
  return (
    keywords.properties !== undefined ||
    keywords.patternProperties !== undefined ||
    keywords.additionalProperties !== undefined
  );
}

function pieceOf(keywords: Keywords): Piece {
  const { properties, patternProperties, additionalProperties } = keywords;
  const speaks = saysSomething(additionalProperties);
  return {
    properties: properties ?? noNodes,
    patterns: patternProperties ?? noNodes,
    additional: speaks ? [additionalProperties] : [],
    isDeclaring: (properties ?? patternProperties) !== undefined,
    isOpen: additionalProperties !== undefined && !speaks,
  };
}

const noNodes: NodesByKey = new Map<string, SchemaNode>();

function asList(nodes: SchemaNode | readonly SchemaNode[] | undefined): readonly SchemaNode[] {
  return nodes === undefined ? [] : [nodes].flat();
}

/**
 * If one piece has a pattern and the other constrains additional keys, they cannot be merged key by
 * key.
 */
function canMerge(a: Piece, b: Piece): boolean {
  return knowsPatterns(a, b) && knowsPatterns(b, a);
}

function knowsPatterns(a: Piece, b: Piece): boolean {
  if (a.additional.length === 0) return true;
  return [...b.patterns.keys()].every((pattern) => a.patterns.has(pattern));
}

function mergedPieces(book: PlaceBook, a: Piece, b: Piece): Piece {
  const properties = new Map<string, readonly SchemaNode[]>();
  for (const key of [...a.properties.keys(), ...b.properties.keys()]) {
    if (properties.has(key)) continue;
    properties.set(key, [...nodesAt(book, a, key), ...nodesAt(book, b, key)]);
  }
  const patterns = new Map(a.patterns);
  for (const [pattern, nodes] of b.patterns) {
    patterns.set(pattern, [...asList(patterns.get(pattern)), ...asList(nodes)]);
  }
  return {
    properties,
    patterns,
    additional: [...a.additional, ...b.additional],
    isDeclaring: a.isDeclaring || b.isDeclaring,
    isOpen: a.isOpen || b.isOpen,
  };
}

/** What a piece says about a key by name or as an additional key. Its patterns stay patterns. */
function nodesAt({ document }: PlaceBook, piece: Piece, key: string): readonly SchemaNode[] {
  const named = piece.properties.get(key);
  if (named !== undefined) return asList(named);
  const isPatterned = [...piece.patterns.keys()].some((pattern) =>
    matchesKey(document, pattern, key),
  );
  return isPatterned ? [] : piece.additional;
}

function sealed(book: PlaceBook, piece: Piece): ObjectRegions {
  return {
    properties: new KeyedPlaces(book, piece.properties),
    patterns: new KeyedPlaces(book, piece.patterns),
    additional: piece.additional.length === 0 ? null : book.placeOf(piece.additional),
    isDeclaring: piece.isDeclaring,
    isOpen: piece.isOpen && book.usesUnevaluated,
  };
}

function saysNothing(regions: ObjectRegions): boolean {
  return regions.additional === null && !regions.isDeclaring && !regions.isOpen;
}
