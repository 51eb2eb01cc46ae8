import { type Outcome, refuse } from '../failure.ts';

type Thing =
  | 'TEAM'
  | 'ASSET'
  | 'CONTRACT'
  | 'PROPOSAL'
  | 'COMMENT'
  | 'REGISTRATION'
  | 'USER'
  | 'GROUP'
  | 'API_KEY'
  | 'DEPENDENCY'
  | 'SOURCE'
  | 'SERVICE'
  | 'WEBHOOK'
  | 'DELIVERY'
  | 'TRUST';

const names: Readonly<Record<Thing, string>> = {
  TEAM: 'team',
  ASSET: 'asset',
  CONTRACT: 'contract',
  PROPOSAL: 'proposal',
  COMMENT: 'comment',
  REGISTRATION: 'registration',
  USER: 'user',
  GROUP: 'group',
  API_KEY: 'API key',
  DEPENDENCY: 'dependency',
  SOURCE: 'source',
  SERVICE: 'service',
  WEBHOOK: 'webhook',
  DELIVERY: 'delivery',
  TRUST: 'trust',
};

/** `field` is the name of the field, if the id came in a body. */
export function notFound(thing: Thing, id: string, field?: string): Outcome<never> {
  const message = `There is no ${names[thing]} ${id}. Check the id; it may have been deleted.`;
  return refuse(`${thing}_NOT_FOUND`, message, field === undefined ? {} : { field });
}

export function preconditionFailed(): Outcome<never> {
  return refuse(
    'PRECONDITION_FAILED',
    'The resource has changed since you read it. Read it again, and send its new ETag in If-Match.',
  );
}
