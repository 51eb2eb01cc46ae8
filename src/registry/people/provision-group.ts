import { decideAccess } from '../../core/decide/access.ts';
import { notFound } from '../../core/decide/not-found.ts';
import type { ProvisionGroup } from '../../core/decide/people/commands.ts';
import { compareMembers, decideGroup, givesPlaces } from '../../core/decide/people/provisioning.ts';
import { findPlace } from '../../core/decide/people/sign-in.ts';
import type { ProvisionedGroup } from '../../core/user.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { tryAgain } from '../try-again.ts';
import { holdTeamsBySlug } from './admit-user.ts';

/** Changes a group, and the team and role of every member who has another place after it. */
export const provisionGroup: Verb<ProvisionGroup, ProvisionedGroup> = async (
  ports,
  context,
  { provisioning, groupId, revise },
) => {
  const access = decideAccess(context.actor, 'provision_people', null);
  if (!access.ok) return access;
  return tryAgain(() =>
    ports.attempt(context, async (transaction) => {
      // Of two changes of one group, the second waits for the first, so that no member is lost.
      await transaction.lockUserNames();
      const current = groupId === null ? null : await transaction.findGroup(groupId);
      if (groupId !== null && current === null) return notFound('GROUP', groupId);
      const revised = revise(current);
      if (!revised.ok) return revised;
      const wanted = revised.value;
      const { table } = provisioning;
      const { added, removed, stayed } = compareMembers(current, wanted);
      const isFelt = givesPlaces(table, current, wanted);
      const isRenamed = wanted?.displayName !== current?.group.displayName;
      const changing = isFelt ? [...added, ...removed, ...(isRenamed ? stayed : [])] : [];
      const lockedAssets = await transaction.lockAssetsOwnedBy(changing);
      const members = await transaction.lockMembers(isFelt ? changing : added);
      const named = wanted === null ? [] : [wanted.displayName];
      const slugs = members.flatMap(
        ({ groups }) => findPlace(table, [...groups.map((one) => one.displayName), ...named]).teams,
      );
      const facts = {
        ...{ current, lockedAssets },
        namesake: wanted === null ? null : await transaction.findGroupByName(wanted.displayName),
        members,
        teams: await holdTeamsBySlug(transaction, isFelt ? slugs : []),
        ownedAssets: await transaction.findAssetsOwnedBy(changing),
      };
      const decided = decideGroup(facts, wanted, provisioning, byOf(context, transaction));
      return applyDecided(transaction, decided);
    }),
  );
};
