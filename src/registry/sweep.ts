// Work that becomes due with time, and work that a crash left between an answer and its
// consequence. Runs at startup and about every minute; several replicas may run it at once.

import type { ProposalId } from '../core/id.ts';
import { archiveContracts } from './contracts/archive-contracts.ts';
import { tellSunsets } from './contracts/tell-sunsets.ts';
import { reportEndingKeys } from './people/report-ending-keys.ts';
import type { Context, Ports } from './ports.ts';
import { advanceMigrations } from './proposals/advance-migrations.ts';
import { passDeadlines } from './proposals/pass-deadlines.ts';
import { settleOverdueProposals } from './proposals/settle-proposal.ts';
import { endDepartures } from './registrations/end-departures.ts';
import { reviewDue } from './registrations/review-needs.ts';

interface Retention {
  /** How long to keep a deprecated version that nobody pins; undefined keeps it for ever. */
  readonly archiveAfterMs?: number | undefined;
}

/**
 * Returns a function that runs one sweep. Each run continues where the previous one had to stop.
 */
export function openSweep(
  ports: Ports,
  context: Context<never>,
  { archiveAfterMs }: Retention = {},
): () => Promise<void> {
  let settledTo: ProposalId | null = null;
  return async () => {
    await advanceMigrations(ports, context);
    await endDepartures(ports, context);
    await reportEndingKeys(ports, context);
    await passDeadlines(ports, context);
    settledTo = await settleOverdueProposals(ports, context, settledTo);
    await reviewDue(ports, context, null);
    await tellSunsets(ports, context);
    if (archiveAfterMs === undefined) return;
    const before = new Date(Date.parse(context.now()) - archiveAfterMs).toISOString();
    await archiveContracts(ports, context, before);
  };
}
