import { decideAccess } from '../../core/decide/access.ts';
import { decideKeyEnd } from '../../core/decide/api-key.ts';
import { apiKeyEvent } from '../../core/decide/events.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept, refuse } from '../../core/failure.ts';
import type { ApiKey } from '../../core/team.ts';
import type { IssueApiKey, Verb } from '../commands.ts';

/** Only the digest of the secret comes this far. */
export const issueApiKey: Verb<IssueApiKey, ApiKey> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_api_keys', null);
  if (!access.ok) return access;
  if (command.scopes.length === 0) {
    return refuse(
      'VALIDATION_ERROR',
      'A key needs at least one scope: read, acknowledge, write or admin.',
      {
        field: 'scopes',
      },
    );
  }
  const end = decideKeyEnd(context.now(), command.expiresAt, ports.policy.keyMaxDays);
  if (!end.ok) return end;
  const allTeams = command.allTeams ?? false;
  const named = command.teamId === null ? [] : [command.teamId];
  const teamIds = [...new Set([...named, ...(command.teamIds ?? [])])];
  return ports.transact(context, async (transaction) => {
    for (const teamId of teamIds) {
      const team = await transaction.holdTeam(teamId);
      if (team !== null) continue;
      return notFound('TEAM', teamId, teamId === command.teamId ? 'team_id' : 'team_ids');
    }
    if (command.userId !== undefined && (await transaction.holdUser(command.userId)) === null) {
      return notFound('USER', command.userId, 'user_id');
    }
    const apiKey: ApiKey = {
      id: context.newId(),
      name: command.name,
      teamId: command.teamId,
      userId: command.userId ?? null,
      scopes: [...new Set(command.scopes)],
      teamIds,
      allTeams,
      prefix: command.secret.prefix,
      createdAt: transaction.now(),
      expiresAt: end.value,
      lastUsedAt: null,
      revokedAt: null,
    };
    const { digest } = command.secret;
    const event = apiKeyEvent('api_key.created', apiKey);
    await transaction.apply([{ kind: 'insert_api_key', apiKey, digest, events: [event] }]);
    return accept(apiKey);
  });
};
