// Fields as consumers write them: paths in values.

import type { Direction } from '../comparison.ts';

/** A key, every key of a map, or every item of a list. */
export type FieldStep = { readonly key: string } | 'any_key' | 'items';

const anyStep = /\.\*|\.([^.[\]*"\s]+)|\[\*\]|\[\d+\]|\["((?:[^"\\]|\\.)*)"\]/y;

/**
 * The steps of a field, or null if it is not one. `[0]` counts as `[*]`.
 *
 * @example parseField('$.lines[*].sku') // [{ key: 'lines' }, 'items', { key: 'sku' }]
 */
export function parseField(field: string): readonly FieldStep[] | null {
  if (!field.startsWith('$')) return null;
  const steps: FieldStep[] = [];
  anyStep.lastIndex = 1;
  while (anyStep.lastIndex < field.length) {
    const found = anyStep.exec(field);
    if (found === null) return null;
    const [text, plain, quoted] = found;
    if (plain !== undefined) steps.push({ key: plain });
    else if (quoted !== undefined) {
      const key = unquoted(quoted);
      if (key === null) return null;
      steps.push({ key });
    } else steps.push(text === '.*' ? 'any_key' : 'items');
  }
  return steps;
}

/**
 * The field, and what it is a part of, the nearest first; not the whole.
 *
 * @example fieldsAround('$.a[*].b') // ['$.a[*].b', '$.a[*]', '$.a']
 */
export function fieldsAround(field: string): readonly string[] {
  const around: string[] = [];
  anyStep.lastIndex = 1;
  while (anyStep.exec(field) !== null) around.unshift(field.slice(0, anyStep.lastIndex));
  return around;
}

function unquoted(text: string): string | null {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return null;
  }
}

/** A place in values of which something is wanted: all of it, or parts. */
export interface Wanted {
  readonly id: number;
  isWhole: boolean;
  /** Whether the consumer sends it; otherwise it reads it. */
  isSent: boolean;
  /** Whether the contract has it. */
  isFound: boolean;
  /** Whether its keys are the statuses of an operation, which a range or the default may describe. */
  hasStatuses: boolean;
  readonly keys: Map<string, Wanted>;
  anyKey: Wanted | null;
  items: Wanted | null;
}

export type WantedFields =
  | { readonly ok: true; readonly root: Wanted; readonly add: (at: Wanted, key: string) => Wanted }
  | { readonly ok: false; readonly field: string };

/** More levels than a schema has: whoever walks the result needs no limit of its own. */
const maxSteps = 64;

export function readFields(fields: readonly string[], direction: Direction): WantedFields {
  let count = 0;
  const place = (): Wanted => ({
    ...{ id: count++, isWhole: false, isSent: false, isFound: false, hasStatuses: false },
    ...{ keys: new Map(), anyKey: null, items: null },
  });
  const add = (at: Wanted, key: string): Wanted => {
    const known = at.keys.get(key) ?? place();
    at.keys.set(key, known);
    return known;
  };
  const root = place();
  for (const field of fields) {
    const steps = parseField(field);
    if (steps === null || steps.length > maxSteps) return { ok: false, field };
    let at = root;
    for (const step of steps) {
      if (step === 'items') at = at.items ??= place();
      else if (step === 'any_key') at = at.anyKey ??= place();
      else at = add(at, step.key);
    }
    at.isWhole = true;
  }
  const statuses = direction === 'operation' ? root.keys.get('responses') : undefined;
  if (statuses !== undefined) statuses.hasStatuses = true;
  return { ok: true, root, add };
}

/** Whether the contract has the field, once its schema was read. Parts of what it has count as well. */
export function isKnownField(root: Wanted, field: string): boolean {
  let at: Wanted | null = root;
  for (const step of parseField(field) ?? []) {
    if (at.isWhole) return at.isFound;
    if (step === 'items') at = at.items;
    else at = step === 'any_key' ? at.anyKey : (at.keys.get(step.key) ?? null);
    if (at === null) return false;
  }
  return at.isFound;
}
