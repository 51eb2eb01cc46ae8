import type { SchemaDocument } from '../../schema/schema.ts';
import { isJsonObject, type Json } from '../../value/json.ts';
import { matchesKey } from '../places/key-pattern.ts';
import type { PlacePair, ValueStep } from './walk.types.ts';

/** Returns the part of a whole value at a pair's place, or null if it has none. */
export function partAt(pair: PlacePair, whole: Json): { readonly value: Json } | null {
  let value = whole;
  for (const { step } of trailOf(pair)) {
    const next = partBelow(pair.next.book.document, value, step);
    if (next === undefined) return null;
    value = next;
  }
  return { value };
}

interface Filling {
  /** Returns a value for a place that the base does not have. The step leads into it, if there is one. */
  readonly example: (pair: PlacePair, step: ValueStep | null) => Json | null;
  /** Returns a key that no name covers. */
  readonly otherKey: (pattern: string | null, known: ReadonlySet<string>) => string | null;
}

/**
 * Returns the base with a part put at the pair's place. Places on the way that the base does not
 * have are filled in.
 */
export function placedIn(pair: PlacePair, part: Json, base: Json, filling: Filling): Json | null {
  const trail = trailOf(pair);
  const { document } = pair.next.book;
  const around: (Json | null)[] = [];
  let value: Json | null = base;
  for (const [index, { at, step }] of trail.entries()) {
    around.push(value);
    const found: Json | undefined =
      value === null || step.kind === 'branch' ? undefined : partBelow(document, value, step);
    const next = trail[index + 1]?.step ?? null;
    const fits = found !== undefined && (next === null || mayHold(found, next));
    value = fits ? found : filling.example(at, next);
  }
  let whole: Json = part;
  for (const { step } of trail.toReversed()) {
    const next = put(around.pop() ?? null, step, whole, { ...filling, document });
    if (next === undefined) return null;
    whole = next;
  }
  return whole;
}

/** Whether the step leads into such a value. An id that stands for an object has no fields. */
function mayHold(value: Json, { kind }: ValueStep): boolean {
  if (kind === 'index') return Array.isArray(value);
  return kind === 'branch' || isJsonObject(value);
}

interface Trailed {
  /** The pair that the step leads to. */
  readonly at: PlacePair;
  readonly step: ValueStep;
}

function trailOf(pair: PlacePair): readonly Trailed[] {
  const trail: Trailed[] = [];
  for (let at = pair; at.from !== null; at = at.from.parent) trail.push({ at, step: at.from.step });
  return trail.reverse();
}

function partBelow(document: SchemaDocument, value: Json, step: ValueStep): Json | undefined {
  switch (step.kind) {
    case 'branch':
      return value;
    case 'index':
      return Array.isArray(value) ? value[step.index] : undefined;
    case 'key':
      return isJsonObject(value) && Object.hasOwn(value, step.key) ? value[step.key] : undefined;
    case 'other_key': {
      const key = isJsonObject(value) ? keyOfStep(document, value, step) : undefined;
      return key === undefined || !isJsonObject(value) ? undefined : value[key];
    }
    default:
      return step satisfies never;
  }
}

type OtherKeyStep = Extract<ValueStep, { kind: 'other_key' }>;

function keyOfStep(
  document: SchemaDocument,
  value: object,
  { pattern, known }: OtherKeyStep,
): string | undefined {
  return Object.keys(value).find((key) =>
    pattern === null ? !known.has(key) : matchesKey(document, pattern, key),
  );
}

interface Putting extends Filling {
  readonly document: SchemaDocument;
}

function put(
  around: Json | null,
  step: ValueStep,
  part: Json,
  { document, otherKey }: Putting,
): Json | undefined {
  switch (step.kind) {
    case 'branch':
      return part;
    case 'key': {
      const object = around !== null && isJsonObject(around) ? around : {};
      return { ...object, [step.key]: part };
    }
    case 'other_key': {
      const object = around !== null && isJsonObject(around) ? around : {};
      const key = keyOfStep(document, object, step) ?? otherKey(step.pattern, step.known);
      return key === null ? undefined : { ...object, [key]: part };
    }
    case 'index': {
      const items: Json[] = Array.isArray(around) ? [...around] : [];
      while (items.length < step.index) items.push(part);
      items[step.index] = part;
      return items;
    }
    default:
      return step satisfies never;
  }
}
