// Lays out a large graph, in a worker.

import {
  type GraphEdge,
  type GraphNode,
  type Layout,
  type LayoutSizes,
  layOut,
} from './layered-layout.ts';

export interface LayoutQuestion {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly sizes: LayoutSizes;
}

export type LayoutAnswer = Layout;

// The page's types do not include worker scopes, so this declares what is used.
interface WorkerScope {
  onmessage: ((event: MessageEvent<LayoutQuestion>) => void) | null;
  postMessage(answer: LayoutAnswer): void;
}

const scope = self as unknown as WorkerScope;

scope.onmessage = ({ data: { nodes, edges, sizes } }) => {
  scope.postMessage(layOut(nodes, edges, sizes));
};
