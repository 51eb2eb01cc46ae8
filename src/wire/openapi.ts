// Builds openapi.json from the route table and the shapes that validate requests.

import { z } from 'zod';
import type { FailureCode } from '../core/failure.ts';
import { refusals } from './refusals.ts';
import {
  type Answer,
  formType,
  isScim,
  linesType,
  mayLackBody,
  type Route,
  refusalsOf,
  tags,
  takesIdempotencyKey,
  takesIfMatch,
  takesIfNoneMatch,
} from './route.ts';
import { routes } from './routes.ts';
import { ErrorBody } from './shapes/problem.ts';

type JsonSchema = Record<string, unknown>;

interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly unknown[];
  readonly tags: readonly unknown[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** Only http knows the status of a code, so that table is an argument. */
export function buildOpenApi(
  statusOf: (code: FailureCode) => number,
  version: string,
  basePath = '',
): OpenApiDocument {
  const schemas = new Map<string, JsonSchema>();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, row] of Object.entries<Route>(routes)) {
    // SCIM describes itself, at /Schemas.
    if (isScim(row)) continue;
    const operations = paths[row.path] ?? {};
    operations[row.method.toLowerCase()] = toOperation(name, row, statusOf, schemas);
    paths[row.path] = operations;
  }
  toSchema(ErrorBody, 'output', schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Concordat',
      version,
      description:
        'A data contract registry: it tells producers what a change breaks, and asks the ' +
        'consumers before a breaking change is published. Send an API key as ' +
        '`Authorization: Bearer <key>`. Every response carries an `X-Request-ID`; the registry ' +
        'keeps the one that you send.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath, description: 'This registry.' }],
    tags: Object.entries(tags)
      .filter(([name]) => name !== 'SCIM')
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      parameters: sentHeaders,
      examples: Object.fromEntries(
        Object.entries(refusals).map(([code, message]) => [
          code,
          { value: { detail: { code, message } } },
        ]),
      ),
      headers: answeredHeaders,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, or the bootstrap key.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'concordat_session',
          description:
            'The session cookie of the page. Requests that change something must send the ' +
            '`csrf_token` of the session as `X-CSRF-Token`, and their `Origin` or `Referer` ' +
            'must name this server.',
        },
      },
    },
  };
}

function toOperation(
  name: string,
  row: Route,
  statusOf: (code: FailureCode) => number,
  schemas: Map<string, JsonSchema>,
): Operation {
  return {
    operationId: name,
    tags: [row.tag],
    summary: row.summary,
    description: [row.description, scopeSentences[row.scope], whoSentences[row.who]]
      .filter((sentence) => sentence !== undefined && sentence !== '')
      .join(' '),
    security: row.scope === 'public' ? [] : [{ bearer: [] }, { session: [] }],
    ...(parametersOf(row, schemas).length > 0 && { parameters: parametersOf(row, schemas) }),
    ...(row.body !== undefined && {
      requestBody: {
        required: !mayLackBody(row),
        description: limitOf(row),
        content: {
          'application/json': { schema: toSchema(row.body, 'input', schemas) },
          ...(row.isForm && { [formType]: { schema: toSchema(row.body, 'input', schemas) } }),
          ...(row.lines !== undefined && { [linesType]: { schema: { type: 'string' } } }),
        },
      },
    }),
    responses: { ...answersOf(row, schemas), ...refusalResponses(row, statusOf) },
  };
}

function limitOf(row: Route): string {
  if (row.importKind !== undefined) {
    return 'At most 128 MiB by default. May be compressed with `Content-Encoding: gzip`.';
  }
  return row.largeBody === true ? 'At most 4 MiB by default.' : 'At most 512 KiB.';
}

const scopeSentences: Readonly<Record<Route['scope'], string>> = {
  public: 'Needs no key.',
  read: 'Needs scope `read`.',
  acknowledge:
    'Needs scope `acknowledge`. `write` implies it for a key of one team; `admin` implies it for every key.',
  write: 'Needs scope `write`.',
  force: 'Needs scope `force`.',
  manage_people: 'Needs scope `manage_people`.',
  read_audit: 'Needs scope `read_audit`.',
  scim: 'Needs scope `scim`.',
  admin: 'Needs scope `admin`.',
};

