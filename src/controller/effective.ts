// The defaults of a spec, and its digests. Pure, apart from hashing.

import { createHash } from 'node:crypto';
import {
  type DeadlineAct,
  defaultEnvironment,
  defaultNeedsMode,
  defaultOnDeadline,
  type NeedsMode,
} from '../core/asset.ts';
import { breakKeysOf, proposedDigestOf } from '../core/decide/publishing/publish.ts';
import type { Proposal } from '../core/proposal.ts';
import { canonicalJson } from '../core/value/canonical-json.ts';
import type { Json, JsonObject } from '../core/value/json.ts';
import type { DataContractSpec } from './crd/resources.ts';

interface EffectiveContract {
  readonly fqn: string;
  readonly environment: string;
  readonly autoPublish: boolean;
  readonly deletionPolicy: 'Retain' | 'Deprecate' | 'Delete';
  readonly guaranteeMode: 'notify' | 'strict' | 'ignore';
  readonly needsMode: NeedsMode;
  readonly onDeadline: DeadlineAct;
  readonly ownerUser: string | null;
  readonly metadata: JsonObject;
  readonly consumers: readonly { readonly team: string; readonly purpose: string | null }[];
}

export function effectiveContract(spec: DataContractSpec): EffectiveContract {
  return {
    fqn: spec.fqn,
    environment: spec.environment ?? defaultEnvironment,
    autoPublish: (spec.publishPolicy ?? 'Automatic') === 'Automatic',
    deletionPolicy: spec.deletionPolicy ?? 'Retain',
    guaranteeMode: spec.guaranteeMode ?? 'notify',
    needsMode: spec.needsMode ?? defaultNeedsMode,
    onDeadline: spec.onDeadline ?? defaultOnDeadline,
    ownerUser: spec.ownerUser ?? null,
    metadata: {
      ...spec.metadata,
      ...(spec.description === undefined ? {} : { description: spec.description }),
      ...(spec.tags === undefined ? {} : { tags: spec.tags }),
    },
    consumers: (spec.consumers ?? []).map(({ team, purpose }) => ({
      team,
      purpose: purpose ?? null,
    })),
  };
}

/** A DNS-like label value that can name an environment. */
const environmentPattern = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * Sets the environment of the namespace in a spec that names an asset but no environment.
 *
 * @example inEnvironment({ fqn: 'a.b' }, 'staging') // { fqn: 'a.b', environment: 'staging' }
 */
export function inEnvironment(spec: JsonObject, label: string | null): JsonObject {
  const isSilent = spec.fqn !== undefined && spec.environment === undefined;
  if (!isSilent || label === null || !environmentPattern.test(label)) return spec;
  return { ...spec, environment: label };
}

/**
 * These determine how the object is handled, not what it requests, so changing them asks nobody
 * again.
 */
const policies = new Set(['suspend', 'publishPolicy', 'deletionPolicy', 'decisions', 'adopt']);

/**
 * A digest of 64 characters of what a spec requests. It includes the document behind `schemaFrom`,
 * and an explicit default environment equals an absent one.
 *
 * @example digestOfSpec({ fqn: 'a.b', schema: {}, suspend: true }, null) ===
 *   digestOfSpec({ fqn: 'a.b', schema: {} }, null) // true
 */
export function digestOfSpec(spec: DataContractSpec, document: string | null): string {
  const asked = Object.entries(spec).filter(([name]) => !policies.has(name));
  const { environment } = effectiveContract(spec);
  // The entries come from the spec, which is JSON.
  const members: JsonObject = Object.fromEntries(asked) as JsonObject;
  return digestOf({ ...members, environment, document });
}

export function digestOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** Kubernetes' limit for names, which includes the digest. */
const maxNameLength = 253;
const shownDigits = 10;

/** The fields that determine a proposal's name; the registry keeps them with each answer. */
interface NamedProposal extends Pick<Proposal, 'id' | 'baseContractId' | 'proposedByActor'> {
  /** The digest of the proposed content, from `proposedDigestOf`. */
  readonly proposedDigest: string;
}

/**
 * The name of the ContractProposal for a change to a contract. A retry finds it again; the same
 * change from another base, or proposed again, has another name.
 */
export function proposalName(
  contract: string,
  { id, baseContractId, proposedDigest }: Omit<NamedProposal, 'proposedByActor'>,
): string {
  const digest = digestOf({ id, base: baseContractId, proposed: proposedDigest });
  return `${contract.slice(0, maxNameLength - shownDigits - 1)}-${digest.slice(0, shownDigits)}`;
}

export function namedProposal(proposal: Proposal): NamedProposal {
  return { ...proposal, proposedDigest: proposedDigestOf(proposal.proposed) };
}

/**
 * Long enough that a proposer, who chooses the digested content, cannot find another question with
 * the same digest.
 */
const questionDigits = 32;

/**
 * The digest of the question that an answer is given to: a change to an asset, with its breaks, in
 * one round. The proposal's id is not part of it, so an answer may be written before the proposal
 * exists. The same change from a wider contract may break more although its breaks read the same,
 * so the digest includes the contract that it was compared with.
 */
export function questionDigest(
  proposal: Pick<
    Proposal,
    'assetFqn' | 'baseContractId' | 'breakingChanges' | 'proposed' | 'round'
  >,
): string {
  const { assetFqn, baseContractId, breakingChanges, proposed, round } = proposal;
  const asked = {
    asset: assetFqn,
    proposed: proposedDigestOf(proposed),
    breaks: breakKeysOf(breakingChanges),
    base: proposed.kind === 'schema' ? baseContractId : null,
    round,
  };
  return digestOf(asked).slice(0, questionDigits);
}

/**
 * The controller names what it creates after the proposal's id; objects that a team writes have any
 * name.
 */
export function isNamedAfterId({ proposedByActor }: Pick<Proposal, 'proposedByActor'>): boolean {
  const { type, name } = proposedByActor;
  return type === 'controller' && name.startsWith('DataContract ');
}

/** The name of the proposal's ContractProposal; null if it was not proposed by a resource. */
export function resourceOfProposal(proposal: NamedProposal): string | null {
  const [resource = ''] = proposal.proposedByActor.name.split(' ').slice(1);
  const [, name = ''] = resource.split('/');
  if (proposal.proposedByActor.type !== 'controller' || name === '') return null;
  return isNamedAfterId(proposal) ? proposalName(name, proposal) : name;
}
