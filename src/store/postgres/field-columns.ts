import { nameFields } from '../../core/search/name-fields.ts';
import type { Json } from '../../core/value/json.ts';

/** The columns of an active contract that a search for fields reads. */
export function fieldColumnsOf(schema: Json): {
  readonly field_paths: readonly string[];
  readonly field_words: readonly string[];
  readonly fields_cut: boolean;
} {
  const { paths, lexemes, isCut } = nameFields(schema);
  return { field_paths: paths, field_words: lexemes, fields_cut: isCut };
}
