// The simulation of cells: its parts are held against formulas, and the page against what it prints.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { assetsOfCell, makeCompany, randomOf } from '../bench/cells/company.ts';
import { simulateWaits, waitAt, waits } from '../bench/cells/queue.ts';
import { loadsOfCell, lookOut, quantile, waitOfCell } from '../bench/cells/simulate.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/cells.md'), 'utf8');

describe('A queue', () => {
  test.each([
    { rate: 900, seconds: 0.001, processors: 1 },
    { rate: 5_000, seconds: 0.0005, processors: 4 },
    { rate: 12_000, seconds: 0.0006, processors: 8 },
  ])('is as the formula says: $rate a second on $processors', (servers) => {
    const waited = simulateWaits(servers, 300_000, randomOf(7));
    const waiting = waited.filter((seconds) => seconds > 0).length / waited.length;
    expect(waiting / waits(servers)).toBeCloseTo(1, 1);
    expect(quantile(waited, 0.99) / waitAt(servers, 0.01)).toBeCloseTo(1, 0);
  });

  test('without enough processors never ends', () => {
    expect(waitAt({ rate: 3_000, seconds: 0.001, processors: 2 }, 0.01)).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe('A company', () => {
  test('has each tenant in one cell, and no cell above a million assets', () => {
    const { sizes, cellOf, cells } = makeCompany(20, 'near', 3);
    const held = Array.from({ length: cells }, () => 0);
    cellOf.forEach((cell, tenant) => {
      held[cell] = (held[cell] ?? 0) + (sizes[tenant] ?? 0);
    });
    expect(cellOf).toHaveLength(sizes.length);
    expect(Math.min(...cellOf)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...held)).toBeLessThanOrEqual(assetsOfCell);
  });

  test('crosses cells as often as chance has it, and less if tenants are placed near', () => {
    for (const cells of [10, 50]) {
      const [anywhere, near] = (['anywhere', 'near'] as const).map((placing) =>
        lookOut(makeCompany(cells, placing, 5), randomOf(5)),
      );
      expect((anywhere?.crossing ?? 0) / (0.1 * (1 - 1 / cells))).toBeCloseTo(1, 1);
      expect(near?.crossing).toBeLessThan(anywhere?.crossing ?? 0);
      // All cells together hold up no more than what crosses.
      expect((anywhere?.outage.worst ?? 1) * cells).toBeLessThan(1);
    }
  });
});

test('The page has what the simulation prints', () => {
  for (const [name, load] of loadsOfCell()) {
    expect(page).toContain(`| ${name} | ${(load * 100).toFixed(0)} % |`);
  }
  expect(page).toContain(`A request waits ${(waitOfCell() * 1000).toFixed(2)} ms for a processor`);
  const company = makeCompany(10, 'anywhere', 20_261_201);
  const { tenants, crossing } = lookOut(company, randomOf(20_261_201));
  expect(page).toContain(`| 10 | anywhere | ${tenants} | ${(crossing * 100).toFixed(1)} % |`);
});
