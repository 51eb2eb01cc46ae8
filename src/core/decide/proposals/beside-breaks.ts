// Whether an answer still holds for a newer contract. A list of breaks that reads the same is not
// enough: it names a few places of a shared definition, and does not say which values a condition
// or a schema for other names takes. So what was published since must lie beside what breaks.

import type { Change } from '../../comparison.ts';
import { isSchemaChange } from '../../diff/compare.ts';
import { isJsonObject, type Json, someObject } from '../../value/json.ts';
import { stepsOf } from '../../value/json-path.ts';

type Steps = ReturnType<typeof stepsOf>;

/**
 * Whether nothing that was published since can go with the breaks. Words, defaults and guarantees
 * cannot, nor can a property that was added elsewhere, if its whole description stands there.
 *
 * @example isBesideBreaks(since, breaking, newest.schema) // false if a condition was widened
 */
export function isBesideBreaks(
  since: readonly Change[],
  breaking: readonly Change[],
  newest: Json,
): boolean {
  const breaks = breaking.map(({ path }) => stepsOf(path));
  return since.filter(isSchemaChange).every(({ type, path }) => {
    if (type !== 'property_added') return false;
    const steps = stepsOf(path);
    if (breaks.some((each) => isWithin(steps, each) || isWithin(each, steps))) return false;
    const added = writtenAt(newest, steps);
    return (
      added !== undefined && !someObject(added, (object) => references.some((key) => key in object))
    );
  });
}

const references = ['$ref', '$dynamicRef', '$recursiveRef'];

function isWithin(inner: Steps, outer: Steps): boolean {
  return outer.every((step, index) => inner[index] === step);
}

/** The text of a property of properties, which no condition or branch leads to. */
function writtenAt(schema: Json, steps: Steps): Json | undefined {
  let at: Json | undefined = schema;
  for (const [index, step] of steps.entries()) {
    if (index % 2 === 0 && step !== 'properties') return undefined;
    at = at !== undefined && isJsonObject(at) ? at[step] : undefined;
  }
  return at;
}
