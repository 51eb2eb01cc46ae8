// One row of the route table says everything there is to say about a route. Validation, the
// document, the client and the tests of access are made from it.

import { z } from 'zod';
import type { FailureCode } from '../core/failure.ts';
import type { DocumentKind } from '../core/import/candidate.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

type RouteScope = 'public' | 'read' | 'acknowledge' | 'write' | 'admin';

/**
 * Which team a key must act for, beyond its scope. An admin acts for any.
 * `scope` asks no more than the scope.
 */
export type Who =
  | 'scope'
  | 'named_owner'
  | 'asset_owner'
  | 'contract_owner'
  | 'proposal_owner'
  | 'proposal_consumer'
  | 'named_consumer'
  | 'registration_consumer'
  | 'registration_answering';

export const tags = {
  Teams: 'Who owns assets, and who consumes them.',
  'API keys': 'What acts for a team.',
  Users: 'People, who own assets and sign in to the page.',
  Sessions: 'Signing in and out.',
  Assets: 'The named data objects that contracts are about.',
  Contracts: 'What an asset promises, version by version.',
  Lineage: 'What assets are made from, and what is made from them.',
  Quality: 'How the checks of their data went.',
  Registrations: 'Which team consumes which asset.',
  Proposals: 'Breaking changes that consumers are asked about.',
  Imports: 'Assets, contracts and consumers from the files that teams have already.',
  Sources: 'The folders, repositories and clusters that contracts are reconciled from.',
  Webhooks: 'Who is told of breaking changes, answers and deprecations without asking.',
  Audit: 'What happened, and who did it.',
  Operations: 'Health, and this documentation.',
} as const;

export interface Answer<Body extends z.ZodType | null = z.ZodType | null> {
  readonly description: string;
  /** Null for an answer without a body. */
  readonly body: Body;
  readonly contentType: string;
  /** Beside it, where the request says which. */
  readonly otherContentTypes?: readonly string[];
  /** What each event is, where the text is a stream of them. */
  readonly event?: z.ZodType;
}

export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description?: string;
  readonly scope: RouteScope;
  readonly who: Who;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Members of the body of which nothing is kept, not even a digest. */
  readonly secrets?: readonly string[];
  /** The body holds a document of this kind, is large, and may be packed: a thread reads it. */
  readonly importKind?: DocumentKind;
  /** The body holds a schema, or as much: it may be as large as the setting for bodies says. */
  readonly largeBody?: true;
  readonly answers: Readonly<Record<number, Answer>>;
  /** What it refuses beyond what every route of its kind does. */
  readonly errors: readonly FailureCode[];
  /** One resource: its answer has an ETag, which `If-None-Match` and `If-Match` are held against. */
  readonly tagged?: true;
  /** An act on a resource: `If-Match` is held against the ETag of that resource. */
  readonly guarded?: true;
  /** It goes on as things happen, and where it stopped: `Last-Event-ID` is held against it. */
  readonly resumes?: true;
}

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

/** Text that is no JSON of ours: of the first type, or of another where the request says so. */
export function document(
  description: string,
  contentTypes: readonly [string, ...string[]],
): Answer<z.ZodString> {
  const [contentType, ...otherContentTypes] = contentTypes;
  return { description, body: z.string(), contentType, otherContentTypes };
}

export const apiPrefix = '/api/v1';

/** What changes something may be sent twice under one Idempotency-Key, and takes effect once. */
export function takesIdempotencyKey(row: Route): boolean {
  return row.method === 'POST' && row.scope !== 'public' && row.scope !== 'read';
}

export function takesIfMatch(row: Route): boolean {
  const changes = row.method === 'PATCH' || row.method === 'DELETE';
  return row.guarded === true || (row.tagged === true && changes);
}

export function takesIfNoneMatch(row: Route): boolean {
  return row.tagged === true && row.method === 'GET';
}

/** A body in which nothing is required may be left out altogether. */
export function mayLackBody(row: Route): boolean {
  return row.body === undefined || row.body.safeParse({}).success;
}

/** Everything a route may refuse: what all of its kind do, and its own. */
export function refusalsOf(row: Route): readonly FailureCode[] {
  const codes = new Set<FailureCode>();
  const add = (when: boolean, ...more: FailureCode[]) => {
    if (when) for (const code of more) codes.add(code);
  };
  add(row.scope !== 'public', 'UNAUTHENTICATED', 'RATE_LIMITED', 'REGISTRY_UNAVAILABLE');
  // A reader's request by cookie is refused where it does not come from the page.
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
