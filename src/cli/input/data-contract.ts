// The parts of a DataContract manifest that the command line needs: its terms and its names.

import type { CompatibilityMode, GuaranteeMode } from '../../core/comparison.ts';
import { choices, inManifestWords, toRegistrySpelling } from '../../core/export/spelling.ts';
import { parseGuarantees } from '../../core/guarantees.ts';
import type { Candidate, CandidateTerms, DeclaredConsumer } from '../../core/import/candidate.ts';
import {
  documentPathOf,
  documentPathRule,
  maxDocumentBytes,
} from '../../core/import/pick/document-path.ts';
import type { ContractChoice } from '../../core/import/pick/pick-contract.ts';
import { arrayAt, memberOf, objectAt, textAt } from '../../core/import/read-json.ts';
import type { JsonObject } from '../../core/value/json.ts';
import type { SourceFile } from './subject.ts';

export interface DataContract {
  readonly terms: CandidateTerms;
  readonly fqn: string | null;
  readonly environment: string | null;
  readonly guaranteeMode: GuaranteeMode | null;
  readonly consumers: readonly DeclaredConsumer[];
  /** `metadata.name`. */
  readonly name: string | null;
  /** The file that the schema is in, if it is not the manifest, and which of its contracts it is. */
  readonly document: { readonly file: SourceFile; readonly candidate: Candidate | null } | null;
}

type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string; readonly place: string };

/** Reads a file in the folder of the manifest or below; null if there is none. */
export type FindDocument = (path: string) => Promise<SourceFile | null>;

/** @example await dataContractOf({ kind: 'DataContract', spec: { fqn: 'shop.orders', schema: {} } }, findDocument) */
export async function dataContractOf(
  manifest: JsonObject,
  findDocument: FindDocument,
): Promise<Read<DataContract>> {
  const written = objectAt(manifest, 'spec');
  if (written === undefined) return fault('$.spec', 'The DataContract has no spec.');
  const { spec } = toRegistrySpelling(written);
  const described = await describedBy(spec, findDocument);
  if (!described.ok) return described;
  const stated = memberOf(spec, 'guarantees');
  const guarantees = parseGuarantees(stated, 'spec.guarantees');
  const [problem] = guarantees.problems;
  if (problem !== undefined) {
    return fault(inManifestWords(`$.${problem.path}`), inManifestWords(problem.message));
  }
  const mode = oneOf(spec, 'compatibilityMode', modes);
  if (!mode.ok) return mode;
  const guaranteeMode = oneOf(spec, 'guaranteeMode', guaranteeModes);
  if (!guaranteeMode.ok) return guaranteeMode;
  return {
    ok: true,
    value: {
      terms: {
        ...{ direction: 'data', format: 'jsonschema' },
        ...described.value.terms,
        ...(mode.value === null ? {} : { compatibilityMode: mode.value }),
        ...(stated === undefined ? {} : { guarantees: guarantees.value }),
      },
      fqn: textAt(spec, 'fqn') ?? null,
      environment: textAt(spec, 'environment') ?? null,
      guaranteeMode: guaranteeMode.value,
      consumers: consumersOf(spec),
      name: textAt(objectAt(manifest, 'metadata'), 'name') ?? null,
      document: described.value.document,
    },
  };
}

interface Described {
  readonly terms: Pick<CandidateTerms, 'schema'> & Partial<CandidateTerms>;
  readonly document: DataContract['document'];
}

async function describedBy(spec: JsonObject, findDocument: FindDocument): Promise<Read<Described>> {
  const schema = memberOf(spec, 'schema');
  const from = objectAt(spec, 'schemaFrom');
  if (schema !== undefined && from !== undefined) {
    return fault('$.spec.schema', 'Give exactly one of spec.schema and spec.schemaFrom.');
  }
  if (schema !== undefined) return { ok: true, value: { terms: { schema }, document: null } };
  if (from === undefined) return missing('schema');
  const written = textAt(objectAt(from, 'file'), 'path');
  if (written === undefined) {
    if (memberOf(from, 'file') !== undefined) return missing('schemaFrom.file.path');
    const hint =
      'Only the controller reads a ConfigMap. Put the schema into spec.schema, or into a file that spec.schemaFrom.file names.';
    return fault('$.spec.schema', `spec.schema is missing. ${hint}`);
  }
  const format = oneOf(from, 'format', formats, 'spec.schemaFrom');
  if (!format.ok) return format;
  const named = nameIn[format.value ?? 'jsonschema'];
  if (named !== undefined && textAt(from, named) === undefined) {
    return missing(`schemaFrom.${named}`);
  }
  const refused = (message: string) =>
    fault('$.spec.schemaFrom.file.path', `spec.schemaFrom.file.path: ${message}`);
  const path = documentPathOf(spec);
  if (path === null) return refused(`${JSON.stringify(written)}: ${documentPathRule}.`);
  const file = await findDocument(path);
  if (file === null) {
    return refused(`${path} does not exist beside it. Links and submodules are not followed.`);
  }
  if (Buffer.byteLength(file.text) > maxDocumentBytes) {
    return refused(`${file.path} is larger than ${maxDocumentBytes} bytes. Split it.`);
  }
  const { pickContract } = await import('../../core/import/pick/pick-contract.ts');
  const picked = pickContract(file.text, from as ContractChoice);
  if (!picked.ok) return refused(`${file.path}: ${picked.failure.message}`);
  const { terms, candidate } = picked.value;
  return { ok: true, value: { terms, document: { file, candidate } } };
}

const formats: readonly NonNullable<ContractChoice['format']>[] = [
  'jsonschema',
  'graphql',
  'openapi',
  'dbt',
  'odcs',
];
/** The field that says which contract of a document is meant. */
const nameIn: Readonly<Record<string, string>> = {
  graphql: 'typeName',
  openapi: 'operation',
  dbt: 'node',
};
const modes: readonly CompatibilityMode[] = ['backward', 'forward', 'full', 'none'];
const guaranteeModes: readonly GuaranteeMode[] = ['notify', 'strict', 'ignore'];

function oneOf<T extends string>(
  holder: JsonObject,
  key: 'compatibilityMode' | 'guaranteeMode' | 'format',
  known: readonly T[],
  path = 'spec',
): Read<T | null> {
  const value = memberOf(holder, key);
  if (value === undefined || value === null) return { ok: true, value: null };
  const choice = known.find((each) => each === value);
  if (choice !== undefined) return { ok: true, value: choice };
  const shown = choices[key].join(', ');
  const message = `${path}.${key} must be one of ${shown}, not ${JSON.stringify(value)}.`;
  return fault(`$.${path}.${key}`, message);
}

function consumersOf(spec: JsonObject): readonly DeclaredConsumer[] {
  return (arrayAt(spec, 'consumers') ?? []).flatMap((consumer) => {
    const team = textAt(consumer, 'team');
    const purpose = textAt(consumer, 'purpose');
    if (team === undefined) return [];
    return [{ team, ...(purpose === undefined ? {} : { purpose }) }];
  });
}

function missing(field: string) {
  return fault(`$.spec.${field}`, `spec.${field} is missing.`);
}

function fault(place: string, message: string): Extract<Read<never>, { ok: false }> {
  return { ok: false, message, place };
}
