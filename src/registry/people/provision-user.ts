import { decideAccess } from '../../core/decide/access.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { ProvisionUser, WantedAccount } from '../../core/decide/people/commands.ts';
import {
  decideAccount,
  decideAccountEnd,
  identityOf,
} from '../../core/decide/people/provisioning.ts';
import { findPlace } from '../../core/decide/people/sign-in.ts';
import { refuse } from '../../core/failure.ts';
import type { UserId } from '../../core/id.ts';
import type { ProvisionedUser } from '../../core/user.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import type { Transaction } from '../transaction.ts';
import { tryAgain } from '../try-again.ts';
import { holdTeamsBySlug } from './admit-user.ts';

/** A new user with a known external id is the user who has it: who signed in before, or was deleted. */
export const provisionUser: Verb<ProvisionUser, ProvisionedUser> = async (
  ports,
  context,
  { provisioning, userId, revise },
) => {
  const access = decideAccess(context.actor, 'provision_people', null);
  if (!access.ok) return access;
  const made = userId === null ? revise(null) : null;
  if (made !== null && !made.ok) return made;
  return tryAgain(() =>
    ports.attempt(context, async (transaction) => {
      await transaction.lockUserNames(namesOf(made?.value ?? null));
      const holderOf = async (externalId: string | null | undefined) =>
        externalId == null
          ? null
          : ((await transaction.findUserByIdentity(identityOf(provisioning, externalId)))?.id ??
            null);
      const known = userId ?? (await holderOf(made?.value?.externalId));
      const locked = known === null ? nobody : await lockAccount(transaction, known);
      const { user, account, lockedAssets } = locked;
      const shown = user !== null && account?.deletedAt === null ? { user, account } : null;
      if (userId !== null && shown === null) return notFound('USER', userId);
      if (made !== null && shown !== null) {
        const { userName, externalId } = shown.account;
        const message = `The user ${shown.user.id} (${userName}) already has the externalId ${externalId}. Change that user.`;
        return refuse('USER_EXISTS', message);
      }
      const revised = made ?? revise(shown);
      if (!revised.ok) return revised;
      const wanted = revised.value;
      const by = byOf(context, transaction);
      if (wanted === null) {
        if (shown === null) return notFound('USER', userId ?? '');
        const ended = decideAccountEnd(shown.user, shown.account, provisioning, by);
        return applyDecided(transaction, ended);
      }
      const groups = user === null ? [] : await transaction.findGroupNames(user.id);
      const facts = {
        ...{ user, account, groups, lockedAssets },
        namesake: await transaction.findUserByEmail(wanted.email),
        nameHolder: await transaction.findAccountByName(wanted.userName),
        ownExternalIds:
          user === null ? [] : await transaction.findSubjects(user.id, provisioning.issuer),
        identityHolder: made === null ? await holderOf(wanted.externalId) : known,
        teams: await holdTeamsBySlug(transaction, findPlace(provisioning.table, groups).teams),
        ownedAssets: user === null ? [] : await transaction.findAssetsOwnedBy([user.id]),
      };
      return applyDecided(transaction, decideAccount(facts, wanted, provisioning, by));
    }),
  );
};

/** New users wait only for others with one of their names, so that a provider makes many at once. */
function namesOf(made: WantedAccount | null): readonly string[] | undefined {
  if (made === null) return undefined;
  const { email, userName, externalId } = made;
  return [email, userName, ...(externalId === null ? [] : [externalId])];
}

const nobody = { user: null, account: null, lockedAssets: [] } as const;

async function lockAccount(transaction: Transaction, id: UserId) {
  const lockedAssets = await transaction.lockAssetsOwnedBy([id]);
  const user = await transaction.lockUser(id);
  return { lockedAssets, user, account: await transaction.findAccount(id) };
}
