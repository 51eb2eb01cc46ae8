// What is known about a pair of places, by whatever path it was reached. Comparisons that share their documents
// share this, too: a pair that many operations reach is compared once.

import type { SchemaNode } from '../../schema/schema.ts';
import type { Place } from '../places/place.types.ts';
import type { Met } from './walk.types.ts';

export interface MetPairs {
  readonly of: (old: Place, next: Place) => Met;
  /** The pairs with annotations at this node. */
  readonly around: (node: SchemaNode) => readonly Met[];
}

export function openMetPairs(): MetPairs {
  const known = new Map<Place, Map<Place, Met>>();
  const byNode = new Map<SchemaNode, Met[]>();
  return {
    of(old, next) {
      const row = known.get(old) ?? new Map<Place, Met>();
      known.set(old, row);
      const before = row.get(next);
      if (before !== undefined) return before;
      const isAnnotated = old.annotations.size > 0 || next.annotations.size > 0;
      const key = `${old.identity} ${next.identity}`;
      const made: Met = { old, next, key, isAnnotated, quiet: null };
      row.set(next, made);
      for (const node of isAnnotated ? writtenNodes(made) : []) {
        const mets = byNode.get(node) ?? [];
        byNode.set(node, mets);
        mets.push(made);
      }
      return made;
    },
    around: (node) => byNode.get(node) ?? [],
  };
}

/** The nodes of the two documents that say something of one of the places. */
export function writtenNodes({ old, next }: Pick<Met, 'old' | 'next'>): readonly SchemaNode[] {
  return [old, next].flatMap(({ book, annotated }) =>
    annotated.flatMap((node) => book.writtenNode(node) ?? []),
  );
}
