// Whoever manages people without being an administrator gives nobody more than they have, and
// changes nobody who has more.

import { type Actor, holdsScope, type KeyScope } from '../../actor.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { Role, UserDuty } from '../../user.ts';

/** What a person or a key may do, or would. */
interface Rights {
  readonly role?: Role | undefined;
  readonly duties?: readonly UserDuty[] | undefined;
  readonly scopes?: readonly KeyScope[] | undefined;
}

/** Reading, writing and answering for a team is what managing people is about. */
const ordinary: readonly KeyScope[] = ['read', 'acknowledge', 'write'];

/**
 * @example checkReach({ ...key, duties: ['manage_people'] }, { role: 'admin' }) // refused: FORBIDDEN
 */
export function checkReach(actor: Actor, ...all: readonly (Rights | null)[]): Outcome<true> {
  const rights = all.flatMap((one) => (one === null ? [] : scopesOf(one)));
  const beyond = rights.find((one) => !ordinary.includes(one) && !holdsScope(actor, one));
  if (beyond === undefined) return accept(true);
  return refuse(
    'FORBIDDEN',
    `${actor.name} does not have the right "${beyond}", so it may neither give nor take it, nor change a user or key that has it. Ask an administrator.`,
  );
}

function scopesOf({ role, duties = [], scopes = [] }: Rights): readonly KeyScope[] {
  return [...(role === 'admin' ? (['admin'] as const) : []), ...duties, ...scopes];
}
