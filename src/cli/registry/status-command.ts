// `concordat status`: shows what waits in a registry, and for whom. Uses only the public API.

import { setTimeout as delay } from 'node:timers/promises';
import type { CommandLineIo } from '../command-line.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import type { RegistryOptions } from '../options.ts';
import { counted, type Paint, paintFor, printable, writeText } from '../output.ts';
import { connect, mustAnswer, type Registry } from './connection/connect.ts';
import { inTurns, listConsumers, mustFindAsset, mustFindTeam } from './find-things.ts';
import { lookAtSources, type SourceStatus, sourceText } from './sources/look-at-sources.ts';

export interface StatusOptions extends RegistryOptions {
  readonly team?: string;
  readonly watch?: boolean;
  readonly interval: number;
  readonly environment?: string;
  readonly format: 'text' | 'json';
}

export async function runStatus(
  assets: readonly string[],
  options: StatusOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  const registry = connect(options, io);
  const teamId =
    options.team === undefined ? null : await mustFindTeam(registry.client, options.team);
  const paint = paintFor(io.stdout, io.env);
  let shown = '';
  for (;;) {
    const status = await look(registry, assets, teamId, options);
    const text =
      options.format === 'json'
        ? `${JSON.stringify(status, null, options.watch === true ? 0 : 2)}\n`
        : statusText(status, paint);
    if (text !== shown) {
      const isTerminal = options.watch === true && io.stdout.isTTY === true;
      const isRead = await writeText(io.stdout, isTerminal ? `${clearScreen}${text}` : text);
      if (!isRead) return codeOf(status);
      shown = text;
    }
    if (options.watch !== true) return codeOf(status);
    await delay(options.interval * 1000);
  }
}

function codeOf({ ready }: Status): ExitCode {
  return ready ? exitCode.fine : exitCode.registryNotReachable;
}

const clearScreen = '\u001b[2J\u001b[H';

interface Status {
  readonly url: string;
  readonly version: string;
  readonly ready: boolean;
  readonly sources: readonly SourceStatus[];
  readonly assets: readonly AssetStatus[];
  readonly proposals: readonly ProposalStatus[];
  /** The total, if more wait than are shown. */
  readonly proposals_total: number;
}

interface AssetStatus {
  readonly fqn: string;
  readonly environment: string;
  readonly version: string | null;
  readonly consumers: readonly string[];
}

interface ProposalStatus {
  readonly id: string;
  readonly asset_fqn: string;
  readonly kind: string;
  readonly status: string;
  readonly breaking_changes_count: number;
  readonly can_publish: boolean;
  /** The administrator who requested to force it, if a second one must confirm. */
  readonly force_requested_by: string | null;
  readonly consumers: readonly { readonly team: string; readonly response: string }[];
  /** Of teams that are not asked. */
  readonly objections: readonly { readonly team: string; readonly reason: string }[];
}

/** The number of rows shown; a count reports the rest. */
const maxProposals = 50;

async function look(
  { client, url }: Registry,
  names: readonly string[],
  teamId: string | null,
  { environment = 'production' }: StatusOptions,
): Promise<Status> {
  const health = mustAnswer(await client.getHealth());
  const readiness = await client.getReadiness();
  const found = await inTurns(names, (name) => mustFindAsset(client, name, environment));
  const assets = await inTurns(found, async (asset): Promise<AssetStatus> => {
    const consumers = await listConsumers(client, asset.id);
    return {
      fqn: asset.fqn,
      environment: asset.environment,
      version: asset.active_contract_version,
      consumers: consumers.map(({ name }) => name).sort(),
    };
  });
  const waiting = teamId === null ? {} : { consumer_team_id: teamId, awaiting: true };
  const queries =
    found.length === 0 ? [waiting] : found.map(({ id }) => ({ ...waiting, asset_id: id }));
  const open = await inTurns(
    queries.flatMap((query) =>
      (['pending', 'approved'] as const).map((status) => ({ ...query, status })),
    ),
    async (query) =>
      mustAnswer(await client.listProposals({ query: { ...query, page_size: maxProposals } })),
  );
  const listed = open.flatMap(({ results }) => results).slice(0, maxProposals);
  const proposals = await inTurns(listed, async ({ id }): Promise<ProposalStatus> => {
    const proposal = mustAnswer(await client.getProposal({ params: { proposal_id: id } }));
    return {
      id,
      asset_fqn: proposal.asset_fqn,
      kind: proposal.kind,
      status: proposal.status,
      breaking_changes_count: proposal.breaking_changes_count,
      can_publish: proposal.can_publish,
      force_requested_by: proposal.force_requested?.by.name ?? null,
      consumers: proposal.consumers.map(({ team_name, response }) => ({
        team: team_name,
        response: response ?? 'awaited',
      })),
      objections: (proposal.objections ?? []).map(({ team_name: team, reason }) => ({
        team,
        reason,
      })),
    };
  });
  const total = open.reduce((sum, page) => sum + (page.total ?? page.results.length), 0);
  return {
    url,
    version: health.version,
    ready: readiness.ok && readiness.body.status === 'ready',
    sources: names.length > 0 || teamId !== null ? [] : await lookAtSources(client),
    assets,
    proposals,
    proposals_total: total,
  };
}

function statusText(status: Status, paint: Paint): string {
  const { url, version, ready, sources, assets, proposals, proposals_total: total } = status;
  const health = ready ? paint('green', 'ready') : paint('red', 'not ready');
  const rest = total - proposals.length;
  return `${[
    `${url}: Concordat ${version}, ${health}`,
    ...(sources.length === 0 ? [] : ['']),
    ...sources.flatMap((source) => sourceText(source, paint)),
    ...(assets.length === 0 ? [] : ['', ...assets.map(assetText)]),
    '',
    ...(proposals.length === 0 ? ['Nothing waits for an answer.'] : []),
    ...proposals.flatMap((proposal) => proposalText(proposal, paint)),
    ...(rest > 0 ? [`and ${rest} more.`] : []),
  ].join('\n')}\n`;
}

function assetText({ fqn, environment, version, consumers }: AssetStatus): string {
  const who = consumers.length === 0 ? 'no consumers' : `read by ${consumers.join(', ')}`;
  return `= ${printable(`${fqn} (${environment}): ${version ?? 'no contract yet'}, ${who}`)}`;
}

function proposalText(proposal: ProposalStatus, paint: Paint): readonly string[] {
  const { id, asset_fqn, kind, status, breaking_changes_count: count, can_publish } = proposal;
  const { force_requested_by: requestedBy } = proposal;
  const about = kind === 'schema' ? counted(count, 'breaking change') : kind.replaceAll('_', ' ');
  const state = can_publish ? paint('green', 'can be published') : paint('yellow', status);
  return [
    `? ${paint('bold', printable(asset_fqn))}: ${about}, ${state}, proposal ${id}`,
    ...proposal.consumers.map(({ team, response }) => `    ${printable(team)}: ${response}`),
    ...proposal.objections.map(({ team, reason }) =>
      printable(`    ${team} objects, and is not asked: "${reason}"`),
    ),
    ...(can_publish ? [`    To publish it: concordat proposal publish ${id}`] : []),
    ...(requestedBy === null
      ? []
      : [
          `    ${printable(requestedBy)} requested to force it; a second administrator must confirm`,
        ]),
  ];
}
