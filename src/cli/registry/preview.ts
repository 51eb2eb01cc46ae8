// Previews of an import by a registry: one row per kind of file and request.

import type { JsonObject } from '../../core/value/json.ts';
import type { Client } from '../../wire/client.ts';
import type { ChangeKind } from '../diff/report.ts';
import type { DbtColumnOptions, ReadFile } from '../input/subject.ts';
import { mustAnswer } from './connection/connect.ts';

export interface AssessOptions extends DbtColumnOptions {
  readonly question: 'diff' | 'impact';
  /** The asset to compare with, for a JSON Schema file, which names none. */
  readonly asset?: string;
  readonly environment?: string;
  readonly prefix?: string;
  readonly naming?: 'title' | 'path';
}

export interface PreviewedItem {
  readonly fqn: string;
  readonly changeKind: ChangeKind;
  readonly changes: readonly PreviewedChange[];
  readonly isBreaking: boolean;
  readonly bump: 'none' | 'patch' | 'minor' | 'major';
}

/**
 * A change as the API returns it: a newer registry may have types that this program does not know.
 */
export interface PreviewedChange {
  readonly type: string;
  readonly path: string;
  readonly description: string;
  readonly breaking: boolean;
  readonly warning?: string | undefined;
  readonly old?: unknown;
  readonly new?: unknown;
  readonly witness?: unknown;
}

interface Preview {
  readonly items: readonly PreviewedItem[];
  readonly problems: readonly {
    readonly code: string;
    readonly message: string;
    readonly place: string;
    readonly leaves_unread?: boolean | undefined;
  }[];
}

export type PreviewedProblems = Preview['problems'];

export async function previewDocument(
  client: Client,
  file: ReadFile,
  options: AssessOptions,
): Promise<Preview> {
  return options.question === 'diff'
    ? askDiff(client, file, options)
    : askImpact(client, file, options);
}

/** The body of each import request, made from the file and the options. */
export function bodyOf(file: ReadFile, options: Omit<AssessOptions, 'question'>) {
  const { environment, prefix, naming } = options;
  const where = environment === undefined ? {} : { environment };
  const under = prefix === undefined ? {} : { prefix };
  const called = naming === undefined ? {} : { naming };
  const text = typeof file.document === 'string' ? file.document : '';
  const json = file.document as JsonObject;
  return {
    manifest: () => ({ manifest: json, ...where, ...columnsOf(options) }),
    openapi: () => ({ spec: json, ...where, ...under, ...called }),
    graphql: () => ({ schema: text, ...where, ...under }),
    odcs: () => ({ contract: file.document as JsonObject | string, ...where }),
  };
}

/** Omitted options are left to the registry's settings. */
function columnsOf({ nullableColumns, integerAtScale0, notNullAsRequired }: DbtColumnOptions) {
  return {
    ...(nullableColumns === undefined ? {} : { nullable_columns: nullableColumns }),
    ...(integerAtScale0 === undefined ? {} : { integer_at_scale_0: integerAtScale0 }),
    ...(notNullAsRequired === undefined ? {} : { not_null_as_required: notNullAsRequired }),
  };
}

async function askDiff(client: Client, file: ReadFile, options: AssessOptions): Promise<Preview> {
  const body = bodyOf(file, options);
  switch (file.kind) {
    case 'dbt': {
      const answer = mustAnswer(await client.diffBuildtool({ body: body.manifest() }));
      return ofDiff(answer.models, answer.errors);
    }
    case 'openapi': {
      const answer = mustAnswer(await client.diffOpenapi({ body: body.openapi() }));
      return ofDiff(answer.endpoints, answer.parse_errors);
    }
    case 'graphql': {
      const answer = mustAnswer(await client.diffGraphql({ body: body.graphql() }));
      return ofDiff(answer.types, answer.errors);
    }
    case 'odcs': {
      const answer = mustAnswer(await client.diffOdcs({ body: body.odcs() }));
      return ofDiff(answer.objects, answer.errors);
    }
    default:
      throw new Error(`A ${file.kind} is no import.`);
  }
}

