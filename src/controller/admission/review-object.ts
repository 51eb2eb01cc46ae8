// Reviews an object before it is stored: refuses an invalid schema, and warns about a breaking
// change. Nothing is written, and the reconciler checks everything again, so nothing invalid gets
// in while the webhook is off.

import type { Asset } from '../../core/asset.ts';
import type { Change } from '../../core/comparison.ts';
import type { ProposalCreated, PublishResult } from '../../core/decide/commands.ts';
import { toManifestChange, toRegistrySpelling } from '../../core/export/spelling.ts';
import { findIdleKeywords } from '../../core/schema/idle-keywords.ts';
import { isSameJson } from '../../core/value/canonical-json.ts';
import type { NamespaceBindings } from '../../registry/sources/fencing.ts';
import type { Verdict } from '../conditions.ts';
import type { ContractCheckSpec, DataContractSpec } from '../crd/resources.ts';
import { effectiveContract, inEnvironment } from '../effective.ts';
import { findProblem } from '../reconcile/check/find-problem.ts';
import { checkTerms } from '../reconcile/check-terms.ts';
import { verdictOfFailure } from '../reconcile/contract-status.ts';
import { termsAsked } from '../reconcile/publish-steps.ts';
import { readSchema } from '../reconcile/read-document.ts';
import { RegistrationClaims } from '../reconcile/registrations/registration-claims.ts';
import { findAsking } from '../reconcile/sync-asset.ts';
import { contextOf, findStanding, type Standing, type World } from '../reconcile/world.ts';
import { keyOf, type Source, type SourceObject } from '../source/source.ts';
import type { AdmissionRequest, AdmissionVerdict } from './review.ts';
import { allowed, warned } from './review.ts';

/** The webhook's access to the cluster: it neither watches objects nor writes any. */
export interface AdmissionReads {
  readonly identity: string;
  readonly readNamespace: (namespace: string) => Promise<NamespaceLabels>;
  readonly readConfigMap: Source['readConfigMap'];
  /** The teams that namespaces are bound to. */
  readonly readBindings: NamespaceBindings['load'];
}

/** Null if the namespace lacks the label. */
interface NamespaceLabels {
  readonly team: string | null;
  readonly environment: string | null;
}

export interface AdmissionWorld
  extends Pick<World, 'ports' | 'verbs' | 'mapping' | 'now' | 'newId' | 'checkSettings'> {
  readonly reads: AdmissionReads;
}

export async function reviewObject(
  world: AdmissionWorld,
  request: AdmissionRequest,
): Promise<AdmissionVerdict> {
  const { isDeleting, spec, oldSpec } = request;
  if (isDeleting || isSameJson(spec, oldSpec ?? undefined)) return allowed;
  const { older } = toRegistrySpelling(spec);
  const verdict = await reviewByKind(world, request);
  return verdict.allowed ? warned(...older, ...verdict.warnings) : verdict;
}

async function reviewByKind(
  world: AdmissionWorld,
  request: AdmissionRequest,
): Promise<AdmissionVerdict> {
  const { kind } = request;
  switch (kind) {
    case 'DataContract':
      return reviewContract(world, request);
    case 'ContractProposal':
      return reviewProposed(world, request);
    case 'ContractRegistration':
    case 'Team':
      return allowed;
    case 'ContractCheck':
      return reviewCheck(world, request);
    default:
      return kind satisfies never;
  }
}

/** The API server has validated the spec against the CRD, so its fields have these types. */
function specOf(request: AdmissionRequest): DataContractSpec {
  return toRegistrySpelling(request.spec).spec as unknown as DataContractSpec;
}

