// What becomes of a company in cells: `node bench/cells/simulate.ts` prints the tables of docs/cells.md.

import { assetsOfCell, type Company, makeCompany, type Placing, randomOf } from './company.ts';
import { assumed, measured } from './figures.ts';
import { loadOf, waitAt } from './queue.ts';

const seed = 20_261_201;
const secondsOfYear = 365 * 24 * 60 * 60;

interface Outlook {
  readonly tenants: number;
  /** The part of all registrations whose consumer is in another cell. */
  readonly crossing: number;
  /** Agreements that a company makes across cells, in a second. */
  readonly agreements: number;
  /** Cells that a question about an impact reaches, and its time between them in seconds. */
  readonly impact: {
    readonly cells: number;
    readonly cellsAt99: number;
    readonly secondsAt99: number;
  };
  /** While the cell goes that the most depends on, and one in the middle: which part of the other cells' assets has to wait with a break. */
  readonly outage: { readonly worst: number; readonly median: number };
  /** Seconds of copying a tenant, and of its writes being refused. */
  readonly move: {
    readonly median: number;
    readonly largest: number;
    readonly readOnlyAt99: number;
  };
  readonly directoryBytes: number;
  /** Seconds of Postgres that a search of the whole company takes in all cells. */
  readonly searchOfAll: number;
  readonly processors: number;
}

export function lookOut(company: Company, random: () => number): Outlook {
  const { sizes, edges, cellOf, cells } = company;
  const assets = sum(sizes);
  const crossing = edges.filter(({ consumer, producer }) => cellOf[consumer] !== cellOf[producer]);
  const registrations = assets * 2;
  const breaksOfAsset = (measured.versionsOfAsset * measured.breaking) / secondsOfYear;
  const reached = Array.from({ length: 2_000 }, () => followImpact(company, random));
  const waiting = outages(company);
  const bytes = sizes.map(
    (size) => size * (measured.asset + measured.event * measured.eventsOfAsset),
  );
  const copying = bytes.map((each) => each / measured.copied);
  const readOnly = sizes.map((size, tenant) =>
    readOnlySeconds(size, copying[tenant] ?? 0, cells, random),
  );
  return {
    tenants: sizes.length,
    crossing: sum(crossing.map((edge) => edge.registrations)) / registrations,
    agreements: sum(crossing.map((edge) => edge.registrations)) * breaksOfAsset,
    impact: {
      cells: sum(reached.map((each) => each.cells)) / reached.length,
      cellsAt99: quantile(
        reached.map((each) => each.cells),
        0.99,
      ),
      secondsAt99: quantile(
        reached.map((each) => each.rounds * assumed.hop),
        0.99,
      ),
    },
    outage: { worst: quantile(waiting, 1), median: quantile(waiting, 0.5) },
    move: {
      median: quantile(copying, 0.5),
      largest: quantile(copying, 1),
      readOnlyAt99: quantile(readOnly, 0.99),
    },
    directoryBytes: sizes.length * assumed.entry,
    searchOfAll: cells * measured.countedList * assetsOfCell,
    processors:
      cells *
      (assumed.replicas * assumed.processorsOfReplica +
        assumed.postgresOfCell * assumed.processorsOfPostgres),
  };
}

/** Follows what is made from an asset from tenant to tenant. Each round asks all cells that it reached at once. */
function followImpact(
  { edges, cellOf, sizes }: Company,
  random: () => number,
): { cells: number; rounds: number } {
  const start = Math.floor(random() * sizes.length);
  const seen = new Set([start]);
  const cells = new Set([cellOf[start]]);
  let tenants = [start];
  let rounds = 0;
  let assets = 1;
  for (let depth = 0; depth < assumed.impactDepth && assets < assumed.impactAssets; depth++) {
    const next = new Set<number>();
    for (const tenant of tenants) {
      for (const { consumer, registrations } of consumersOf(edges, tenant)) {
        // One asset of the producer is read by as many assets as have registered, spread over all of its assets.
        const expected = registrations / (sizes[tenant] ?? 1);
        if (!seen.has(consumer) && random() < expected) next.add(consumer);
      }
      assets += 5;
    }
    const newCells = [...next].filter((tenant) => !cells.has(cellOf[tenant]));
    if (newCells.length > 0) rounds++;
    for (const tenant of next) {
      seen.add(tenant);
      cells.add(cellOf[tenant]);
    }
    assets += next.size;
    tenants = [...next];
    if (tenants.length === 0) break;
  }
  return { cells: cells.size, rounds };
}

const byProducer = new WeakMap<Company['edges'], Map<number, Company['edges'][number][]>>();

function consumersOf(
  edges: Company['edges'],
  producer: number,
): readonly Company['edges'][number][] {
  let found = byProducer.get(edges);
  if (found === undefined) {
    found = new Map();
    for (const edge of edges) {
      const known = found.get(edge.producer);
      if (known === undefined) found.set(edge.producer, [edge]);
      else known.push(edge);
    }
    byProducer.set(edges, found);
  }
  return found.get(producer) ?? [];
}

