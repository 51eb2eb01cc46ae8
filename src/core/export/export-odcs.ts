// Exports a contract as an ODCS document. What the standard cannot express is in custom properties,
// so that importing the document again gives the same contract.

import type { ContractTerms } from '../comparison.ts';
import type { ContractFormat, ContractStatus } from '../contract.ts';
import type { DeclaredConsumer } from '../import/candidate.ts';
import { toOdcsProperties, toOdcsQuality } from '../import/odcs/odcs-object.ts';
import { toObjectSchema } from '../import/odcs/odcs-property.ts';
import { toOdcsGuarantees } from '../import/odcs/odcs-quality.ts';
import { textAt } from '../import/read-json.ts';
import { isSameJson } from '../value/canonical-json.ts';
import type { Json, JsonObject } from '../value/json.ts';

export interface OdcsExport {
  /** The document's id, the same for each version of the contract. */
  readonly id: string;
  readonly version: string;
  readonly status: ContractStatus;
  readonly fqn: string;
  readonly environment: string;
  readonly terms: ContractTerms;
  readonly format: ContractFormat;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly ownerTeamName: string;
  readonly ownerUserEmail?: string;
  readonly consumers: readonly DeclaredConsumer[];
}

const statuses: Readonly<Record<ContractStatus, string>> = {
  active: 'active',
  deprecated: 'deprecated',
  archived: 'retired',
};

/** @example toOdcsDocument(contract).schema[0].name // 'orders', of db.public.orders */
export function toOdcsDocument(contract: OdcsExport): JsonObject {
  const name = contract.fqn.slice(contract.fqn.lastIndexOf('.') + 1);
  const { object, slaProperties } = toObject(contract, name);
  const { ownerUserEmail, tags = [] } = contract;
  const owner = ownerUserEmail === undefined ? [] : [{ username: ownerUserEmail, role: 'owner' }];
  return {
    apiVersion: 'v3.2.0',
    kind: 'DataContract',
    id: contract.id,
    name: contract.fqn,
    version: contract.version,
    status: statuses[contract.status],
    ...(tags.length === 0 ? {} : { tags }),
    schema: [object],
    team: { name: contract.ownerTeamName, ...(owner.length === 0 ? {} : { members: owner }) },
    ...(slaProperties.length === 0 ? {} : { slaProperties }),
  };
}

function toObject(
  contract: OdcsExport,
  name: string,
): { readonly object: JsonObject; readonly slaProperties: readonly Json[] } {
  const { terms } = contract;
  const description = textAt(terms.schema, 'description') ?? contract.description;
  const plain: JsonObject = {
    name,
    logicalType: 'object',
    ...(description === undefined || description === '' ? {} : { description }),
    ...toOdcsProperties(terms.schema),
  };
  const facts = toOdcsQuality(terms.guarantees ?? {}, plain, name);
  const read = toObjectSchema(plain, '$', []);
  const told = description === undefined || description === '' ? {} : { description };
  const isSchemaSaid = isSameJson({ ...read, ...told }, terms.schema);
  const said = toOdcsGuarantees(facts);
  const areGuaranteesSaid = isSameJson(said ?? null, terms.guarantees);
  const customProperties = [
    custom('fqn', contract.fqn),
    custom('environment', contract.environment),
    custom('compatibilityMode', terms.compatibilityMode),
    ...(contract.consumers.length === 0 ? [] : [custom('consumers', toJson(contract.consumers))]),
    ...(contract.format === 'odcs' ? [] : [custom('format', contract.format)]),
    ...(terms.direction === 'data' ? [] : [custom('direction', terms.direction)]),
    ...(terms.dialect === undefined ? [] : [custom('dialect', terms.dialect)]),
    ...(isSchemaSaid ? [] : [custom('jsonSchema', terms.schema)]),
    ...(areGuaranteesSaid || terms.guarantees === null
      ? []
      : [custom('guarantees', terms.guarantees)]),
  ];
  return { object: { ...facts.object, customProperties }, slaProperties: facts.slaProperties };
}

function custom(property: string, value: Json): JsonObject {
  return { property, value };
}

function toJson(consumers: readonly DeclaredConsumer[]): readonly Json[] {
  return consumers.map(({ team, purpose }) => ({
    team,
    ...(purpose === undefined ? {} : { purpose }),
  }));
}
