// Makes the plan of an import and its report from candidates, facts and comparisons. Pure: a dry
// run makes the same plan, and does not apply it.

import type { ImportedAs, ImportIdentity } from '../../asset.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { TeamId, UserId } from '../../id.ts';
import { isSameJson } from '../../value/canonical-json.ts';
import type { JsonObject } from '../../value/json.ts';
import { type ImportProblem, type ParsedImport, unreadBy } from '../candidate.ts';
import { assessCandidates, isStillRead, listRemoved, mergedMetadata } from './assess.ts';
import { identityAfter, knownAs, labelOf } from './identity.ts';
import type {
  Assessment,
  AssetAction,
  AssetKey,
  Comparisons,
  ExistingAsset,
  ImportError,
  ImportFacts,
  ImportOptions,
  ImportPlan,
  NeedVerdicts,
  PlanDraft,
  PlanErrorCode,
  PlannedChange,
  PlannedItem,
  PlannedKind,
} from './plan.types.ts';
import { planConsumers } from './plan-consumers.ts';
import { holdBackShown, planContract, planDeprecations } from './plan-contracts.ts';
import { planDependencies, planPrunedDependencies } from './plan-dependencies.ts';

/**
 * Plans the whole import, or refuses it.
 *
 * @example
 * const tasks = listComparisons(parsed.candidates, facts, options.environment);
 * const comparisons = new Map(tasks.map((task) => [task.key, compare(task.old, task.next)]));
 * planImport(parsed, facts, comparisons, options);
 */
export function planImport(
  parsed: ParsedImport,
  facts: ImportFacts,
  comparisons: Comparisons,
  options: ImportOptions,
  verdicts: NeedVerdicts = new Map(),
): Outcome<ImportPlan> {
  const { candidates, problems } = parsed;
  const fatal = problems.find((problem) => problem.fatal);
  if (fatal !== undefined) return refuseFatal(fatal);
  const assessments = assessCandidates(
    candidates,
    facts,
    comparisons,
    options.environment,
    verdicts,
  );
  const teams = new Map(facts.teams.map((team) => [team.name, team.id]));
  const refusal = refuseUnknownOwners(assessments, teams) ?? refuseExisting(assessments, options);
  if (refusal !== null) return refusal;
  const draft: PlanDraft = {
    changes: [],
    errors: problems.map(({ code, message, place }) => ({ code, message, place, fqn: null })),
    owners: new Map(),
  };
  const users = new Map(facts.users.map((user) => [user.email.toLowerCase(), user]));
  const planning: Planning = { teams, users, options, draft };
  const items = assessments
    .filter(({ candidate }) => candidate.isReference !== true)
    .map((assessment) => planItem(assessment, planning));
  const references = assessments.flatMap((each) => planReference(each, planning));
  const broken = draft.errors.filter(({ code }) => code === 'BREAKING_CHANGE');
  if (broken.length > 0 && !options.partial) return refuseBreaking(broken);
  const shown = holdBackShown(items, draft.changes);
  draft.changes.splice(0, draft.changes.length, ...shown.changes);
  draft.errors.push(...shown.errors);
  const planned = items.filter(({ action }) => action !== 'failed');
  draft.changes.push(...planDependencies(planned, facts));
  const consumers = planConsumers([...planned, ...references], draft, teams, options);
  const removed = listRemoved(candidates, facts, options.environment);
  const isPruned = options.prune === 'deprecate' && removed.length > 0;
  const unread = isPruned ? findUnreadItem(parsed) : undefined;
  if (unread !== undefined) draft.errors.push(notPruned(unread));
  const pruning: ImportOptions = unread === undefined ? options : { ...options, prune: 'report' };
  const deprecations = planDeprecations(removed, pruning);
  draft.changes.push(...consumers.changes, ...deprecations.changes);
  draft.changes.push(...planPrunedDependencies(removed, pruning));
  draft.errors.push(...consumers.errors, ...deprecations.errors);
  return accept({
    changes: inOrder(draft.changes),
    items,
    removed,
    errors: draft.errors,
    ownerTeamIds: actedFor(draft, facts, new Set(references.map((each) => each.assessment.key))),
  });
}

/** An item of the file that may be any asset. */
function findUnreadItem({ candidates, problems }: ParsedImport): ImportProblem | undefined {
  const isWithin = (place: string, item: string) =>
    place.startsWith(item) && ['', '.', '['].includes(place.charAt(item.length));
  return problems.find(
    ({ code, place }) =>
      unreadBy(code) === 'item' && !candidates.some((each) => isWithin(place, each.place)),
  );
}