/** For each cell that goes: the part of the assets of the others that somebody in it reads. */
function outages({ edges, cellOf, sizes, cells }: Company): readonly number[] {
  // A registration is on any asset of the producer, so several may be on the same one.
  const read = new Map<string, { cell: number; producer: number; registrations: number }>();
  for (const { consumer, producer, registrations } of edges) {
    const cell = cellOf[consumer] ?? 0;
    if (cell === cellOf[producer]) continue;
    const key = `${cell} ${producer}`;
    const known = read.get(key);
    if (known === undefined) read.set(key, { cell, producer, registrations });
    else known.registrations += registrations;
  }
  const waiting = Array.from({ length: cells }, () => 0);
  for (const { cell, producer, registrations } of read.values()) {
    const size = sizes[producer] ?? 1;
    waiting[cell] = (waiting[cell] ?? 0) + size * (1 - Math.exp(-registrations / size));
  }
  const others = sum(sizes) * (1 - 1 / cells);
  return waiting.map((each) => each / others);
}

/** What was written meanwhile is copied until that takes a second; then writes wait for the rest and for the routers. */
function readOnlySeconds(
  size: number,
  copying: number,
  cells: number,
  random: () => number,
): number {
  const written = (size * measured.versionsOfAsset * 5 * measured.event) / secondsOfYear;
  let left = copying;
  for (let round = 0; round < 20 && left > 1; round++) left = (left * written) / measured.copied;
  const routers = cells * assumed.routersOfCell;
  // The last router that hears of it: the most of so many equal chances.
  const heard = assumed.directoryPoll * random() ** (1 / routers);
  return assumed.drain * random() + left + heard;
}

/** What one cell of a million assets takes, part by part: the first above 0.6 is what saturates first. */
export function loadsOfCell(assets = assetsOfCell): readonly (readonly [string, number])[] {
  const rate = assets * measured.requestsOfAsset;
  const lists = rate * measured.countedLists * measured.countedList * assets;
  const graphs = (measured.graphsAnHour / 3_600) * measured.graphOfAll * assets * assumed.replicas;
  const reads = rate * measured.postgres;
  return [
    [
      'replicas of the registry',
      loadOf({
        rate,
        seconds: measured.server,
        processors: assumed.replicas * assumed.processorsOfReplica,
      }),
    ],
    ['Postgres: requests alone', reads / assumed.processorsOfPostgres],
    ['Postgres: lists whose total counts all', lists / assumed.processorsOfPostgres],
    ['Postgres: the graph of all teams', graphs / assumed.processorsOfPostgres],
    [
      'Postgres: commits one after the other',
      (assets * measured.versionsOfAsset * 10) / secondsOfYear / measured.publishes,
    ],
  ];
}

/** How long requests of a cell wait for a processor of a replica, all but one in a hundred, in seconds. */
export function waitOfCell(assets = assetsOfCell): number {
  return waitAt(
    {
      rate: assets * measured.requestsOfAsset,
      seconds: measured.server,
      processors: assumed.replicas * assumed.processorsOfReplica,
    },
    0.01,
  );
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0);
}

function print(): void {
  console.log('| what one cell of a million assets takes | of what it has |\n|---|---|');
  for (const [name, load] of loadsOfCell())
    console.log(`| ${name} | ${(load * 100).toFixed(0)} % |`);
  console.log(
    `\nA request waits ${(waitOfCell() * 1000).toFixed(2)} ms for a processor of a replica (p99).`,
  );
  const placings: readonly Placing[] = ['anywhere', 'near'];
  console.log(
    '\n| cells | tenants placed | tenants | registrations that cross | agreements across a day | cells of an impact: mean, p99 | its time between cells: p99 | a cell that goes holds up breaks of: worst, median | copying a tenant: median, largest | writes refused: p99 | directory | search of all, Postgres | processors |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|',
  );
  for (const cells of [10, 100, 1_000]) {
    for (const placing of placings) {
      const company = makeCompany(cells, placing, seed);
      const { tenants, crossing, agreements, impact, outage, move, ...rest } = lookOut(
        company,
        randomOf(seed),
      );
      const percent = (part: number) => `${(part * 100).toFixed(part < 0.01 ? 2 : 1)} %`;
      console.log(
        `| ${cells} | ${placing} | ${tenants} | ${percent(crossing)} | ${Math.round(agreements * 86_400)} | ${impact.cells.toFixed(1)}, ${impact.cellsAt99} | ${(impact.secondsAt99 * 1000).toFixed(0)} ms | ${percent(outage.worst)}, ${percent(outage.median)} | ${move.median.toFixed(0)} s, ${(move.largest / 60).toFixed(0)} min | ${move.readOnlyAt99.toFixed(1)} s | ${(rest.directoryBytes / 1e6).toFixed(1)} MB | ${rest.searchOfAll.toFixed(1)} s | ${rest.processors} |`,
      );
    }
  }
}

if (import.meta.main) print();
