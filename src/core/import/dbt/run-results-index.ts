// Results refer to tests and nodes by their ids in the manifest. The manifest tells which assets
// they are about. Without it, the registry's assets and dbt's names of tests do.

import { isJsonObject, type Json } from '../../value/json.ts';
import type { ImportProblem } from '../candidate.ts';
import { memberOf, objectAt } from '../read-json.ts';
import { attachTest } from './dbt-attachment.ts';
import { nameNodes } from './dbt-names.ts';
import { readNodes } from './dbt-node.ts';
import { readTest } from './dbt-tests.ts';

export interface NodeIndex {
  readonly assetOfNode: (nodeId: string) => string | undefined;
  readonly assetsOfTest: (testId: string) => readonly string[];
}

/** @example indexManifest(manifest).assetsOfTest('test.shop.unique_orders_id.c7614d') // ['shop.public.orders'] */
export function indexManifest(manifest: Json): NodeIndex {
  const problems: ImportProblem[] = [];
  const nodes = readNodes(manifest, problems);
  const names = nameNodes(nodes, problems);
  const known = new Map(nodes.map((node) => [node.id, node]));
  const tests = objectAt(manifest, 'nodes') ?? {};
  const fqnOf = (id: string) => names.get(id)?.fqn;
  return {
    assetOfNode: fqnOf,
    assetsOfTest: (testId) => {
      const node = memberOf(tests, testId);
      if (node === undefined || !isJsonObject(node)) return [];
      const attached = attachTest(node, readTest(node), known).nodes;
      return attached.flatMap(({ id }) => fqnOf(id) ?? []);
    },
  };
}

/**
 * Uses the assets' own `build_node_id`. The name of a generic test contains the name of its node
 * (`not_null_orders_id`). The first such name is the tested node, or the longest if several begin
 * there. A test with a custom name cannot be matched.
 *
 * @example indexAssets([{ fqn: 'shop.public.orders', build_node_id: 'model.shop.orders' }])
 */
export function indexAssets(
  assets: Iterable<{ readonly fqn: string; readonly build_node_id: string }>,
): NodeIndex {
  const byId = new Map<string, string>();
  const byName = new Map<string, string>();
  for (const { fqn, build_node_id: id } of assets) {
    byId.set(id, fqn);
    const [type, packageName = '', ...names] = id.split('.');
    const name = names.join('_');
    byName.set(`${packageName}.${name}`, fqn);
    if (type === 'source') byName.set(`${packageName}.source:${name}`, fqn);
  }
  return {
    assetOfNode: (nodeId) => byId.get(nodeId),
    assetsOfTest: (testId) => {
      const found = findByTestName(testId, byName);
      return found === undefined ? [] : [found];
    },
  };
}

/** A test's name has at most some 40 words; beyond that only the first are used. */
const maxWords = 40;

function findByTestName(testId: string, byName: ReadonlyMap<string, string>): string | undefined {
  const [kind, packageName = '', testName = ''] = testId.split('.');
  if (kind !== 'test') return undefined;
  const words = testName.split('_').slice(0, maxWords);
  const namespace = words[0] === 'source' ? `${packageName}.source:` : `${packageName}.`;
  for (let start = 1; start < words.length; start++) {
    for (let end = words.length; end > start; end--) {
      const found = byName.get(`${namespace}${words.slice(start, end).join('_')}`);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
