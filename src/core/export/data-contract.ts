// Exports a contract as a DataContract manifest, ready for git: the object that gives the same
// asset, terms and consumers in a cluster or a folder.

import { defaultEnvironment, defaultNeedsMode, defaultOnDeadline } from '../asset.ts';
import type { Json, JsonObject } from '../value/json.ts';
import type { ExportFacts } from './export-facts.ts';
import { toManifestSpelling } from './spelling.ts';

/** The limit of the kind's fields; longer texts stay in `metadata`. */
const maxDescriptionLength = 10_000;
const maxTags = 100;
const maxTagLength = 256;
/** The limit for names in Kubernetes. */
const maxNameLength = 253;

/** @example toDataContract(facts).metadata.name // 'shop.public.orders' */
export function toDataContract({ contract, asset, consumers }: ExportFacts): JsonObject {
  const { description, tags, rest } = wordsOf(asset.metadata);
  const { environment } = asset;
  return {
    apiVersion: 'concordat.dev/v1',
    kind: 'DataContract',
    metadata: {
      name: nameOf(contract.assetFqn, environment),
      annotations: { 'concordat.dev/exported-version': contract.version },
    },
    spec: toManifestSpelling({
      fqn: contract.assetFqn,
      environment,
      team: asset.ownerTeamSlug,
      ...(asset.ownerUserEmail === null ? {} : { ownerUser: asset.ownerUserEmail }),
      ...(description === undefined ? {} : { description }),
      ...(tags === undefined ? {} : { tags }),
      ...(Object.keys(rest).length === 0 ? {} : { metadata: rest }),
      compatibilityMode: contract.compatibilityMode,
      guaranteeMode: asset.guaranteeMode,
      ...(asset.needsMode !== defaultNeedsMode && { needsMode: asset.needsMode }),
      ...(asset.onDeadline !== defaultOnDeadline && { onDeadline: asset.onDeadline }),
      publishPolicy: asset.autoPublish ? 'Automatic' : 'Manual',
      ...(consumers.length === 0 ? {} : { consumers: consumers.map(toConsumer) }),
      schema: contract.schema,
      // An object that a parser read, with members that its interface names.
      ...(contract.guarantees === null ? {} : { guarantees: contract.guarantees as JsonObject }),
    }),
  };
}

function toConsumer({ teamSlug, notes }: ExportFacts['consumers'][number]): Json {
  return { team: teamSlug, ...(notes === null ? {} : { purpose: notes }) };
}

function wordsOf(metadata: JsonObject): {
  readonly description: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly rest: JsonObject;
} {
  const { description, tags, ...others } = metadata;
  const isDescription =
    typeof description === 'string' && description.length <= maxDescriptionLength;
  const fitting = Array.isArray(tags) && tags.length <= maxTags && tags.every(isTag) ? tags : null;
  return {
    description: isDescription ? description : undefined,
    tags: fitting ?? undefined,
    rest: {
      ...others,
      ...(isDescription || description === undefined ? {} : { description }),
      ...(fitting !== null || tags === undefined ? {} : { tags }),
    },
  };
}

function isTag(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxTagLength;
}

/** Converts an FQN to a Kubernetes name. The environment distinguishes assets with one FQN. */
function nameOf(fqn: string, environment: string): string {
  const place = environment === defaultEnvironment ? '' : `.${environment}`;
  const labels = `${fqn}${place}`
    .toLowerCase()
    .split('.')
    .map((label) => label.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, ''));
  return labels
    .filter((label) => label !== '')
    .join('.')
    .slice(0, maxNameLength)
    .replace(/[.-]+$/, '');
}
