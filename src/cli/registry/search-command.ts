// `concordat search`: finds names in a registry.

import { maxNamedFields } from '../../core/search/name-fields.ts';
import type { ReplyOf, Routes } from '../../wire/routes.ts';
import type { CommandLineIo } from '../command-line.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { inColumns } from '../manage/tell.ts';
import type { RegistryOptions } from '../options.ts';
import { counted, writeText } from '../output.ts';
import { connect, mustAnswer } from './connection/connect.ts';

export interface SearchOptions extends RegistryOptions {
  readonly types?: string;
  readonly limit: number;
  readonly format: 'text' | 'json';
}

type Found = ReplyOf<Routes['search']>['body'];

export async function runSearch(
  asked: readonly string[],
  options: SearchOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  const { types, limit, format } = options;
  const { client } = connect(options, io);
  const query = { q: asked.join(' '), limit, ...(types !== undefined && { types }) };
  const found = mustAnswer(await client.search({ query }));
  const text = format === 'json' ? JSON.stringify(found, null, 2) : linesOf(found).join('\n');
  await writeText(io.stdout, `${text}\n`);
  return exitCode.fine;
}

function linesOf({ results, cut_contracts: cut, pending_contracts: pending }: Found) {
  return [
    ...(results.length === 0 ? ['Nothing was found.'] : inColumns(results.map(rowOf))),
    ...(cut === 0
      ? []
      : [
          `${counted(cut, 'contract')} with more fields than are searched: only the first ${maxNamedFields.toLocaleString('en')} of each are.`,
        ]),
    ...(pending === 0
      ? []
      : [`${counted(pending, 'contract')} with fields that are not searched yet.`]),
  ];
}

function rowOf(hit: Found['results'][number]): readonly string[] {
  switch (hit.type) {
    case 'asset':
      return [hit.type, hit.fqn, `${hit.environment}, ${hit.version ?? 'no contract'}`];
    case 'field':
      return [hit.type, hit.path, `${hit.fqn}, ${hit.environment}, ${hit.version}`];
    case 'proposal':
      return [
        hit.type,
        hit.fqn,
        `${hit.kind.replaceAll('_', ' ')}, ${hit.status}, ${hit.proposal_id}`,
      ];
    case 'service':
      return [hit.type, hit.name, `${hit.owner_team_name}, ${hit.service_id}`];
    case 'team':
      return [hit.type, hit.name, hit.team_id];
    case 'user':
      return [hit.type, hit.name, hit.email];
    default:
      return hit satisfies never;
  }
}
