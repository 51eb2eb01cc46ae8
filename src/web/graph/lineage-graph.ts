// The lineage of an asset as boxes and lines: its sources on the left, and the assets made from it
// on the right.

import type { Lineage, LineageAsset } from '../data/shapes.ts';
import { assignLayers } from './assign-layers.ts';
import type { GraphEdge, GraphNode } from './layered-layout.ts';

export type LineageDirection = Lineage['direction'];

/** An asset that is both upstream and downstream is shown on both sides. */
export interface LineageNode extends GraphNode {
  readonly asset: LineageAsset;
  readonly direction: LineageDirection;
}

interface LineageGraph {
  readonly nodes: readonly LineageNode[];
  /** In the direction of the data: every dependency between the shown assets. */
  readonly edges: readonly GraphEdge[];
  /** The number of lines that are not drawn, because both ends are in one column. */
  readonly hidden: number;
}

/** Nobody scrolls further. Beyond it, columns follow the shortest path, of which there are ten. */
const mostColumns = 24;

/** @example makeLineageGraph(asset.id, [upstream, downstream]) */
export function makeLineageGraph(rootId: string, lineages: readonly Lineage[]): LineageGraph {
  const sides = lineages.map((lineage) => makeSide(rootId, lineage));
  return {
    nodes: sides.flatMap(({ nodes }) => nodes),
    edges: [...sides.flatMap(({ edges }) => edges), ...passingEdges(lineages)],
    hidden: sides.reduce((sum, { hidden }) => sum + hidden, 0),
  };
}

/** Lines from an upstream asset to a downstream one that do not go through the asset between them. */
function passingEdges(lineages: readonly Lineage[]): readonly GraphEdge[] {
  const [up, down] = (['upstream', 'downstream'] as const).map(
    (direction) =>
      new Set(
        lineages
          .filter((one) => one.direction === direction)
          .flatMap(({ results }) => results.map(({ asset_id }) => asset_id)),
      ),
  );
  return lineages
    .filter(({ direction }) => direction === 'downstream')
    .flatMap(({ edges }) => edges)
    .filter(
      ({ asset_id: to, depends_on_asset_id: from }) =>
        up?.has(from) && !down?.has(from) && down?.has(to) && !up.has(to),
    )
    .map(({ asset_id, depends_on_asset_id }) => ({
      from: `upstream ${depends_on_asset_id}`,
      to: `downstream ${asset_id}`,
    }));
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
 * Columns by the longest path from the asset, so that no line lies within a column; null if that
 * would be too wide. A line back to the asset is a cycle, and ends there.
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
  // Assets without a line, because their dependency was removed meanwhile, are next to the asset.
  return new Map(placed.map(({ id, layer }) => [id, Math.max(1, layer)]));
}
