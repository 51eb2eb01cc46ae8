// What a spec comes to where it is silent, and its digests. Pure, but for the hash.

import { createHash } from 'node:crypto';
import { type Asset, defaultEnvironment } from '../core/asset.ts';
import { proposedDigestOf } from '../core/decide/publishing/publish.ts';
import { isProposedByManager, type Proposal } from '../core/proposal.ts';
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

/** How the object is handled, not what it asks for: changing these asks nobody again. */
const policies = new Set(['suspend', 'publishPolicy', 'deletionPolicy']);

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

/**
 * The name of the ContractProposal that a change to a contract asks for: a retry finds it again;
 * the same change from another base, or asked anew, is another one.
 */
export function proposalName(
  contract: string,
  { id, baseContractId, proposed }: Pick<Proposal, 'id' | 'baseContractId' | 'proposed'>,
): string {
  const asked = { id, base: baseContractId, proposed: proposedDigestOf(proposed) };
  const digest = digestOf(asked).slice(0, shownDigits);
  return `${contract.slice(0, maxNameLength - shownDigits - 1)}-${digest}`;
}

/** What an answer is given to: a proposal in one of its rounds. */
export function questionDigest({ id, round }: Pick<Proposal, 'id' | 'round'>): string {
  return digestOf({ id, round }).slice(0, shownDigits);
}

/** What a ContractProposal is called, from the asset's side; null for what no resource asks. */
export function resourceOfProposal(
  asset: Pick<Asset, 'managedBy'>,
  proposal: Proposal,
): string | null {
  const [resource = ''] = proposal.proposedByActor.name.split(' ').slice(1);
  const [, name = ''] = resource.split('/');
  if (proposal.proposedByActor.type !== 'controller' || name === '') return null;
  return isProposedByManager(asset, proposal) ? proposalName(name, proposal) : name;
}
