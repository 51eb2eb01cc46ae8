// Reads a data contract of the Open Data Contract Standard, v3.0 to v3.2: each object of its schema
// is a candidate. Version 2 and the Data Contract Specification are converted.

import { identityOf } from '../../asset.ts';
import type { CompatibilityMode, Direction, Guarantees } from '../../comparison.ts';
import type { ContractFormat } from '../../contract.ts';
import { parseGuarantees } from '../../guarantees.ts';
import type { Dialect } from '../../schema/dialects.ts';
import { isSameJson } from '../../value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import {
  type Candidate,
  type CandidateTerms,
  fatal,
  type ImportProblem,
  itemProblem,
  type ParsedImport,
  refuseFile,
} from '../candidate.ts';
import { clashProblems, settleNames, toFqn } from '../import-fqn.ts';
import { arrayAt, kindOf, memberOf, textAt, textsAt } from '../read-json.ts';
import { type Converted, placeInFile } from './conversion.ts';
import { fromDataContractSpecification } from './data-contract-specification.ts';
import { fromOdcs2 } from './odcs-2.ts';
import { customValue, readPassport } from './odcs-custom.ts';
import { toOdcsProperties, toOdcsQuality } from './odcs-object.ts';
import { toObjectSchema } from './odcs-property.ts';
import { toOdcsGuarantees } from './odcs-quality.ts';
import { parseOdcsText } from './odcs-text.ts';

/**
 * Reads a contract as text (YAML or JSON), or as parsed JSON.
 *
 * @example parseOdcs(text).candidates.map(({ fqn }) => fqn) // ['sales.orders', 'sales.customers']
 */
export function parseOdcs(input: Json): ParsedImport {
  const parsed =
    typeof input === 'string' ? parseOdcsText(input) : { ok: true as const, value: input };
  if (!parsed.ok) return refuseFile(parsed.problem);
  const converter = converterOf(parsed.value);
  if (converter === null) return parseOdcs3(parsed.value);
  const converted = converter(parsed.value as JsonObject);
  const read = parseOdcs3(converted.contract);
  const placed = <T extends { readonly place: string }>(each: T): T => ({
    ...each,
    place: placeInFile(converted, each.place),
  });
  return {
    ...read,
    candidates: read.candidates.map(placed),
    problems: [...converted.problems, ...read.problems.map(placed)],
  };
}

/** The contract in version 3, and where its parts stand in the file. */
export function inVersion3(document: JsonObject): Converted {
  const convert = converterOf(document);
  return convert?.(document) ?? { contract: document, origins: new Map(), problems: [] };
}

/** Older contracts are converted to version 3, and read from there. */
function converterOf(contract: Json): ((document: JsonObject) => Converted) | null {
  if (!isJsonObject(contract)) return null;
  if (textAt(contract, 'dataContractSpecification') !== undefined) {
    return fromDataContractSpecification;
  }
  const isOfVersion2 = Array.isArray(memberOf(contract, 'dataset'));
  return isOfVersion2 && memberOf(contract, 'schema') === undefined ? fromOdcs2 : null;
}

function parseOdcs3(contract: Json): ParsedImport {
  const refusal = findRefusal(contract);
  if (refusal !== null || !isJsonObject(contract)) {
    return { candidates: [], problems: refusal === null ? [] : [refusal] };
  }
  const problems: ImportProblem[] = [];
  const objects = readObjects(contract, problems);
  const names = nameObjects(objects, contract, problems);
  const candidates = objects.map((object) => {
    const identity = identityIn(contract, object);
    const fqn = names.get(object) ?? identity.stem;
    return toCandidate(object, { fqn, identity }, contract, problems);
  });
  const origin = { kind: 'odcs', name: textAt(contract, 'id') ?? null, fqnPrefix: '' } as const;
  return { candidates, problems, origin };
}

