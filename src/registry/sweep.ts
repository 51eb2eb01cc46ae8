// What time brings about, and what a crash between an answer and its consequence left. For the start
// of a process and every minute or so; several replicas may do it at once.

import type { ProposalId } from '../core/id.ts';
import { archiveContracts } from './contracts/archive-contracts.ts';
import { reportEndingKeys } from './people/report-ending-keys.ts';
import type { Context, Ports } from './ports.ts';
import { advanceMigrations } from './proposals/advance-migrations.ts';
import { settleOverdueProposals } from './proposals/settle-proposal.ts';

interface Retention {
  /** How long a deprecated version that nobody pins is kept; undefined for ever. */
  readonly archiveAfterMs?: number | undefined;
}

/** A sweep, to be made again and again: each goes on where the one before had to stop. */
export function openSweep(
  ports: Ports,
  context: Context<never>,
  { archiveAfterMs }: Retention = {},
): () => Promise<void> {
  let settledTo: ProposalId | null = null;
  return async () => {
    await advanceMigrations(ports, context);
    await reportEndingKeys(ports, context);
    settledTo = await settleOverdueProposals(ports, context, settledTo);
    if (archiveAfterMs === undefined) return;
    const before = new Date(Date.parse(context.now()) - archiveAfterMs).toISOString();
    await archiveContracts(ports, context, before);
  };
}