function notPruned({ place }: ImportProblem): ImportError {
  const message = `Nothing was deprecated, because an item of the file cannot be read (${place}), and may be what seems to be missing. Correct the item, and import again.`;
  return { code: 'DEPRECATION', message, fqn: null, place };
}

interface Planning {
  /** By name in lower case. */
  readonly teams: ReadonlyMap<string, TeamId>;
  /** By e-mail in lower case. */
  readonly users: ReadonlyMap<string, ImportFacts['users'][number]>;
  readonly options: ImportOptions;
  readonly draft: PlanDraft;
}

/** The refusal for a file of which nothing can be imported. */
export function refuseFatal(problem: ImportProblem): Outcome<never> {
  const { message, place } = problem;
  switch (problem.code) {
    case 'INVALID_MANIFEST':
    case 'INVALID_OPENAPI':
    case 'INVALID_SDL':
    case 'INVALID_ODCS':
      return refuse(problem.code, message, { details: { place } });
    default:
      return refuse('VALIDATION_ERROR', message, { details: { place } });
  }
}

function refuseUnknownOwners(
  assessments: readonly Assessment[],
  teams: ReadonlyMap<string, TeamId>,
): Outcome<never> | null {
  const unknown = assessments.filter(
    ({ candidate }) => candidate.ownerTeamName !== undefined && !teams.has(candidate.ownerTeamName),
  );
  const [first] = unknown;
  if (first === undefined) return null;
  const names = [...new Set(unknown.map(({ candidate }) => candidate.ownerTeamName ?? ''))];
  const list = names.map((name) => JSON.stringify(name)).join(', ');
  const message =
    names.length === 1
      ? `Owner team ${list} of ${first.candidate.fqn} was not found. Nothing was imported. Create the team, or correct the name.`
      : `Owner teams ${list} were not found. Nothing was imported. Create the teams, or correct the names.`;
  const errors = unknown.map(({ candidate }) => ({
    code: 'OWNER_TEAM_NOT_FOUND',
    message: `Owner team ${JSON.stringify(candidate.ownerTeamName)} was not found.`,
    fqn: candidate.fqn,
    place: candidate.place,
  }));
  return refuse('OWNER_TEAM_NOT_FOUND', message, { details: { errors } });
}

function refuseExisting(
  assessments: readonly Assessment[],
  options: ImportOptions,
): Outcome<never> | null {
  if (options.conflictMode !== 'fail') return null;
  const existing = assessments.filter(
    (each) => each.existing !== null && each.candidate.isReference !== true,
  );
  if (existing.length === 0) return null;
  const message = `${existing.length} of the assets exist already, and conflict_mode is fail: nothing was imported. Use ignore or overwrite to import the others.`;
  const assets = existing.map(({ candidate, environment }) => ({
    fqn: candidate.fqn,
    environment,
  }));
  return refuse('ASSETS_EXIST', message, { details: { assets } });
}

function refuseBreaking(errors: readonly ImportError[]): Outcome<never> {
  const names = errors.slice(0, 5).map(({ fqn }) => fqn);
  const more = errors.length > names.length ? ` and ${errors.length - names.length} more` : '';
  const message = `The change of ${names.join(', ')}${more} breaks consumers, so nothing was imported. Use auto_create_proposals to ask them, or partial to skip these assets.`;
  return refuse('BREAKING_CHANGE', message, { details: { errors } });
}

function planItem(assessment: Assessment, planning: Planning): PlannedItem {
  const { options, draft } = planning;
  const { existing, key, candidate } = assessment;
  const complain: Complain = (code, message) => {
    draft.errors.push({ code, message, fqn: candidate.fqn, place: candidate.place });
  };
  if (existing?.isManagedElsewhere === true && needsWrite(assessment, options)) {
    complain(
      'ASSET_MANAGED_ELSEWHERE',
      `${candidate.fqn} is managed elsewhere, so it was skipped. Change it where it is managed.`,
    );
    return { assessment, action: 'failed' };
  }
  if (existing !== null && assessment.takesName && isStillRead(existing)) {
    waitForName(assessment, existing, complain, options);
    return { assessment, action: 'failed' };
  }
  const contract = planContract(assessment, options);
  if (contract.error !== null) complain(contract.error.code, contract.error.message);
  if (contract.isLeftOut) return { assessment, action: 'failed' };
  draft.owners.set(key, existing?.ownerTeamId ?? options.ownerTeamId);
  const planned = contract.change?.kind ?? null;
  const row: Row = { ...planning, assessment, complain, planned };
  const action = existing === null ? createAsset(row) : updateAsset(row, existing);
  if (action === 'created') reportEarlierHolder(row);
  if (contract.change !== null) draft.changes.push(contract.change);
  return { assessment, action };
}

