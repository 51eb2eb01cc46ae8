// Imports. Each handler runs in the thread that parsed the document.

import type { Change } from '../../core/comparison.ts';
import { splitChanges } from '../../core/diff/shared-changes.ts';
import { accept } from '../../core/failure.ts';
import type { ImportKind } from '../../core/import/candidate.ts';
import { type Assessed, toDiffReport, toImpactReport } from '../../core/import/plan/diff-report.ts';
import { type Imported, toImportReport } from '../../core/import/plan/import-report.ts';
import type { ImportOptions } from '../../core/import/plan/plan.types.ts';
import type { JsonObject } from '../../core/value/json.ts';
import { contextOf } from '../handler.ts';
import type { ImportApi, ImportHandler, ImportReply } from '../import-handler.ts';

export const syncBuildtool = importing('dbt');
export const uploadBuildtool = importing('dbt');
export const impactBuildtool = assessing('dbt');
export const diffBuildtool = comparing('dbt');
export const syncDbt = importing('dbt');
export const uploadDbt = importing('dbt');
export const impactDbt = assessing('dbt');
export const diffDbt = comparing('dbt');
export const importOpenapi = importing('openapi');
export const impactOpenapi = assessing('openapi');
export const diffOpenapi = comparing('openapi');
export const importGraphql = importing('graphql');
export const impactGraphql = assessing('graphql');
export const diffGraphql = comparing('graphql');
export const importOdcs = importing('odcs');
export const impactOdcs = assessing('odcs');
export const diffOdcs = comparing('odcs');

interface ImportBody {
  readonly owner_team_id: string;
  readonly service_id?: string;
  readonly environment: string;
  readonly conflict_mode: ImportOptions['conflictMode'];
  readonly prune: ImportOptions['prune'];
  readonly partial: boolean;
  readonly dry_run: boolean;
  readonly auto_publish_contracts?: boolean;
  readonly auto_create_proposals?: boolean;
  readonly auto_register_consumers?: boolean;
  readonly infer_consumers_from_refs?: boolean;
}

/** Options that a kind of import does not have are off. */
function optionsOf(kind: ImportKind, body: ImportBody, api: ImportApi): ImportOptions {
  const publishes = body.auto_publish_contracts ?? (kind === 'openapi' && api.publishesOpenapi);
  return {
    ownerTeamId: body.owner_team_id,
    environment: body.environment,
    conflictMode: body.conflict_mode,
    autoPublishContracts: publishes,
    // For a manifest the two are independent, as service.md says.
    autoCreateProposals: body.auto_create_proposals ?? (kind !== 'dbt' && publishes),
    autoRegisterConsumers: body.auto_register_consumers ?? false,
    inferConsumersFromRefs: body.infer_consumers_from_refs ?? false,
    prune: body.prune,
    partial: body.partial,
  };
}

function importing(kind: ImportKind): ImportHandler {
  return async (api, call) => {
    // The cast is safe: the shape of the route's row parsed the body.
    const body = call.body as ImportBody;
    const reply = (imported: Imported) => replyOf(toImportReport(imported));
    const outcome = await api.verbs.importAssets(api.ports, contextOf(call, reply), {
      kind,
      read: call.document.read,
      options: optionsOf(kind, body, api),
      serviceId: body.service_id ?? null,
      dryRun: body.dry_run,
    });
    return outcome.ok ? accept(reply(outcome.value)) : outcome;
  };
}

function assessing(kind: ImportKind): ImportHandler {
  return previewing(kind, toImpactReport);
}

function comparing(kind: ImportKind): ImportHandler {
  return previewing(kind, (assessed, body) => ({
    ...toDiffReport(assessed, { failOnBreaking: body.fail_on_breaking === true }),
    ...sharedIn(assessed),
  }));
}

/** In an API whose objects lead to each other, hundreds of operations reach a change by long paths. */
const maxPaths = 50;

/** A change of a definition is told once, with the items that have it. */
function sharedIn({ assessments }: Assessed): JsonObject {
  const items = assessments.map(({ candidate, comparison }) => ({
    name: candidate.fqn,
    origin: { file: '' },
    changes: comparison?.changes ?? [],
  }));
  const { shared } = splitChanges(items);
  if (shared.length === 0) return {};
  return {
    shared_changes: shared.map(({ change, places, placeCount }) => ({
      ...withoutWitness(change),
      place_count: placeCount,
      items: places.map(({ name: fqn, path }, index) =>
        index < maxPaths ? { fqn, path } : { fqn },
      ),
    })),
  };
}

/** Each item has its own example. */
function withoutWitness({ witness, ...change }: Change): Omit<Change, 'witness'> {
  return change;
}

interface PreviewBody {
  readonly environment: string;
  readonly owner_team_id?: string;
  readonly fail_on_breaking?: boolean;
}

function previewing(
  kind: ImportKind,
  toReport: (assessed: Assessed, body: PreviewBody) => JsonObject,
): ImportHandler {
  return async ({ ports, verbs }, call) => {
    const body = call.body as PreviewBody;
    const { environment } = body;
    const outcome = await verbs.previewImport(ports, call.context, {
      kind,
      read: call.document.read,
      environment,
      ownerTeamId: body.owner_team_id ?? null,
    });
    return outcome.ok ? accept(replyOf(toReport(outcome.value, body))) : outcome;
  };
}

function replyOf(body: JsonObject): ImportReply {
  return { status: 200, body };
}
