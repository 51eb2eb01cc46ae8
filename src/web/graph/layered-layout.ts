// Computes the positions of boxes and lines in a layered graph. Pure: the same graph gives the same
// picture, in whatever order its parts come. Layers are columns. Within a column, boxes are ordered
// so that few lines cross, then moved towards their neighbours, and never overlap.

export interface GraphNode {
  readonly id: string;
  /** The column, from left to right; any whole number. */
  readonly layer: number;
}

/** Connects two nodes of the graph; lines to itself or to a missing node are ignored. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
}

export interface LayoutSizes {
  readonly nodeWidth: number;
  readonly nodeHeight: number;
  /** The width between two columns, for the lines. */
  readonly columnGap: number;
  readonly rowGap: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedNode extends Point {
  readonly id: string;
}

export interface PlacedEdge extends GraphEdge {
  /** From the side of one box, past those in between, to the side of the other. */
  readonly points: readonly Point[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The upper left corner of each box. */
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** A box, or the place where a longer line passes a column. */
interface Slot {
  readonly id: string;
  readonly column: number;
  readonly height: number;
  readonly left: Slot[];
  readonly right: Slot[];
  order: number;
  /** Of its centre. */
  y: number;
}

interface Route {
  readonly edge: GraphEdge;
  /** From left to right, whatever the line's direction. */
  readonly slots: readonly Slot[];
}

/** Each sweep goes there and back; more make no visible difference. */
const orderSweeps = 8;
const placeSweeps = 12;

/** A line that passes a column takes less room than a box. */
const passingHeight = 10;

/**
 * @example
 * layOut([{ id: 'a', layer: 0 }, { id: 'b', layer: 1 }], [{ from: 'a', to: 'b' }], sizes)
 */
export function layOut(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  sizes: LayoutSizes,
): Layout {
  const slots = makeSlots(nodes, sizes);
  const routes = makeRoutes(edges, slots);
  const columns = columnsOf(slots, routes);
  orderColumns(columns);
  placeColumns(columns, sizes);
  return represent(slots, routes, sizes, columns.length);
}

function makeSlots(nodes: readonly GraphNode[], sizes: LayoutSizes): Map<string, Slot> {
  const layers = [...new Set(nodes.map(({ layer }) => layer))].sort((a, b) => a - b);
  const columnOf = new Map(layers.map((layer, index) => [layer, index]));
  const sorted = [...nodes].sort((a, b) => compareText(a.id, b.id));
  return new Map(
    sorted.map(({ id, layer }) => [id, slotOf(id, columnOf.get(layer) ?? 0, sizes.nodeHeight)]),
  );
}

function slotOf(id: string, column: number, height: number): Slot {
  return { id, column, height, left: [], right: [], order: 0, y: 0 };
}

/** A line that spans several columns is cut into steps of one column each. */
function makeRoutes(edges: readonly GraphEdge[], slots: ReadonlyMap<string, Slot>): Route[] {
  const sorted = [...edges].sort((a, b) => compareText(a.from, b.from) || compareText(a.to, b.to));
  return sorted.flatMap((edge): Route[] => {
    const from = slots.get(edge.from);
    const to = slots.get(edge.to);
    if (from === undefined || to === undefined || from.column === to.column) return [];
    const [first, last] = from.column < to.column ? [from, to] : [to, from];
    const passed = Array.from({ length: last.column - first.column - 1 }, (_, index) =>
      slotOf(`${edge.from} ${edge.to} ${index}`, first.column + index + 1, passingHeight),
    );
    const chain = [first, ...passed, last];
    for (const [index, slot] of chain.slice(1).entries()) {
      const before = chain[index];
      if (before === undefined) continue;
      before.right.push(slot);
      slot.left.push(before);
    }
    return [{ edge, slots: chain }];
  });
}

function columnsOf(slots: ReadonlyMap<string, Slot>, routes: readonly Route[]): Slot[][] {
  const columns: Slot[][] = [];
  const passing = routes.flatMap((route) => route.slots.slice(1, -1));
  for (const slot of [...slots.values(), ...passing]) {
    columns[slot.column] ??= [];
    columns[slot.column]?.push(slot);
  }
  return columns.map(renumber);
}

function renumber(column: Slot[]): Slot[] {
  for (const [index, slot] of column.entries()) slot.order = index;
  return column;
}

/**
 * Sorts each column by the mean position of its neighbours, and keeps the best order found.
 * Sweeping outwards from the narrowest column leaves a tree without crossings, in whichever
 * direction it grows.
 */
function orderColumns(columns: Slot[][]): void {
  let best = columns.map((column) => [...column]);
  let fewest = countAllCrossings(columns);
  const keepBetter = () => {
    const crossings = countAllCrossings(columns);
    if (crossings >= fewest) return;
    fewest = crossings;
    best = columns.map((column) => [...column]);
  };
  const root = columns.indexOf(columns.reduce(narrower, columns[0] ?? []));
  for (let sweep = 0; sweep < orderSweeps && fewest > 0; sweep++) {
    for (const column of columns.slice(root + 1)) sortBy(column, 'left');
    for (const column of columns.slice(0, Math.max(0, root)).toReversed()) sortBy(column, 'right');
    keepBetter();
    for (const column of columns) sortBy(column, 'left');
    keepBetter();
    for (const column of columns.toReversed()) sortBy(column, 'right');
    keepBetter();
  }
  for (const [index, column] of best.entries()) columns[index] = renumber(column);
}

/** Of two equally narrow columns, the one with more lines, which is the centre of the picture. */
function narrower(one: Slot[], other: Slot[]): Slot[] {
  if (one.length !== other.length) return one.length < other.length ? one : other;
  return linesOf(other) > linesOf(one) ? other : one;
}

function linesOf(column: readonly Slot[]): number {
  return column.reduce((sum, { left, right }) => sum + left.length + right.length, 0);
}

function sortBy(column: Slot[], side: 'left' | 'right'): void {
  const wanted = new Map(
    column.map((slot) => {
      const next = slot[side];
      return [slot, next.length === 0 ? slot.order : mean(next.map(({ order }) => order))];
    }),
  );
  // The sort is stable, so slots with the same target keep their order.
  column.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
  renumber(column);
}

function countAllCrossings(columns: readonly Slot[][]): number {
  return columns.reduce((sum, column) => sum + countCrossings(column), 0);
}

/**
 * Counts the crossings between a column and the one to its right: pairs of lines whose ends are in
 * opposite order.
 */
function countCrossings(column: readonly Slot[]): number {
  const ends = column.flatMap(({ right }) => right.map(({ order }) => order).sort((a, b) => a - b));
  return countInversions(ends).count;
}

/** By merging, because two columns may have thousands of lines. */
function countInversions(values: readonly number[]): { sorted: number[]; count: number } {
  if (values.length < 2) return { sorted: [...values], count: 0 };
  const middle = values.length >> 1;
  const left = countInversions(values.slice(0, middle));
  const right = countInversions(values.slice(middle));
  const sorted: number[] = [];
  let count = left.count + right.count;
  let at = 0;
  for (const value of right.sorted) {
    while (at < left.sorted.length && (left.sorted[at] ?? 0) <= value) {
      sorted.push(left.sorted[at++] ?? 0);
    }
    count += left.sorted.length - at;
    sorted.push(value);
  }
  return { sorted: [...sorted, ...left.sorted.slice(at)], count };
}

function placeColumns(columns: readonly Slot[][], { rowGap }: LayoutSizes): void {
  for (const column of columns)
    settle(
      column,
      column.map(() => 0),
      rowGap,
    );
  for (let sweep = 0; sweep < placeSweeps; sweep++) {
    for (const column of columns) pull(column, (slot) => slot.left, rowGap);
    for (const column of columns.toReversed()) pull(column, (slot) => slot.right, rowGap);
  }
  for (const column of columns) pull(column, (slot) => [...slot.left, ...slot.right], rowGap);
}

function pull(
  column: readonly Slot[],
  neighbours: (slot: Slot) => readonly Slot[],
  rowGap: number,
): void {
  const wanted = column.map((slot) => {
    const next = neighbours(slot);
    return next.length === 0 ? slot.y : mean(next.map(({ y }) => y));
  });
  settle(column, wanted, rowGap);
}

interface Block {
  total: number;
  count: number;
}

/**
 * Computes the positions nearest to the wanted ones that keep order and distance. Without the
 * distances this is the increasing sequence nearest to a given one: neighbours out of order are
 * pooled and share their mean.
 */
function settle(column: readonly Slot[], wanted: readonly number[], rowGap: number): void {
  const offsets: number[] = [];
  for (const [index, slot] of column.entries()) {
    const before = column[index - 1];
    const step = before === undefined ? 0 : (before.height + slot.height) / 2 + rowGap;
    offsets.push((offsets[index - 1] ?? 0) + step);
  }
  const blocks: Block[] = [];
  for (const [index, place] of wanted.entries()) {
    let block: Block = { total: place - (offsets[index] ?? 0), count: 1 };
    for (let last = blocks.at(-1); last !== undefined && meanOf(last) >= meanOf(block); ) {
      blocks.pop();
      block = { total: last.total + block.total, count: last.count + block.count };
      last = blocks.at(-1);
    }
    blocks.push(block);
  }
  let index = 0;
  for (const block of blocks) {
    for (let count = 0; count < block.count; count++, index++) {
      const slot = column[index];
      if (slot !== undefined) slot.y = meanOf(block) + (offsets[index] ?? 0);
    }
  }
}

function meanOf({ total, count }: Block): number {
  return total / count;
}

function represent(
  slots: ReadonlyMap<string, Slot>,
  routes: readonly Route[],
  sizes: LayoutSizes,
  columnCount: number,
): Layout {
  const { nodeWidth, nodeHeight, columnGap } = sizes;
  const all = [...slots.values(), ...routes.flatMap((route) => route.slots)];
  const shift = all.reduce((top, { y, height }) => Math.min(top, y - height / 2), Infinity);
  const bottom = all.reduce((low, { y, height }) => Math.max(low, y + height / 2), shift);
  const leftOf = ({ column }: Slot) => column * (nodeWidth + columnGap);
  const toPoints = ({ edge, slots: chain }: Route): PlacedEdge => {
    const points = chain.flatMap((slot, index): Point[] => {
      const y = round(slot.y - shift);
      const left = { x: leftOf(slot), y };
      const right = { x: leftOf(slot) + nodeWidth, y };
      if (index === 0) return [right];
      return index === chain.length - 1 ? [left] : [left, right];
    });
    const isForward = chain[0]?.id === edge.from;
    return { ...edge, points: isForward ? points : points.toReversed() };
  };
  return {
    width: columnCount === 0 ? 0 : columnCount * (nodeWidth + columnGap) - columnGap,
    height: all.length === 0 ? 0 : round(bottom - shift),
    nodes: [...slots.values()].map((slot) => ({
      id: slot.id,
      x: leftOf(slot),
      y: round(slot.y - shift - nodeHeight / 2),
    })),
    edges: routes.map(toPoints),
  };
}

/** Half a pixel is the finest that is drawn. */
function round(value: number): number {
  return Math.round(value * 2) / 2;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** By code units, which is the same on every machine and in every language. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
