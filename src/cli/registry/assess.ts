// Compares files with a registry's contracts: the registry's own judgement, as a report for every
// output format.

import type { Change, ChangeType } from '../../core/comparison.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/value/json.ts';
import type { Client } from '../../wire/client.ts';
import type { Consumers, DiffReport, DownstreamAsset, ReportItem } from '../diff/report.ts';
import { wrongUsage } from '../exit-code.ts';
import type { InputProblem, Origin, ReadFile, Subject } from '../input/subject.ts';
import type { Progress } from '../progress.ts';
import { mustAnswer, type Registry } from './connection/connect.ts';
import { findAsset, inTurns, listConsumers } from './find-things.ts';
import type {
  AssessOptions,
  PreviewedChange,
  PreviewedItem,
  PreviewedProblems,
} from './preview.ts';
import { previewDocument } from './preview.ts';
import { refuseUnimported } from './refuse-unimported.ts';

export async function assessFiles(
  registry: Registry,
  files: readonly ReadFile[],
  options: AssessOptions,
  progress: Progress,
): Promise<DiffReport> {
  const items: ReportItem[] = [];
  const problems: InputProblem[] = [];
  for (const file of files) {
    await progress.tell(() => `Asking ${registry.url} about ${file.path}`);
    if (file.kind === 'jsonschema' || file.kind === 'datacontract') {
      const asked = await inTurns(file.subjects, (subject) =>
        assessSubject(registry.client, subject, options),
      );
      items.push(...asked);
      continue;
    }
    if (file.kind === null) {
      problems.push(...file.problems);
      continue;
    }
    refuseUnimported(file);
    const preview = await previewDocument(registry.client, file, options);
    const toItem = itemOf(registry.client, file, options);
    items.push(...(await inTurns(preview.items, toItem)));
    problems.push(...mergedProblems(file, preview.problems));
  }
  progress.end();
  return {
    old: registry.url,
    next: files.map(({ path }) => path).join(', '),
    isPair: false,
    items,
    problems,
    notices: [],
  };
}

/** Compares one schema with one asset. */
async function assessSubject(
  client: Client,
  subject: Subject,
  options: AssessOptions,
): Promise<ReportItem> {
  const fqn = subject.fqn ?? options.asset;
  if (fqn === undefined) {
    throw wrongUsage(
      `${subject.name} does not name its asset. Add --asset, such as --asset shop.public.orders.`,
    );
  }
  const named = { ...subject, name: subject.fqn === null ? fqn : subject.name, fqn };
  const environment = subject.environment ?? options.environment ?? 'production';
  const asset = await findAsset(client, fqn, environment);
  if (asset === null || subject.terms === null) return { ...emptyItem(named), changeKind: 'new' };
  const impact = await askImpact(client, asset.id, named);
  const { changes, is_breaking: isBreaking, change_type: bump } = impact;
  const isFirst = bump === 'initial';
  return {
    ...emptyItem(named),
    changeKind: isFirst ? 'new' : changes.length > 0 ? 'modified' : 'unchanged',
    changes: changes.map(toChange),
    isBreaking,
    breaksBackward: bump === 'major',
    bump: isFirst ? 'none' : bump,
    bumpReason: reasonFor(bump),
    ...hitBy(impact, options.question),
  };
}

/** `diff` is about the contract, and `impact` about its consumers. */
function hitBy(
  impact: ImpactAnswer,
  question: AssessOptions['question'],
): Pick<ReportItem, 'consumers' | 'downstream'> {
  const verdicts = impact.consumers.map(({ team, verdict, origin, path, witness, reason }) => ({
    ...{ team: team.name, verdict, origin },
    ...(path !== undefined && { path }),
    ...(witness !== undefined && { witness: witness as Json }),
    ...(reason !== undefined && { reason }),
  }));
  return {
    consumers: {
      names: impact.affected_consumers.map(({ team_name }) => team_name),
      from: 'registry',
      ...(question === 'impact' && { verdicts }),
    },
    downstream: impact.is_breaking ? toDownstream(impact.downstream.results) : [],
  };
}

export type ImpactAnswer = Awaited<ReturnType<typeof askImpact>>;

