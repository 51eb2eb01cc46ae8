// What a benchmark reports: a value, and beside it the floor or the peer of the same run.

export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** What the ratio is against, measured in the same run. */
  readonly against?: { readonly name: string; readonly value: number };
  /** At most this ratio is promised (at least, where `higherIsBetter`). */
  readonly targetRatio?: number;
  /** At most this value is promised, where there is no floor to stand beside. */
  readonly targetValue?: number;
  readonly higherIsBetter?: boolean;
  readonly note?: string;
}

export interface Benchmark {
  readonly name: string;
  readonly run: () => Promise<readonly Figure[]>;
}

export function ratioOf(figure: Figure): number | null {
  return figure.against === undefined ? null : figure.value / figure.against.value;
}

/** Null where nothing is promised. */
export function isMet(figure: Figure): boolean | null {
  const ratio = ratioOf(figure);
  const better = (value: number, target: number) =>
    figure.higherIsBetter === true ? value >= target : value <= target;
  if (figure.targetRatio !== undefined && ratio !== null) return better(ratio, figure.targetRatio);
  if (figure.targetValue !== undefined) return better(figure.value, figure.targetValue);
  return null;
}