async function reviewContract(
  world: AdmissionWorld,
  request: AdmissionRequest,
): Promise<AdmissionVerdict> {
  const { team, environment: label } = await world.reads.readNamespace(request.namespace);
  const spec = specOf({ ...request, spec: inEnvironment(request.spec, label) });
  if (spec.suspend === true) return allowed;
  const object = toObject(request);
  const looking = lookingWorld(world, team);
  const read = await readSchema(looking, object, spec);
  if (!read.ok) {
    return verdictOf(request, read.verdict);
  }
  const wrong = await checkTerms(world.ports, spec, read.value);
  if (wrong !== null) return refused(request, wrong.message);
  const remarks = remarksOn(spec);
  const standing = await findStanding(looking, object, spec.team ?? null);
  if (!standing.ok) return warned(standing.failure.message, ...remarks);
  const { fqn, environment } = effectiveContract(spec);
  const asset = await world.ports.reads.findAssetByName(fqn, environment);
  // A new asset breaks nothing; the first claim gets the name.
  if (asset === null) return warned(...remarks);
  const { actor } = standing.value;
  // Naming another team's asset must not reveal anything about it.
  if (!actor.teams.includes(asset.ownerTeamId)) {
    return warned(
      `${fqn} belongs to ${asset.ownerTeamName}, and namespace ${request.namespace} does not act for that team.`,
    );
  }
  const work = { world: looking, spec, standing: standing.value };
  const asking = await findAsking(work, asset);
  if (!asking.ok) return verdictOf(request, verdictOfFailure(asking.failure));
  const outcome = await world.verbs.publishContract(world.ports, contextOf(looking, actor), {
    ...termsAsked({ world: looking, object, spec, read: read.value }),
    assetId: asset.id,
    dryRun: true,
    supersede: true,
  });
  if (!outcome.ok) return verdictOf(request, verdictOfFailure(outcome.failure));
  return warned(
    ...(asking.value === null ? [] : warningsOfAsset(work, asset, asking.value)),
    ...(await warningsOf(world, { asset, spec, result: outcome.value })),
    ...remarks,
  );
}

/** The reconciler checks the same again. */
function reviewCheck(
  { checkSettings }: AdmissionWorld,
  request: AdmissionRequest,
): AdmissionVerdict {
  // The API server has validated the spec against the CRD.
  const problem = findProblem(request.spec as unknown as ContractCheckSpec);
  if (problem !== null) return refused(request, problem);
  return checkSettings === undefined
    ? warned('this release checks no data: set checks.enabled of its chart to true')
    : allowed;
}

async function reviewProposed(
  world: AdmissionWorld,
  request: AdmissionRequest,
): Promise<AdmissionVerdict> {
  const spec = specOf(request);
  if (spec.schema === undefined && spec.schemaFrom === undefined) return allowed;
  const looking = lookingWorld(world, null);
  const read = await readSchema(looking, toObject(request), spec);
  if (!read.ok) {
    return verdictOf(request, read.verdict);
  }
  const wrong = await checkTerms(world.ports, spec, read.value);
  return wrong === null ? allowed : refused(request, wrong.message);
}

/** Only an invalid schema is refused; any other obstacle may be gone by the time of reconciling. */
function verdictOf(request: AdmissionRequest, { reason, message }: Verdict): AdmissionVerdict {
  return reason === 'InvalidSchema' ? refused(request, message) : warned(message);
}

/** Names the object, because `kubectl apply` of a folder sends many. */
function refused({ kind, namespace, name }: AdmissionRequest, message: string): AdmissionVerdict {
  return { allowed: false, message: `${kind} ${namespace}/${name}: ${message}` };
}

/** What a schema that is written in the manifest says to nobody. */
function remarksOn({ schema, schemaFrom }: DataContractSpec): readonly string[] {
  if (schema === undefined || schemaFrom !== undefined) return [];
  return findIdleKeywords(schema).map(
    ({ path, message }) => `spec.schema${path.slice(1)}: ${message}`,
  );
}

interface Breaking {
  readonly asset: Asset;
  readonly spec: DataContractSpec;
  readonly result: PublishResult;
}

/** Another owner, or a mode that takes something from consumers. They are asked about it before the schema. */
function warningsOfAsset(
  { spec, standing: { team } }: { readonly spec: DataContractSpec; readonly standing: Standing },
  asset: Asset,
  { proposal, changes }: ProposalCreated,
): readonly string[] {
  const asked = proposal.consumers.map(({ teamName }) => teamName).sort();
  const named = (line: string) =>
    line.replaceAll(asset.ownerTeamId, asset.ownerTeamName).replaceAll(team.id, team.name);
  return [
    `this takes something from the consumers of ${asset.fqn}: ${consequence(asked, spec, 'applied')}`,
    ...changes.map(describe).map(named),
  ];
}

