// Assigns a column to each box of a graph by its lines: targets are to the right of their sources.
// Cycles are cut where the walk comes back to its start.

import type { GraphEdge, GraphNode } from './layered-layout.ts';

/**
 * The longest path to each box, from the left. The result does not depend on the order of the
 * input.
 *
 * @example assignLayers(['a', 'b'], [{ from: 'a', to: 'b' }]) // a in layer 0, b in layer 1
 */
export function assignLayers(ids: readonly string[], edges: readonly GraphEdge[]): GraphNode[] {
  const sorted = [...new Set(ids)].sort();
  const next = new Map<string, string[]>(sorted.map((id) => [id, []]));
  for (const { from, to } of edges) {
    if (from !== to && next.has(to)) next.get(from)?.push(to);
  }
  const fed = new Set(edges.filter(({ from, to }) => from !== to).map(({ to }) => to));
  // Starts at boxes without incoming lines, so that a cycle is cut behind the boxes that lead into
  // it.
  const starts = [...sorted.filter((id) => !fed.has(id)), ...sorted];
  const { order, isCut } = walk(starts, next);
  const layers = new Map<string, number>(sorted.map((id) => [id, 0]));
  for (const id of order) {
    const layer = layers.get(id) ?? 0;
    for (const to of next.get(id) ?? []) {
      if (!isCut(id, to)) layers.set(to, Math.max(layers.get(to) ?? 0, layer + 1));
    }
  }
  return sorted.map((id) => ({ id, layer: layers.get(id) ?? 0 }));
}

interface Walk {
  /** Sources before their targets. */
  readonly order: readonly string[];
  readonly isCut: (from: string, to: string) => boolean;
}

/** Depth first, without recursion, because a chain may be as long as the graph. */
function walk(starts: readonly string[], next: ReadonlyMap<string, readonly string[]>): Walk {
  const state = new Map<string, 'open' | 'done'>();
  const cut = new Set<string>();
  const done: string[] = [];
  for (const start of starts) {
    if (state.has(start)) continue;
    const open = [{ id: start, rest: targetsOf(start, next) }];
    state.set(start, 'open');
    for (let step = open.at(-1); step !== undefined; step = open.at(-1)) {
      const to = step.rest.shift();
      if (to === undefined) {
        state.set(step.id, 'done');
        done.push(step.id);
        open.pop();
      } else if (state.get(to) === 'open') {
        cut.add(JSON.stringify([step.id, to]));
      } else if (!state.has(to)) {
        state.set(to, 'open');
        open.push({ id: to, rest: targetsOf(to, next) });
      }
    }
  }
  return { order: done.toReversed(), isCut: (from, to) => cut.has(JSON.stringify([from, to])) };
}

function targetsOf(id: string, next: ReadonlyMap<string, readonly string[]>): string[] {
  return [...(next.get(id) ?? [])].sort();
}
