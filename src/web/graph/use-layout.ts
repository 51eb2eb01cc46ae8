// The layout of a graph. A large one is computed in a worker, so that the page stays responsive.

import { useEffect, useMemo, useState } from 'react';
import {
  type GraphEdge,
  type GraphNode,
  type Layout,
  type LayoutSizes,
  layOut,
} from './layered-layout.ts';
import type { LayoutAnswer, LayoutQuestion } from './layout.worker.ts';

/** So many boxes and lines are laid out within one frame. */
const quickParts = 300;

/** Null while a worker computes it. */
export function useLayout(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  sizes: LayoutSizes,
): Layout | null {
  const isQuick = nodes.length + edges.length <= quickParts;
  const quick = useMemo(
    () => (isQuick ? layOut(nodes, edges, sizes) : null),
    [isQuick, nodes, edges, sizes],
  );
  const [slow, setSlow] = useState<Layout | null>(null);
  useEffect(() => {
    if (isQuick) return;
    const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<LayoutAnswer>) => setSlow(data);
    // Without a worker, the picture is late but complete.
    worker.onerror = () => setSlow(layOut(nodes, edges, sizes));
    worker.postMessage({
      nodes: nodes.map(({ id, layer }) => ({ id, layer })),
      edges: edges.map(({ from, to }) => ({ from, to })),
      sizes,
    } satisfies LayoutQuestion);
    return () => worker.terminate();
  }, [isQuick, nodes, edges, sizes]);
  return quick ?? slow;
}
