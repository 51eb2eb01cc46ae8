// The engine's answers about a schema, in any thread: whether it is valid, its digest, and how it
// compares.

import { hash } from 'node:crypto';
import { canonicalText } from '../core/diff/canonical.ts';
import { compare } from '../core/diff/compare.ts';
import { accept, type Outcome } from '../core/failure.ts';
import type { Dialect } from '../core/schema/dialects.ts';
import type { Json } from '../core/value/json.ts';
import type { CheckedSchema, Examination, Examined } from '../registry/ports.ts';
import { checkSchema } from './check-schema.ts';

export function examine(
  { old, next, options }: Examination,
  stepBudget: number,
): Outcome<Examined> {
  const valid = check(next.schema, next.dialect);
  if (!valid.ok) return valid;
  const comparison = old === null ? null : compare(old, next, { stepBudget, ...options });
  return accept({ ...valid.value, comparison });
}

export function check(schema: Json, dialect: Dialect | undefined): Outcome<CheckedSchema> {
  const valid = checkSchema(schema, dialect);
  if (!valid.ok) return valid;
  return accept({ digest: digestOf(schema, dialect) });
}

/** Equal for all spellings of a schema. */
export function digestOf(schema: Json, dialect: Dialect | undefined): string {
  return hash('sha256', canonicalText(schema, dialect));
}