interface DiffAnswerItem {
  readonly fqn: string;
  readonly change_type: 'new' | 'modified' | 'unchanged' | 'removed';
  readonly schema_change_type: 'none' | 'breaking';
  readonly breaking_changes: readonly string[];
  readonly version_bump: PreviewedItem['bump'];
  readonly changes: readonly JsonObject[];
}

function ofDiff(items: readonly DiffAnswerItem[], problems: Preview['problems']): Preview {
  return { items: items.map(ofDiffItem), problems };
}

function ofDiffItem(item: DiffAnswerItem): PreviewedItem {
  const { fqn, change_type: changeKind, version_bump: bump } = item;
  const isBreaking = item.schema_change_type === 'breaking';
  const told = item.changes.flatMap(ofChange);
  const gone = item.breaking_changes.map((text) => removedChange(text, isBreaking));
  return { fqn, changeKind, bump, isBreaking, changes: changeKind === 'removed' ? gone : told };
}

/** Omits values without the shape of a change, rather than showing them in part. */
function ofChange(change: JsonObject): readonly PreviewedChange[] {
  const { type, path, description, breaking, warning } = change;
  if (typeof type !== 'string' || typeof path !== 'string') return [];
  if (typeof description !== 'string' || typeof breaking !== 'boolean') return [];
  const told = typeof warning === 'string' ? warning : undefined;
  return [{ ...change, type, path, description, breaking, warning: told }];
}

function removedChange(description: string, breaking: boolean): PreviewedChange {
  return { type: 'removed', path: '$', description: description.replace(/\.$/, ''), breaking };
}

async function askImpact(client: Client, file: ReadFile, options: AssessOptions): Promise<Preview> {
  const body = bodyOf(file, options);
  switch (file.kind) {
    case 'dbt': {
      const answer = mustAnswer(await client.impactBuildtool({ body: body.manifest() }));
      return ofImpact(answer, answer.errors);
    }
    case 'openapi': {
      const answer = mustAnswer(await client.impactOpenapi({ body: body.openapi() }));
      return ofImpact(answer, answer.parse_errors);
    }
    case 'graphql': {
      const answer = mustAnswer(await client.impactGraphql({ body: body.graphql() }));
      return ofImpact(answer, answer.errors);
    }
    case 'odcs': {
      const answer = mustAnswer(await client.impactOdcs({ body: body.odcs() }));
      return ofImpact(answer, answer.errors);
    }
    default:
      throw new Error(`A ${file.kind} is no import.`);
  }
}

interface ImpactAnswer {
  readonly results: readonly {
    readonly fqn: string;
    readonly has_contract: boolean;
    readonly safe_to_publish: boolean;
    readonly change_type: 'new' | PreviewedItem['bump'];
    readonly breaking_changes: readonly {
      readonly type: string;
      readonly message: string;
      readonly path: string;
      readonly definition?: string | undefined;
      readonly witness?: unknown;
    }[];
  }[];
  readonly removed: readonly {
    readonly fqn: string;
    readonly moved_to?: string | undefined;
    readonly safe_to_publish: boolean;
  }[];
}

function ofImpact(answer: ImpactAnswer, problems: Preview['problems']): Preview {
  const items = answer.results.map((result): PreviewedItem => {
    const { change_type: change, safe_to_publish: isSafe } = result;
    return {
      fqn: result.fqn,
      changeKind: change === 'new' ? 'new' : change === 'none' ? 'unchanged' : 'modified',
      bump: change === 'new' ? 'none' : change,
      isBreaking: !isSafe,
      changes: result.breaking_changes.map(({ message, ...rest }) => {
        return { ...rest, description: message, breaking: true };
      }),
    };
  });
  const gone = answer.removed.map((each): PreviewedItem => {
    const { fqn, moved_to: to, safe_to_publish: isSafe } = each;
    const told = to === undefined ? `${fqn} is gone from the file` : `${fqn} moved to ${to}`;
    const changes = isSafe ? [] : [removedChange(told, true)];
    return { fqn, changeKind: 'removed', bump: 'none', isBreaking: !isSafe, changes };
  });
  return { items: [...items, ...gone], problems };
}
