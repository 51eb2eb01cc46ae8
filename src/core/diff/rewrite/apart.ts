// Whether the branches of a union are told apart by a tag.

import type { SchemaNode } from '../../schema/schema.ts';
import { canonicalJson } from '../../value/canonical-json.ts';
import type { Json } from '../../value/json.ts';
import { openReach } from '../places/reach.ts';

/** Whether all branches demand one property, and list other values of it each. Then no object is in two of them. */
export function areApart(branches: readonly SchemaNode[]): boolean {
  const [first, ...others] = branches.map(tagsOf);
  return [...(first ?? [])].some(([key, values]) => {
    const seen = new Set(values);
    return others.every((tags) => {
      const own = tags.get(key);
      if (own === undefined || own.some((value) => seen.has(value))) return false;
      for (const value of own) seen.add(value);
      return true;
    });
  });
}

/** The properties that a branch demands, and lists the values of. */
function tagsOf(branch: SchemaNode): ReadonlyMap<string, readonly string[]> {
  const reach = openReach(() => false, 'sure');
  const spot = reach.spotOf([branch]);
  const tags = new Map<string, readonly string[]>();
  for (const key of reach.requiredKeys(spot)) {
    const { nodes } = reach.atKey(spot, key);
    const values = nodes.map(valuesOf).find((some) => some !== null);
    if (values != null) tags.set(key, values.map(canonicalJson));
  }
  return tags;
}

function valuesOf({ keywords }: SchemaNode): readonly Json[] | null {
  return keywords.const === undefined ? (keywords.enum ?? null) : [keywords.const.value];
}
