import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json } from '../../../../src/core/value/json.ts';

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);

/** What another validator says of a value. */
export function isValid(schema: Json, value: Json): boolean {
  return ajv.compile(schema as object | boolean)(value) === true;
}
