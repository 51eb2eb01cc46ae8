// Lineage as boxes and lines, and where the arrow keys lead among them.

import { describe, expect, test } from 'vitest';
import { stepFrom } from '../../../src/web/graph/graph-steps.ts';
import { layOut } from '../../../src/web/graph/layered-layout.ts';
import { makeLineageGraph } from '../../../src/web/graph/lineage-graph.ts';

type Lineage = Parameters<typeof makeLineageGraph>[1][number];

const asset = (id: string, path: readonly string[], environment = 'production') => ({
  asset_id: id,
  fqn: path.at(-1) ?? '',
  environment,
  owner_team_id: 't',
  owner_team_name: 'Team',
  depth: path.length - 1,
  type: 'transforms' as const,
  path: [...path],
  consumers: [],
});

const lineage = (direction: Lineage['direction'], results: Lineage['results']): Lineage => ({
  asset_id: 'root',
  direction,
  results,
  max_depth: 10,
  truncated: false,
});

describe('A lineage', () => {
  test('flows from the left over the asset to the right', () => {
    const up = lineage('upstream', [
      asset('a', ['x.root', 'x.a']),
      asset('b', ['x.root', 'x.a', 'x.b']),
    ]);
    const down = lineage('downstream', [asset('c', ['x.root', 'x.c'])]);
    const { nodes, edges } = makeLineageGraph('root', [up, down]);
    expect(nodes.map(({ id, layer }) => [id, layer])).toEqual([
      ['upstream a', -1],
      ['upstream b', -2],
      ['downstream c', 1],
    ]);
    expect(edges).toEqual([
      { from: 'upstream a', to: 'root' },
      { from: 'upstream b', to: 'upstream a' },
      { from: 'root', to: 'downstream c' },
    ]);
  });

  test('joins the asset of the own environment where two have a name', () => {
    const { edges } = makeLineageGraph('root', [
      lineage('downstream', [
        asset('staging', ['x.root', 'x.a'], 'staging'),
        asset('production', ['x.root', 'x.a']),
        asset('b', ['x.root', 'x.a', 'x.b']),
        asset('c', ['x.root', 'x.a', 'x.c'], 'staging'),
      ]),
    ]);
    expect(edges.slice(2)).toEqual([
      { from: 'downstream production', to: 'downstream b' },
      { from: 'downstream staging', to: 'downstream c' },
    ]);
  });
});

describe('An arrow key', () => {
  const layout = layOut(
    [
      { id: 'root', layer: 0 },
      { id: 'a', layer: 1 },
      { id: 'b', layer: 1 },
      { id: 'c', layer: 2 },
    ],
    [
      { from: 'root', to: 'a' },
      { from: 'root', to: 'b' },
      { from: 'b', to: 'c' },
    ],
    { nodeWidth: 100, nodeHeight: 20, columnGap: 20, rowGap: 10 },
  );

  test.each([
    { key: 'ArrowRight', from: 'b', to: 'c' },
    { key: 'ArrowLeft', from: 'c', to: 'b' },
    { key: 'ArrowLeft', from: 'a', to: 'root' },
    { key: 'ArrowRight', from: 'a', to: 'c' },
    { key: 'ArrowDown', from: 'a', to: 'b' },
    { key: 'ArrowUp', from: 'b', to: 'a' },
    { key: 'ArrowDown', from: 'b', to: null },
    { key: 'ArrowLeft', from: 'root', to: null },
    { key: 'Enter', from: 'root', to: null },
    { key: 'ArrowUp', from: 'nowhere', to: null },
  ])('$key leads from $from to $to', ({ key, from, to }) => {
    expect(stepFrom(key, from, layout)).toBe(to);
  });
});
