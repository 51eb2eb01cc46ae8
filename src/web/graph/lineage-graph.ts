// The lineage of an asset as boxes and lines: what it is made from to its left, what is made from
// it
// to its right.

import type { Lineage, LineageAsset } from '../data/shapes.ts';
import { assignLayers } from './assign-layers.ts';
import type { GraphEdge, GraphNode } from './layered-layout.ts';

export type LineageDirection = Lineage['direction'];

/** An asset that is reached both ways stands on both sides. */
export interface LineageNode extends GraphNode {
  readonly asset: LineageAsset;
  readonly direction: LineageDirection;
}

interface LineageGraph {
  readonly nodes: readonly LineageNode[];
  /** As the data flows: every dependency between what is shown. */
  readonly edges: readonly GraphEdge[];
  /** Lines that are not drawn, since both their ends stand in one column. */
  readonly hidden: number;
}

/**
 * Further than this nobody scrolls: columns are then by the shortest way, of which there are ten.
 */
const mostColumns = 24;

/** @example makeLineageGraph(asset.id, [upstream, downstream]) */
export function makeLineageGraph(rootId: string, lineages: readonly Lineage[]): LineageGraph {
  const sides = lineages.map((lineage) => makeSide(rootId, lineage));
  return {
    nodes: sides.flatMap(({ nodes }) => nodes),
    edges: sides.flatMap(({ edges }) => edges),
    hidden: sides.reduce((sum, { hidden }) => sum + hidden, 0),
  };
}

function makeSide(rootId: string, { direction, results, edges }: Lineage): LineageGraph {
  const idOf = (assetId: string) => (assetId === rootId ? rootId : `${direction} ${assetId}`);
  const known = new Set([rootId, ...results.map(({ asset_id }) => asset_id)]);
  const lines = edges
    .filter(({ asset_id, depends_on_asset_id: from }) => known.has(asset_id) && known.has(from))
    .map(
      ({ asset_id, depends_on_asset_id }): GraphEdge => ({
        from: idOf(depends_on_asset_id),
        to: idOf(asset_id),
      }),
    );
  const columns = columnsOf(
    rootId,
    direction,
    results.map(({ asset_id }) => idOf(asset_id)),
    lines,
  );
  const nodes = results.map((asset): LineageNode => {
    const id = idOf(asset.asset_id);
    const column = columns?.get(id) ?? asset.depth;
    return { id, layer: direction === 'upstream' ? -column : column, asset, direction };
  });
  const layers = new Map(nodes.map(({ id, layer }) => [id, layer]));
  const drawn = lines.filter(({ from, to }) => (layers.get(from) ?? 0) !== (layers.get(to) ?? 0));
  return { nodes, edges: drawn, hidden: lines.length - drawn.length };
}

/**
 * The longest way from the asset, so that no line lies within a column; null where that would be too
 * wide. What leads back to the asset is a circle, which ends there.
 */
function columnsOf(
  rootId: string,
  direction: LineageDirection,
  ids: readonly string[],
  lines: readonly GraphEdge[],
): ReadonlyMap<string, number> | null {
  const outwards = lines
    .map(({ from, to }) => (direction === 'upstream' ? { from: to, to: from } : { from, to }))
    .filter(({ to }) => to !== rootId);
  const placed = assignLayers([rootId, ...ids], outwards);
  if (placed.some(({ layer }) => layer > mostColumns)) return null;
  // Assets that no line reaches, because their dependency was removed meanwhile, are next to the
  // asset.
  return new Map(placed.map(({ id, layer }) => [id, Math.max(1, layer)]));
}
