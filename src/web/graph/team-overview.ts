// All teams of a large graph at a glance: three blocks, from the teams that only give data to those
// that only use it. Lines between the blocks are bundled and counted. Pure.

import type { GraphEdge, Layout, LayoutSizes, PlacedNode, Point } from './layered-layout.ts';

type BlockKind = 'gives' | 'both' | 'uses';

interface Block {
  readonly kind: BlockKind;
  readonly x: number;
  readonly width: number;
  readonly height: number;
  readonly count: number;
}

/** The lines from one block to another, or within one. */
export interface Bundle {
  readonly from: BlockKind;
  readonly to: BlockKind;
  readonly count: number;
  /** Null for lines within a block. */
  readonly line: readonly [Point, Point] | null;
  readonly label: Point;
}

interface Overview {
  readonly layout: Layout;
  readonly blocks: readonly Block[];
  readonly bundles: readonly Bundle[];
}

/** The width of the picture for its height, about that of a window. */
const aspect = 1.9;
/** Between the boxes of a block. */
const innerGap = 10;
/** Above a block, for its title and the line of a bundle that passes it. */
export const headHeight = 56;

/** @example layOutTeams([{ id: 'a', name: 'Orders' }, ...], lines, sizes) */
export function layOutTeams(
  teams: readonly { readonly id: string; readonly name: string }[],
  lines: readonly GraphEdge[],
  sizes: LayoutSizes,
): Overview {
  const givers = new Set(lines.map(({ from }) => from));
  const users = new Set(lines.map(({ to }) => to));
  const kindOf = (id: string): BlockKind => {
    if (!users.has(id)) return 'gives';
    return givers.has(id) ? 'both' : 'uses';
  };
  const [stepX, stepY] = [sizes.nodeWidth + innerGap, sizes.nodeHeight + sizes.rowGap];
  const rows = Math.max(1, Math.ceil(Math.sqrt((teams.length * stepX) / stepY / aspect)));
  const nodes: PlacedNode[] = [];
  const blocks: Block[] = [];
  let x = 0;
  for (const kind of ['gives', 'both', 'uses'] as const) {
    const members = teams
      .filter(({ id }) => kindOf(id) === kind)
      .toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
    if (members.length === 0) continue;
    for (const [index, { id }] of members.entries()) {
      const [column, row] = [Math.floor(index / rows), index % rows];
      nodes.push({ id, x: x + column * stepX, y: headHeight + row * stepY });
    }
    const width = Math.ceil(members.length / rows) * stepX - innerGap;
    const height = Math.min(rows, members.length) * stepY - sizes.rowGap;
    blocks.push({ kind, x, width, height, count: members.length });
    x += width + sizes.columnGap;
  }
  const layout: Layout = {
    width: Math.max(0, x - sizes.columnGap),
    height: headHeight + rows * stepY - sizes.rowGap,
    nodes,
    edges: straightLines(nodes, lines, sizes),
  };
  return { layout, blocks, bundles: bundlesOf(blocks, lines, kindOf) };
}

function straightLines(
  nodes: readonly PlacedNode[],
  lines: readonly GraphEdge[],
  { nodeWidth, nodeHeight }: LayoutSizes,
): Layout['edges'] {
  const places = new Map(nodes.map((node) => [node.id, node]));
  return lines.flatMap(({ from, to }) => {
    const [start, end] = [places.get(from), places.get(to)];
    if (start === undefined || end === undefined) return [];
    const isBack = end.x <= start.x;
    const points = [
      { x: start.x + (isBack ? 0 : nodeWidth), y: start.y + nodeHeight / 2 },
      { x: end.x + (isBack ? nodeWidth : 0), y: end.y + nodeHeight / 2 },
    ];
    return [{ from, to, points }];
  });
}

function bundlesOf(
  blocks: readonly Block[],
  lines: readonly GraphEdge[],
  kindOf: (id: string) => BlockKind,
): Bundle[] {
  return blocks.flatMap((from, index) =>
    blocks.slice(index).flatMap((to, steps): Bundle[] => {
      const count = lines.filter(
        (line) => kindOf(line.from) === from.kind && kindOf(line.to) === to.kind,
      ).length;
      if (count === 0) return [];
      const kinds = { from: from.kind, to: to.kind, count };
      if (steps === 0) return [{ ...kinds, line: null, label: { x: from.x, y: headHeight - 8 } }];
      const [start, end] = [from.x + from.width, to.x];
      // A bundle that passes a block runs above it.
      const y = steps > 1 ? 8 : headHeight + Math.min(from.height, to.height) / 2;
      const line = [
        { x: start, y },
        { x: end, y },
      ] as const;
      return [{ ...kinds, line, label: { x: (start + end) / 2, y: y + (steps > 1 ? 16 : -8) } }];
    }),
  );
}
