import { expect, test } from 'vitest';
import type { LayoutSizes } from '../../../src/web/graph/layered-layout.ts';
import { stepAround } from '../../../src/web/graph/step-around.ts';
import { layOutTeams } from '../../../src/web/graph/team-overview.ts';

const sizes: LayoutSizes = { nodeWidth: 150, nodeHeight: 26, columnGap: 110, rowGap: 6 };

const teamsOf = (...ids: string[]) => ids.map((id) => ({ id, name: id }));
const lineOf = (from: string, to: string) => ({ from, to });

test('Teams stand in three blocks, by what they give and use, and each line is counted once', () => {
  const lines = [
    lineOf('source', 'middle'),
    lineOf('middle', 'other'),
    lineOf('other', 'middle'),
    lineOf('other', 'end'),
    lineOf('source', 'end'),
  ];
  const { blocks, bundles } = layOutTeams(
    teamsOf('alone', 'end', 'middle', 'other', 'source'),
    lines,
    sizes,
  );
  expect(blocks.map(({ kind, count }) => [kind, count])).toEqual([
    ['gives', 2],
    ['both', 2],
    ['uses', 1],
  ]);
  expect(bundles.map(({ from, to, count, line }) => [from, to, count, line === null])).toEqual([
    ['gives', 'both', 1, false],
    ['gives', 'uses', 1, false],
    ['both', 'both', 2, true],
    ['both', 'uses', 1, false],
  ]);
});

test('Boxes do not overlap, and the picture is about as wide as a window', () => {
  const ids = Array.from({ length: 153 }, (_, index) => `team ${index}`);
  const { layout } = layOutTeams(teamsOf(...ids), [lineOf('team 0', 'team 1')], sizes);
  const places = new Set(layout.nodes.map(({ x, y }) => `${x} ${y}`));
  expect(places.size).toBe(153);
  for (const { x, y } of layout.nodes) {
    expect(x + sizes.nodeWidth).toBeLessThanOrEqual(layout.width);
    expect(y + sizes.nodeHeight).toBeLessThanOrEqual(layout.height);
  }
  expect(layout.width / layout.height).toBeGreaterThan(1.2);
  expect(layout.width / layout.height).toBeLessThan(3);
});

const teamLine = (from_team_id: string, to_team_id: string) => ({ from_team_id, to_team_id });

test('One step around a team is its lines in both directions, and no others', () => {
  const lines = [teamLine('a', 'b'), teamLine('b', 'c'), teamLine('c', 'd'), teamLine('a', 'd')];
  expect(stepAround(lines, ['b'])).toEqual({ lines: [lines[0], lines[1]], left: 0 });
  expect(stepAround(lines, ['b', 'd'])).toEqual({ lines, left: 0 });
});

test('Of the many lines of a team, the first of each direction are kept and the rest counted', () => {
  const into = Array.from({ length: 30 }, (_, index) => teamLine(`from ${index}`, 'hub'));
  const outOf = Array.from({ length: 40 }, (_, index) => teamLine('hub', `to ${index}`));
  const { lines, left } = stepAround([...into, ...outOf], ['hub']);
  expect(lines).toEqual([...into.slice(0, 24), ...outOf.slice(0, 24)]);
  expect(left).toBe(22);
});
