// The requests to the registry about a file: a row for each kind and request.

import type { Client } from '../../wire/client.ts';
import { words } from '../words.ts';
import type {
  ImportKind,
  Outcome,
  Plan,
  PlanItem,
  ReadingOptions,
  Told,
  WritingOptions,
} from './import.types.ts';
import type { OpenedText } from './open-file.ts';

interface Asking {
  readonly client: Client;
  readonly kind: ImportKind;
  readonly file: OpenedText;
  readonly reading: ReadingOptions;
}

/** Returns new, changed and breaking items. Changes nothing. */
export async function askPlan({ client, kind, file, reading }: Asking): Promise<Told<Plan>> {
  const body = bodiesOf(file, reading);
  switch (kind) {
    case 'dbt': {
      const answer = await client.diffDbt({ body: body.manifest() });
      return answer.ok ? ofPlan(answer.body, answer.body.models, answer.body.errors) : answer;
    }
    case 'openapi': {
      const answer = await client.diffOpenapi({ body: body.openapi() });
      if (!answer.ok) return answer;
      return ofPlan(answer.body, answer.body.endpoints, answer.body.parse_errors);
    }
    case 'graphql': {
      const answer = await client.diffGraphql({ body: body.graphql() });
      return answer.ok ? ofPlan(answer.body, answer.body.types, answer.body.errors) : answer;
    }
    case 'odcs': {
      const answer = await client.diffOdcs({ body: body.odcs() });
      return answer.ok ? ofPlan(answer.body, answer.body.objects, answer.body.errors) : answer;
    }
    default:
      return kind satisfies never;
  }
}

/** The import itself, or a rehearsal with the complete response. */
export async function askImport(
  { client, kind, file, reading }: Asking,
  writing: WritingOptions,
  isRehearsal: boolean,
): Promise<Told<Outcome>> {
  const body = bodiesOf(file, reading);
  const rows = {
    owner_team_id: writing.ownerTeamId,
    conflict_mode: writing.conflictMode,
    prune: writing.prune,
    partial: writing.isPartial,
    dry_run: isRehearsal,
    auto_publish_contracts: writing.publishes,
    auto_create_proposals: writing.proposes,
  };
  const registers = { auto_register_consumers: writing.registersConsumers };
  const infers = { infer_consumers_from_refs: writing.infersConsumers };
  switch (kind) {
    case 'dbt': {
      const sent = { ...body.manifest(), ...rows, ...registers, ...infers };
      const answer = await client.uploadDbt({ body: sent });
      return answer.ok ? ofOutcome(answer.body, answer.body.models) : answer;
    }
    case 'openapi': {
      const answer = await client.importOpenapi({ body: { ...body.openapi(), ...rows } });
      if (!answer.ok) return answer;
      return ofOutcome(answer.body, answer.body.endpoints, answer.body.parse_errors);
    }
    case 'graphql': {
      const answer = await client.importGraphql({ body: { ...body.graphql(), ...rows } });
      return answer.ok ? ofOutcome(answer.body, answer.body.types) : answer;
    }
    case 'odcs': {
      const answer = await client.importOdcs({ body: { ...body.odcs(), ...rows, ...registers } });
      return answer.ok ? ofOutcome(answer.body, answer.body.objects) : answer;
    }
    default:
      return kind satisfies never;
  }
}

/** A file of the wrong kind is never sent, so the message is ours. */
export const unreadable: Told<never> = {
  ok: false,
  refusal: { code: 'UNREADABLE', message: words.import.notThatKind },
};

/** An unreachable registry is a refusal like any other. */
export const unreachable: Told<never> = {
  ok: false,
  refusal: { code: 'UNREACHABLE', message: words.states.unreachable },
};

function bodiesOf({ text, value }: OpenedText, reading: ReadingOptions) {
  const { environment, prefix, naming } = reading;
  const where = environment === '' ? {} : { environment };
  const under = prefix === '' ? {} : { prefix };
  const json = value ?? {};
  const columns = {
    ...(reading.nullableColumns !== undefined && { nullable_columns: reading.nullableColumns }),
    ...(reading.integerAtScale0 !== undefined && { integer_at_scale_0: reading.integerAtScale0 }),
    ...(reading.notNullAsRequired !== undefined && {
      not_null_as_required: reading.notNullAsRequired,
    }),
  };
  return {
    manifest: () => ({ manifest: json, ...where, ...columns }),
    openapi: () => ({ spec: json, ...where, ...under, naming }),
    graphql: () => ({ schema: text, ...where, ...under }),
    odcs: () => ({ contract: json, ...where }),
  };
}

interface AnsweredItem {
  readonly fqn: string;
  readonly change_type: PlanItem['change'];
  readonly schema_change_type: 'none' | 'breaking';
  readonly breaking_changes: readonly string[];
  readonly version_bump: PlanItem['bump'];
  readonly changes: readonly unknown[];
  readonly node_id?: string | undefined;
  readonly path?: string | undefined;
  readonly method?: string | undefined;
  readonly type_name?: string | undefined;
  readonly object_name?: string | undefined;
}

function ofPlan(
  { summary }: { readonly summary: Plan['summary'] },
  items: readonly AnsweredItem[],
  problems: Plan['problems'],
): Told<Plan> {
  return {
    ok: true,
    value: { summary, items: items.map(ofItem).sort(breakingFirst), problems },
  };
}

function ofItem(item: AnsweredItem): PlanItem {
  return {
    fqn: item.fqn,
    name: nameOf(item),
    change: item.change_type,
    isBreaking: item.schema_change_type === 'breaking',
    bump: item.version_bump,
    changeCount: item.changes.length,
    changesText: JSON.stringify(item.changes),
    told: item.changes.length === 0 ? item.breaking_changes : [],
  };
}

function nameOf({ node_id, path, method, type_name, object_name }: AnsweredItem): string {
  if (path !== undefined) return `${(method ?? '').toUpperCase()} ${path}`.trim();
  return node_id ?? type_name ?? object_name ?? '';
}

/** Sorts items that need a decision first, then by name. */
function breakingFirst(one: PlanItem, other: PlanItem): number {
  if (one.isBreaking !== other.isBreaking) return one.isBreaking ? -1 : 1;
  return one.fqn < other.fqn ? -1 : one.fqn > other.fqn ? 1 : 0;
}

interface AnsweredOutcome extends Omit<Outcome, 'isRehearsal' | 'problems' | 'items'> {
  readonly dry_run: boolean;
  readonly errors: Outcome['problems'];
}

function ofOutcome(
  answer: AnsweredOutcome,
  items: Outcome['items'],
  problems: Outcome['problems'] = [],
): Told<Outcome> {
  const { status, assets, contracts, proposals, registrations, removed, errors } = answer;
  return {
    ok: true,
    value: {
      isRehearsal: answer.dry_run,
      status,
      assets,
      contracts,
      proposals,
      registrations,
      removed,
      problems: [...errors, ...problems],
      items,
    },
  };
}
