// Reads an OpenAPI document, Swagger 2.0 and OpenAPI 3.0 to 3.2: one candidate for each path and operation.

import { identityOf } from '../../asset.ts';
import type { Dialect } from '../../schema/dialects.ts';
import { dialectOfUri } from '../../schema/dialects.ts';
import { isJsonObject, type Json, type JsonObject, numberText } from '../../value/json.ts';
import {
  type Candidate,
  type CandidateTerms,
  fatal,
  type ImportProblem,
  itemProblem,
  type ParsedImport,
} from '../candidate.ts';
import { clashProblems, settleNames, toFqn, toFqnPrefix } from '../import-fqn.ts';
import { kindOf, memberOf, textAt, textsAt } from '../read-json.ts';
import { byPointer } from './by-pointer.ts';
import { type Bundler, createBundler } from './openapi-bundle.ts';
import { pointerTokens, withSections } from './openapi-document.ts';
import { toOperationSchema, toWebhookSchema } from './openapi-operation.ts';
import { readOperations } from './openapi-paths.ts';
import type { Operation } from './openapi-reading.ts';
import { pathForm } from './path-names.ts';
import { fromSwagger } from './swagger.ts';
import { unmappedTargets } from './unmapped.ts';
import { standsAnywhere, withVariants } from './variants.ts';

export interface OpenApiOptions {
  /** The default is `api`. */
  readonly prefix?: string;
  /** `title`: api.petstore.get_users_id; `path`: api.users.{id}.get. The default is `title`. */
  readonly naming?: OpenApiNaming;
}

type OpenApiNaming = 'title' | 'path';

export interface ParsedOpenApi extends ParsedImport {
  readonly apiTitle: string;
  readonly apiVersion: string;
}

/**
 * Reads a document. An operation with a dangling reference becomes an asset without a contract and
 * a problem; the rest continues. Nothing is fetched.
 *
 * @example parseOpenApi(document).candidates.map(({ fqn }) => fqn) // ['api.shop.get_orders_id']
 */
export function parseOpenApi(given: Json, options: OpenApiOptions = {}): ParsedOpenApi {
  const stated = isJsonObject(given) ? withSections(given) : given;
  const converted = isSwagger(stated) ? fromSwagger(stated) : stated;
  const problems: ImportProblem[] = [];
  const dialect = isJsonObject(converted) ? dialectOf(converted, problems) : 'openapi-3.0';
  const named = isJsonObject(converted) ? withPointers(converted, dialect) : converted;
  const document = isJsonObject(named) ? withVariants(named) : named;
  const info = memberOf(document, 'info');
  const apiTitle = textAt(info, 'title') ?? '';
  const apiVersion = versionText(memberOf(info, 'version'));
  const refusal = findRefusal(document);
  if (refusal !== null || !isJsonObject(document)) {
    return { candidates: [], problems: refusal === null ? [] : [refusal], apiTitle, apiVersion };
  }
  if (isJsonObject(named)) problems.unshift(...unmappedTargets(named));
  const operations = readOperations(document, problems);
  const stemOf = (path: string, method: string) =>
    toFqn(segmentsOf(path, method, apiTitle, options));
  const names = nameOperations(operations, stemOf, problems);
  const bundler = createBundler(document, dialect);
  const source = sourceOf(prefixOf(options), apiTitle);
  const context: Context = {
    document,
    bundler,
    dialect,
    apiTitle,
    source,
    names,
    stemOf,
    problems,
  };
  const candidates = operations.map((operation) => toCandidate(operation, context));
  const fqnPrefix = toFqnPrefix(prefixOf(options));
  const origin = { kind: 'openapi', name: source, fqnPrefix } as const;
  return { candidates, problems, origin, apiTitle, apiVersion };
}

/** A schema of OpenAPI 3.0 has no name but that of its component. Those who give it one mean that of 3.1. */
function withPointers(document: JsonObject, dialect: Dialect): JsonObject {
  if (dialect !== 'openapi-3.0') return byPointer(document, dialect);
  return refersByName(document) ? byPointer(document, 'openapi-3.1') : document;
}

const refersByName = standsAnywhere(
  ({ $ref }) => typeof $ref === 'string' && pointerTokens($ref) === null,
);

/** YAML parses an unquoted 2.0 as a number. */
function isSwagger(document: Json): document is JsonObject {
  return isJsonObject(document) && /^2(\.0)?$/.test(versionText(memberOf(document, 'swagger')));
}

function findRefusal(document: Json): ImportProblem | null {
  if (!isJsonObject(document)) {
    return fatal(
      'INVALID_OPENAPI',
      `An OpenAPI document must be an object, not ${kindOf(document)}.`,
    );
  }
  const swagger = memberOf(document, 'swagger');
  if (swagger !== undefined) {
    const message = `This is Swagger ${versionText(swagger)}. Convert it to OpenAPI 3.`;
    return fatal('INVALID_OPENAPI', message, '$.swagger');
  }
  const version = versionOf(document);
  if (!/^3\.[012](?:\.|$)/.test(version)) {
    const found = version === '' ? 'missing' : JSON.stringify(version);
    const message = `"openapi" is ${found}: Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2 are read.`;
    return fatal('INVALID_OPENAPI', message, '$.openapi');
  }
  const paths = memberOf(document, 'paths');
  const mayLackPaths = !version.startsWith('3.0') && paths === undefined;
  if (mayLackPaths || (paths !== undefined && isJsonObject(paths))) return null;
  const message = `"paths" must be an object, not ${kindOf(paths)}.`;
  return fatal('INVALID_OPENAPI', message, '$.paths');
}

