// `concordat export`: writes a contract of a registry to a file.

import type { ExportFormat } from '../../core/export/export-format.ts';
import { isId } from '../../core/id.ts';
import type { CommandLineIo } from '../command-line.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import type { RegistryOptions } from '../options.ts';
import { writeText } from '../output.ts';
import { connect, mustAnswer, type Registry } from './connection/connect.ts';
import { mustFindAsset } from './find-things.ts';

export interface ExportOptions extends RegistryOptions {
  readonly format: ExportFormat;
  readonly contractVersion: string;
  readonly environment?: string;
}

export async function runExport(
  asset: string,
  options: ExportOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  const registry = connect(options, io);
  const contract_id = isId(asset) ? asset : await findContract(registry, asset, options);
  const answer = await registry.client.exportContract({
    params: { contract_id },
    query: { format: options.format },
  });
  const text = mustAnswer(answer);
  await writeText(io.stdout, text.endsWith('\n') ? text : `${text}\n`);
  return exitCode.fine;
}

async function findContract(
  { client }: Registry,
  name: string,
  { environment = 'production', contractVersion: version }: ExportOptions,
): Promise<string> {
  const { id: asset_id } = await mustFindAsset(client, name, environment);
  return mustAnswer(await client.getAssetContract({ params: { asset_id, version } })).id;
}
