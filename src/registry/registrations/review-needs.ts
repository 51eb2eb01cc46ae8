// Holds needs against the contract in force, after it was replaced.

import { systemActor } from '../../core/actor.ts';
import { termsOf } from '../../core/contract.ts';
import { decideNeedReview } from '../../core/decide/registrations/set-need.ts';
import { accept } from '../../core/failure.ts';
import type { AssetId, RegistrationId } from '../../core/id.ts';
import type { RegisteredNeed } from '../../core/need.ts';
import type { Context, Ports } from '../ports.ts';

/** The number that one call handles; the next sweep handles the rest. */
const reviewLimit = 100;

/**
 * After a publish of one asset, or of several (null): a need that no version met until now counts from
 * then on, and a need that its team agreed to lose counts no longer. Does not fail: the version is
 * published, and the sweep tries again.
 */
export async function reviewNeeds(
  ports: Ports,
  context: Context<never>,
  assetId: AssetId | null,
): Promise<void> {
  try {
    await reviewDue(ports, context, assetId);
  } catch (error) {
    ports.reportError(error, `review of the needs of ${assetId ?? 'several assets'}`);
  }
}

/** The needs that a crash, or a version from elsewhere, left. */
export async function reviewDue(
  ports: Ports,
  context: Context<never>,
  asset: AssetId | null,
): Promise<void> {
  const { requestId, now, newId } = context;
  const system: Context = { actor: systemActor, requestId, now, newId };
  const due = await ports.reads.listNeedsToReview(asset, reviewLimit);
  for (const each of due) {
    try {
      await reviewOne(ports, system, each);
    } catch (error) {
      // The others do not wait for it.
      ports.reportError(error, `review of the need of registration ${each.id}`);
    }
  }
}

/** If the contract or the need changes meanwhile, the next review sees it. */
async function reviewOne(
  ports: Ports,
  context: Context,
  { id, assetId }: { readonly id: RegistrationId; readonly assetId: AssetId },
): Promise<void> {
  const [registration, found] = await Promise.all([
    ports.reads.getRegistration(id),
    ports.reads.getPublishBase(assetId),
  ]);
  const need = registration?.need ?? null;
  const base = found?.base ?? null;
  if (need === null || base === null || base.status !== 'active') return;
  const examined = await ports.engine.examineNeed({ need, contract: termsOf(base) });
  const isMet = examined.ok && examined.value.unmet === null;
  const status: RegisteredNeed['status'] = isMet ? 'met' : 'unmet';
  if (status === need.status) {
    await ports.reads.recordNeedHeld(assetId, need, base.id);
    return;
  }
  await ports.transact(context, async (transaction) => {
    const facts = await transaction.lockRegistration(id);
    if (facts === null) return accept(true);
    const reviewed = { baseId: base.id, need: { ...need, status } };
    const write = decideNeedReview(facts, reviewed, transaction.now());
    if (write !== null) await transaction.apply([write]);
    return accept(true);
  });
}