/** The consumers of what had the name are asked whether it may go; until then this one has none. */
function waitForName(
  { candidate }: Assessment,
  existing: ExistingAsset,
  complain: Complain,
  options: ImportOptions,
): void {
  const [next, before] = [labelOf(candidate.metadata), labelOf(existing.metadata)];
  const told = `${next} would take the name ${candidate.fqn} of ${before}, which ${existing.consumers.length} team(s) consume. Their contract stays, and ${next} was not imported.`;
  if (existing.isBeingLeft) {
    complain('NAME_TAKEN', `${told} Import again once all of them have left.`);
    return;
  }
  if (options.autoCreateProposals) {
    complain('NAME_TAKEN', `${told} Import again once the deprecation of the contract is agreed.`);
    return;
  }
  const code = options.autoPublishContracts ? 'BREAKING_CHANGE' : 'NAME_TAKEN';
  complain(code, `${told} Use auto_create_proposals to ask them.`);
}

/** A referenced asset may be consumed, but is not changed. */
function planReference(assessment: Assessment, { draft }: Planning): readonly PlannedItem[] {
  const { candidate, existing, key } = assessment;
  if (candidate.isReference !== true || existing === null) return [];
  draft.owners.set(key, existing.ownerTeamId);
  return [{ assessment, action: 'skipped' }];
}

function needsWrite(assessment: Assessment, options: ImportOptions): boolean {
  if (assessment.changeType === 'unchanged') return false;
  const touchesContract = options.autoPublishContracts || options.autoCreateProposals;
  return options.conflictMode === 'overwrite' || touchesContract;
}

type Complain = (code: PlanErrorCode, message: string) => void;

/** One asset's row while it is planned. */
interface Row extends Planning {
  readonly assessment: Assessment;
  readonly complain: Complain;
  /** What the import does about its contract. */
  readonly planned: PlannedKind | null;
}

function createAsset(row: Row): AssetAction {
  const { key, candidate, environment } = row.assessment;
  const ownerTeamId = statedOwner(row) ?? row.options.ownerTeamId;
  const ownerUserId = findOwnerUser(row, ownerTeamId) ?? null;
  const { fqn, metadata } = candidate;
  const importedAs = { [candidate.label.kind]: identityNow(row, row.assessment.line?.importedAs) };
  const made = { fqn, environment, ownerTeamId, ownerUserId, metadata, importedAs };
  row.draft.changes.push({ kind: 'create_asset', key, ...made });
  row.draft.owners.set(key, ownerTeamId);
  return 'created';
}

function identityNow({ assessment: { candidate } }: Row, before: ImportedAs = {}): ImportIdentity {
  return identityAfter(knownAs(candidate, before), candidate.identity);
}

/** Reports that the name existed before, which the caller may not know. */
function reportEarlierHolder({ assessment: { candidate, line }, complain }: Row): void {
  if (line === null || line.base === null) return;
  const { consumers, base } = line;
  complain(
    'LINE_CONTINUES',
    `${candidate.fqn} was deleted before. It keeps its contract ${base.version} and its ${consumers.length} consumer team(s).`,
  );
}

/** Another model makes the table. Whoever reads the table reads the same name, so its contract continues. */
function reportOtherNode({ assessment, complain }: Row, existing: ExistingAsset): void {
  const { candidate } = assessment;
  const before = existing.importedAs.dbt?.of;
  const now = candidate.identity.of;
  if (candidate.label.kind !== 'dbt' || before === undefined || before === now) return;
  if (assessment.takesName) return;
  complain(
    'SAME_TABLE',
    `${existing.fqn} was made by ${before} before, and is by ${now} now. It is the same table, so its contract and its consumers stay.`,
  );
}

function statedOwner({ assessment, teams }: Row): TeamId | undefined {
  const name = assessment.candidate.ownerTeamName;
  return name === undefined ? undefined : teams.get(name);
}

