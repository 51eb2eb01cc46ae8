// `concordat publish`: publishes schemas and manifests as versions, or as proposals if they break.

import { wordsOf } from '../../core/import/document-kinds.ts';
import { objectAt, textAt, textsAt } from '../../core/import/read-json.ts';
import type { JsonObject } from '../../core/value/json.ts';
import type { Client } from '../../wire/client.ts';
import type { CommandLineIo } from '../command-line.ts';
import { checkSubject } from '../diff/check-subject.ts';
import { type ExitCode, exitCode, wrongUsage } from '../exit-code.ts';
import { findFiles } from '../input/find-files.ts';
import { readFiles } from '../input/read-files.ts';
import { unreadable } from '../input/read-text.ts';
import type { ReadOptions, Subject } from '../input/subject.ts';
import type { RegistryOptions } from '../options.ts';
import { counted, listedFirst, printable, writeText } from '../output.ts';
import { objectSchema } from './assess.ts';
import { connect, mustAnswer } from './connection/connect.ts';
import { findAsset, mustFindTeam } from './find-things.ts';
import { refuseUnimported } from './refuse-unimported.ts';

export interface PublishOptions extends RegistryOptions, ReadOptions {
  readonly asset?: string;
  readonly owner?: string;
  readonly mode?: 'backward' | 'forward' | 'full' | 'none';
  readonly contractVersion?: string;
  readonly supersede?: boolean;
  readonly reason?: string;
  readonly contact?: string;
  readonly answerBy?: string;
  readonly migration?: string;
  readonly migrateBy?: string;
  readonly dryRun?: boolean;
  readonly commit?: string;
  readonly environment?: string;
  readonly failOn: 'breaking' | 'never';
  readonly format: 'text' | 'json';
}

export async function runPublish(
  inputs: readonly string[],
  options: PublishOptions,
  io: CommandLineIo,
): Promise<ExitCode> {
  const { client } = connect(options, io);
  const found = await findFiles(inputs, io.stdin);
  const files = await readFiles(found.files, options);
  const subjects = files.flatMap((file) => {
    const { kind, path } = file;
    const [problem] = file.problems;
    if (kind === null) throw unreadable(file, '$', problem?.message ?? '');
    refuseUnimported(file);
    if (kind !== 'jsonschema' && kind !== 'datacontract') {
      throw wrongUsage(`${path} is imported, not published: concordat import ${path}.`);
    }
    if (!file.holdsMany) return file.subjects;
    throw wrongUsage(
      `${path} only holds definitions that other schemas use. Publish the schemas that use them.`,
    );
  });
  // All subjects are checked before the first is sent, so a fault in the last one publishes
  // nothing.
  for (const subject of subjects) {
    nameOf(subject, subjects.length, options);
    refuseOther(subject);
    if (subject.terms !== null) await checkSubject(subject, subject.terms);
  }
  let code: ExitCode = exitCode.fine;
  const answers: JsonObject[] = [];
  for (const subject of subjects) {
    const fqn = nameOf(subject, subjects.length, options);
    const answer = await publishSubject(client, subject, fqn, options);
    if (answer.action === 'proposal_created' && options.failOn === 'breaking') {
      code = exitCode.breaking;
    }
    if (options.format === 'text') await writeText(io.stdout, `${textOf(fqn, answer)}\n`);
    else answers.push(jsonOf(subject, answer));
  }
  if (options.format === 'json') {
    await writeText(io.stdout, `${JSON.stringify(answers, null, 2)}\n`);
  }
  return code;
}

function nameOf(subject: Subject, count: number, { asset }: PublishOptions): string {
  if (subject.fqn !== null) return subject.fqn;
  if (asset === undefined) {
    throw wrongUsage(`${subject.name} does not name its asset. Add --asset.`);
  }
  if (count > 1) throw wrongUsage('--asset works with one schema. Publish the others separately.');
  return asset;
}

/** What else a document says beside its schema, such as who sends the values, is not sent. */
function refuseOther({ name, terms, origin }: Subject): void {
  const format = terms?.format ?? 'jsonschema';
  if (format === 'jsonschema') return;
  throw wrongUsage(
    `${name} takes its schema from ${wordsOf(format)} (${origin.file}), which only a source of the registry publishes, a folder or a repository. To see what it changes: concordat diff.`,
  );
}

