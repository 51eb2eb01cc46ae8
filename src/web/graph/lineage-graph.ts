// The lineage of an asset as boxes and lines: what it is made from to its left, what is made from it
// to its right.

import type { Lineage, LineageAsset } from '../data/shapes.ts';
import type { GraphEdge, GraphNode } from './layered-layout.ts';

export type LineageDirection = Lineage['direction'];

/** An asset that is reached both ways stands on both sides. */
export interface LineageNode extends GraphNode {
  readonly asset: LineageAsset;
  readonly direction: LineageDirection;
}

export interface LineageGraph {
  readonly nodes: readonly LineageNode[];
  /** As the data flows. Each asset is joined by one shortest way: the API names no other. */
  readonly edges: readonly GraphEdge[];
}

/** @example makeLineageGraph(asset.id, [upstream, downstream]) */
export function makeLineageGraph(rootId: string, lineages: readonly Lineage[]): LineageGraph {
  const nodes = lineages.flatMap(({ direction, results }) =>
    results.map((asset): LineageNode => {
      const layer = direction === 'upstream' ? -asset.depth : asset.depth;
      return { id: idOf(direction, asset), layer, asset, direction };
    }),
  );
  const byPlace = groupByPlace(nodes);
  const edges = nodes.map((node): GraphEdge => {
    const { asset, direction } = node;
    const nearer = asset.depth === 1 ? rootId : nearerOf(node, byPlace);
    return direction === 'upstream' ? { from: node.id, to: nearer } : { from: nearer, to: node.id };
  });
  return { nodes, edges };
}

function idOf(direction: LineageDirection, asset: LineageAsset): string {
  return `${direction} ${asset.asset_id}`;
}

function groupByPlace(nodes: readonly LineageNode[]): Map<string, LineageNode[]> {
  const groups = new Map<string, LineageNode[]>();
  for (const node of nodes) {
    const place = placeOf(node.direction, node.asset.depth, node.asset.fqn);
    groups.set(place, [...(groups.get(place) ?? []), node]);
  }
  return groups;
}

/** A way is told as names, which are unique in an environment: the own environment comes first. */
function nearerOf({ asset, direction }: LineageNode, byPlace: Map<string, LineageNode[]>): string {
  const name = asset.path.at(-2) ?? '';
  const found = byPlace.get(placeOf(direction, asset.depth - 1, name)) ?? [];
  const same = found.find((node) => node.asset.environment === asset.environment);
  return (same ?? found[0])?.id ?? '';
}

function placeOf(direction: LineageDirection, depth: number, fqn: string): string {
  return `${direction} ${depth} ${fqn}`;
}
