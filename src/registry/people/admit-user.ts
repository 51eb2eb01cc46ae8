import { decideAdmission } from '../../core/decide/people/admission.ts';
import type { AdmittedUser, AdmitUser } from '../../core/decide/people/commands.ts';
import type { Team } from '../../core/team.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { tryAgain } from '../try-again.ts';

/** Follows the answer of a provider, and comes before `logIn`. */
export const admitUser: Verb<AdmitUser, AdmittedUser> = async (ports, context, command) => {
  const { claims, place } = command;
  return tryAgain(() =>
    ports.attempt(context, async (transaction) => {
      await transaction.lockUserNames();
      const known = await transaction.findUserByIdentity(claims.identity);
      const namesake =
        claims.email === null ? null : await transaction.findUserByEmail(claims.email);
      const changing = known ?? namesake;
      const lockedAssets =
        changing === null ? [] : await transaction.lockAssetsOwnedBy(changing.id);
      const locked = changing === null ? null : await transaction.lockUser(changing.id);
      const teams: Team[] = [];
      for (const { id } of await transaction.findTeamsBySlug(place.teams)) {
        const held = await transaction.holdTeam(id);
        if (held !== null) teams.push(held);
      }
      const facts = {
        user: known === null ? null : locked,
        namesake: known === null ? locked : namesake,
        namesakeHasIdentity: namesake !== null && (await transaction.hasIdentity(namesake.id)),
        teams,
        lockedAssets,
        ownedAssets: changing === null ? [] : await transaction.findAssetsOwnedBy(changing.id),
      };
      return applyDecided(transaction, decideAdmission(facts, command, byOf(context, transaction)));
    }),
  );
};
