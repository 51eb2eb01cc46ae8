// Imports. Their documents were read in a thread before a handler is called.

import { accept } from '../../core/failure.ts';
import { type Assessed, toDiffReport, toImpactReport } from '../../core/import/diff-report.ts';
import { type Imported, toImportReport } from '../../core/import/import-report.ts';
import type { ImportOptions } from '../../core/import/plan.types.ts';
import type { ImportKind } from '../../core/import/report-kinds.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ImportDocument } from '../../registry/ports.ts';
import type { ReplyOf, Routes } from '../../wire/routes.ts';
import { contextOf, type Handler } from '../handler.ts';

type ImportName =
  | 'syncBuildtool'
  | 'uploadBuildtool'
  | 'syncDbt'
  | 'uploadDbt'
  | 'importOpenapi'
  | 'importGraphql'
  | 'importOdcs';
type ImpactName = `impact${'Buildtool' | 'Dbt' | 'Openapi' | 'Graphql' | 'Odcs'}`;
type DiffName = `diff${'Buildtool' | 'Dbt' | 'Openapi' | 'Graphql' | 'Odcs'}`;

export const syncBuildtool = importing<'syncBuildtool'>('dbt');
export const uploadBuildtool = importing<'uploadBuildtool'>('dbt');
export const impactBuildtool = assessing<'impactBuildtool'>('dbt');
export const diffBuildtool = comparing<'diffBuildtool'>('dbt');
export const syncDbt = importing<'syncDbt'>('dbt');
export const uploadDbt = importing<'uploadDbt'>('dbt');
export const impactDbt = assessing<'impactDbt'>('dbt');
export const diffDbt = comparing<'diffDbt'>('dbt');
export const importOpenapi = importing<'importOpenapi'>('openapi');
export const impactOpenapi = assessing<'impactOpenapi'>('openapi');
export const diffOpenapi = comparing<'diffOpenapi'>('openapi');
export const importGraphql = importing<'importGraphql'>('graphql');
export const impactGraphql = assessing<'impactGraphql'>('graphql');
export const diffGraphql = comparing<'diffGraphql'>('graphql');
export const importOdcs = importing<'importOdcs'>('odcs');
export const impactOdcs = assessing<'impactOdcs'>('odcs');
export const diffOdcs = comparing<'diffOdcs'>('odcs');

interface ImportBody {
  readonly owner_team_id: string;
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

/** What a kind of import does not take is off. */
function optionsOf(body: ImportBody): ImportOptions {
  return {
    ownerTeamId: body.owner_team_id,
    environment: body.environment,
    conflictMode: body.conflict_mode,
    autoPublishContracts: body.auto_publish_contracts ?? false,
    autoCreateProposals: body.auto_create_proposals ?? false,
    autoRegisterConsumers: body.auto_register_consumers ?? false,
    inferConsumersFromRefs: body.infer_consumers_from_refs ?? false,
    prune: body.prune,
    partial: body.partial,
  };
}

function importing<Name extends ImportName>(kind: ImportKind): Handler<Name> {
  return async ({ ports, verbs }, call) => {
    const body: ImportBody = call.body;
    const reply = (imported: Imported) => replyOf<Name>(toImportReport(imported));
    const outcome = await verbs.importAssets(ports, contextOf(call, reply), {
      kind,
      read: documentOf(call),
      options: optionsOf(body),
      dryRun: body.dry_run,
    });
    return outcome.ok ? accept(reply(outcome.value)) : outcome;
  };
}

function assessing<Name extends ImpactName>(kind: ImportKind): Handler<Name> {
  return previewing<Name>(kind, toImpactReport);
}

function comparing<Name extends DiffName>(kind: ImportKind): Handler<Name> {
  return previewing<Name>(kind, (assessed, body) =>
    toDiffReport(assessed, { failOnBreaking: body.fail_on_breaking === true }),
  );
}

interface PreviewBody {
  readonly environment: string;
  readonly fail_on_breaking?: boolean;
}

function previewing<Name extends ImpactName | DiffName>(
  kind: ImportKind,
  toReport: (assessed: Assessed, body: PreviewBody) => JsonObject,
): Handler<Name> {
  return async ({ ports, verbs }, call) => {
    const body: PreviewBody = call.body;
    const { environment } = body;
    const outcome = await verbs.previewImport(ports, call.context, {
      kind,
      read: documentOf(call),
      environment,
    });
    return outcome.ok ? accept(replyOf<Name>(toReport(outcome.value, body))) : outcome;
  };
}

function documentOf(call: { readonly document: ImportDocument | undefined }): ImportDocument {
  if (call.document === undefined) throw new Error('An import was called without its document.');
  return call.document;
}

/** Core makes the reports as JSON; every test holds each of them against the shape of its row. */
function replyOf<Name extends ImportName | ImpactName | DiffName>(
  body: JsonObject,
): ReplyOf<Routes[Name]> {
  return { status: 200, body } as unknown as ReplyOf<Routes[Name]>;
}
