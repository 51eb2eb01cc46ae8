// The fields of an asset, each below what it is a part of.

import { fieldsAround } from '../../core/needs/field-path.ts';

export interface Placed<T> {
  readonly field: T;
  /** The name below its parent. */
  readonly name: string;
  readonly depth: number;
}

/**
 * In the order of the contract, parts after the field that they belong to.
 *
 * @example inTreeOrder([{ path: '$.a' }, { path: '$.b' }, { path: '$.a.c' }]) // $.a, $.a.c, $.b
 */
export function inTreeOrder<T extends { readonly path: string }>(
  fields: readonly T[],
): readonly Placed<T>[] {
  const paths = new Set(fields.map(({ path }) => path));
  const below = new Map<string, T[]>();
  for (const field of fields) {
    const parent = parentOf(field.path, paths);
    const siblings = below.get(parent) ?? [];
    siblings.push(field);
    below.set(parent, siblings);
  }
  const placed: Placed<T>[] = [];
  const waiting = (below.get('$') ?? [])
    .map((field) => ({ field, parent: '$', depth: 0 }))
    .reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { field, parent, depth } = next;
    placed.push({ field, name: field.path.slice(parent.length).replace(/^\./, ''), depth });
    const parts = below.get(field.path) ?? [];
    for (const part of parts.toReversed()) {
      waiting.push({ field: part, parent: field.path, depth: depth + 1 });
    }
  }
  return placed;
}

function parentOf(path: string, paths: ReadonlySet<string>): string {
  return fieldsAround(path).find((around) => around !== path && paths.has(around)) ?? '$';
}
