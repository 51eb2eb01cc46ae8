// The ways in which validators read a schema other than its specification says. Whatever is answered has to hold for all.

import type { Dialect } from '../../schema/dialects.ts';
import { type Obeying, obeySiblings } from '../../schema/obey-siblings.ts';
import type { Json } from '../../value/json.ts';
import { withoutUnfitKeywords } from './unfit-keywords.ts';

export interface OtherReading {
  /** Why this reading leaves a verdict open, to continue a sentence. */
  readonly doubt: string;
  /** Why this reading counts, as the beginning of a sentence. */
  readonly why: string;
  /** Whether more values fit than by the specification, so that a need of fields is another one. */
  readonly isWider: boolean;
  /** Null if the schema reads the same. */
  readonly read: (schema: Json, dialect?: Dialect) => Obeying | null;
}

export const otherReadings: readonly OtherReading[] = [
  {
    doubt: 'validators differ in whether keywords next to `$ref` count',
    why: 'keywords next to `$ref` do not count in this dialect, but validators such as ajv obey them',
    isWider: false,
    read: obeySiblings,
  },
  {
    doubt: 'a format or a type refuses what stands next to it',
    why: 'a format or a type refuses what stands next to it, so values are others than it allows',
    isWider: true,
    read: (written, dialect) => {
      const schema = withoutUnfitKeywords(written, dialect);
      return schema === written ? null : { schema, moved: new Map() };
    },
  },
];

/** Terms as such validators read them; the same object if they read the same. */
export function asRead<T extends { readonly schema: Json; readonly dialect?: Dialect | undefined }>(
  { read }: OtherReading,
  terms: T,
): T {
  const other = read(terms.schema, terms.dialect);
  return other === null ? terms : { ...terms, schema: other.schema };
}
