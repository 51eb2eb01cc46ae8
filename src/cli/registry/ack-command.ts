// `concordat ack`: a consumer's answer to a proposal.

import { isReason, reasonLength } from '../../core/decide/reason.ts';
import { isId } from '../../core/id.ts';
import type { Client } from '../../wire/client.ts';
import type { CommandLineIo } from '../command-line.ts';
import { type ExitCode, exitCode, wrongUsage } from '../exit-code.ts';
import type { RegistryOptions } from '../options.ts';
import { counted, writeText } from '../output.ts';
import { connect, mustAnswer } from './connection/connect.ts';
import { mustFindAsset, mustFindTeam } from './find-things.ts';

export interface AckOptions extends RegistryOptions {
  readonly response: 'approved' | 'migrating' | 'blocked';
  readonly notes?: string;
  readonly until?: string;
  readonly team?: string;
  readonly round?: number;
  readonly reason?: string;
  readonly environment?: string;
  readonly format: 'text' | 'json';
}

export async function runAck(
  proposal: string,
  options: AckOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  const { response, notes, until, team, reason, round } = options;
  if (response === 'blocked' && notes === undefined) {
    throw wrongUsage('Explain why the proposal is blocked: add --notes "why".');
  }
  if (until !== undefined && response !== 'migrating') {
    throw wrongUsage('--until needs --response migrating.');
  }
  if (reason !== undefined && !isReason(reason)) {
    throw wrongUsage(
      `--reason needs at least ${reasonLength} letters, digits or punctuation marks.`,
    );
  }
  const { client } = connect(options, io);
  const id = isId(proposal) ? proposal : await findOpenProposal(client, proposal, options);
  const teamId = team === undefined ? null : await mustFindTeam(client, team);
  const answer = mustAnswer(
    await client.acknowledgeProposal({
      params: { proposal_id: id },
      body: {
        response,
        ...(round === undefined ? {} : { round }),
        ...(reason === undefined ? {} : { reason }),
        ...(notes === undefined ? {} : { notes }),
        ...(until === undefined ? {} : { until: momentOf(until) }),
        ...(teamId === null ? {} : { team_id: teamId }),
      },
    }),
  );
  const left = answer.remaining_consumers;
  const rest =
    response === 'blocked'
      ? 'It is not published unless your team answers again, or an administrator forces it.'
      : left === 0
        ? `All consumers agreed.${answer.proposal.status === 'pending' ? ` To publish it: concordat proposal publish ${id}` : ''}`
        : `${counted(left, 'consumer')} ${left === 1 ? 'has' : 'have'} not agreed yet.`;
  const text =
    options.format === 'json'
      ? `${JSON.stringify(answer, null, 2)}\n`
      : `Proposal ${id} is ${answer.proposal.status}: ${team ?? 'you'} answered ${response}. ${rest}\n`;
  await writeText(io.stdout, text);
  return exitCode.fine;
}

/** Days end in UTC. */
function momentOf(until: string): string {
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(until) ? `${until}T23:59:59Z` : until;
  if (Number.isNaN(Date.parse(moment))) {
    throw wrongUsage(`"${until}" is not a date. Use the form 2026-12-31.`);
  }
  return new Date(moment).toISOString();
}

async function findOpenProposal(
  client: Client,
  name: string,
  { environment = 'production' }: AckOptions,
): Promise<string> {
  const asset = await mustFindAsset(client, name, environment);
  // Includes rejected proposals, because a team that blocked one may take that back.
  for (const status of ['pending', 'rejected'] as const) {
    const query = { asset_id: asset.id, status, page_size: 1 };
    const [found] = mustAnswer(await client.listProposals({ query })).results;
    if (found !== undefined) return found.id;
  }
  throw wrongUsage(`${name} has no open proposal to answer.`);
}
