// Exports a contract as a document for other tools: ODCS, its JSON Schema, a DataContract manifest,
// or types for programs.

import { type Contract, termsOf } from '../contract.ts';
import { defaultDialect } from '../schema/keywords.ts';
import { isJsonObject, type Json } from '../value/json.ts';
import { toDataContract } from './data-contract.ts';
import type { ExportFacts } from './export-facts.ts';
import type { ExportFormat } from './export-format.ts';
import { toOdcsDocument } from './export-odcs.ts';
import { printYaml } from './print-yaml.ts';
import { printPython } from './types/print-python.ts';
import { printTypeScript } from './types/print-typescript.ts';
import { type Declaration, readTypes } from './types/read-types.ts';

export interface ExportedContract {
  readonly contentType: string;
  readonly fileName: string;
  readonly text: string;
}

/** @example exportContract(facts, 'jsonschema').fileName // 'orders-1.2.0.schema.json' */
export function exportContract(facts: ExportFacts, format: ExportFormat): ExportedContract {
  const { contract } = facts;
  const word = lastWord(contract.assetFqn);
  const name = `${word}-${contract.version}`;
  switch (format) {
    case 'yaml':
      return {
        contentType: yamlType,
        fileName: `${name}.yaml`,
        text: printYaml(toDataContract(facts), remarksOn(contract)),
      };
    case 'odcs':
      return {
        contentType: yamlType,
        fileName: `${name}.odcs.yaml`,
        text: printYaml(toOdcsDocument(odcsFactsOf(facts))),
      };
    case 'jsonschema':
      return {
        contentType: 'application/schema+json',
        fileName: `${name}.schema.json`,
        text: `${JSON.stringify(withDialect(contract), null, 2)}\n`,
      };
    case 'typescript':
      return {
        contentType: 'text/plain',
        fileName: `${name}.ts`,
        text: printTypeScript(typesOf(contract, word), headOf(facts)),
      };
    case 'python':
      return {
        contentType: 'text/plain',
        // A module is imported by this name.
        fileName: `${name.replace(/[^A-Za-z0-9]/g, '_')}.py`,
        text: printPython(typesOf(contract, word), headOf(facts)),
      };
    default:
      return format satisfies never;
  }
}

function typesOf({ schema, dialect }: Contract, word: string): readonly Declaration[] {
  return readTypes(schema, dialect ?? defaultDialect, word);
}

function headOf({ contract, asset }: ExportFacts): readonly string[] {
  const { assetFqn, version } = contract;
  return [
    `Made from version ${version} of the contract of ${assetFqn} (${asset.environment}).`,
    'Make it again for another version, instead of editing it.',
  ];
}

const yamlType = 'application/yaml';

/** Only letters that every file system accepts. */
function lastWord(fqn: string): string {
  const word = fqn.slice(fqn.lastIndexOf('.') + 1).replace(/[^A-Za-z0-9_-]+/g, '');
  return word === '' ? 'contract' : word;
}

function odcsFactsOf({ contract, asset, consumers }: ExportFacts) {
  const { description, tags, contract_id: documentId } = asset.metadata;
  return {
    id: typeof documentId === 'string' && documentId !== '' ? documentId : contract.assetId,
    version: contract.version,
    status: contract.status,
    fqn: contract.assetFqn,
    environment: asset.environment,
    terms: termsOf(contract),
    format: contract.format,
    ownerTeamName: asset.ownerTeamName,
    ...(typeof description === 'string' && { description }),
    ...(Array.isArray(tags) && { tags: tags.filter((tag) => typeof tag === 'string') }),
    ...(asset.ownerUserEmail !== null && { ownerUserEmail: asset.ownerUserEmail }),
    consumers: consumers.map(({ teamName, notes }) => ({
      team: teamName,
      ...(notes === null ? {} : { purpose: notes }),
    })),
  };
}

/** Tells the reader what the kind has no field for. */
function remarksOn({ format, direction, dialect }: Contract): string {
  const remarks = [
    ...(format === 'jsonschema' ? [] : [` The schema was made from ${format}.`]),
    ...(direction === 'data' ? [] : [` It describes the ${direction} of an operation.`]),
    ...(dialect === null ? [] : [` It is read as ${dialect}.`]),
  ];
  return remarks.join('\n');
}

const dialectUris: Readonly<Partial<Record<NonNullable<Contract['dialect']>, string>>> = {
  'draft-04': 'http://json-schema.org/draft-04/schema#',
  'draft-06': 'http://json-schema.org/draft-06/schema#',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

/** Without its contract, a schema must name its own dialect. */
function withDialect({ schema, dialect }: Contract): Json {
  const uri = dialect === null ? undefined : dialectUris[dialect];
  if (uri === undefined || !isJsonObject(schema)) return schema;
  return { $schema: uri, ...schema };
}