async function warningsOf(world: AdmissionWorld, breaking: Breaking): Promise<readonly string[]> {
  const { asset, spec, result } = breaking;
  if (result.action !== 'proposal_created') return [];
  const facts = await world.ports.reads.getAssetFacts(asset.id);
  const registered = facts?.consumers.map(({ teamName }) => teamName) ?? [];
  const declared = effectiveContract(spec).consumers.map(({ team }) => team);
  const newcomers = (await world.ports.reads.listTeamsBySlug(declared))
    .map(({ name }) => name)
    .filter((name) => !registered.includes(name));
  const asked = [...result.proposal.consumers.map(({ teamName }) => teamName), ...newcomers];
  const what = result.breakingChanges.length > 0 ? 'breaks' : 'may break readers of';
  return [
    `this ${what} ${asset.fqn} ${asset.activeContractVersion ?? ''}: ${consequence(asked.sort(), spec)}`,
    ...result.breakingChanges.map(describe),
  ];
}

function consequence(asked: readonly string[], spec: DataContractSpec, done = 'published'): string {
  const isAutomatic = (spec.publishPolicy ?? 'Automatic') === 'Automatic';
  if (asked.length > 0) {
    const ending = isAutomatic
      ? `it is ${done} once they have acknowledged it`
      : `it can be ${done} once they have acknowledged it`;
    return `${asked.join(', ')} would be asked, and ${ending}`;
  }
  return isAutomatic
    ? 'no consumers are registered, so it is published immediately as a major version'
    : 'no consumers are registered; it must be published manually';
}

function describe(change: Change): string {
  const { path, description } = toManifestChange(change);
  return `${path}: ${description}`;
}

function toObject(request: AdmissionRequest): SourceObject {
  const { kind, namespace, name, objectUid, spec } = request;
  return {
    key: keyOf(kind, namespace, name),
    kind,
    namespace,
    name,
    uid: objectUid,
    generation: 0,
    resourceVersion: '',
    isDeleting: false,
    isClaimed: false,
    reconcileAt: null,
    spec,
    status: null,
    problem: null,
    revision: null,
    path: null,
  };
}

/** The reconciler's world, with nothing written. */
function lookingWorld(world: AdmissionWorld, label: string | null): World {
  const { ports, verbs, mapping, now, newId, reads } = world;
  const source = lookingSource(reads, label);
  const bindings: World['bindings'] = {
    settle: async (namespace, slugs, teams) => {
      const kept = await reads.readBindings();
      const own = kept.filter((one) => one.namespace === namespace && slugs.includes(one.slug));
      // A team without a binding would be bound by the reconciler.
      return new Map([
        ...teams.map(({ slug, id }) => [slug, id] as const),
        ...own.map(({ slug, teamId }) => [slug, teamId] as const),
      ]);
    },
  };
  const idle = {
    allowForce: false,
    follow: () => {},
    wake: () => {},
    unreadSince: async () => [],
    forgetTeams: () => {},
    claims: new RegistrationClaims(source),
  };
  return { ports, verbs, mapping, now, newId, source, bindings, ...idle };
}

/** The reconciler's source, for one object that is not stored yet. */
function lookingSource({ identity, readConfigMap }: AdmissionReads, label: string | null): Source {
  return {
    kind: 'cluster',
    identity,
    losesObjects: true,
    contractSource: 'kubernetes',
    get: () => null,
    keys: () => [],
    teamLabelOf: () => label,
    readConfigMap,
    writeStatus: async () => 'gone',
    claim: async () => 'gone',
    release: async () => 'gone',
    tell: async () => {},
    suspicion: () => null,
    readAtMs: () => null,
    hidesObjects: () => false,
    start: async () => {},
    stop: async () => {},
  };
}
