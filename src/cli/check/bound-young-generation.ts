// Keeps Node from growing its young generation, which it does for whoever reads millions of values.

import { setFlagsFromString } from 'node:v8';

/**
 * The young generation of the heap stays as large as it is, 4 to 32 MiB. Node would let it grow to 128 MiB,
 * although values that are read one by one are garbage right after: a check takes as long without. The flag
 * for its largest size has no effect once a process runs; the factor by which it grows is read each time.
 */
export function boundYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
