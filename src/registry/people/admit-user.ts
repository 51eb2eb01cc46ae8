import { decideAdmission } from '../../core/decide/people/admission.ts';
import type { AdmittedUser, AdmitUser } from '../../core/decide/people/commands.ts';
import { identityOf } from '../../core/decide/people/provisioning.ts';
import { findPlace } from '../../core/decide/people/sign-in.ts';
import type { Team } from '../../core/team.ts';
import type { User, UserIdentity } from '../../core/user.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import type { Transaction } from '../transaction.ts';
import { tryAgain } from '../try-again.ts';

/** Follows the answer of a provider, and comes before `logIn`. */
export const admitUser: Verb<AdmitUser, AdmittedUser> = async (ports, context, command) => {
  const { claims, provisioning } = command;
  const identities = identitiesOf(command);
  return tryAgain(() =>
    ports.attempt(context, async (transaction) => {
      await transaction.lockUserNames();
      const holders: (User | null)[] = [];
      for (const one of identities) holders.push(await transaction.findUserByIdentity(one));
      const known = holders.find((holder) => holder !== null) ?? null;
      const namesake =
        claims.email === null ? null : await transaction.findUserByEmail(claims.email);
      const changing = known ?? namesake;
      const lockedAssets =
        changing === null ? [] : await transaction.lockAssetsOwnedBy([changing.id]);
      const locked = changing === null ? null : await transaction.lockUser(changing.id);
      // Of somebody whom SCIM keeps, it keeps the groups as well.
      const account =
        known === null || provisioning === null ? null : await transaction.findAccount(known.id);
      const isPlaced = provisioning !== null && provisioning.table.rows.length > 0;
      const place =
        isPlaced && known !== null && account?.deletedAt === null
          ? findPlace(provisioning.table, await transaction.findGroupNames(known.id))
          : command.place;
      const facts = {
        user: known === null ? null : locked,
        namesake: known === null ? locked : namesake,
        namesakeHasIdentity: namesake !== null && (await transaction.hasIdentity(namesake.id)),
        newIdentities: identities.filter((_, index) => holders[index] === null),
        teams: await holdTeamsBySlug(transaction, place.teams),
        lockedAssets,
        ownedAssets: changing === null ? [] : await transaction.findAssetsOwnedBy([changing.id]),
      };
      const by = byOf(context, transaction);
      return applyDecided(transaction, decideAdmission(facts, { ...command, place }, by));
    }),
  );
};

/** By the subject of the token, and by what SCIM calls the person. */
function identitiesOf({ claims, provisioning }: AdmitUser): readonly UserIdentity[] {
  const { identity, externalId } = claims;
  if (provisioning === null || externalId === null) return [identity];
  const other = identityOf(provisioning, externalId);
  const isSame = other.issuer === identity.issuer && other.subject === identity.subject;
  return isSame ? [identity] : [identity, other];
}

/** The teams with these slugs that exist. They are not deleted meanwhile. */
export async function holdTeamsBySlug(
  transaction: Pick<Transaction, 'findTeamsBySlug' | 'holdTeams'>,
  slugs: readonly string[],
): Promise<readonly Team[]> {
  if (slugs.length === 0) return [];
  const found = await transaction.findTeamsBySlug([...new Set(slugs)]);
  const held = new Set(await transaction.holdTeams(found.map(({ id }) => id)));
  return found.filter(({ id }) => held.has(id));
}
