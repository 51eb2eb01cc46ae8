// What time brings about, and what a crash between an answer and its consequence left. For the start
// of a process and every minute or so; several replicas may do it at once.

import { advanceMigrations } from './advance-migrations.ts';
import type { Context, Ports } from './ports.ts';
import { settleOverdueProposals } from './settle-proposal.ts';

export async function sweep(ports: Ports, context: Context<never>): Promise<void> {
  await advanceMigrations(ports, context);
  await settleOverdueProposals(ports, context);
}
