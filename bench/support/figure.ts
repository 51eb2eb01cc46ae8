// The result of a benchmark: a value, with the floor or the peer of the same run.

export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  /** The floor or peer, measured in the same run. */
  readonly against?: { readonly name: string; readonly value: number };
  /** The promised maximum of the ratio (or minimum, if `higherIsBetter`). */
  readonly targetRatio?: number;
  /** The promised maximum of the value, if there is no floor. */
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

/** Null if nothing is promised. */
export function isMet(figure: Figure): boolean | null {
  const ratio = ratioOf(figure);
  const better = (value: number, target: number) =>
    figure.higherIsBetter === true ? value >= target : value <= target;
  if (figure.targetRatio !== undefined && ratio !== null) return better(ratio, figure.targetRatio);
  if (figure.targetValue !== undefined) return better(figure.value, figure.targetValue);
  return null;
}
