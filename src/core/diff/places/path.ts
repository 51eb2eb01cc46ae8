import { pathStep } from '../../schema/schema.ts';

/** @example pathBelow('$', ['properties', 'a b']) // '$.properties["a b"]' */
export function pathBelow(path: string, steps: readonly (string | number)[]): string {
  return path + steps.map(pathStep).join('');
}