const whoSentences: Readonly<Record<Route['who'], string>> = {
  scope: '',
  signed_in: 'The caller must be a user who is signed in, not a key.',
  named_owner: 'The caller must act for the team that will own it.',
  asset_owner: 'The caller must act for the team that owns the asset.',
  service_owner: 'The caller must act for the team that owns the service.',
  contract_owner: "The caller must act for the team that owns the contract's asset.",
  proposal_owner: "The caller must act for the team that owns the proposal's asset.",
  proposal_consumer: 'The caller must act for a team that the proposal asks.',
  proposal_party:
    'The caller must act for the team that owns the asset, or for one that consumes it.',
  objecting_team: 'The caller must act for the team that objects.',
  named_consumer: 'The caller must act for the team that will be the consumer.',
  registration_consumer: 'The caller must act for the team that is the consumer.',
  registration_answering:
    'The caller must be allowed to acknowledge for the team that is the consumer, because the team is no longer asked afterwards.',
  webhook_team:
    'The caller must act for the team that set the webhook up. Webhooks for all teams are for administrators.',
};

function parametersOf(row: Route, schemas: Map<string, JsonSchema>): unknown[] {
  return [
    ...fieldsOf(row.params, 'path', schemas),
    ...fieldsOf(row.query, 'query', schemas),
    parameterReference('X-Request-ID'),
    ...(row.resumes === true ? [parameterReference('Last-Event-ID')] : []),
    ...(takesIfNoneMatch(row) ? [parameterReference('If-None-Match')] : []),
    ...(takesIfMatch(row) ? [parameterReference('If-Match')] : []),
    ...(takesIdempotencyKey(row) ? [parameterReference('Idempotency-Key')] : []),
  ];
}

function parameterReference(name: keyof typeof sentHeaders) {
  return { $ref: `#/components/parameters/${name}` };
}

const sentHeaders = {
  'X-Request-ID': sentHeader(
    'X-Request-ID',
    'Returned in the response and recorded in audit events: up to 128 letters, digits, ._-',
    'deploy-4711',
  ),
  'Last-Event-ID': sentHeader(
    'Last-Event-ID',
    'The `id` of the last event received. The stream resumes after it.',
    '812:812:',
  ),
  'If-None-Match': sentHeader(
    'If-None-Match',
    'An ETag. Returns 304 if it still matches.',
    '"3f9a"',
  ),
  'If-Match': sentHeader('If-Match', 'An ETag. Returns 412 if it no longer matches.', '"3f9a"'),
  'Idempotency-Key': sentHeader(
    'Idempotency-Key',
    'Requests with the same key and body take effect once in 24 hours and get the same response.',
    '5f0c2a9e-publish-orders',
  ),
};

function sentHeader(name: string, description: string, example: string) {
  return { name, in: 'header', required: false, description, schema: { type: 'string' }, example };
}

function fieldsOf(
  shape: z.ZodObject | undefined,
  place: 'path' | 'query',
  schemas: Map<string, JsonSchema>,
): unknown[] {
  if (shape === undefined) return [];
  const object = toSchema(shape, 'input', schemas);
  const required = Array.isArray(object.required) ? object.required : [];
  return Object.entries(membersOf(object.properties)).map(([name, member]) => {
    const { description, examples, ...schema } = membersOf(member);
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      description,
      schema,
      ...(Array.isArray(examples) && { example: examples[0] }),
    };
  });
}

function answersOf(row: Route, schemas: Map<string, JsonSchema>): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  for (const [status, one] of Object.entries(row.answers)) {
    answers[status] = {
      description: one.description,
      headers: headersOf(row),
      ...contentOf(one, schemas),
    };
  }
  if (takesIfNoneMatch(row)) {
    answers['304'] = { description: 'Not modified.', headers: referencesTo(['ETag']) };
  }
  return answers;
}

