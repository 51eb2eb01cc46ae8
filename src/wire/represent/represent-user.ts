import type { z } from 'zod';
import { type Actor, holdsScope, mayAcknowledge } from '../../core/actor.ts';
import type { User as UserEntity } from '../../core/user.ts';
import { scopes } from '../shapes/team.ts';
import type { Identity, User } from '../shapes/user.ts';

export function representUser(user: UserEntity): z.output<typeof User> {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    team_id: user.teamId,
    role: user.role,
    duties: [...user.duties],
    created_at: user.createdAt,
    updated_at: user.updatedAt,
    deactivated_at: user.deactivatedAt,
  };
}

export function representIdentity(
  actor: Actor,
  session: { readonly user: UserEntity; readonly csrfToken: string } | null,
  { fourEyes }: { readonly fourEyes: boolean },
): z.output<typeof Identity> {
  return {
    type: actor.type,
    id: actor.id,
    name: actor.name,
    scopes: scopes.filter((scope) =>
      scope === 'acknowledge' ? mayAcknowledge(actor) : holdsScope(actor, scope),
    ),
    team_ids: actor.teams === 'all' ? [] : [...actor.teams],
    all_teams: actor.teams === 'all',
    user: session === null ? null : representUser(session.user),
    four_eyes: fourEyes,
    ...(session !== null && { csrf_token: session.csrfToken }),
  };
}
