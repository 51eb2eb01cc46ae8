// Options of `concordat diff` and `concordat impact`.

import type { CompatibilityMode } from '../../core/comparison.ts';
import type { SidesAsked } from '../input/find-sides.ts';
import type { ReadOptions } from '../input/subject.ts';
import type { RegistryOptions, ReportOptions } from '../options.ts';

export interface DiffOptions
  extends ReadOptions,
    ReportOptions,
    RegistryOptions,
    Omit<SidesAsked, 'inputs'> {
  readonly mode?: CompatibilityMode;
  readonly suggest?: boolean;
  readonly agreements?: boolean;
  readonly asset?: string;
  readonly environment?: string;
  /** False for `--no-ignore`. */
  readonly ignore: boolean;
  readonly ignoreFile?: string;
}
