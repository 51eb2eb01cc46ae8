import { isManagedBy } from '../../core/asset.ts';
import type { Deleted } from '../../core/decide/commands.ts';
import type { ReleaseTeam } from '../../core/decide/people/commands.ts';
import type { Left } from '../../core/decide/people/delete-team.ts';
import { decideDeclaring, decideRelease } from '../../core/decide/people/managed-team.ts';
import { accept } from '../../core/failure.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import { tryAgain } from '../try-again.ts';

/** Lets a team go that the object holds, or deletes it too. Another team is left alone. */
export const releaseTeam: Verb<ReleaseTeam, Deleted> = async (ports, context, command) => {
  const holder = decideDeclaring(context.actor, command.slug);
  if (!holder.ok) return holder;
  const outcome = await tryAgain(() =>
    ports.attempt<Left>(context, async (transaction) => {
      const facts = await transaction.lockTeam(command.teamId);
      const isOurs = facts !== null && isManagedBy(facts.team, holder.value);
      if (!isOurs || facts.team.slug !== command.slug) return accept({ deleted: true, left: [] });
      const decided = decideRelease(facts, command, byOf(context, transaction));
      return applyDecided(transaction, decided);
    }),
  );
  if (!outcome.ok) return outcome;
  for (const assetId of outcome.value.left) await settleProposal(ports, context, assetId);
  return accept({ deleted: true });
};
