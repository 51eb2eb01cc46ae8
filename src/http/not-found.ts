// The refusal for an object that does not exist.

import { type FailureCode, refuse } from '../core/failure.ts';

type NotFoundCode = Extract<FailureCode, `${string}_NOT_FOUND`>;

const things: Readonly<Partial<Record<NotFoundCode, string>>> = {
  TEAM_NOT_FOUND: 'team',
  ASSET_NOT_FOUND: 'asset',
  CONTRACT_NOT_FOUND: 'contract',
  PROPOSAL_NOT_FOUND: 'proposal',
  REGISTRATION_NOT_FOUND: 'registration',
  EVENT_NOT_FOUND: 'event',
  API_KEY_NOT_FOUND: 'key',
  DEPENDENCY_NOT_FOUND: 'dependency',
  SOURCE_NOT_FOUND: 'source',
  SERVICE_NOT_FOUND: 'service',
  WEBHOOK_NOT_FOUND: 'webhook',
  DELIVERY_NOT_FOUND: 'delivery',
  TRUST_NOT_FOUND: 'trust',
};

/** `field` names the member of a body; an id in the path needs none. */
export function notFound(code: NotFoundCode, id: string, field?: string) {
  return refuse(
    code,
    `No ${things[code] ?? 'such thing'} has the id ${id}. Look it up in the list.`,
    field === undefined ? {} : { field },
  );
}