/** YAML parses an unquoted 3.1 as a number. */
function versionOf(document: JsonObject): string {
  return versionText(memberOf(document, 'openapi'));
}

function versionText(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : (numberText(value) ?? '');
}

function dialectOf(document: JsonObject, problems: ImportProblem[]): Dialect {
  if (versionOf(document).startsWith('3.0')) return 'openapi-3.0';
  const stated = textAt(document, 'jsonSchemaDialect');
  const known = stated === undefined ? 'openapi-3.1' : dialectOfUri(stated);
  if (known !== undefined) return known;
  // Each minor version of OpenAPI has its own base dialect, with the same constraints.
  if (stated?.startsWith('https://spec.openapis.org/oas/') !== true) {
    const message = `jsonSchemaDialect ${JSON.stringify(stated)} is unknown, so schemas are read as OpenAPI 3.1 schemas.`;
    problems.push(itemProblem('IGNORED_RULE', message, '$.jsonSchemaDialect'));
  }
  return 'openapi-3.1';
}

function segmentsOf(
  path: string,
  method: string,
  apiTitle: string,
  options: OpenApiOptions,
): readonly string[] {
  const prefix = prefixOf(options);
  if (options.naming === 'path') {
    return [...prefix, ...path.split('/').filter((segment) => segment !== ''), method];
  }
  const words = [method, toSnake(path)].filter((word) => word !== '').join('_');
  return [...prefix, titleSegment(apiTitle), words];
}

function nameOperations(
  operations: readonly Operation[],
  stemOf: Context['stemOf'],
  problems: ImportProblem[],
): ReadonlyMap<Operation, string> {
  const items = operations.map((item) => ({
    item,
    fqn: stemOf(item.path, item.method),
    key: `${item.path} ${item.method}`,
  }));
  const { names, clashes } = settleNames(items);
  problems.push(...clashProblems(clashes, labelOf));
  return names;
}

function prefixOf({ prefix = 'api' }: OpenApiOptions): readonly string[] {
  return prefix.split('.').filter((segment) => segment !== '');
}

function titleSegment(apiTitle: string): string {
  return toSnake(apiTitle) || 'api';
}

/**
 * Another spelling of a title is the same API, and another prefix another one. A migration does the same
 * in SQL but for the prefix, so only what every locale agrees on.
 *
 * @example sourceOf(['api', 'v1'], 'Shop API') // 'api.v1 shop_api'
 */
function sourceOf(prefix: readonly string[], apiTitle: string): string {
  const lower = apiTitle.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return `${prefix.join('.')} ${lower.replaceAll(/[^a-z0-9\u0080-\u{10ffff}]+/gu, '_')}`;
}

function labelOf({ path, method }: Operation): string {
  return `${method.toUpperCase()} ${path}`;
}

/** @example toSnake('/users/{id}') // 'users_id' */
function toSnake(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
}

interface Context {
  readonly document: JsonObject;
  readonly bundler: Bundler;
  readonly dialect: Dialect;
  readonly apiTitle: string;
  /** What its assets are told by from those of another API. */
  readonly source: string;
  readonly names: ReadonlyMap<Operation, string>;
  /** The FQN of an operation if no other one had the same. */
  readonly stemOf: (path: string, method: string) => string;
  readonly problems: ImportProblem[];
}

/** What all operations have in common. */
const shared: readonly string[] = [
  ...['$.security', '$.components.securitySchemes', '$.securityDefinitions'],
  ...['$.consumes', '$.produces'],
];

function toCandidate(operation: Operation, context: Context): Candidate {
  const { path, method, place, operation: raw } = operation;
  const toSchema = operation.isWebhook ? toWebhookSchema : toOperationSchema;
  const { schema, describes, problems } = toSchema(context.document, operation, context.bundler);
  for (const problem of problems) {
    const message = `${labelOf(operation)} is imported without a contract. ${problem.message}`;
    const item = [operation.place, `${operation.itemPlace}.parameters`, ...shared];
    context.problems.push({ ...itemProblem(problem.code, message, problem.place), item });
  }
  const operationId = textAt(raw, 'operationId');
  const termsOf = (bundle: JsonObject): CandidateTerms => ({
    schema: bundle,
    direction: 'operation',
    format: 'openapi',
    dialect: context.dialect,
  });
  const form = pathForm(path);
  const stem = context.stemOf(form, method);
  return {
    fqn: context.names.get(operation) ?? '',
    ownFqn: context.stemOf(path, method),
    identity: { ...identityOf(context.source, `${method} ${form}`, stem), path },
    resourceType: 'endpoint',
    metadata: {
      resource_type: 'endpoint',
      description: textAt(raw, 'description') ?? textAt(raw, 'summary') ?? '',
      tags: textsAt(raw, 'tags'),
      api_title: context.apiTitle,
      path,
      method,
      ...(operationId === undefined ? {} : { operation_id: operationId }),
      ...(memberOf(raw, 'deprecated') === true ? { deprecated: true } : {}),
    },
    consumers: [],
    refs: [],
    terms: describes && problems.length === 0 ? termsOf(schema) : null,
    ...(!describes && problems.length === 0 ? { emptyTerms: termsOf(schema) } : {}),
    label: { kind: 'openapi', path, method },
    place,
  };
}
