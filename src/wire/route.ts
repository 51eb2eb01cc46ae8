// The row of a route in the route table. Validation, openapi.json, the client and the tests of
// access are made from it.

import { z } from 'zod';
import type { KeyScope } from '../core/actor.ts';
import type { FailureCode } from '../core/failure.ts';
import type { DocumentKind } from '../core/import/candidate.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type RouteScope = 'public' | KeyScope;

/**
 * Which team a caller must act for, in addition to its scope. An admin acts for every team.
 * `scope` means that the scope is enough, `signed_in` that it must be a user in a session, not a key.
 */
export type TeamRule =
  | 'scope'
  | 'signed_in'
  | 'named_owner'
  | 'asset_owner'
  | 'service_owner'
  | 'contract_owner'
  | 'proposal_owner'
  | 'proposal_consumer'
  | 'proposal_party'
  | 'objecting_team'
  | 'named_consumer'
  | 'registration_consumer'
  | 'registration_answering'
  | 'webhook_team';

export const tags = {
  Teams: 'Teams own assets and consume those of other teams.',
  'API keys': 'Keys that act for teams.',
  Trusts: 'Rules by which machines exchange tokens of their own issuer for keys.',
  Users: 'People who own assets and sign in to the page.',
  SCIM: 'People and groups as an identity provider keeps them.',
  Sessions: 'Signing in and out.',
  Assets: 'The data objects that contracts describe.',
  Services: 'The programs that assets belong to.',
  Contracts: 'The versions of what an asset promises.',
  Lineage: 'Which assets depend on which others.',
  Quality: "The results of checking the assets' data.",
  Registrations: 'Which team consumes which asset.',
  Proposals: "Breaking changes that wait for the consumers' approval.",
  Imports: 'Imports of assets, contracts and consumers from dbt, OpenAPI, GraphQL and ODCS files.',
  Sources: 'The folders, repositories and clusters that contracts are reconciled from.',
  Webhooks:
    'Notifications about breaking changes, answers and deprecations, as JSON, in chat or by e-mail.',
  Audit: 'The record of every change and who made it.',
  Agents: 'The routes as tools of the Model Context Protocol.',
  Operations: 'Health, metrics and this documentation.',
} as const;

export interface Answer<Body extends z.ZodType | null = z.ZodType | null> {
  readonly description: string;
  /** Null for a response without a body. */
  readonly body: Body;
  readonly contentType: string;
  /** Other types, which the request can choose. */
  readonly otherContentTypes?: readonly string[];
  /** The shape of each event, if the text is an event stream. */
  readonly event?: z.ZodType;
}

export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description?: string;
  readonly scope: RouteScope;
  readonly who: TeamRule;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The list in the body whose values may also be sent as NDJSON, one on each line. */
  readonly lines?: string;
  /** The body is sent as a form, as another standard demands. */
  readonly isForm?: true;
  /** Fields of the body that are not stored, not even as a digest. */
  readonly secrets?: readonly string[];
  /** The body contains a document of this kind. It may be large and compressed; a thread reads it. */
  readonly importKind?: DocumentKind;
  /** The body contains a schema or something as large: the setting for bodies limits it. */
  readonly largeBody?: true;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Its own errors, in addition to those of every route of its kind. */
  readonly errors: readonly FailureCode[];
  /** Returns one resource with an ETag, which `If-None-Match` and `If-Match` are compared with. */
  readonly tagged?: true;
  /** Acts on a resource: `If-Match` is compared with the ETag of that resource. */
  readonly guarded?: true;
  /** Only reads, and decides nothing: a replica of Postgres may answer it. */
  readonly fromReplica?: true;
  /** A stream that can be resumed with `Last-Event-ID`. */
  readonly resumes?: true;
}

export const linesType = 'application/x-ndjson';
export const formType = 'application/x-www-form-urlencoded';

export function route<const R extends Route>(row: R): R {
  return row;
}

export function answer<const B extends z.ZodType>(description: string, body: B): Answer<B> {
  return { description, body, contentType: 'application/json' };
}

export function noContent(description: string): Answer<null> {
  return { description, body: null, contentType: '' };
}

export function page(description: string, contentType: string): Answer<z.ZodString> {
  return { description, body: z.string(), contentType };
}

export function eventStream(description: string, event: z.ZodType): Answer<z.ZodString> {
  return { description, body: z.string(), contentType: 'text/event-stream', event };
}

/** Text in a format other than JSON: of the first type, unless the request chooses another. */
export function document(
  description: string,
  contentTypes: readonly [string, ...string[]],
): Answer<z.ZodString> {
  const [contentType, ...otherContentTypes] = contentTypes;
  return { description, body: z.string(), contentType, otherContentTypes };
}

export const apiPrefix = '/api/v1';

/** The standard decides about the paths, bodies and errors below it. */
export const scimPrefix = '/scim/v2';

export const scimType = 'application/scim+json';

export function isScim({ path }: Pick<Route, 'path'>): boolean {
  return path.startsWith(scimPrefix);
}

/** Whether the route is a write that takes effect only once per Idempotency-Key. */
export function takesIdempotencyKey(row: Route): boolean {
  return row.method === 'POST' && row.scope !== 'public' && row.scope !== 'read' && !isScim(row);
}

export function takesIfMatch(row: Route): boolean {
  const changes = ['PUT', 'PATCH', 'DELETE'].includes(row.method);
  return row.guarded === true || (row.tagged === true && changes);
}

export function takesIfNoneMatch(row: Route): boolean {
  return row.tagged === true && row.method === 'GET';
}

/** A body without required fields may be omitted. */
export function mayLackBody(row: Route): boolean {
  return row.body === undefined || row.body.safeParse({}).success;
}

/** Every error of a route: those of all routes of its kind, and its own. */
export function refusalsOf(row: Route): readonly FailureCode[] {
  const codes = new Set<FailureCode>();
  const add = (when: boolean, ...more: FailureCode[]) => {
    if (when) for (const code of more) codes.add(code);
  };
  add(row.scope !== 'public', 'UNAUTHENTICATED', 'RATE_LIMITED', 'REGISTRY_UNAVAILABLE');
  // A reader's request with a session cookie is refused unless it comes from the page.
  add(row.scope !== 'public' && (row.scope !== 'read' || row.method !== 'GET'), 'FORBIDDEN');
  add(row.scope !== 'public', 'VALIDATION_ERROR');
  add(true, 'INTERNAL_ERROR');
  add(
    row.method !== 'GET' && row.scope !== 'public',
    'INVALID_JSON',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'REQUEST_TIMEOUT',
  );
  add(takesIfMatch(row), 'PRECONDITION_FAILED');
  add(takesIdempotencyKey(row), 'IDEMPOTENCY_CONFLICT', 'IDEMPOTENCY_MISMATCH');
  add(true, ...row.errors);
  return [...codes];
}