function findRefusal(contract: Json): ImportProblem | null {
  if (!isJsonObject(contract)) {
    return fatal('INVALID_ODCS', `A data contract must be an object, not ${kindOf(contract)}.`);
  }
  const kind = memberOf(contract, 'kind');
  if (kind !== 'DataContract') {
    const message = `"kind" must be DataContract, and is ${JSON.stringify(kind) ?? 'missing'}.`;
    return fatal('INVALID_ODCS', message, '$.kind');
  }
  const version = memberOf(contract, 'apiVersion');
  if (typeof version !== 'string' || !/^v3\.\d+(?:\.\d+)?$/.test(version)) {
    const found = JSON.stringify(version) ?? 'missing';
    const message = `"apiVersion" is ${found}: ODCS v2, v3.0 to v3.2 and the Data Contract Specification are read.`;
    return fatal('INVALID_ODCS', message, '$.apiVersion');
  }
  const schema = memberOf(contract, 'schema');
  if (!Array.isArray(schema)) {
    const message = `"schema" must be a list of objects, not ${kindOf(schema)}.`;
    return fatal('INVALID_ODCS', message, '$.schema');
  }
  if (schema.length > 0 || textAt(contract, 'id') !== undefined) return null;
  const message = 'The contract has no schema objects, and no id that tells whose they were.';
  return fatal('INVALID_ODCS', message, '$.schema');
}

interface OdcsObject {
  readonly source: JsonObject;
  readonly name: string;
  readonly place: string;
}

function readObjects(contract: JsonObject, problems: ImportProblem[]): readonly OdcsObject[] {
  return (arrayAt(contract, 'schema') ?? []).flatMap((source, index) => {
    const place = `$.schema[${index}]`;
    const name = textAt(source, 'name');
    if (isJsonObject(source) && name !== undefined) return [{ source, name, place }];
    const message = `An object needs a name, but this one is ${kindOf(source)}. It was skipped.`;
    problems.push(itemProblem('UNREADABLE_ITEM', message, place));
    return [];
  });
}

function nameObjects(
  objects: readonly OdcsObject[],
  contract: JsonObject,
  problems: ImportProblem[],
): ReadonlyMap<OdcsObject, string> {
  const items = objects.map((item) => ({
    item,
    fqn: identityIn(contract, item).stem,
    key: JSON.stringify(item.source),
  }));
  const { names, clashes } = settleNames(items);
  problems.push(...clashProblems(clashes, ({ name }) => name));
  return names;
}

/** The custom property `fqn` names an object whatever its table is called. */
function identityIn(contract: JsonObject, object: OdcsObject): Candidate['identity'] {
  const segments = tableOf(object, contract);
  const stated = customValue(object.source, 'fqn');
  const isStated = typeof stated === 'string' && stated.includes('.');
  const stem = toFqn(isStated ? stated.split('.') : segments);
  const identity = identityOf(textAt(contract, 'id') ?? '', JSON.stringify(segments), stem);
  return isStated ? { ...identity, object: object.name } : identity;
}

/**
 * The table, if the first server names its database and schema, in lower case as everywhere; otherwise
 * named by the contract's product, domain, name or id.
 */
function tableOf(object: OdcsObject, contract: JsonObject): readonly string[] {
  const table = textAt(object.source, 'physicalName') ?? object.name;
  const [server] = arrayAt(contract, 'servers') ?? [];
  const schema = textAt(server, 'schema') ?? textAt(server, 'dataset');
  if (schema !== undefined) {
    const database =
      textAt(server, 'database') ?? textAt(server, 'catalog') ?? textAt(server, 'project') ?? '';
    return [database, schema, table].map((segment) => segment.toLowerCase());
  }
  const home = ['dataProduct', 'domain', 'name', 'id'].flatMap(
    (key) => textAt(contract, key) ?? [],
  );
  return [home[0] ?? 'odcs', object.name];
}

