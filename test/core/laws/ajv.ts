// ajv as a second opinion, where it is not known to be wrong.

import { createRequire } from 'node:module';
import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import AjvDraft04 from 'ajv-draft-04';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { isJsonObject } from '../../../src/core/value/json.ts';

export type Opinion = 'accepted' | 'rejected' | null;

const draft06 = createRequire(import.meta.url)('ajv/dist/refs/json-schema-draft-06.json');
const asked = {
  strict: false,
  validateFormats: false,
  logger: false,
  multipleOfPrecision: 9,
} as const;

/** Formats apart; `null` where ajv does not take the schema, or is not to be asked. */
export function ajvOf(dialect: Dialect, schema: Json): ((value: Json) => Opinion) | null {
  if (!mayAsk(dialect, schema)) return null;
  try {
    const accepts = makeAjv(dialect)?.compile(schema as object);
    return accepts === undefined
      ? null
      : (value) => opinionOf(() => (accepts as (value: Json) => boolean)(value));
  } catch {
    return null;
  }
}

/** Validators overflow on references that loop, and crash on some schemas: that is no opinion. */
export function opinionOf(ask: () => boolean): Opinion {
  try {
    return ask() ? 'accepted' : 'rejected';
  } catch {
    return null;
  }
}

/** All errors of a value, each with its place; null where ajv gives no opinion or accepts it. */
export function errorsOfAjv(
  dialect: Dialect,
  schema: Json,
): ((value: Json) => readonly ErrorObject[] | null) | null {
  if (!mayAsk(dialect, schema)) return null;
  try {
    const accepts = makeAjv(dialect, { allErrors: true })?.compile(schema as object);
    if (accepts === undefined) return null;
    return (value) => {
      const isRejected = opinionOf(() => accepts(value) as boolean) === 'rejected';
      return isRejected ? (accepts.errors ?? []) : null;
    };
  } catch {
    return null;
  }
}

function makeAjv(dialect: Dialect, more: Options = {}): Ajv | Ajv2019 | Ajv2020 | null {
  const options = { ...asked, ...more };
  switch (dialect) {
    case '2020-12':
      return new Ajv2020(options);
    case '2019-09':
      return new Ajv2019(options);
    case 'draft-07':
      return new Ajv(options);
    case 'draft-06':
      return new Ajv(options).addMetaSchema(draft06);
    case 'draft-04':
      return new AjvDraft04.default(options);
    default:
      return null;
  }
}

/**
 * ajv is wrong on `contains` beside `prefixItems` (an empty list passes) and on what it evaluates for
 * `unevaluatedItems`, marks what a condition that failed would have evaluated, follows references with
 * a fixed idea of what they evaluate, and counts what stands beside `$ref` in every dialect. Its
 * draft-04 knows keywords that are younger.
 */
function mayAsk(dialect: Dialect, schema: Json): boolean {
  const text = JSON.stringify(schema);
  if (text.includes('"contains"') && /prefixItems|"items":|"unevaluatedItems"/.test(text)) {
    return false;
  }
  // It knows these keywords also in dialects that do not have them.
  if (text.includes('"nullable"')) return false;
  if (dialect === '2019-09' && text.includes('"$dynamicRef"')) return false;
  if (dialect === '2020-12' && text.includes('"$recursiveRef"')) return false;
  // It reads a document by one dialect alone.
  if (text.includes('"$schema"')) return false;
  if (dialect === 'draft-04' && /"(const|contains|propertyNames|if)":/.test(text)) return false;
  if (text.includes('"unevaluated') && /ref"|"if"/i.test(text)) return false;
  return dialect.startsWith('20') || !hasRefSiblings(schema);
}

function hasRefSiblings(at: Json): boolean {
  if (Array.isArray(at)) return at.some(hasRefSiblings);
  if (!isJsonObject(at)) return false;
  const names = Object.keys(at).filter((name) => name !== '$ref' && name !== 'definitions');
  return (at.$ref !== undefined && names.length > 0) || Object.values(at).some(hasRefSiblings);
}
