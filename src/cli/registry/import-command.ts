// `concordat import`: imports files into a registry, one transaction each.

import { wordsOf } from '../../core/import/document-kinds.ts';
import type { JsonObject } from '../../core/value/json.ts';
import type { CommandLineIo } from '../command-line.ts';
import { type ExitCode, exitCode, wrongUsage } from '../exit-code.ts';
import { findFiles } from '../input/find-files.ts';
import { readSourceFile } from '../input/read-file.ts';
import { unreadable } from '../input/read-text.ts';
import type { ReadFile, ReadOptions, SourceFile } from '../input/subject.ts';
import type { RegistryOptions } from '../options.ts';
import { counted, printable, writeText } from '../output.ts';
import { startProgress } from '../progress.ts';
import { connect, mustAnswer, type Registry } from './connection/connect.ts';
import { mustFindService, mustFindTeam } from './find-things.ts';
import { bodyOf } from './preview.ts';
import { readRunResults, recordResults, resultsText } from './record-results.ts';
import { refuseUnimported } from './refuse-unimported.ts';

export interface ImportOptions extends RegistryOptions, ReadOptions {
  readonly owner?: string;
  readonly service?: string;
  readonly conflict: 'ignore' | 'overwrite' | 'fail';
  /** If absent, the registry's default applies. */
  readonly publish?: boolean;
  readonly propose?: boolean;
  readonly registerConsumers?: boolean;
  readonly inferConsumers?: boolean;
  readonly prune?: 'report' | 'deprecate';
  readonly partial?: boolean;
  readonly dryRun?: boolean;
  readonly environment?: string;
  readonly format: 'text' | 'json';
}

export async function runImport(
  inputs: readonly string[],
  options: ImportOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  const registry = connect(options, io);
  const found = await findFiles(inputs, io.stdin);
  const files: Importable[] = [];
  // All files are read before the first is sent, so a fault in the last one imports nothing.
  for (const file of found.files) files.push(await readImportable(file, options));
  const owner =
    options.owner === undefined ? null : await mustFindTeam(registry.client, options.owner);
  if (owner === null && files.some(({ kind }) => kind === 'document')) {
    throw wrongUsage('Add --owner: the team that owns assets without an owner in the file.');
  }
  const { client } = registry;
  const { service } = options;
  const own = {
    owner_team_id: owner ?? '',
    ...(service !== undefined && { service_id: await mustFindService(client, service) }),
  };
  const progress = startProgress(io.stderr);
  let code: ExitCode = exitCode.fine;
  for (const file of files) {
    await progress.tell(() => `Importing ${file.path}`);
    if (file.kind === 'results') {
      const recorded = await recordResults(registry, file.results, options.environment);
      progress.end();
      await tell({ file: file.path, ...recorded }, resultsText(file.path, recorded), options, io);
      continue;
    }
    const imported = await importFile(registry, file.document, own, options);
    progress.end();
    await tell({ file: file.path, ...imported }, importText(file.document, imported), options, io);
    if (imported.status === 'partial') code = exitCode.breaking;
  }
  return code;
}

type Importable =
  | { readonly kind: 'results'; readonly path: string; readonly results: JsonObject }
  | { readonly kind: 'document'; readonly path: string; readonly document: ReadFile };

async function readImportable(file: SourceFile, options: ImportOptions): Promise<Importable> {
  const results = readRunResults(file);
  if (results !== null) return { kind: 'results', path: file.path, results };
  const read = await readSourceFile({ ...file, isNamed: true }, options);
  if (read === null) throw unreadable(file, '$', 'this kind of file cannot be imported.');
  refuseUnimported(read);
  if (read.kind === 'datacontract' || read.kind === 'jsonschema') {
    const what = wordsOf(read.kind);
    throw wrongUsage(`${file.path} is ${what}. Publish it: concordat publish ${file.path}.`);
  }
  return { kind: 'document', path: file.path, document: read };
}

