// The body of an error as SCIM has it.

import type { FailureCode } from '../../core/failure.ts';
import type { Refusal } from '../request/answer.ts';

const types: Readonly<Partial<Record<FailureCode, string>>> = {
  VALIDATION_ERROR: 'invalidValue',
  INVALID_JSON: 'invalidSyntax',
  USER_EXISTS: 'uniqueness',
  GROUP_EXISTS: 'uniqueness',
};

export function scimText({ status, code, message, scimType = types[code] }: Refusal): string {
  return JSON.stringify({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: message,
  });
}
