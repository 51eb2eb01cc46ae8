// Reads a dbt manifest, v4 to v12 and newer ones leniently: models, sources, seeds and snapshots
// become candidates, tests and constraints their guarantees.

import { identityOf } from '../../asset.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import {
  type Candidate,
  type CandidateTerms,
  fatal,
  type ImportProblem,
  itemProblem,
  type ParsedImport,
  refuseFile,
} from '../candidate.ts';
import { toFqn } from '../import-fqn.ts';
import { kindOf, memberOf, objectAt, placeOf, textAt, textsAt } from '../read-json.ts';
import { attachTest } from './dbt-attachment.ts';
import { cacheTypes, type TypeCache, toColumnMetadata, toRowSchema } from './dbt-columns.ts';
import { governanceOf } from './dbt-governance.ts';
import { metaKeys, readNodeMeta } from './dbt-meta.ts';
import { nameNodes, segmentsOf } from './dbt-names.ts';
import { type DbtNode, isDisabled, isReference, packageOf, readNodes } from './dbt-node.ts';
import {
  addConstraints,
  addTest,
  noPromises,
  type Promises,
  readTest,
  toGuarantees,
} from './dbt-tests.ts';

export interface DbtOptions {
  /** Additional names of the meta block, besides `svc` and `concordat`. */
  readonly metaAliases?: readonly string[];
  readonly nullableColumns?: boolean;
  readonly integerAtScale0?: boolean;
  readonly notNullAsRequired?: boolean;
}

/**
 * Reads a manifest. Never throws: anything that cannot be read is a problem with its location.
 *
 * @example parseDbtManifest(manifest).candidates.map(({ fqn }) => fqn) // ['shop.analytics.orders']
 */
export function parseDbtManifest(manifest: Json, options: DbtOptions = {}): ParsedImport {
  const refusal = findRefusal(manifest);
  if (refusal !== null) return refuseFile(refusal);
  const problems: ImportProblem[] = [];
  const nodes = readNodes(manifest, problems);
  const names = nameNodes(nodes, problems);
  const promises = collectPromises(manifest, nodes, names, problems);
  const context: Context = {
    options,
    names,
    promises,
    types: cacheTypes(options.integerAtScale0 ?? false),
    metaKeys: [...metaKeys, ...(options.metaAliases ?? [])],
    project: textAt(objectAt(manifest, 'metadata'), 'project_name'),
    problems,
  };
  const owners = nodes.filter((node) => names.get(node.id)?.isOwner === true);
  const candidates = owners.map((node) => toCandidate(node, context));
  const origin = { kind: 'dbt', name: context.project ?? null, fqnPrefix: '' } as const;
  return { candidates, problems, origin };
}

const oldestVersion = 4;

function findRefusal(manifest: Json): ImportProblem | null {
  if (!isJsonObject(manifest)) {
    return fatal('INVALID_MANIFEST', `A manifest must be an object, not ${kindOf(manifest)}.`);
  }
  const url = textAt(objectAt(manifest, 'metadata'), 'dbt_schema_version');
  const place = '$.metadata.dbt_schema_version';
  if (url !== undefined) {
    const version = /\/manifest\/v(\d+)\b/.exec(url)?.[1];
    if (version === undefined && /\/dbt\/[a-z-]+\/v\d+/.test(url)) {
      const message = `This is a different dbt file (${url}). Send target/manifest.json.`;
      return fatal('INVALID_MANIFEST', message, place);
    }
    if (version !== undefined && Number(version) < oldestVersion) {
      const message = `Manifest version v${version} is not supported. The oldest supported version is v${oldestVersion} (dbt 1.0). Upgrade dbt.`;
      return fatal('INVALID_MANIFEST', message, place);
    }
  }
  for (const key of ['nodes', 'sources']) {
    const section = memberOf(manifest, key);
    if (section !== undefined && section !== null && !isJsonObject(section)) {
      const message = `"${key}" must be an object of nodes by their id, not ${kindOf(section)}.`;
      return fatal('INVALID_MANIFEST', message, `$.${key}`);
    }
  }
  const counted = ['nodes', 'sources'].map((key) => Object.keys(objectAt(manifest, key) ?? {}));
  const isNamed = textAt(objectAt(manifest, 'metadata'), 'project_name') !== undefined;
  if (isNamed || counted.flat().length > 0) return null;
  const message = 'The manifest has no nodes and no sources. Send the complete manifest.json.';
  return fatal('INVALID_MANIFEST', message, '$.nodes');
}

