// Options that several commands share.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CompatibilityMode } from '../core/comparison.ts';
import { inputKinds } from '../core/import/document-kinds.ts';
import { type Format, formats } from './print/formats.ts';

export function addAll(command: Command, options: readonly Option[]): void {
  for (const option of options) command.addOption(option);
}

const dialects = [
  'draft-04',
  'draft-06',
  'draft-07',
  '2019-09',
  '2020-12',
  'openapi-3.0',
  'openapi-3.1',
] as const;

export function dialectOption(): Option {
  const text = 'dialect of schemas without $schema (default: 2020-12)';
  return new Option('--dialect <dialect>', text).choices([...dialects]);
}

const modes: readonly CompatibilityMode[] = ['backward', 'forward', 'full', 'none'];

export function modeOption(text: string): Option {
  return new Option('--mode <mode>', text).choices([...modes]);
}

function judgingOptions(): readonly Option[] {
  return [
    modeOption("use this mode instead of the old contract's mode (backward if it has none)"),
    new Option(
      '--direction <direction>',
      'who writes the values: see docs/compatibility.md (default: data, or derived from the file)',
    ).choices(['data', 'request', 'response', 'operation']),
    ...namingOptions(),
  ];
}

export function namingOptions(): readonly Option[] {
  return [
    new Option('--prefix <prefix>', 'what the FQNs of OpenAPI and GraphQL start with'),
    new Option('--naming <form>', 'FQNs of OpenAPI: by title or by path').choices([
      'title',
      'path',
    ]),
  ];
}

/** The options that a registry has as settings, for reading a manifest without a registry. */
export function dbtOptions(): readonly Option[] {
  return [
    new Option('--nullable-columns', 'dbt: a column is nullable unless it is declared not null'),
    new Option('--integer-at-scale-0', 'dbt: treat a numeric with scale 0 as an integer'),
    new Option('--not-null-as-required', 'dbt: treat a not-null column as required'),
  ];
}

export function stateOption(): Option {
  const text =
    "a folder with the dbt manifest of another target, such as production: models stand where they stand there, as with dbt's --state";
  return new Option('--state <folder>', text);
}

function metaAliasesOption(): Option {
  const text = 'dbt: more names of the meta block svc, separated by commas (default: META_ALIASES)';
  return new Option('--meta-aliases <names>', text).argParser(toNames);
}

/** Parsed like the registry's setting of that name. */
export function toNames(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

export function kindOption(): Option {
  const text = 'kind of the files, instead of detecting it';
  return new Option('--kind <kind>', text).choices([...inputKinds]);
}

export function baseOption(): Option {
  const text = 'a folder with files that schemas refer to, by $id or by path';
  return new Option('--base <folder>', text);
}

/** How two versions of files are read and compared. */
export function comparingOptions(): readonly Option[] {
  return [
    kindOption(),
    ...judgingOptions(),
    ...dbtOptions(),
    metaAliasesOption(),
    dialectOption(),
    baseOption(),
  ];
}

/** Text for people or JSON for programs. */
export function formatOption(): Option {
  return new Option('--format <format>', 'output format').choices(['text', 'json']).default('text');
}

export interface ReportOptions {
  readonly format: Format;
  readonly failOn: 'breaking' | 'may_break' | 'any' | 'never';
  readonly report?: readonly ReportFile[];
  readonly show: 'urgent' | 'all';
  /** The name of the comment. */
  readonly comment?: string;
}

interface ReportFile {
  readonly format: Format;
  readonly path: string;
}

export function reportOptions(): readonly Option[] {
  return [
    new Option('--format <format>', 'output format').choices([...formats]).default('text'),
    new Option(
      '--report <format=file>',
      'also write this format to a file; may be repeated',
    ).argParser(toReportFile),
    new Option('--show <what>', 'text: breaks and warnings, or all changes')
      .choices(['urgent', 'all'])
      .default('urgent'),
    new Option(
      '--fail-on <what>',
      'which result sets exit code 1; may_break: also if a registry cannot tell whether a consumer breaks',
    )
      .choices(['breaking', 'may_break', 'any', 'never'])
      .default('breaking'),
    new Option(
      '--comment <name>',
      'in a job of GitHub or GitLab: keep one comment of this name on its pull or merge request',
    ).argParser(toCommentName),
  ];
}

/** It stands in the comment, where it is found again. */
function toCommentName(text: string): string {
  if (/^[\w.]+(-[\w.]+)*$/.test(text) && text.length <= 64) return text;
  throw new InvalidArgumentError('Use letters, digits, dots and single hyphens for the name.');
}

function toReportFile(text: string, before: readonly ReportFile[] = []): readonly ReportFile[] {
  const at = text.indexOf('=');
  const format = formats.find((each) => each === text.slice(0, at));
  const path = text.slice(at + 1);
  if (at < 0 || format === undefined || path === '') {
    throw new InvalidArgumentError(
      `Use <format>=<file>, such as markdown=comment.md. Formats: ${formats.join(', ')}.`,
    );
  }
  return [...before, { format, path }];
}

export function acceptanceOptions(): readonly Option[] {
  return [
    new Option(
      '--ignore-file <file>',
      'file of accepted breaks (default: .concordat-ignore, here or at the root)',
    ),
    new Option('--no-ignore', 'accept nothing'),
  ];
}

export interface RegistryOptions {
  readonly registry?: string;
  readonly key?: string;
  readonly timeout: number;
}

export function registryOptions(): readonly Option[] {
  return [...connectionOptions(), assetOption(), environmentOption()];
}

export function connectionOptions(): readonly Option[] {
  return [
    new Option('--registry <url>', 'the registry (default: CONCORDAT_URL)'),
    new Option('--key <key>', 'API key; prefer CONCORDAT_KEY, which process lists do not show'),
    new Option('--timeout <seconds>', 'request timeout').argParser(toSeconds).default(120),
  ];
}

export function assetOption(): Option {
  return new Option('--asset <fqn>', 'registry: the asset that a bare JSON Schema belongs to');
}

export function environmentOption(): Option {
  return new Option(
    '--environment <name>',
    'registry: environment of the assets (default: production)',
  );
}

export function toSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError('Use a number of seconds, more than 0 and at most 86400.');
}

/** @example toDay('2030-01-31') // '2030-01-31' */
export function toDay(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  if (isDay) return text;
  throw new InvalidArgumentError('Use a day of the form 2030-01-31.');
}

/** A parser of whole numbers from `least` to `most`. */
export function wholeNumber(least: number, most?: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= (most ?? number)) return number;
    const range = most === undefined ? `, at least ${least}` : ` from ${least} to ${most}`;
    throw new InvalidArgumentError(`Use a whole number${range}.`);
  };
}