async function importFile(
  { client }: Registry,
  file: ReadFile,
  own: { readonly owner_team_id: string; readonly service_id?: string },
  options: ImportOptions,
): Promise<Imported> {
  const body = bodyOf(file, options);
  const rows = {
    ...own,
    conflict_mode: options.conflict,
    ...(options.prune === undefined ? {} : { prune: options.prune }),
    ...(options.partial === undefined ? {} : { partial: options.partial }),
    ...(options.dryRun === undefined ? {} : { dry_run: options.dryRun }),
    ...(options.publish === undefined ? {} : { auto_publish_contracts: options.publish }),
    ...(options.propose === undefined ? {} : { auto_create_proposals: options.propose }),
  };
  const registers =
    options.registerConsumers === undefined
      ? {}
      : { auto_register_consumers: options.registerConsumers };
  const infers =
    options.inferConsumers === undefined
      ? {}
      : { infer_consumers_from_refs: options.inferConsumers };
  switch (file.kind) {
    case 'dbt':
      return mustAnswer(
        await client.uploadBuildtool({
          body: { ...body.manifest(), ...rows, ...registers, ...infers },
        }),
      );
    case 'openapi':
      return mustAnswer(await client.importOpenapi({ body: { ...body.openapi(), ...rows } }));
    case 'graphql':
      return mustAnswer(await client.importGraphql({ body: { ...body.graphql(), ...rows } }));
    case 'odcs':
      return mustAnswer(
        await client.importOdcs({ body: { ...body.odcs(), ...rows, ...registers } }),
      );
    default:
      throw new Error(`A ${file.kind} is no import.`);
  }
}

/** The common part of every import's response. */
interface Imported {
  readonly status: 'success' | 'partial';
  readonly dry_run: boolean;
  readonly assets: {
    readonly created: number;
    readonly updated: number;
    readonly skipped: number;
    readonly unchanged: number;
    readonly failed: number;
    readonly without_schema: number;
  };
  readonly contracts: { readonly published: number; readonly unchanged: number };
  readonly proposals: {
    readonly created: number;
    readonly details: readonly {
      readonly proposal_id: string | null;
      readonly asset_fqn: string;
      readonly breaking_changes_count: number;
    }[];
  };
  readonly registrations: { readonly created: number };
  readonly removed: readonly {
    readonly fqn: string;
    readonly moved_to?: string | undefined;
    readonly breaking: boolean;
  }[];
  readonly errors: readonly { readonly message: string; readonly place: string }[];
}

async function tell(
  answer: object,
  lines: readonly string[],
  { format }: ImportOptions,
  io: CommandLineIo,
): Promise<void> {
  const text =
    format === 'json' ? JSON.stringify(answer, null, 2) : lines.map(printable).join('\n');
  await writeText(io.stdout, `${text}\n`);
}

function importText(file: ReadFile, imported: Imported): readonly string[] {
  const { assets, contracts, proposals, registrations, removed, errors } = imported;
  const were = (count: number, noun: string) =>
    `${counted(count, noun)} ${imported.dry_run ? 'would be' : count === 1 ? 'was' : 'were'}`;
  return [
    `= ${file.path}: ${were(assets.created, 'asset')} created, ${assets.updated} updated, ${assets.unchanged} unchanged, ${assets.skipped} skipped, ${assets.failed} failed.`,
    `  ${were(contracts.published, 'contract')} published, ${contracts.unchanged} unchanged; ${were(registrations.created, 'consumer')} registered; ${counted(assets.without_schema, 'asset')} without a schema.`,
    ...proposals.details.flatMap(({ asset_fqn, breaking_changes_count, proposal_id: id }) => [
      `  ? ${asset_fqn}: ${counted(breaking_changes_count, 'breaking change')}, proposal ${id ?? '(dry run)'}`,
      ...(id === null
        ? []
        : [`    To see who has to agree, and what is next: concordat proposal show ${id}`]),
    ]),
    ...removed.map(({ fqn, moved_to: to, breaking }) => {
      const gone = to === undefined ? 'is missing from the file' : `moved to ${to}`;
      return `  - ${fqn} ${gone}${breaking ? ', but has consumers' : ''}`;
    }),
    ...errors.map(({ message, place }) => `  ! ${place}: ${message}`),
  ];
}
