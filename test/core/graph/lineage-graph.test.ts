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

/** Each pair is an asset and one that it depends on. */
type Pairs = readonly (readonly [string, string])[];

const lineage = (
  direction: Lineage['direction'],
  results: Lineage['results'],
  pairs: Pairs,
): Lineage => ({
  asset_id: 'root',
  direction,
  results,
  max_depth: 10,
  truncated: false,
  edges: pairs.map(([asset_id, depends_on_asset_id]) => ({
    asset_id,
    depends_on_asset_id,
    type: 'transforms',
  })),
  edges_truncated: false,
});

const layersOf = ({ nodes }: ReturnType<typeof makeLineageGraph>) =>
  Object.fromEntries(nodes.map(({ id, layer }) => [id, layer]));

describe('A lineage', () => {
  test('flows from the left over the asset to the right', () => {
    const up = lineage(
      'upstream',
      [asset('a', ['x.root', 'x.a']), asset('b', ['x.root', 'x.a', 'x.b'])],
      [
        ['root', 'a'],
        ['a', 'b'],
      ],
    );
    const down = lineage('downstream', [asset('c', ['x.root', 'x.c'])], [['c', 'root']]);
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

  test('has each way in, and no line within a column', () => {
    const graph = makeLineageGraph('root', [
      lineage(
        'downstream',
        [
          asset('a', ['x.root', 'x.a']),
          asset('b', ['x.root', 'x.b']),
          asset('c', ['x.root', 'x.a', 'x.c']),
        ],
        [
          ['a', 'root'],
          ['b', 'root'],
          ['b', 'a'],
          ['c', 'a'],
          ['c', 'b'],
        ],
      ),
    ]);
    expect(layersOf(graph)).toEqual({ 'downstream a': 1, 'downstream b': 2, 'downstream c': 3 });
    expect(graph.edges).toHaveLength(5);
    expect(graph.hidden).toBe(0);
  });

  test('ends in a circle where it began', () => {
    const graph = makeLineageGraph('root', [
      lineage(
        'upstream',
        [asset('a', ['x.root', 'x.a']), asset('b', ['x.root', 'x.a', 'x.b'])],
        [
          ['root', 'a'],
          ['a', 'b'],
          ['b', 'root'],
        ],
      ),
    ]);
    expect(layersOf(graph)).toEqual({ 'upstream a': -1, 'upstream b': -2 });
    expect(graph.edges).toContainEqual({ from: 'root', to: 'upstream b' });
  });

  test('stays as wide as one scrolls: then it says how many lines are left out', () => {
    const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const graph = makeLineageGraph('root', [
      lineage(
        'downstream',
        names.map((name) => asset(name, ['x.root', `x.${name}`])),
        names.flatMap(
          (name, index): Pairs => [
            [name, 'root'],
            ...(index > 0 ? [[name, `n${index - 1}`] as const] : []),
          ],
        ),
      ),
    ]);
    expect(new Set(Object.values(layersOf(graph)))).toEqual(new Set([1]));
    expect([graph.edges.length, graph.hidden]).toEqual([40, 39]);
  });

  test('keeps an asset whose last dependency was taken away meanwhile', () => {
    const graph = makeLineageGraph('root', [
      lineage('downstream', [asset('a', ['x.root', 'x.a'])], [['b', 'a']]),
    ]);
    expect(layersOf(graph)).toEqual({ 'downstream a': 1 });
    expect(graph.edges).toEqual([]);
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
