// Where objects come from. A reconciler knows this and no more: not whether it is a cluster, a
// folder or a repository.

import type { ContractSource } from '../../core/contract.ts';
import type { JsonObject } from '../../core/value/json.ts';
import type { KindName } from '../crd/kinds.ts';
import type { Priority } from '../queue.ts';

/** `DataContract/shop/orders` */
export type ObjectKey = string;

export interface SourceObject {
  readonly key: ObjectKey;
  readonly kind: KindName;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  /** It is gone for those who wrote it, and waits until what it has in the registry is settled. */
  readonly isDeleting: boolean;
  /** The registry holds something for it: whoever deletes it waits for this to be settled. */
  readonly isClaimed: boolean;
  /** The value of the annotation concordat.dev/reconcile-at. */
  readonly reconcileAt: string | null;
  readonly spec: JsonObject;
  readonly status: JsonObject | null;
  /** Why it cannot be read as what it says it is; null where it can. */
  readonly problem: string | null;
  readonly revision: string | null;
  readonly path: string | null;
  /** Of the object that this one was made for by the controller. */
  readonly ownerUid?: string;
  /** The proposal that this one was made for; whoever made the object says so. */
  readonly madeFor?: string;
  readonly createdAt?: string;
}

/** Objects that the controller makes beside those that people write. */
interface MadeObjects {
  /** Nothing where one of that name is there already. */
  readonly create: (
    owner: SourceObject,
    made: { readonly name: string; readonly proposalId: string; readonly spec: JsonObject },
  ) => Promise<void>;
  readonly remove: (object: SourceObject) => Promise<void>;
}

export type ObjectWritten = 'unchanged' | 'written' | 'conflict' | 'gone';

export interface ObjectNote {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** The data; null where there is none, `forbidden` where it may not be read. */
export type ConfigMapRead = Readonly<Record<string, string>> | null | 'forbidden';

export interface Source {
  readonly kind: 'cluster' | 'directory' | 'git';
  /** Unique among the sources of a registry, and the same after a restart. */
  readonly identity: string;
  /**
   * Whether an object may be gone without having waited: it is claimed only where something is to be
   * done before. Else every object that owns something is, and none is lost.
   */
  readonly losesObjects: boolean;
  /** What the registry says of what was published from here. */
  readonly contractSource: ContractSource;
  readonly get: (key: ObjectKey) => SourceObject | null;
  readonly keys: () => Iterable<ObjectKey>;
  /** False for a namespace that is not looked at: nothing is concluded from what is missing there. */
  readonly covers?: (namespace: string) => boolean;
  /** The label concordat.dev/team of a namespace; null where there is none. */
  readonly teamLabelOf: (namespace: string) => string | null;
  readonly readConfigMap: (namespace: string, name: string) => Promise<ConfigMapRead>;
  readonly writeStatus: (object: SourceObject, status: JsonObject) => Promise<ObjectWritten>;
  readonly claim: (object: SourceObject) => Promise<ObjectWritten>;
  /** After this an object that is being deleted is gone. */
  readonly release: (object: SourceObject) => Promise<ObjectWritten>;
  /** Null where nothing can be written: a folder, a repository. */
  readonly made?: MadeObjects;
  readonly tell: (object: SourceObject, note: ObjectNote) => Promise<void>;
  /** Why nothing may be concluded from what is missing; null where all is well. */
  readonly suspicion: () => string | null;
  /** Settles once everything was read for the first time. */
  readonly start: (listener: SourceListener) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface SourceListener {
  readonly onChange: (key: ObjectKey, priority: Priority) => void;
  /** The object that was there is gone; another may be in its place. */
  readonly onDeparture?: (key: ObjectKey) => void;
  /** A namespace is covered that was not: what went there meanwhile was not told. */
  readonly onScopeGained?: () => void;
  readonly onError: (error: unknown, during: string) => void;
}

/** What a key is made of. */
export function placeOf(key: ObjectKey): Pick<SourceObject, 'kind' | 'namespace' | 'name'> {
  const [kind, namespace = '', name = ''] = key.split('/');
  // Keys are made by keyOf, of a kind.
  return { kind: kind as KindName, namespace, name };
}

export function keyOf(kind: KindName, namespace: string, name: string): ObjectKey {
  return `${kind}/${namespace}/${name}`;
}
