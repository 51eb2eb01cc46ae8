import { type Outcome, refuse } from '../failure.ts';
import type { TeamId, UserId } from '../id.ts';
import type { UserFacts } from './facts.ts';
import { notFound } from './not-found.ts';

/** Checks that an owning user belongs to the owning team. */
export function checkOwner(
  user: UserFacts | null,
  userId: UserId | null,
  teamId: TeamId,
): Outcome<never> | null {
  if (userId === null) return null;
  if (user === null) return notFound('USER', userId, 'owner_user_id');
  if (user.teamId === teamId) return null;
  return refuse(
    'OWNER_NOT_MEMBER',
    `${user.name} is not a member of the owning team ${teamId}. Choose one of its members.`,
    { field: 'owner_user_id' },
  );
}
