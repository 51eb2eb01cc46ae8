// What a spec comes to where it is silent, and its digests. Pure, but for the hash.

import { createHash } from 'node:crypto';
import { defaultEnvironment } from '../core/asset.ts';
import { breakKeysOf, isVagueBreak, proposedDigestOf } from '../core/decide/publishing/publish.ts';
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

/** A DNS-like label value that an environment may be named by. */
const environmentPattern = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * A spec with the environment of its namespace, where it names an asset and no environment.
 *
 * @example inEnvironment({ fqn: 'a.b' }, 'staging') // { fqn: 'a.b', environment: 'staging' }
 */
export function inEnvironment(spec: JsonObject, label: string | null): JsonObject {
  const isSilent = spec.fqn !== undefined && spec.environment === undefined;
  if (!isSilent || label === null || !environmentPattern.test(label)) return spec;
  return { ...spec, environment: label };
}

/** How the object is handled, not what it asks for: changing these asks nobody again. */
const policies = new Set(['suspend', 'publishPolicy', 'deletionPolicy', 'decisions', 'adopt']);

/**
 * What a spec asks for, in one text of 64 characters: the document behind `schemaFrom` is part of
 * it, and the default environment written out is none.
 *
 * @example digestOfSpec({ fqn: 'a.b', schema: {}, suspend: true }, null) ===
 *   digestOfSpec({ fqn: 'a.b', schema: {} }, null) // true
 */
export function digestOfSpec(spec: DataContractSpec, document: string | null): string {
  const asked = Object.entries(spec).filter(([name]) => !policies.has(name));
  const { environment } = effectiveContract(spec);
  // The entries are those of the spec itself, which is JSON.
  const members: JsonObject = Object.fromEntries(asked) as JsonObject;
  return digestOf({ ...members, environment, document });
}

export function digestOf(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** Names hold 253 characters, and some of them are the digest's. */
const maxNameLength = 253;
const shownDigits = 10;

/** A proposal as far as it has a name: the registry keeps this with each answer. */
interface NamedProposal extends Pick<Proposal, 'id' | 'baseContractId' | 'proposedByActor'> {
  /** What would be set, as `proposedDigestOf` writes it. */
  readonly proposedDigest: string;
}

/**
 * The name of the ContractProposal that a change to a contract asks for: a retry finds it again;
 * the same change from another base, or asked anew, is another one.
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

/** Whoever proposes chooses what is digested: another question with the same digest must not be found. */
const questionDigits = 32;

/**
 * What an answer is given to: a change to an asset, with what it breaks, in one round. The id of the
 * proposal is not in it, so that an answer may be written before the proposal is there. From a wider
 * contract the same change breaks more: the values that go are in it, or else that contract.
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
    base: breakingChanges.some(isVagueBreak) ? baseContractId : null,
    round,
  };
  return digestOf(asked).slice(0, questionDigits);
}

/** The controller names what it makes after the proposal's id; what a team writes has any name. */
export function isNamedAfterId({ proposedByActor }: Pick<Proposal, 'proposedByActor'>): boolean {
  const { type, name } = proposedByActor;
  return type === 'controller' && name.startsWith('DataContract ');
}

/** The name of its ContractProposal; null for what no resource asks. */
export function resourceOfProposal(proposal: NamedProposal): string | null {
  const [resource = ''] = proposal.proposedByActor.name.split(' ').slice(1);
  const [, name = ''] = resource.split('/');
  if (proposal.proposedByActor.type !== 'controller' || name === '') return null;
  return isNamedAfterId(proposal) ? proposalName(name, proposal) : name;
}
