// @hyperjump/json-schema as another opinion, where it is not known to be wrong.

import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import '@hyperjump/json-schema/draft-2019-09';
import '@hyperjump/json-schema/draft-07';
import '@hyperjump/json-schema/draft-06';
import '@hyperjump/json-schema/draft-04';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';
import type { Opinion } from './ajv.ts';
import { opinionOf } from './ajv.ts';

const uris: Partial<Record<Dialect, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  'draft-06': 'http://json-schema.org/draft-06/schema#',
  'draft-04': 'http://json-schema.org/draft-04/schema#',
};

let count = 0;

/** `null` where it does not take the schema, or is not to be asked. */
export async function hyperjumpOf(
  dialect: Dialect,
  schema: Json,
): Promise<((value: Json) => Opinion) | null> {
  const dialectUri = uris[dialect];
  // Ids are kept for all documents together: those of one would be found by the next.
  const hasIds = /"\$?id":/.test(JSON.stringify(schema));
  if (dialectUri === undefined || !isJsonObject(schema) || hasIds) return null;
  const uri = `https://pairs.test/any/${count++}`;
  try {
    registerSchema(schema as never, uri, dialectUri);
    const accepts = await validate(uri);
    return (value) => opinionOf(() => accepts(value as never).valid);
  } catch {
    return null;
  } finally {
    unregisterSchema(uri);
  }
}
