// The one form of a refusal. http/errors.ts is the only table from a code to a status, and
// controller/conditions.ts the only one from a code to a condition.

export interface Failure {
  readonly code: FailureCode;
  /** What happened, to which object, and what to do next. */
  readonly message: string;
  /** The JSON path of the first invalid field, as the caller spelled it. */
  readonly field?: string;
  /** Additional members of the error body in snake_case: `errors`, `assets`, `state`, ... */
  readonly details?: Readonly<Record<string, unknown>>;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export function accept<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function refuse(
  code: FailureCode,
  message: string,
  more: Pick<Failure, 'field' | 'details'> = {},
): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { code, message, ...more } };
}

export type FailureCode =
  | 'VALIDATION_ERROR'
  | 'INVALID_JSON'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'TEAM_NOT_FOUND'
  | 'ASSET_NOT_FOUND'
  | 'CONTRACT_NOT_FOUND'
  | 'PROPOSAL_NOT_FOUND'
  | 'COMMENT_NOT_FOUND'
  | 'REGISTRATION_NOT_FOUND'
  | 'EVENT_NOT_FOUND'
  | 'USER_NOT_FOUND'
  | 'GROUP_NOT_FOUND'
  | 'API_KEY_NOT_FOUND'
  | 'DEPENDENCY_NOT_FOUND'
  | 'WEBHOOK_NOT_FOUND'
  | 'DELIVERY_NOT_FOUND'
  | 'TRUST_NOT_FOUND'
  | 'SOURCE_NOT_FOUND'
  | 'SERVICE_NOT_FOUND'
  | 'TEAM_EXISTS'
  | 'SERVICE_EXISTS'
  | 'USER_EXISTS'
  | 'GROUP_EXISTS'
  | 'ASSET_EXISTS'
  | 'ASSETS_EXIST'
  | 'REGISTRATION_EXISTS'
  | 'DEPENDENCY_EXISTS'
  | 'TEAM_HAS_ASSETS'
  | 'ASSET_HAS_CONSUMERS'
  | 'ASSET_MANAGED_ELSEWHERE'
  | 'TEAM_MANAGED_ELSEWHERE'
  | 'CONTRACT_ARCHIVED'
  | 'CONTRACT_PINNED'
  | 'VERSION_CONFLICT'
  | 'PROPOSAL_PENDING'
  | 'PROPOSAL_NOT_PENDING'
  | 'PROPOSAL_NOT_READY'
  | 'PROPOSAL_NOT_OVERDUE'
  | 'PROPOSAL_STALE'
  | 'PROPOSAL_CHANGED'
  | 'TOO_MANY_COMMENTS'
  | 'NOBODY_TO_REMIND'
  | 'REMINDED_RECENTLY'
  | 'SECOND_ADMINISTRATOR_NEEDED'
  | 'SOURCE_ALIVE'
  | 'BREAKING_CHANGE'
  | 'IDEMPOTENCY_CONFLICT'
  | 'PRECONDITION_FAILED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'INVALID_SCHEMA'
  | 'SCHEMA_TOO_LARGE'
  | 'UNSUPPORTED_DIALECT'
  | 'INVALID_SDL'
  | 'INVALID_OPENAPI'
  | 'INVALID_MANIFEST'
  | 'INVALID_ODCS'
  | 'OWNER_TEAM_NOT_FOUND'
  | 'OWNER_NOT_MEMBER'
  | 'SELF_REGISTRATION'
  | 'NEED_NOT_MET'
  | 'VERSION_TOO_SMALL'
  | 'IDEMPOTENCY_MISMATCH'
  | 'RATE_LIMITED'
  | 'REGISTRY_UNAVAILABLE'
  | 'ISSUER_UNAVAILABLE'
  | 'REQUEST_TIMEOUT'
  | 'INTERNAL_ERROR';
