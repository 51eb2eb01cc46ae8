// Makes a witness smaller by removing properties and items that it does not need.

import type { Json } from '../value/json.ts';
import { isJsonObject } from '../value/json.ts';

/**
 * Each try validates the whole value. The search builds only what is demanded, so most tries fail.
 * A large value therefore gets few tries: they validate at most 1,500 parts in all.
 */
const maxTries = 60;
const maxPartsTried = 1_500;

/** The smallest value found from `value` downwards for which the claim still holds. */
export function shrinkWitness(value: Json, isWitness: (value: Json) => boolean): Json {
  let best = value;
  let tries = 0;
  const allowed = Math.min(maxTries, Math.floor(maxPartsTried / countParts(value)));
  for (let hasShrunk = allowed > 0; hasShrunk; ) {
    hasShrunk = false;
    for (const smaller of smallerThan(best)) {
      if (++tries > allowed) return best;
      if (!isWitness(smaller)) continue;
      best = smaller;
      hasShrunk = true;
      break;
    }
  }
  return best;
}

function countParts(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const part of Object.values(value)) count += countParts(part as Json);
  return count;
}

function* smallerThan(value: Json): Generator<Json> {
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    if (items.length > 1) yield items.slice(0, Math.floor(items.length / 2));
    for (const index of items.keys()) yield items.toSpliced(index, 1);
    for (const [index, item] of items.entries()) {
      for (const smaller of smallerThan(item)) yield items.with(index, smaller);
    }
    return;
  }
  if (!isJsonObject(value)) return;
  const entries = Object.entries(value);
  for (const index of entries.keys()) yield Object.fromEntries(entries.toSpliced(index, 1));
  for (const [index, [key, member]] of entries.entries()) {
    for (const smaller of smallerThan(member)) {
      yield Object.fromEntries(entries.with(index, [key, smaller]));
    }
  }
}
