import type { SchemaNode } from '../../schema/schema.ts';
import type { Place, PlaceBook, PlacesByKey } from './place.types.ts';

/**
 * Places by key, each made on first use: of ten thousand properties, a new version leaves nearly
 * all unchanged. It is a class because it behaves like a Map.
 */
export class KeyedPlaces implements PlacesByKey {
  private readonly book: PlaceBook;
  private readonly nodes: ReadonlyMap<string, SchemaNode | readonly SchemaNode[]>;

  constructor(
    book: PlaceBook,
    nodes: ReadonlyMap<string, SchemaNode | readonly SchemaNode[]> = new Map(),
  ) {
    this.book = book;
    this.nodes = nodes;
  }

  get size(): number {
    return this.nodes.size;
  }

  keys(): Iterable<string> {
    return this.nodes.keys();
  }

  has(key: string): boolean {
    return this.nodes.has(key);
  }

  nodesAt(key: string): readonly SchemaNode[] {
    const found = this.nodes.get(key);
    if (found === undefined) return [];
    return isNode(found) ? [found] : found;
  }

  get(key: string): Place | undefined {
    return this.nodes.has(key) ? this.book.placeOf(this.nodesAt(key)) : undefined;
  }

  *[Symbol.iterator](): Iterator<readonly [string, Place]> {
    for (const key of this.nodes.keys()) yield [key, this.book.placeOf(this.nodesAt(key))];
  }
}

function isNode(found: SchemaNode | readonly SchemaNode[]): found is SchemaNode {
  return !Array.isArray(found);
}
