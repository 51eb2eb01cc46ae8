// `concordat take-over`: hands over what a source that is gone managed to another one.

import type { Client } from '../../../wire/client.ts';
import type { CommandLineIo } from '../../command-line.ts';
import { type ExitCode, exitCode, wrongUsage } from '../../exit-code.ts';
import type { RegistryOptions } from '../../options.ts';
import { counted, printable, writeText } from '../../output.ts';
import { connect, mustAnswer } from '../connection/connect.ts';
import { mustFindAsset } from '../find-things.ts';

export interface TakeOverOptions extends RegistryOptions {
  readonly to: string;
  readonly reason: string;
  readonly asset?: string;
  readonly yes?: true;
  readonly environment?: string;
  readonly format: 'text' | 'json';
}

export async function runTakeOver(
  source: string,
  options: TakeOverOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  const { reason, asset: fqn, environment = 'production', format } = options;
  const { client } = connect(options, io);
  const sources = mustAnswer(await client.listSources()).results;
  const asset = fqn === undefined ? null : await mustFindAsset(client, fqn, environment);
  const taken = mustAnswer(
    await client.takeOverSource({
      params: { source_id: mustFindSource(sources, source) },
      body: {
        to_source_id: mustFindSource(sources, options.to),
        reason,
        dry_run: options.yes !== true,
        ...(asset === null ? {} : { asset_id: asset.id }),
      },
    }),
  );
  const text = format === 'json' ? `${JSON.stringify(taken, null, 2)}\n` : textOf(taken);
  await writeText(io.stdout, text);
  return exitCode.fine;
}

type Listed = Extract<Awaited<ReturnType<Client['listSources']>>, { ok: true }>['body']['results'];
type Taken = Extract<Awaited<ReturnType<Client['takeOverSource']>>, { ok: true }>['body'];

function mustFindSource(sources: Listed, named: string): string {
  const found = sources.filter(
    ({ id, identity, place }) => id === named || identity === named || place === named,
  );
  const [one] = found;
  if (one !== undefined && found.length === 1) return one.id;
  if (found.length > 1) throw wrongUsage(`Several sources are called ${named}. Use an id.`);
  const known = sources.map(({ identity }) => identity).join(', ');
  throw wrongUsage(`There is no source ${named}. Known sources: ${known || 'none'}.`);
}

function textOf(taken: Taken): string {
  const { assets, registrations, assets_total, registrations_total } = taken;
  const rest = (shown: readonly unknown[], total: number) =>
    total > shown.length ? [`  and ${total - shown.length} more`] : [];
  const lines = [
    `${counted(assets_total, 'asset')}:`,
    ...assets.map(({ fqn, environment, to }) => `  ${fqn} (${environment}): managed by ${to}`),
    ...rest(assets, assets_total),
    `${counted(registrations_total, 'registration')}:`,
    ...registrations.map(
      ({ fqn, environment, consumer_team_name: team }) => `  ${team}: ${fqn} (${environment})`,
    ),
    ...rest(registrations, registrations_total),
    taken.dry_run
      ? 'Nothing was changed. Run the command again with --yes to take over.'
      : 'The source has taken over.',
    ...(taken.has_more ? ['There is more: run the command again.'] : []),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}
