// Whether a schema can be accepted: its size, its dialect, its metaschema, its references. ajv only
// holds it against the metaschema here; it never compiles what a caller sent.

import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import ajvDraft04 from 'ajv-draft-04';
import type { Dialect } from '../core/containment/containment.types.ts';
import { accept, type Outcome, refuse } from '../core/failure.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import { dialectOfUri } from '../core/schema/dialects.ts';
import { parseSchema } from '../core/schema/parse-schema.ts';
import {
  jsonPathOf,
  type SchemaDocument,
  type SchemaNode,
  type SchemaProblem,
} from '../core/schema/schema.ts';

/** 1 MiB: a hundred times the largest table anybody writes by hand. */
export const schemaBytesLimit = 1024 * 1024;
export const schemaDepthLimit = 64;
export const subschemaLimit = 10_000;

/** How many problems one refusal lists. */
const problemLimit = 20;

export function checkSchema(schema: Json, dialect?: Dialect): Outcome<true> {
  const size = Buffer.byteLength(JSON.stringify(schema));
  if (size > schemaBytesLimit) {
    return tooLarge(`${size} bytes long; ${schemaBytesLimit} are the most`);
  }
  const named = dialectNamedBy(schema);
  if (!named.ok) return named;
  const spoken = named.value ?? dialect ?? '2020-12';
  const broken = problemsAgainstMetaschema(schema, spoken);
  if (broken.length > 0) return invalid(broken);
  const walked = walk(parseSchema(schema, spoken));
  if (!walked.ok) return walked;
  return walked.value.length > 0 ? invalid(walked.value) : accept(true);
}

interface PlacedProblem {
  readonly path: string;
  readonly message: string;
}

function tooLarge(what: string): Outcome<never> {
  return refuse('SCHEMA_TOO_LARGE', `The schema is ${what}. Split it, or leave parts of it out.`);
}

function invalid(problems: readonly PlacedProblem[]): Outcome<never> {
  const [first] = problems;
  const place = first === undefined ? '' : ` at ${first.path}: ${first.message.replace(/\.$/, '')}`;
  return refuse('INVALID_SCHEMA', `The schema is not valid${place}.`, {
    details: { errors: problems.slice(0, problemLimit) },
  });
}

function dialectNamedBy(schema: Json): Outcome<Dialect | null> {
  if (!isJsonObject(schema) || typeof schema.$schema !== 'string') return accept(null);
  const dialect = dialectOfUri(schema.$schema);
  if (dialect !== undefined) return accept(dialect);
  return refuse(
    'UNSUPPORTED_DIALECT',
    `The dialect "${schema.$schema}" is not known. Use draft-04, draft-06, draft-07, 2019-09 or 2020-12.`,
  );
}

type Metaschema = (schema: unknown) => readonly PlacedProblem[];

const options = { strict: false, validateFormats: false, allErrors: false } as const;

/** OpenAPI's schema objects stand closest to these drafts; what they add is left to the engine. */
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
  // The package is CommonJS: its class is the default export's member.
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

/** Compiling a metaschema takes tens of milliseconds: only those that are spoken are. */
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

/** The metaschema asks for kinds of numbers, not for their digits. */
function withPlainNumbers(value: Json): unknown {
  return JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
    each === Infinity || each === -Infinity ? Number.MAX_VALUE * Math.sign(each) : each,
  );
}

/** @example pathOfPointer('/properties/a~1b/type') // '$.properties.a/b.type' */
function pathOfPointer(pointer: string): string {
  return `$${pointer
    .split('/')
    .slice(1)
    .map((step) => `.${step.replaceAll('~1', '/').replaceAll('~0', '~')}`)
    .join('')}`;
}

/** Counts the subschemas, and finds what cannot be read: references out of the document first. */
function walk(document: SchemaDocument): Outcome<readonly PlacedProblem[]> {
  const seen = new Set<SchemaNode>([document.root]);
  const problems: PlacedProblem[] = [];
  let level: readonly SchemaNode[] = [document.root];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > schemaDepthLimit) return tooLarge(`deeper than ${schemaDepthLimit} levels`);
    const next: SchemaNode[] = [];
    for (const node of level) {
      for (const problem of node.keywords.problems ?? []) problems.push(placed(node, problem));
      for (const child of childrenOf(node)) {
        if (seen.has(child)) continue;
        seen.add(child);
        next.push(child);
      }
    }
    if (seen.size > subschemaLimit) return tooLarge(`made of more than ${subschemaLimit} parts`);
    level = next;
  }
  return accept(problems);
}

function placed(node: SchemaNode, problem: SchemaProblem): PlacedProblem {
  return { path: `${jsonPathOf(node)}.${problem.keyword}`, message: problem.message };
}

function childrenOf(node: SchemaNode): readonly SchemaNode[] {
  const { keywords } = node;
  const lists = [keywords.prefixItems, keywords.allOf, keywords.anyOf, keywords.oneOf];
  const maps = [keywords.properties, keywords.patternProperties, keywords.dependentSchemas];
  const single = [
    keywords.items,
    keywords.contains?.schema,
    keywords.unevaluatedItems,
    keywords.additionalProperties,
    keywords.unevaluatedProperties,
    keywords.propertyNames,
    keywords.not,
    keywords.if,
    keywords.then,
    keywords.else,
    keywords.ref,
    keywords.dynamicRef?.target,
  ];
  return [
    ...lists.flatMap((list) => list ?? []),
    ...maps.flatMap((map) => [...(map?.values() ?? [])]),
    ...single.filter((child) => child !== undefined),
  ];
}