function toCandidate(
  object: OdcsObject,
  { fqn, identity }: Pick<Candidate, 'fqn' | 'identity'>,
  contract: JsonObject,
  problems: ImportProblem[],
): Candidate {
  const { source, name, place } = object;
  const passport = readPassport(source, contract, place, problems);
  const terms = readTerms(object, contract, problems);
  const guarantees = terms.guarantees ?? {};
  const mode: CompatibilityMode | undefined = passport.compatibilityMode;
  return {
    ...{ fqn, identity, ownFqn: identity.stem },
    ...(passport.environment === undefined ? {} : { environment: passport.environment }),
    resourceType: textAt(source, 'physicalType') ?? 'table',
    metadata: {
      resource_type: textAt(source, 'physicalType') ?? 'table',
      description: textAt(source, 'description') ?? '',
      tags: [...new Set([...textsAt(contract, 'tags'), ...textsAt(source, 'tags')])],
      contract_id: textAt(contract, 'id') ?? '',
      contract_version: textAt(contract, 'version') ?? '',
      object_name: name,
      guarantees,
    },
    ...(passport.ownerTeamName === undefined ? {} : { ownerTeamName: passport.ownerTeamName }),
    ...(passport.ownerUserEmail === undefined ? {} : { ownerUserEmail: passport.ownerUserEmail }),
    consumers: passport.consumers,
    refs: [],
    terms: passport.hasUnknownMode
      ? null
      : { ...terms, ...(mode === undefined ? {} : { compatibilityMode: mode }) },
    label: { kind: 'odcs', object_name: name },
    place,
  };
}

/**
 * The terms from properties and rules. If an export added the whole schema and guarantees as custom
 * properties, and nobody has edited the properties and rules since, those are used.
 */
function readTerms(
  object: OdcsObject,
  contract: JsonObject,
  problems: ImportProblem[],
): CandidateTerms {
  const { source, name, place } = object;
  const slaProperties = arrayAt(contract, 'slaProperties') ?? [];
  const description = textAt(source, 'description');
  const found: ImportProblem[] = [];
  const read = toObjectSchema(source, place, found);
  const embedded = customValue(source, 'jsonSchema');
  const isWhole =
    embedded !== undefined &&
    isSameJson(toObjectSchema(toOdcsProperties(embedded), place, []), read);
  const rules = toOdcsGuarantees({ object: source, objectName: name, slaProperties });
  const promised = parseGuarantees(customValue(source, 'guarantees')).value;
  const promisedRules =
    promised === null ? null : toOdcsGuarantees(toOdcsQuality(promised, source, name));
  const isPromisedWhole = promised !== null && isSameJson(promisedRules ?? null, rules ?? null);
  if (embedded !== undefined && !isWhole)
    problems.push(outdated('jsonSchema', 'properties', place));
  if (promised !== null && !isPromisedWhole) problems.push(outdated('guarantees', 'rules', place));
  if (!isWhole) problems.push(...found);
  const guarantees: Guarantees | null = isPromisedWhole ? promised : rules;
  return {
    schema: isWhole ? embedded : { ...read, ...(description === undefined ? {} : { description }) },
    direction: oneOf(directions, customValue(source, 'direction')) ?? 'data',
    format: oneOf(formats, customValue(source, 'format')) ?? 'odcs',
    guarantees,
    ...(isWhole ? readDialect(source) : {}),
  };
}

function outdated(key: string, edited: string, place: string): ImportProblem {
  const message = `The ${edited} were edited after the export, so the custom property ${key} beside them is ignored. Remove it.`;
  return itemProblem('IGNORED_RULE', message, `${place}.customProperties`);
}

const directions: readonly Direction[] = ['data', 'request', 'response', 'operation'];
const formats: readonly ContractFormat[] = ['jsonschema', 'dbt', 'openapi', 'graphql', 'odcs'];
const dialects: readonly Dialect[] = [
  'draft-04',
  'draft-06',
  'draft-07',
  '2019-09',
  '2020-12',
  'openapi-3.0',
  'openapi-3.1',
];

/** The dialect of the whole schema, because properties have no dialect of their own. */
function readDialect(object: JsonObject): { readonly dialect?: Dialect } {
  const dialect = oneOf(dialects, customValue(object, 'dialect'));
  return dialect === undefined ? {} : { dialect };
}

function oneOf<T extends string>(known: readonly T[], value: Json | undefined): T | undefined {
  return known.find((entry) => entry === value);
}
