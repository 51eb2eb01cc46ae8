// The box that an arrow key moves to in a graph.

import type { Layout, PlacedNode } from './layered-layout.ts';

/**
 * Up and down stay in the column; left and right follow a line, or else go to the nearest box on
 * that side. `null` if there is none, or for another key.
 */
export function stepFrom(key: string, id: string, layout: Layout): string | null {
  const here = layout.nodes.find((node) => node.id === id);
  if (here === undefined) return null;
  switch (key) {
    case 'ArrowUp':
      return nearest(
        here,
        inColumn(here, layout).filter(({ y }) => y < here.y),
      );
    case 'ArrowDown':
      return nearest(
        here,
        inColumn(here, layout).filter(({ y }) => y > here.y),
      );
    case 'ArrowLeft':
      return aside(
        here,
        layout,
        layout.nodes.filter(({ x }) => x < here.x),
      );
    case 'ArrowRight':
      return aside(
        here,
        layout,
        layout.nodes.filter(({ x }) => x > here.x),
      );
    default:
      return null;
  }
}

function inColumn({ x }: PlacedNode, { nodes }: Layout): PlacedNode[] {
  return nodes.filter((node) => node.x === x);
}

function aside(here: PlacedNode, { edges }: Layout, there: readonly PlacedNode[]): string | null {
  const joined = new Set(
    edges.flatMap(({ from, to }) => (from === here.id ? [to] : to === here.id ? [from] : [])),
  );
  const along = there.filter(({ id }) => joined.has(id));
  return nearest(here, along.length > 0 ? along : there);
}

/** The nearest box; a nearer column always wins. */
function nearest(here: PlacedNode, nodes: readonly PlacedNode[]): string | null {
  let best: PlacedNode | null = null;
  for (const node of nodes) {
    if (best === null || isNearer(here, node, best)) best = node;
  }
  return best?.id ?? null;
}

function isNearer(here: PlacedNode, one: PlacedNode, other: PlacedNode): boolean {
  const aside = Math.abs(one.x - here.x) - Math.abs(other.x - here.x);
  if (aside !== 0) return aside < 0;
  return Math.abs(one.y - here.y) < Math.abs(other.y - here.y);
}
