// Names of fields as a contract writes them.

import type { ContractFields } from '../list-fields.ts';

/**
 * The contract may write a name in other letters than SQL does, or have a column of a dotted name
 * where SQL names its first part. A field that it does not have stays as it is. Null: everything,
 * because a field that is not listed may be written otherwise.
 *
 * @example spellFields(listFields(contract, []))(['$.ID']) // ['$.id']
 */
export function spellFields({
  fields: declared,
  isCut,
}: ContractFields): (fields: readonly string[]) => readonly string[] | null {
  const paths = declared.map(({ path }) => path);
  const byName = Map.groupBy(paths, (path) => path.toLowerCase());
  const dotted = paths.filter((path) => path.startsWith('$["'));
  return (fields) => {
    const spelled = fields.flatMap((field) => {
      const start = `$["${field.toLowerCase().slice(2)}.`;
      const parts = dotted.filter((path) => path.toLowerCase().startsWith(start));
      const same = byName.get(field.toLowerCase()) ?? [];
      const all = [...same, ...parts];
      return all.length === 0 ? [field] : all;
    });
    const isSure = !isCut || fields.every((field) => byName.has(field.toLowerCase()));
    return isSure ? [...new Set(spelled)].sort() : null;
  };
}
