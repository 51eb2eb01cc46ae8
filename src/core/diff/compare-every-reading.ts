// Where validators read a schema in two ways, a change is compatible only if it is in both.

import type { Change, CompareOptions, ContractTerms } from '../comparison.ts';
import { asWritten, type Obeying, obeySiblings } from '../schema/obey-siblings.ts';
import { type ComparisonSharing, compareSchemas, type SchemaFindings } from './compare-schemas.ts';

export function compareEveryReading(
  old: ContractTerms,
  next: ContractTerms,
  options: CompareOptions,
  sharing: ComparisonSharing | null,
): SchemaFindings {
  const found = compareSchemas(old, next, options, sharing);
  const [oldObeying, nextObeying] = [old, next].map(({ schema, dialect }) =>
    obeySiblings(schema, dialect),
  );
  if (oldObeying == null && nextObeying == null) return found;
  const other = compareSchemas(obeyed(old, oldObeying), obeyed(next, nextObeying), options, null);
  const moved = new Map([...(oldObeying?.moved ?? []), ...(nextObeying?.moved ?? [])]);
  const more = onlyInOther(found.changes, other.changes, moved);
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

/** What breaks for the validators that obey them; where nothing else changed, everything. */
function onlyInOther(
  found: readonly Change[],
  other: readonly Change[],
  moved: Obeying['moved'],
): readonly Change[] {
  const told = new Set(found.filter(({ breaking }) => breaking).map(({ path }) => path));
  return other.flatMap((change): readonly Change[] => {
    const path = asWritten(change.path, moved);
    if (!change.breaking) return found.length === 0 ? [{ ...change, path }] : [];
    if (told.has(path)) return [];
    const said = change.description.replace(`\`${change.path}\`: `, '');
    const why =
      'keywords next to `$ref` do not count in this dialect, but validators such as ajv obey them';
    const description = `\`${path}\`: ${why}; for those, ${said}`;
    return [{ type: 'compatibility_undecided', path, description, breaking: true }];
  });
}
