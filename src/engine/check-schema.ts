// Checks whether a schema is valid. core's rules decide, as in the command line and the page; ajv
// checks it against the metaschema as a second opinion. Schemas from callers are never compiled.

import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import ajvDraft04 from 'ajv-draft-04';
import { accept, type Outcome, refuse } from '../core/failure.ts';
import { checkSchema as findFaults } from '../core/schema/check-schema.ts';
import type { Dialect } from '../core/schema/dialects.ts';
import { dialectOf } from '../core/schema/keywords.ts';
import { isExactNumber, type Json } from '../core/value/json.ts';
import { readPointerToken } from '../core/value/pointer-token.ts';

/** The number of problems in a refusal. */
const problemLimit = 20;

export function checkSchema(schema: Json, dialect?: Dialect): Outcome<true> {
  const faults = findFaults(schema, dialect === undefined ? {} : { dialect });
  const [first] = faults;
  if (first === undefined) {
    const broken = problemsAgainstMetaschema(schema, dialectOf(schema, dialect));
    return broken.length > 0 ? invalid(broken) : accept(true);
  }
  return first.code === 'INVALID_SCHEMA' ? invalid(faults) : refuse(first.code, first.message);
}

/** Compiles the metaschema once, which takes tens of milliseconds. */
export function learnMetaschema(dialect: Dialect): void {
  metaschemas[dialect]();
}

interface PlacedProblem {
  readonly path: string;
  readonly message: string;
}

function invalid(problems: readonly PlacedProblem[]): Outcome<never> {
  const [first] = problems;
  const place = first === undefined ? '' : ` at ${first.path}: ${first.message.replace(/\.$/, '')}`;
  const errors = problems.slice(0, problemLimit).map(({ path, message }) => ({ path, message }));
  return refuse('INVALID_SCHEMA', `The schema is not valid${place}.`, { details: { errors } });
}

type Metaschema = (schema: unknown) => readonly PlacedProblem[];

const options = { strict: false, validateFormats: false, allErrors: false } as const;

/** OpenAPI's schema objects are closest to these drafts; the engine checks their additions. */
const metaschemas: Readonly<Record<Dialect, () => Metaschema>> = {
  'draft-04': once(() => draft04Metaschema()),
  'openapi-3.0': once(() => draft04Metaschema()),
  'draft-06': once(() => {
    const ajv = new Ajv(options);
    ajv.addMetaSchema(draft06);
    return metaschemaOf(ajv, draft06.$id);
  }),
  'draft-07': once(() => metaschemaOf(new Ajv(options), 'http://json-schema.org/draft-07/schema')),
  '2019-09': once(() =>
    metaschemaOf(new Ajv2019(options), 'https://json-schema.org/draft/2019-09/schema'),
  ),
  '2020-12': once(() => draft2020Metaschema()),
  'openapi-3.1': once(() => draft2020Metaschema()),
};

function draft04Metaschema(): Metaschema {
  // A CommonJS package: its class is the default export's member.
  return metaschemaOf(new ajvDraft04.default(options), 'http://json-schema.org/draft-04/schema');
}

function draft2020Metaschema(): Metaschema {
  return metaschemaOf(new Ajv2020(options), 'https://json-schema.org/draft/2020-12/schema');
}

function metaschemaOf(ajv: Ajv, id: string): Metaschema {
  const validate = ajv.getSchema(id);
  if (validate === undefined) throw new Error(`ajv has no metaschema ${id}.`);
  return (schema) => {
    if (validate(schema) === true) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => ({
      path: pathOfPointer(instancePath),
      message: message ?? 'is not allowed by the metaschema',
    }));
  };
}

/** Compiles a metaschema only when a schema needs it, because this takes tens of milliseconds. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function problemsAgainstMetaschema(schema: Json, dialect: Dialect): readonly PlacedProblem[] {
  return metaschemas[dialect]()(withPlainNumbers(schema));
}

/**
 * Converts exact numbers to plain ones: the metaschema checks the kind of a number, not its digits.
 */
function withPlainNumbers(value: Json): unknown {
  if (!holdsExactNumber(value)) return value;
  return JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
    each === Infinity || each === -Infinity ? Number.MAX_VALUE * Math.sign(each) : each,
  );
}

/** Most schemas contain none, and need no copy. */
function holdsExactNumber(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isExactNumber(value) || Object.values(value).some(holdsExactNumber);
}

/** @example pathOfPointer('/properties/a~1b/type') // '$.properties.a/b.type' */
function pathOfPointer(pointer: string): string {
  return `$${pointer
    .split('/')
    .slice(1)
    .map((step) => `.${readPointerToken(step)}`)
    .join('')}`;
}
