// What time brings about, and what a crash between an answer and its consequence left. For the start
// of a process and every minute or so; several replicas may do it at once.

import { advanceMigrations } from './advance-migrations.ts';
import { archiveContracts } from './archive-contracts.ts';
import type { Context, Ports } from './ports.ts';
import { settleOverdueProposals } from './settle-proposal.ts';

export interface Retention {
  /** How long a deprecated version that nobody pins is kept; undefined for ever. */
  readonly archiveAfterMs?: number | undefined;
}

export async function sweep(
  ports: Ports,
  context: Context<never>,
  { archiveAfterMs }: Retention = {},
): Promise<void> {
  await advanceMigrations(ports, context);
  await settleOverdueProposals(ports, context);
  if (archiveAfterMs === undefined) return;
  const before = new Date(Date.parse(context.now()) - archiveAfterMs).toISOString();
  await archiveContracts(ports, context, before);
}
