// One contract of a document: what `schemaFrom` of a manifest names. It is read by the readers of the imports.

import { accept, type Outcome, refuse } from '../../failure.ts';
import { isJsonObject, parseJson } from '../../value/json.ts';
import { type Candidate, type CandidateTerms, fatalOf, type ParsedImport } from '../candidate.ts';
import { parseDbtManifest } from '../dbt/dbt.ts';
import { kindOfDocument } from '../document-kinds.ts';
import { parseGraphql } from '../graphql/graphql.ts';
import { parseOdcs } from '../odcs/odcs.ts';
import { parseOpenApi } from '../openapi/openapi.ts';
import { parseYamlText } from '../yaml-text.ts';

/** Which contract of the document is meant. */
export interface ContractChoice {
  readonly format?: 'jsonschema' | 'graphql' | 'openapi' | 'dbt' | 'odcs';
  readonly typeName?: string;
  readonly operation?: string;
  readonly node?: string;
  readonly schemaObject?: string;
}

interface PickedContract {
  /** A JSON Schema says nothing but itself. */
  readonly terms: Pick<CandidateTerms, 'schema'> & Partial<CandidateTerms>;
  /** Null for a JSON Schema. */
  readonly candidate: Candidate | null;
}

/** @example pickContract('type Order { id: ID! }', { format: 'graphql', typeName: 'Order' }) */
export function pickContract(text: string, from: ContractChoice): Outcome<PickedContract> {
  const format = from.format ?? 'jsonschema';
  switch (format) {
    case 'jsonschema':
      return readJsonSchema(text);
    case 'graphql':
      return pick(
        parseGraphql(text, { isOfOneType: true }),
        `type ${from.typeName}`,
        ({ label }) => {
          return label.kind === 'graphql' && label.type_name === from.typeName;
        },
      );
    case 'openapi': {
      const parsed = parseYamlText(text);
      if (!parsed.ok) return refuse('INVALID_OPENAPI', parsed.message);
      return pick(parseOpenApi(parsed.value), `operation ${from.operation}`, (candidate) =>
        isOperation(candidate, from.operation ?? ''),
      );
    }
    case 'dbt': {
      const parsed = parseJson(text);
      if (!parsed.ok) return refuse('INVALID_MANIFEST', `It is not JSON: ${parsed.message}`);
      return pick(parseDbtManifest(parsed.value), `node ${from.node}`, ({ label }) => {
        return label.kind === 'dbt' && label.node_id === from.node;
      });
    }
    case 'odcs':
      return pick(parseOdcs(text), `schema object ${from.schemaObject ?? ''}`, ({ label }) => {
        const isNamed = from.schemaObject !== undefined;
        return label.kind === 'odcs' && (!isNamed || label.object_name === from.schemaObject);
      });
    default:
      return format satisfies never;
  }
}

function readJsonSchema(text: string): Outcome<PickedContract> {
  const parsed = parseYamlText(text);
  if (!parsed.ok) return refuse('INVALID_SCHEMA', `It is not JSON or YAML: ${parsed.message}`);
  if (!isJsonObject(parsed.value)) {
    return refuse('INVALID_SCHEMA', 'It is not JSON or YAML of a schema, which is an object.');
  }
  const kind = kindOfDocument(parsed.value);
  if (kind === null || kind.reader === 'jsonschema') {
    return accept({ terms: { schema: parsed.value }, candidate: null });
  }
  // Nothing in it is a keyword, so as a schema it would describe every value.
  const message = `It is ${kind.words}, and no JSON Schema. Write another spec.schemaFrom.format, or name another document.`;
  return refuse('INVALID_SCHEMA', message);
}

/** `getOrder`, or `GET /orders/{id}`. */
function isOperation({ label, metadata }: Candidate, operation: string): boolean {
  if (label.kind !== 'openapi') return false;
  const named = `${label.method.toUpperCase()} ${label.path}`;
  return metadata.operation_id === operation || named === operation.trim();
}

/** Chooses one of the document's assets. */
function pick(
  { candidates, problems }: ParsedImport,
  what: string,
  isMeant: (candidate: Candidate) => boolean,
): Outcome<PickedContract> {
  const fatal = fatalOf(problems);
  if (fatal !== null) return refuse('INVALID_SCHEMA', `${fatal.message} (${fatal.place})`);
  const meant = candidates.filter(isMeant);
  const [candidate] = meant;
  if (candidate === undefined) {
    return refuse('INVALID_SCHEMA', `The document has no ${what}. Correct the name.`);
  }
  if (meant.length > 1) {
    return refuse('INVALID_SCHEMA', `The document has ${meant.length} of ${what}. Choose one.`);
  }
  if (candidate.terms === null) {
    const why = problems.find(({ place }) => place.startsWith(candidate.place))?.message;
    return refuse('INVALID_SCHEMA', `The ${what} has no schema for a contract. ${why ?? ''}`);
  }
  const { schema, direction, format, dialect, guarantees } = candidate.terms;
  const terms = {
    ...{ schema, direction, format },
    ...(dialect === undefined ? {} : { dialect }),
    ...(guarantees === undefined ? {} : { guarantees }),
  };
  return accept({ terms, candidate });
}
