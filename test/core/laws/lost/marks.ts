// Which properties of a value a schema marks, by a validator that collects annotations.

import { annotatedWith } from '@hyperjump/json-schema/annotated-instance/experimental';
import { annotate, ValidationError } from '@hyperjump/json-schema/annotations/experimental';
import { registerSchema, unregisterSchema } from '@hyperjump/json-schema/draft-2020-12';
import type { Json } from '../../../../src/core/value/json.ts';

export type Mark = 'readOnly' | 'writeOnly';

const dialect = 'https://json-schema.org/draft/2020-12/schema';
let count = 0;

/** Returns the names that are marked in a value, or null if the schema refuses it. */
export async function openMarks(
  schema: Json,
  mark: Mark,
): Promise<(value: Json) => ReadonlySet<string> | null> {
  const uri = `https://pairs.test/marked/${count++}`;
  registerSchema(schema as never, uri, dialect);
  const look = await annotate(uri);
  unregisterSchema(uri);
  return (value) => {
    try {
      const nodes = annotatedWith(look(value as never), mark, dialect);
      return new Set(Array.from(nodes, ({ pointer }) => pointer.slice(1)));
    } catch (error) {
      if (error instanceof ValidationError) return null;
      throw error;
    }
  };
}
