// OpenAPI's formats of numbers. They define how a number is stored, and so which numbers exist:
// bounds, and for integers no fraction. See docs/decisions/formats.md.

import type { Dialect } from '../dialects.ts';
import { isOpenApi } from '../keywords.ts';

export interface NumberFormat {
  /** The smallest and the largest number, as decimal text, because most do not fit a double. */
  readonly least: string;
  readonly greatest: string;
  readonly isWhole: boolean;
}

/** @example findNumberFormat('int32', 'openapi-3.0')?.greatest // '2147483647' */
export function findNumberFormat(name: string, dialect: Dialect): NumberFormat | null {
  if (!isOpenApi(dialect) || !Object.hasOwn(rows, name)) return null;
  return rows[name as keyof typeof rows];
}

export function isNumberFormat(name: string): boolean {
  return Object.hasOwn(rows, name);
}

/** `double` has no row, because readers treat JSON numbers as doubles by default. */
const rows = {
  int32: { least: '-2147483648', greatest: '2147483647', isWhole: true },
  int64: { least: '-9223372036854775808', greatest: '9223372036854775807', isWhole: true },
  // (2 - 2^-23) * 2^127: larger numbers are infinite in single precision.
  float: {
    least: '-340282346638528859811704183484516925440',
    greatest: '340282346638528859811704183484516925440',
    isWhole: false,
  },
} as const satisfies Record<string, NumberFormat>;