export async function askImpact(
  client: Client,
  assetId: string,
  { terms, name }: Pick<Subject, 'terms' | 'name'>,
) {
  if (terms === null) throw new Error('Only what has a schema has an impact.');
  const { guarantees, dialect, schema, compatibilityMode: mode } = terms;
  const body = {
    proposed_schema: objectSchema(schema, name),
    ...(mode === undefined ? {} : { compatibility_mode: mode }),
    ...(guarantees === undefined ? {} : { guarantees }),
    ...(dialect === undefined ? {} : { dialect }),
  };
  return mustAnswer(await client.assessImpact({ params: { asset_id: assetId }, body }));
}

/** `true` and `false` are schemas, but no registry accepts them as a contract. */
export function objectSchema(schema: Json, name: string): JsonObject {
  if (isJsonObject(schema)) return schema;
  throw wrongUsage(
    `${name}: the schema of a contract must be an object, but this one is ${schema}.`,
  );
}

function reasonFor(bump: string): string {
  return bump === 'major'
    ? 'it contains a breaking change.'
    : 'the registry chose it from the changes.';
}

/** One item of a preview, with its consumers if it breaks. */
function itemOf(client: Client, file: ReadFile, options: AssessOptions) {
  const byFqn = new Map(file.subjects.map((subject) => [subject.fqn, subject]));
  return async (previewed: PreviewedItem): Promise<ReportItem> => {
    const { fqn, changeKind, changes, isBreaking, bump } = previewed;
    const subject = byFqn.get(fqn) ?? null;
    const base = subject === null ? goneItem(fqn, file) : emptyItem(subject);
    const item: ReportItem = {
      ...base,
      changeKind,
      changes: changes.map(toChange),
      isBreaking,
      breaksBackward: bump === 'major',
      bump,
      bumpReason: reasonFor(bump),
    };
    const isAsked = isBreaking || (options.question === 'impact' && changeKind === 'modified');
    if (!isAsked) return item;
    const environment = subject?.environment ?? options.environment ?? 'production';
    const asset = await findAsset(client, fqn, environment);
    if (asset === null) return item;
    if (options.question === 'impact' && subject !== null && subject.terms !== null) {
      return { ...item, ...hitBy(await askImpact(client, asset.id, subject), 'impact') };
    }
    const names = (await listConsumers(client, asset.id)).map(({ name }) => name).sort();
    const downstream = await listDownstream(client, asset.id);
    return { ...item, consumers: { names, from: 'registry' } satisfies Consumers, downstream };
  };
}

async function listDownstream(
  client: Client,
  assetId: string,
): Promise<readonly DownstreamAsset[]> {
  const answer = await client.getLineage({
    params: { asset_id: assetId },
    query: { direction: 'downstream' },
  });
  return toDownstream(mustAnswer(answer).results);
}

export function toDownstream(
  found: readonly {
    readonly fqn: string;
    readonly owner_team_name: string;
    readonly depth: number;
  }[],
): readonly DownstreamAsset[] {
  return found.map(({ fqn, owner_team_name: owner, depth }) => ({ fqn, owner, depth }));
}

function toChange(change: PreviewedChange): Change {
  const { type, path, description, breaking, warning, ...values } = change;
  // The displayed parts of a change are text and raw JSON.
  return {
    type: type as ChangeType,
    path,
    description,
    breaking,
    ...(warning === undefined ? {} : { warning }),
    ...(values as Partial<Pick<Change, 'old' | 'new' | 'witness'>>),
  };
}

function emptyItem(subject: Pick<Subject, 'name' | 'fqn' | 'origin'>) {
  const { name, fqn, origin } = subject;
  return { ...nothingKnown, name, fqn, origin };
}

function goneItem(fqn: string, file: ReadFile) {
  const origin: Origin = { file: file.path, at: { kind: 'line', line: 1 }, text: null };
  return { ...nothingKnown, name: fqn, fqn, origin };
}

const nothingKnown = {
  mode: null,
  changes: [],
  isBreaking: false,
  breaksBackward: false,
  bump: 'none',
  bumpReason: 'nothing changed.',
  undecidedCount: 0,
  consumers: null,
  downstream: [],
} as const;

/** The registry also reports what it could not read; each problem is shown once. */
function mergedProblems(file: ReadFile, told: PreviewedProblems): readonly InputProblem[] {
  const known = new Set(file.problems.map(({ code, place }) => `${code} ${place}`));
  const further = told.filter(({ code, place }) => !known.has(`${code} ${place}`));
  return [
    ...file.problems,
    ...further.map(({ code, message, place, leaves_unread }) => ({
      ...{ file: file.path, code, message, place },
      leavesUnread: leaves_unread === true,
    })),
  ];
}
