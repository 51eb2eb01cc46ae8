// Detects the kind of a file from its content.

import { isJsonObject, type Json } from '../value/json.ts';
import type { ImportKind } from './candidate.ts';
import { memberOf, objectAt, textAt } from './read-json.ts';

/** An import, or a manifest of our own contract kind, which is published. */
type DetectedKind = ImportKind | 'datacontract';

interface KindRule {
  readonly kind: DetectedKind;
  readonly applies: (value: Json) => boolean;
}

/** The first matching row applies. */
const rules: readonly KindRule[] = [
  { kind: 'openapi', applies: (value) => has(value, 'openapi') || has(value, 'swagger') },
  {
    kind: 'odcs',
    applies: (value) =>
      memberOf(value, 'kind') === 'DataContract' &&
      (/^v\d/.test(textAt(value, 'apiVersion') ?? '') || has(value, 'schema')),
  },
  { kind: 'datacontract', applies: (value) => memberOf(value, 'kind') === 'DataContract' },
  {
    kind: 'dbt',
    applies: (value) =>
      textAt(objectAt(value, 'metadata'), 'dbt_schema_version') !== undefined ||
      (has(value, 'nodes') && (has(value, 'sources') || has(value, 'macros'))),
  },
];

/** Null if it could be any JSON: it is a schema if the user says so. */
export function kindOfJson(value: Json): DetectedKind | null {
  return rules.find(({ applies }) => applies(value))?.kind ?? null;
}

/** Checked first, because dbt's run_results.json has the same metadata as its manifest. */
export function isRunResults(value: Json): boolean {
  const version = textAt(objectAt(value, 'metadata'), 'dbt_schema_version') ?? '';
  return version.includes('/run-results/');
}

/** Whether it declares itself as a JSON Schema. */
export function isSchemaBySelf(value: Json, name: string): boolean {
  if (/\.schema\.(json|ya?ml)$/.test(name)) return true;
  return (textAt(value, '$schema') ?? '').includes('json-schema.org/');
}

const sdlExtension = /\.(graphqls?|gql|sdl)$/;
const sdlStart =
  /^(?:\s|#[^\n]*\n)*(?:"|(?:extend\s+)?(?:type|interface|enum|union|input|scalar|directive)\s+[@A-Za-z_]|(?:extend\s+)?schema\s*[@{])/;

export function isSdl(text: string, name: string): boolean {
  if (sdlExtension.test(name)) return true;
  return !/\.(json|ya?ml)$/.test(name) && sdlStart.test(text);
}

/** Whether an unparsable text was meant as an input at all. */
export function isMeantAsInput(text: string): boolean {
  return /concordat\.dev\/|^\s*["']?kind["']?\s*:\s*["']?DataContract|json-schema\.org\/|^\s*["']?(openapi|swagger)["']?\s*:|dbt_schema_version/m.test(
    text,
  );
}

function has(value: Json, key: string): boolean {
  return isJsonObject(value) && memberOf(value, key) !== undefined;
}
