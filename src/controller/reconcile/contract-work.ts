// The data that the steps of one DataContract share.

import { type Asset, isManagedBy } from '../../core/asset.ts';
import { isProposedByManager, type ProposalSummary } from '../../core/proposal.ts';
import type { Verdict } from '../conditions.ts';
import type { DataContractSpec, DataContractStatus } from '../crd/resources.ts';
import { keyOf, type SourceObject } from '../source/source.ts';
import type { SchemaRead } from './read-document.ts';
import { managerOf, type Named, type Standing, type World } from './world.ts';

export interface ContractWork {
  readonly world: World;
  readonly object: SourceObject;
  readonly spec: DataContractSpec;
  readonly status: DataContractStatus;
  readonly standing: Standing;
  readonly read: SchemaRead;
  readonly digest: string;
}

export function statusOf(object: SourceObject): DataContractStatus {
  // Only this controller writes the status, under the schema of this type.
  return (object.status ?? {}) as DataContractStatus;
}

export function lastVerdict(object: SourceObject): Verdict {
  const ready = statusOf(object).conditions?.find((condition) => condition.type === 'Ready');
  const isGood = ready?.reason === 'Published' || ready?.reason === 'UpToDate';
  return isGood
    ? { reason: ready.reason === 'Published' ? 'Published' : 'UpToDate', message: ready.message }
    : { reason: 'UpToDate', message: 'The registry matches the spec.' };
}

/**
 * Whether the object may withdraw or supersede the proposal. Other proposals block publishing. A
 * recreated object is recognized by its name.
 */
export function isOwn(
  { world, object }: { readonly world: World; readonly object: Named },
  asset: Asset,
  proposal: Pick<ProposalSummary, 'proposedByActor'>,
): boolean {
  const { type, id } = proposal.proposedByActor;
  if (type === 'controller' && id === object.uid) return true;
  if (isManagedBy(asset, managerOf(world, object)) && isProposedByManager(asset, proposal)) {
    return true;
  }
  return isAbandoned(world, proposal);
}

/**
 * The proposal's ContractProposal is gone and could not withdraw it, so nobody requests it any
 * more.
 */
function isAbandoned(
  { source }: World,
  { proposedByActor: { type, name } }: Pick<ProposalSummary, 'proposedByActor'>,
): boolean {
  const [kind, resource = ''] = name.split(' ');
  if (type !== 'controller' || kind !== 'ContractProposal') return false;
  const [namespace = '', inside = ''] = resource.split('/');
  if (source.suspicion() !== null || source.covers?.(namespace) === false) return false;
  return source.get(keyOf('ContractProposal', namespace, inside)) === null;
}