/** Plans only the row: contracts of existing assets follow their own options. */
function updateAsset(row: Row, existing: ExistingAsset): AssetAction {
  const { key, candidate, takesName } = row.assessment;
  reportOtherNode(row, existing);
  const { importedAs: before, importedFor: team } = existing;
  const identity = identityNow(row, before);
  // What files of other kinds said stays.
  const importedAs = { ...before, [candidate.label.kind]: identity };
  // Who only reads a table does not bring it.
  const isBrought = identity.of === candidate.identity.of;
  const importedFor = isBrought && team !== null ? row.options.ownerTeamId : team;
  const isKnown =
    team === importedFor && isSameJson(importedAs as JsonObject, before as JsonObject);
  // A name that nobody reads goes to the other thing, whose row the old one cannot be.
  if (row.options.conflictMode !== 'overwrite' && !takesName) {
    if (!isKnown && mayIdentify(row, existing)) {
      const { id: assetId, ownerTeamId, ownerUserId, metadata } = existing;
      const kept = { assetId, ownerTeamId, ownerUserId, metadata };
      row.draft.changes.push({ kind: 'update_asset', key, ...kept, importedAs, importedFor });
    }
    return 'skipped';
  }
  const ownerTeamId = planOwner(row, existing);
  const user = findOwnerUser(row, ownerTeamId);
  const isMoved = ownerTeamId !== existing.ownerTeamId;
  // A user who owned it in the old team is not a member of the new one.
  const ownerUserId = user ?? (isMoved ? null : existing.ownerUserId);
  const metadata = mergedMetadata(candidate, existing);
  const isSame =
    !isMoved && ownerUserId === existing.ownerUserId && isSameJson(metadata, existing.metadata);
  if (isSame && isKnown) return 'unchanged';
  const { id: assetId } = existing;
  const set = { ownerTeamId, ownerUserId, metadata, importedAs, importedFor };
  row.draft.changes.push({ kind: 'update_asset', key, assetId, ...set });
  row.draft.owners.set(key, ownerTeamId);
  return isSame ? 'unchanged' : 'updated';
}

/** What an asset stands for is no part of its row, so it is stored whatever `conflict_mode` says. */
function mayIdentify({ options, planned }: Row, existing: ExistingAsset): boolean {
  return planned === 'publish_contract' || existing.ownerTeamId === options.ownerTeamId;
}

/** A file without an owner does not move existing assets, and consumers are asked before a move. */
function planOwner(row: Row, existing: ExistingAsset): TeamId {
  const { key, candidate } = row.assessment;
  const stated = statedOwner(row);
  if (stated === undefined || stated === existing.ownerTeamId) return existing.ownerTeamId;
  if (existing.consumers.length === 0) return stated;
  const mayPropose = existing.openProposal === null && row.planned !== 'create_proposal';
  if (row.options.autoCreateProposals && mayPropose) {
    const { id: assetId } = existing;
    row.draft.changes.push({ kind: 'propose_move', key, assetId, ownerTeamId: stated });
  } else {
    const advice = mayPropose
      ? 'Use auto_create_proposals.'
      : 'Import again once its open proposal is resolved.';
    row.complain(
      'OWNER_CHANGE',
      `${candidate.fqn} would move to team ${JSON.stringify(candidate.ownerTeamName)}, but its consumers must be asked first, so its owner was not changed. ${advice}`,
    );
  }
  return existing.ownerTeamId;
}

function findOwnerUser(row: Row, ownerTeamId: TeamId): UserId | undefined {
  const email = row.assessment.candidate.ownerUserEmail;
  if (email === undefined) return undefined;
  const user = row.users.get(email.toLowerCase());
  if (user === undefined) {
    row.complain(
      'OWNER_USER_NOT_FOUND',
      `No user has the e-mail ${email}, so the asset was imported without owner_user.`,
    );
    return undefined;
  }
  if (user.teamId === ownerTeamId) return user.id;
  row.complain(
    'OWNER_NOT_MEMBER',
    `${email} is not a member of the owning team, so the asset was imported without owner_user.`,
  );
  return undefined;
}

const order: Readonly<Record<PlannedKind, number>> = {
  create_asset: 0,
  update_asset: 1,
  propose_move: 2,
  publish_contract: 3,
  create_proposal: 4,
  deprecate_contract: 5,
  propose_deprecation: 6,
  register_consumer: 7,
  add_dependency: 8,
  remove_dependency: 9,
};

function inOrder(changes: readonly PlannedChange[]): readonly PlannedChange[] {
  return changes.toSorted((a, b) => order[a.kind] - order[b.kind]);
}

/** Declaring another team as a consumer takes nothing from it, so it needs no right over it. */
function actedFor(
  draft: PlanDraft,
  facts: ImportFacts,
  references: ReadonlySet<AssetKey>,
): readonly TeamId[] {
  const existing = new Map(facts.assets.map((asset) => [asset.id, asset.ownerTeamId]));
  const teams = draft.changes.flatMap((change): readonly TeamId[] => {
    // Teams may register as consumers of another project's assets without a right over the owner.
    if (change.kind === 'register_consumer' && references.has(change.key)) {
      return [change.consumerTeamId];
    }
    const before =
      'assetId' in change && change.assetId !== null ? existing.get(change.assetId) : undefined;
    const after = draft.owners.get(change.key);
    return [before, after].filter((team) => team !== undefined);
  });
  return [...new Set(teams)].sort();
}