function collectPromises(
  manifest: Json,
  nodes: readonly DbtNode[],
  names: ReadonlyMap<string, { readonly fqn: string }>,
  problems: ImportProblem[],
): ReadonlyMap<string, Promises> {
  // By FQN, so that tests of another node of the same table count for the table.
  const promises = new Map([...names.values()].map(({ fqn }) => [fqn, noPromises()]));
  const promisesOf = (id: string) => promises.get(names.get(id)?.fqn ?? '') ?? noPromises();
  const known = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) {
    addConstraints(promisesOf(node.id), node.source, node.columns);
  }
  for (const [id, node] of Object.entries(objectAt(manifest, 'nodes') ?? {})) {
    if (!isJsonObject(node) || memberOf(node, 'resource_type') !== 'test') continue;
    if (isDisabled(node)) continue;
    const test = readTest(node);
    const attachment = attachTest(node, test, known);
    const referenced = attachment.referenced && (names.get(attachment.referenced.id) ?? null);
    for (const { id: subject } of attachment.nodes) {
      addTest(promisesOf(subject), test, referenced?.fqn ?? null);
    }
    if (attachment.isAmbiguous) {
      const message = `Test ${test.ownName} depends on several nodes, so the tested one could not be determined. It was skipped.`;
      problems.push(itemProblem('UNATTACHED_TEST', message, placeOf('$.nodes', id)));
    }
  }
  return promises;
}

interface Context {
  readonly options: DbtOptions;
  readonly names: ReadonlyMap<string, { readonly fqn: string }>;
  readonly promises: ReadonlyMap<string, Promises>;
  readonly types: TypeCache;
  readonly metaKeys: readonly string[];
  /** The project of the manifest, if it names one (since dbt 1.6). */
  readonly project: string | undefined;
  readonly problems: ImportProblem[];
}

function toCandidate(node: DbtNode, context: Context): Candidate {
  const { names, options, problems } = context;
  const { source, place, columns } = node;
  const fqn = names.get(node.id)?.fqn ?? node.id;
  const segments = segmentsOf(node);
  const ownFqn = toFqn(segments);
  const identity = identityOf(node.id, JSON.stringify(segments), ownFqn);
  if (isReference(node)) return toReference(node, { fqn, ownFqn, identity });
  const packageName = packageOf(node);
  const isInstalled = context.project !== undefined && packageName !== context.project;
  const meta = readNodeMeta(source, place, context.metaKeys, problems);
  const promises = context.promises.get(fqn) ?? noPromises();
  const guarantees = toGuarantees(promises, meta);
  const schemaOptions = {
    nullableColumns: options.nullableColumns ?? false,
    notNullAsRequired: options.notNullAsRequired ?? false,
  };
  const schema = toRowSchema(columns, promises.neverNull, context.types, schemaOptions, problems);
  const termsOf = (rows: JsonObject): CandidateTerms => ({
    schema: { ...rows, ...governanceOf(node) },
    direction: 'data',
    format: 'dbt',
    guarantees: Object.keys(guarantees).length === 0 ? null : guarantees,
    ...(meta.compatibilityMode === undefined ? {} : { compatibilityMode: meta.compatibilityMode }),
  });
  const refs = upstreamOf(node, fqn, names);
  return {
    ...{ fqn, ownFqn, identity },
    resourceType: node.resourceType,
    metadata: {
      build_node_id: node.id,
      resource_type: node.resourceType,
      description: textAt(source, 'description') ?? '',
      tags: tagsOf(source),
      build_fqn: textsAt(source, 'fqn'),
      path: textAt(source, 'original_file_path') ?? textAt(source, 'path') ?? '',
      depends_on: refs,
      columns: toColumnMetadata(columns),
      guarantees,
      svc_meta: meta.block,
    },
    ...(meta.ownerTeamName === undefined ? {} : { ownerTeamName: meta.ownerTeamName }),
    ...(meta.ownerUserEmail === undefined ? {} : { ownerUserEmail: meta.ownerUserEmail }),
    consumers: meta.consumers,
    refs,
    terms: schema === null || meta.hasUnknownMode ? null : termsOf(schema),
    ...(schema === null && !meta.hasUnknownMode ? { emptyTerms: termsOf({ type: 'object' }) } : {}),
    ...(isInstalled ? { packageName } : {}),
    label: { kind: 'dbt', node_id: node.id },
    place,
  };
}

/** The manifest of its own project describes it; here it has neither columns nor an owner. */
function toReference(
  { id, resourceType, place }: DbtNode,
  name: Pick<Candidate, 'fqn' | 'ownFqn' | 'identity'>,
): Candidate {
  return {
    ...name,
    resourceType,
    metadata: {},
    consumers: [],
    refs: [],
    terms: null,
    isReference: true,
    label: { kind: 'dbt', node_id: id },
    place,
  };
}

/** In an order that does not depend on the file; nodes that are not assets are omitted. */
function upstreamOf(
  node: DbtNode,
  fqn: string,
  names: ReadonlyMap<string, { readonly fqn: string }>,
): readonly string[] {
  const ids = textsAt(objectAt(node.source, 'depends_on'), 'nodes');
  const fqns = new Set(ids.flatMap((id) => names.get(id)?.fqn ?? []));
  fqns.delete(fqn);
  return [...fqns].sort();
}

/** Newer manifests keep tags only under `config`; a single tag may be a string. */
function tagsOf(node: JsonObject): readonly string[] {
  const homes = [memberOf(node, 'tags'), memberOf(objectAt(node, 'config'), 'tags')];
  const tags = homes.flatMap((tags): readonly Json[] => {
    if (typeof tags === 'string') return [tags];
    return Array.isArray(tags) ? tags : [];
  });
  return [...new Set(tags.filter((tag) => typeof tag === 'string'))];
}