function contentOf(one: Answer, schemas: Map<string, JsonSchema>): Record<string, unknown> {
  if (one.body === null) return {};
  // Text in other formats has no schema here: a client that parses YAML as JSON would validate it.
  const isForeign = one.otherContentTypes !== undefined;
  const schema = isForeign
    ? { description: one.description }
    : toSchema(one.event ?? one.body, 'output', schemas);
  const types = [one.contentType, ...(one.otherContentTypes ?? [])];
  return { content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

type AnsweredHeader = keyof typeof answeredHeaders;

const rateHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

function headersOf(row: Route): Record<string, unknown> {
  const names: AnsweredHeader[] = ['X-Request-ID'];
  if (row.tagged && row.method !== 'DELETE') names.push('ETag');
  if (takesIdempotencyKey(row)) names.push('Idempotency-Replayed');
  if (row.scope !== 'public') names.push(...rateHeaders);
  return referencesTo(names);
}

/** Headers of a refusal that tell the client what to do next. */
const headersOfRefusal: Readonly<Partial<Record<FailureCode, readonly AnsweredHeader[]>>> = {
  UNAUTHENTICATED: ['WWW-Authenticate'],
  RATE_LIMITED: ['Retry-After', ...rateHeaders],
  REGISTRY_UNAVAILABLE: ['Retry-After'],
};

function referencesTo(names: readonly AnsweredHeader[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const answeredHeaders = {
  'X-Request-ID': answeredHeader('The id of the request.', 'deploy-4711'),
  ETag: answeredHeader('The ETag of this state.', '"3f9a"'),
  'RateLimit-Limit': answeredHeader(
    'Requests per minute that the key may make. With a 401: requests per minute that the address may make without a valid key.',
    6000,
  ),
  'RateLimit-Remaining': answeredHeader('Requests left.', 5999),
  'RateLimit-Reset': answeredHeader('Seconds until the limit resets.', 42),
  'Retry-After': answeredHeader('Seconds to wait before retrying.', 10),
  'WWW-Authenticate': answeredHeader('How to send a key.', 'Bearer'),
  'Idempotency-Replayed': answeredHeader(
    'Present if this is the response to an earlier request with the same Idempotency-Key.',
    'true',
  ),
};

function answeredHeader(description: string, example: string | number) {
  const type = typeof example === 'number' ? 'integer' : 'string';
  return { description, schema: { type }, example };
}

function refusalResponses(
  row: Route,
  statusOf: (code: FailureCode) => number,
): Record<string, unknown> {
  const codesByStatus = new Map<number, FailureCode[]>();
  for (const code of refusalsOf(row)) {
    const status = statusOf(code);
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  }
  const responses: Record<string, unknown> = {};
  for (const [status, codes] of [...codesByStatus].sort(([a], [b]) => a - b)) {
    // A status that is also a regular response (503 of the readiness) keeps that meaning.
    if (row.answers[status] !== undefined) continue;
    const headers = codes.flatMap((code) => headersOfRefusal[code] ?? []);
    responses[status] = {
      ...(headers.length > 0 && { headers: referencesTo(headers) }),
      description: codes.map((code) => `\`${code}\`: ${refusals[code]}`).join(' '),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(
            codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
          ),
        },
      },
    };
  }
  return responses;
}

/** Named shapes go to `components`, once; the rest is the schema of this place. */
function toSchema(
  shape: z.ZodType,
  io: 'input' | 'output',
  schemas: Map<string, JsonSchema>,
): JsonSchema {
  const made = membersOf(
    z.toJSONSchema(shape, {
      io,
      unrepresentable: 'any',
      // `format` is enough; a pattern of every date in the Gregorian calendar would not be readable.
      override: ({ jsonSchema }) => {
        if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') {
          delete jsonSchema.pattern;
        }
        // Responses may gain fields: clients must accept fields that are not listed here.
        if (io === 'output' && jsonSchema.additionalProperties === false) {
          delete jsonSchema.additionalProperties;
        }
        if (io === 'output') delete jsonSchema.maxLength;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      },
    }),
  );
  const { $schema, $defs, ...schema } = made;
  for (const [id, definition] of Object.entries(membersOf($defs))) {
    schemas.set(id, membersOf(movedReferences(definition)));
  }
  return membersOf(movedReferences(schema));
}

function movedReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(movedReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string'
        ? member.replace('#/$defs/', '#/components/schemas/')
        : movedReferences(member),
    ]),
  );
}

function membersOf(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
