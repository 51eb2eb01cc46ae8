// Finds the row of a path: a walk down its segments, however many routes there are.

import type { Route } from '../wire/route.ts';
import { type RouteName, routes } from '../wire/routes.ts';

interface Node {
  readonly children: Map<string, Node>;
  parameter: Node | null;
  readonly rows: Map<string, RouteName>;
}

export type Match =
  | { readonly found: 'route'; readonly name: RouteName; readonly values: readonly string[] }
  | { readonly found: 'path'; readonly allow: string }
  | { readonly found: 'nothing' };

const nothing: Match = { found: 'nothing' };

export function createMatcher(): (method: string, path: string) => Match {
  const root = newNode();
  for (const [name, row] of Object.entries<Route>(routes)) {
    nodeFor(root, row.path).rows.set(row.method, name as RouteName);
  }
  return (method, path) => match(root, method, path);
}

function match(root: Node, method: string, path: string): Match {
  const values: string[] = [];
  let node: Node | undefined = root;
  let start = 1;
  while (start <= path.length) {
    const slash = path.indexOf('/', start);
    const end = slash === -1 ? path.length : slash;
    const segment = path.slice(start, end);
    const child: Node | undefined = node.children.get(segment);
    if (child === undefined) {
      if (node.parameter === null || segment === '') return nothing;
      values.push(segment);
      node = node.parameter;
    } else {
      node = child;
    }
    start = end + 1;
  }
  const name = node.rows.get(method === 'HEAD' ? 'GET' : method);
  if (name !== undefined) return { found: 'route', name, values };
  return node.rows.size === 0 ? nothing : { found: 'path', allow: allowOf(node) };
}

function allowOf(node: Node): string {
  const methods = [...node.rows.keys()];
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

function nodeFor(root: Node, path: string): Node {
  let node = root;
  for (const segment of path.slice(1).split('/')) {
    if (segment.startsWith('{')) {
      node.parameter ??= newNode();
      node = node.parameter;
    } else {
      const child = node.children.get(segment) ?? newNode();
      node.children.set(segment, child);
      node = child;
    }
  }
  return node;
}

function newNode(): Node {
  return { children: new Map(), parameter: null, rows: new Map() };
}
