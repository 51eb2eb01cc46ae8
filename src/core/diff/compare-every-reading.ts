// Where validators read a schema in two ways, a change is compatible only if it is in both.

import type { Change, CompareOptions, ContractTerms } from '../comparison.ts';
import { asWritten, type Obeying } from '../schema/obey-siblings.ts';
import { type ComparisonSharing, compareSchemas, type SchemaFindings } from './compare-schemas.ts';
import { type OtherReading, otherReadings } from './rewrite/readings.ts';

export function compareEveryReading(
  old: ContractTerms,
  next: ContractTerms,
  options: CompareOptions,
  sharing: ComparisonSharing | null,
): SchemaFindings {
  let found = compareSchemas(old, next, options, sharing);
  for (const reading of otherReadings) found = withReading(found, reading, old, next, options);
  return found;
}

function withReading(
  found: SchemaFindings,
  { why, read }: OtherReading,
  old: ContractTerms,
  next: ContractTerms,
  options: CompareOptions,
): SchemaFindings {
  const [oldObeying, nextObeying] = [old, next].map(({ schema, dialect }) => read(schema, dialect));
  if (oldObeying == null && nextObeying == null) return found;
  const other = compareSchemas(obeyed(old, oldObeying), obeyed(next, nextObeying), options, null);
  const moved = new Map([...(oldObeying?.moved ?? []), ...(nextObeying?.moved ?? [])]);
  const more = onlyInOther(found.changes, other.changes, moved, why);
  return {
    changes: [...found.changes, ...more],
    breaksBackward: found.breaksBackward || other.breaksBackward,
    undecidedCount: found.undecidedCount + more.filter(({ breaking }) => breaking).length,
    steps: found.steps + other.steps,
  };
}

function obeyed(terms: ContractTerms, obeying: Obeying | null | undefined): ContractTerms {
  return obeying == null ? terms : { ...terms, schema: obeying.schema };
}

/** What breaks for the validators that read so; where nothing else changed, everything. */
function onlyInOther(
  found: readonly Change[],
  other: readonly Change[],
  moved: Obeying['moved'],
  why: string,
): readonly Change[] {
  const told = new Set(found.filter(({ breaking }) => breaking).map(({ path }) => path));
  return other.flatMap((change): readonly Change[] => {
    const path = asWritten(change.path, moved);
    if (!change.breaking) return found.length === 0 ? [{ ...change, path }] : [];
    if (told.has(path)) return [];
    const said = change.description.replace(`\`${change.path}\`: `, '');
    const description = `\`${path}\`: ${why}; for those, ${said}`;
    return [{ type: 'compatibility_undecided', path, description, breaking: true }];
  });
}