async function publishSubject(
  client: Client,
  subject: Subject,
  fqn: string,
  options: PublishOptions,
) {
  const environment = subject.environment ?? options.environment ?? 'production';
  const asset = await findAsset(client, fqn, environment);
  const assetId = asset?.id ?? (await createAsset(client, subject, fqn, environment, options));
  const { terms } = subject;
  if (terms === null) throw new Error('What is published has a schema.');
  const mode = options.mode ?? terms.compatibilityMode;
  const version = options.contractVersion ?? textAt(specOf(subject), 'version');
  const body = {
    schema: objectSchema(terms.schema, subject.name),
    ...(mode === undefined ? {} : { compatibility_mode: mode }),
    ...(terms.guarantees === undefined ? {} : { guarantees: terms.guarantees }),
    ...(terms.dialect === undefined ? {} : { dialect: terms.dialect }),
    ...(version === undefined ? {} : { version }),
    ...(options.commit === undefined ? {} : { commit: options.commit }),
    ...(options.supersede === true ? { supersede: true } : {}),
    ...(options.dryRun === true ? { dry_run: true } : {}),
    ...requestOf(options),
  };
  return mustAnswer(await client.publishContract({ params: { asset_id: assetId }, body }));
}

/** Empty if no option is given. The registry stores it only if it creates a proposal. */
function requestOf({ reason, contact, answerBy, migration, migrateBy }: PublishOptions) {
  const request = {
    ...(reason === undefined ? {} : { reason }),
    ...(contact === undefined ? {} : { contact }),
    ...(answerBy === undefined ? {} : { answer_by: answerBy }),
    ...(migration === undefined ? {} : { migration }),
    ...(migrateBy === undefined ? {} : { migrate_by: migrateBy }),
  };
  return Object.keys(request).length === 0 ? {} : { request };
}

async function createAsset(
  client: Client,
  subject: Subject,
  fqn: string,
  environment: string,
  options: PublishOptions,
): Promise<string> {
  const spec = specOf(subject);
  const team = options.owner ?? textAt(spec, 'team');
  if (team === undefined) {
    throw wrongUsage(
      `The registry has no asset ${fqn} in ${environment}. To create it, add --owner.`,
    );
  }
  if (options.dryRun === true) {
    throw wrongUsage(
      `The registry has no asset ${fqn} in ${environment}, and a dry run does not create it. There is nothing to compare with.`,
    );
  }
  const description = textAt(spec, 'description');
  const tags = textsAt(spec, 'tags');
  const metadata: JsonObject = {
    ...(objectAt(spec, 'metadata') ?? {}),
    ...(description === undefined ? {} : { description }),
    ...(tags.length === 0 ? {} : { tags }),
  };
  const owner_team_id = await mustFindTeam(client, team);
  const body = { fqn, owner_team_id, environment, metadata };
  return mustAnswer(await client.createAsset({ body })).id;
}

function specOf({ manifest }: Subject): JsonObject | undefined {
  return manifest === null ? undefined : objectAt(manifest, 'spec');
}

type Answer = Awaited<ReturnType<typeof publishSubject>>;

function textOf(fqn: string, answer: Answer): string {
  const dry = answer.dry_run === true ? ' (dry run)' : '';
  const changes = counted(answer.changes.length, 'change');
  switch (answer.action) {
    case 'published':
      return `+ ${printable(fqn)} ${answer.contract.version} is active${dry}: ${changes}, ${answer.change_type}.${modeText(answer)}`;
    case 'unchanged':
      return `= ${printable(fqn)} ${answer.contract.version} is already active. Nothing changed.`;
    case 'proposal_created': {
      const { id, total_consumers: asked, breaking_changes: breaking } = answer.proposal;
      const teams = answer.proposal.affected_consumers ?? [];
      const known = answer.existing === true ? ' It was already proposed.' : '';
      return [
        `? ${printable(fqn)} waits for ${counted(asked, 'consumer')}${dry}: ${counted(breaking.length, 'breaking change')}, proposal ${id ?? '(none yet)'}.${known}${modeText(answer)}`,
        ...(teams.length === 0 ? [] : [`    asked: ${namesOf(teams)}`]),
        ...breaking.map(({ description }) => `    ✗ ${printable(description)}`),
        ...(id === null ? [] : [`    ${asked === 0 ? publishIt : seeIt} ${id}`]),
      ].join('\n');
    }
    default:
      return answer satisfies never;
  }
}

function modeText({ mode_change: change }: Exclude<Answer, { action: 'unchanged' }>): string {
  if (change === undefined) return '';
  return ` The compatibility mode changes from ${change.from} to ${change.to}.`;
}

function namesOf(teams: readonly { readonly team_name: string }[]): string {
  return listedFirst(
    teams.map(({ team_name: name }) => printable(name)),
    'other team',
  );
}

const publishIt = 'Nobody has to agree. To publish it: concordat proposal publish';
const seeIt = 'To see who has agreed: concordat proposal show';

function jsonOf(subject: Subject, answer: Answer): JsonObject {
  // The cast is safe: the response came as JSON.
  return { file: subject.origin.file, ...(answer as unknown as JsonObject) };
}
