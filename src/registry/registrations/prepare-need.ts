import { termsOf } from '../../core/contract.ts';
import { decideAccess } from '../../core/decide/access.ts';
import type { SetNeed } from '../../core/decide/commands.ts';
import type { PreparedNeed } from '../../core/decide/registrations/set-need.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { AssetId, TeamId } from '../../core/id.ts';
import type { Context, Ports } from '../ports.ts';

/**
 * Examines a stated need with the contract in force, before anything is locked. Null if none is
 * stated, or if the objects do not exist.
 */
export async function prepareNeed(
  { reads, engine }: Pick<Ports, 'reads' | 'engine'>,
  { actor }: Pick<Context<never>, 'actor'>,
  { needs: stated, leavesOut = false }: SetNeed,
  of: { readonly assetId: AssetId; readonly consumerTeamId: TeamId } | null,
): Promise<Outcome<PreparedNeed | null>> {
  if (stated === undefined || of === null) return accept(null);
  const access = decideAccess(actor, 'set_needs', of.consumerTeamId);
  if (!access.ok) return access;
  const base = (await reads.getPublishBase(of.assetId))?.base ?? null;
  if (base === null) return accept(null);
  if (stated === null) return accept({ baseId: base.id, examined: null });
  const examined = await engine.examineNeed({ stated, leavesOut, contract: termsOf(base) });
  return examined.ok ? accept({ baseId: base.id, examined: examined.value }) : examined;
}
