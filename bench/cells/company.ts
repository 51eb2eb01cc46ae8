// A made company whose contracts do not fit one Postgres: tenants, cells, and who reads whose assets.

export interface Company {
  readonly cells: number;
  /** Assets of each tenant. */
  readonly sizes: readonly number[];
  /** The cell of each tenant. */
  readonly cellOf: readonly number[];
  readonly edges: readonly Edge[];
}

/** Registrations of one tenant on the assets of another one. */
interface Edge {
  readonly consumer: number;
  readonly producer: number;
  readonly registrations: number;
}

export const assetsOfCell = 1_000_000;

/** As in the registries that docs/scaling.md measures. */
const registrationsOfAsset = 2;
/** The part of registrations on assets of another tenant. */
const partOutside = 0.1;
/** A tenant reads so many others. */
const producersOfTenant = 6;

/** The same numbers for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Placing = 'anywhere' | 'near';

/**
 * Tenants of very different sizes, placed whole. A few are read by many: platforms, finance, the customers' data.
 * `near` places a tenant beside those that it reads most, where there is room.
 */
export function makeCompany(cells: number, placing: Placing, seed: number): Company {
  const random = randomOf(seed);
  const sizes = sizesFor(cells * assetsOfCell * 0.9, random);
  const edges = edgesOf(sizes, random);
  return { cells, sizes, edges, cellOf: place(sizes, edges, cells, placing, random) };
}

/** Lognormal: a median of 2,000 assets, and none above a quarter of a cell. */
function sizesFor(assets: number, random: () => number): readonly number[] {
  const sizes: number[] = [];
  for (let sum = 0; sum < assets; ) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const size = Math.min(
      assetsOfCell / 4,
      Math.max(25, Math.round(2_000 * Math.exp(1.2 * normal))),
    );
    sizes.push(size);
    sum += size;
  }
  return sizes;
}

function edgesOf(sizes: readonly number[], random: () => number): readonly Edge[] {
  return sizes.flatMap((size, consumer) => {
    const outside = size * registrationsOfAsset * partOutside;
    return Array.from({ length: producersOfTenant }, () => {
      // By its rank, the first tenant is read a hundred times as often as the hundredth.
      const producer = Math.floor((sizes.length + 1) ** random()) - 1;
      return { consumer, producer, registrations: outside / producersOfTenant };
    }).filter((edge) => edge.producer !== consumer && edge.producer < sizes.length);
  });
}

function place(
  sizes: readonly number[],
  edges: readonly Edge[],
  cells: number,
  placing: Placing,
  random: () => number,
): readonly number[] {
  const room = Array.from({ length: cells }, () => assetsOfCell);
  const cellOf = sizes.map(() => -1);
  const near = new Map<number, Edge[]>();
  for (const edge of edges) {
    for (const end of [edge.consumer, edge.producer]) {
      const known = near.get(end);
      // Of a tenant that thousands read, the first ones stand for the others.
      if (known === undefined) near.set(end, [edge]);
      else if (known.length < 200) known.push(edge);
    }
  }
  const largestFirst = sizes
    .map((_, tenant) => tenant)
    .sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
  for (const tenant of largestFirst) {
    const size = sizes[tenant] ?? 0;
    const wanted = placing === 'near' ? nearest(tenant, near.get(tenant) ?? [], cellOf) : [];
    const fits = (cell: number) => (room[cell] ?? 0) >= size;
    const cell = wanted.find(fits) ?? anyCell(cells, fits, random) ?? emptiest(room);
    cellOf[tenant] = cell;
    room[cell] = (room[cell] ?? 0) - size;
  }
  return cellOf;
}

/** The cells with which a tenant has the most registrations. */
function nearest(
  tenant: number,
  edges: readonly Edge[],
  cellOf: readonly number[],
): readonly number[] {
  const shared = new Map<number, number>();
  for (const { consumer, producer, registrations } of edges) {
    const cell = cellOf[consumer === tenant ? producer : consumer] ?? -1;
    if (cell >= 0) shared.set(cell, (shared.get(cell) ?? 0) + registrations);
  }
  return [...shared].sort((a, b) => b[1] - a[1]).map(([cell]) => cell);
}

function anyCell(
  cells: number,
  fits: (cell: number) => boolean,
  random: () => number,
): number | undefined {
  for (let tries = 0; tries < 20; tries++) {
    const cell = Math.floor(random() * cells);
    if (fits(cell)) return cell;
  }
  return undefined;
}

function emptiest(room: readonly number[]): number {
  return room.indexOf(Math.max(...room));
}
