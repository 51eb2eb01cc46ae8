// `concordat can-i-deploy`: whether consumers can read what a producer would publish, and whether the
// contracts in force meet what a consumer reads.

import type { StatedNeed } from '../../../core/need.ts';
import { findUnmet, makeNeed } from '../../../core/needs/make-need.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/value/json.ts';
import type { Client } from '../../../wire/client.ts';
import type { CommandLineIo } from '../../command-line.ts';
import { isRefused, type ReportItem } from '../../diff/report.ts';
import { type ExitCode, exitCode, wrongUsage } from '../../exit-code.ts';
import { findFiles } from '../../input/find-files.ts';
import { readFiles } from '../../input/read-files.ts';
import { readTextFile } from '../../input/read-text.ts';
import type { ReadOptions } from '../../input/subject.ts';
import { inColumns } from '../../manage/tell.ts';
import type { RegistryOptions } from '../../options.ts';
import { writeText } from '../../output.ts';
import { parseYaml } from '../../parse-yaml.ts';
import { brokenPlace } from '../../print/words.ts';
import { startProgress } from '../../progress.ts';
import { assessFiles } from '../assess.ts';
import { connect, mustAnswer, type Registry } from '../connection/connect.ts';
import { findAsset, inTurns } from '../find-things.ts';

export interface DeployOptions extends ReadOptions, RegistryOptions {
  readonly needs?: string;
  readonly asset?: string;
  readonly environment?: string;
  readonly format: 'text' | 'json';
}

type Answer = 'yes' | 'no' | 'unknown';

interface DeployLine {
  readonly asset: string;
  /** Null for a line about what a consumer reads. */
  readonly consumer: string | null;
  readonly answer: Answer;
  readonly why: string;
}

export async function runDeploy(
  inputs: readonly string[],
  options: DeployOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  if (inputs.length === 0 && options.needs === undefined) {
    throw wrongUsage('Name the files of a producer, or the needs of a consumer with --needs.');
  }
  const registry = connect(options, io);
  const ofProducer =
    inputs.length === 0 ? nothing : await askForFiles(registry, inputs, options, io);
  const ofConsumer = options.needs === undefined ? [] : await askForNeeds(registry.client, options);
  const lines = [...ofProducer.lines, ...ofConsumer];
  const isRefusedByOne = lines.some(({ answer }) => answer !== 'yes') || ofProducer.isRefused;
  const code = isRefusedByOne
    ? exitCode.breaking
    : ofProducer.isOpen
      ? exitCode.unreadableInput
      : exitCode.fine;
  const text = options.format === 'json' ? toJson(lines, code) : toTable(lines, code);
  await writeText(io.stdout, text);
  return code;
}

interface FileAnswers {
  readonly lines: readonly DeployLine[];
  readonly isRefused: boolean;
  /** Not everything could be read, so nothing is certain. */
  readonly isOpen: boolean;
}

const nothing: FileAnswers = { lines: [], isRefused: false, isOpen: false };

async function askForFiles(
  registry: Registry,
  inputs: readonly string[],
  options: DeployOptions,
  io: CommandLineIo,
): Promise<FileAnswers> {
  const found = await findFiles(inputs, io.stdin);
  const files = await readFiles(found.files, options);
  const progress = startProgress(io.stderr);
  const report = await assessFiles(registry, files, { ...options, question: 'impact' }, progress);
  for (const { file, place, message } of report.problems) {
    await writeText(io.stderr, `${file}, ${place}: ${message}\n`);
  }
  return {
    lines: report.items.flatMap(linesOf),
    isRefused: report.items.some((item) => isRefused(item, 'may_break')),
    isOpen: report.problems.some(({ leavesUnread }) => leavesUnread),
  };
}

function linesOf(item: ReportItem): readonly DeployLine[] {
  const asset = item.fqn ?? item.name;
  const verdicts = item.consumers?.verdicts ?? [];
  if (verdicts.length === 0) {
    const why = item.isBreaking ? 'It breaks, and has no consumers.' : item.changeKind;
    return [{ asset, consumer: null, answer: item.isBreaking ? 'no' : 'yes', why }];
  }
  return verdicts.map(({ team, verdict, reason = '', ...broken }) => ({
    asset,
    consumer: team,
    answer: ({ unaffected: 'yes', breaks: 'no', may_break: 'unknown' } as const)[verdict],
    why: brokenPlace(broken) ?? reason,
  }));
}

async function askForNeeds(
  client: Client,
  { needs: path = '', environment = 'production' }: DeployOptions,
): Promise<readonly DeployLine[]> {
  const parsed = await parseYaml(await readTextFile(path));
  if (!parsed.ok) throw wrongUsage(`${path} is no JSON or YAML: ${parsed.message}`);
  if (!isJsonObject(parsed.value)) throw wrongUsage(`${path} must be an object, by FQN.`);
  return inTurns(Object.entries(parsed.value), ([fqn, need]) =>
    askForNeed(client, fqn, environment, statedOf(need, `${path}, ${fqn}`)),
  );
}

function statedOf(need: Json, place: string): StatedNeed {
  const { fields, schema = null, guarantees }: JsonObject = isJsonObject(need) ? need : {};
  const also = areTexts(guarantees) ? { guarantees } : {};
  if (areTexts(fields)) return { fields, ...also };
  if (schema !== null) return { schema, ...also };
  throw wrongUsage(`${place} must have fields, such as [$.id], or a schema.`);
}

function areTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

async function askForNeed(
  client: Client,
  fqn: string,
  environment: string,
  stated: StatedNeed,
): Promise<DeployLine> {
  const about = { asset: fqn, consumer: null };
  const asset = await findAsset(client, fqn, environment);
  const id = asset?.active_contract_id ?? null;
  if (id === null) return { ...about, answer: 'no', why: `It has no contract in ${environment}.` };
  const contract = mustAnswer(await client.getContract({ params: { contract_id: id } }));
  const { schema, direction, dialect, guarantees } = contract;
  const side = { schema: schema as Json, direction, ...(dialect !== null && { dialect }) };
  const made = makeNeed(stated, side);
  if (!made.ok) throw wrongUsage(`${fqn}: ${made.problem.message}`);
  const unmet = findUnmet(made.need, { ...side, guarantees });
  if (unmet === null) return { ...about, answer: 'yes', why: `met by ${contract.version}` };
  const isKnown = unmet.path !== undefined || unmet.witness !== undefined;
  return { ...about, answer: isKnown ? 'no' : 'unknown', why: unmet.message };
}

function toJson(lines: readonly DeployLine[], code: ExitCode): string {
  return `${JSON.stringify({ can_deploy: code === exitCode.fine, answers: lines }, null, 2)}\n`;
}

const answerTexts: Readonly<Record<Answer, string>> = { yes: 'yes', no: 'NO', unknown: 'UNKNOWN' };

function toTable(lines: readonly DeployLine[], code: ExitCode): string {
  const rows = lines.map(({ asset, consumer, answer, why }) => {
    return [asset, consumer ?? '', answerTexts[answer], why];
  });
  const table = inColumns([['ASSET', 'CONSUMER', 'ANSWER', 'WHY'], ...rows]);
  return `${table.join('\n')}\n\n${code === exitCode.fine ? 'Yes' : 'No'}.\n`;
}
