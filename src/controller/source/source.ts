// The source of objects. Reconcilers use only this interface, so they do not know whether it is a
// cluster, a folder or a repository.

import type { ContractSource } from '../../core/contract.ts';
import type { JsonObject } from '../../core/value/json.ts';
import type { KindName } from '../crd/kinds.ts';
import type { Priority } from '../queue.ts';
import type { DocumentRead } from './document.ts';

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
  /** The object was deleted, and waits until its state in the registry has been finalized. */
  readonly isDeleting: boolean;
  /** The registry holds something for the object, so its deletion waits for the finalizer. */
  readonly isClaimed: boolean;
  /** The value of the annotation concordat.dev/reconcile-at. */
  readonly reconcileAt: string | null;
  readonly spec: JsonObject;
  readonly status: JsonObject | null;
  /** Why the object is unreadable or invalid; null if it is neither. */
  readonly problem: string | null;
  readonly revision: string | null;
  readonly path: string | null;
  /** The file that its schema comes from, read together with the object. */
  readonly document?: DocumentRead;
  /** The uid of the object that the controller created this one for. */
  readonly ownerUid?: string;
  /** The proposal that this object was created for, according to whoever created it. */
  readonly madeFor?: string;
  readonly createdAt?: string;
}

/** The source cannot be read, or shows what is probably a mistake, so nothing is deleted. */
export class SourceSuspicious extends Error {
  // Thrown at each look by the same line, so a stack says nothing new.
  override stack = '';
}

/** Objects that the controller creates in addition to those that people write. */
interface MadeObjects {
  /** Does nothing if an object of that name exists. */
  readonly create: (
    owner: SourceObject,
    made: { readonly name: string; readonly proposalId: string; readonly spec: JsonObject },
  ) => Promise<void>;
  readonly remove: (object: SourceObject) => Promise<void>;
}

/** The CronJobs and Jobs of ContractChecks. Refusals of the API server are returned as sentences. */
export interface CheckJobs {
  /** Creates the CronJob or changes it. `jobTemplate` is the spec of its Jobs. */
  readonly schedule: (
    check: CheckOfAsset,
    name: string,
    spec: JsonObject & { readonly jobTemplate: JsonObject },
  ) => Promise<string | null>;
  /** Stops the CronJob, if there is one, from starting Jobs. */
  readonly pause: (check: SourceObject) => Promise<void>;
  /** Creates a Job, unless one of that name exists. */
  readonly run: (check: CheckOfAsset, name: string, spec: JsonObject) => Promise<string | null>;
  /** The newest Job that checks this asset; unknown until all have been read. */
  readonly newest: (check: CheckOfAsset) => CheckJob | null | 'unknown';
}

/** A check may name another asset later. */
export interface CheckOfAsset {
  readonly object: SourceObject;
  readonly assetId: string;
}

export interface CheckJob {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  readonly ended: {
    readonly isComplete: boolean;
    readonly reason: string;
    readonly message: string;
    readonly at: string;
  } | null;
}

export type ObjectWritten = 'unchanged' | 'written' | 'conflict' | 'gone';

export interface ObjectNote {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** The data; null if the ConfigMap does not exist, `forbidden` if it may not be read. */
export type ConfigMapRead = Readonly<Record<string, string>> | null | 'forbidden';

export interface Source {
  readonly kind: 'cluster' | 'directory' | 'git';
  /** Unique among the sources of a registry, and the same after a restart. */
  readonly identity: string;
  /**
   * Whether objects may disappear without waiting for a finalizer; then an object is claimed only
   * if its deletion requires work. Otherwise every object that owns something is claimed, and none
   * is lost.
   */
  readonly losesObjects: boolean;
  /** The source that the registry records for contracts published from here. */
  readonly contractSource: ContractSource;
  readonly get: (key: ObjectKey) => SourceObject | null;
  readonly keys: () => Iterable<ObjectKey>;
  /** False for a namespace outside the scope: objects missing there mean nothing. */
  readonly covers?: (namespace: string) => boolean;
  /** The label concordat.dev/team of a namespace; null if there is none. */
  readonly teamLabelOf: (namespace: string) => string | null;
  /**
   * Whether the labels of a namespace are those that the API server has now: a watch may be behind or hang.
   * Throws if they cannot be read. Absent for folders: their mapping is never behind.
   */
  readonly isTold?: (namespace: string) => Promise<boolean>;
  readonly readConfigMap: (namespace: string, name: string) => Promise<ConfigMapRead>;
  readonly writeStatus: (object: SourceObject, status: JsonObject) => Promise<ObjectWritten>;
  readonly claim: (object: SourceObject) => Promise<ObjectWritten>;
  /** An object that is being deleted is gone afterwards. */
  readonly release: (object: SourceObject) => Promise<ObjectWritten>;
  /** Undefined if the source is read-only: a folder or a repository. */
  readonly made?: MadeObjects;
  /** Only in a cluster whose checks are switched on. */
  readonly checks?: CheckJobs;
  readonly tell: (object: SourceObject, note: ObjectNote) => Promise<void>;
  /**
   * Why missing objects must not be treated as deleted; null if nothing is wrong. When it becomes
   * null, objects that are being deleted are reported as changed.
   */
  readonly suspicion: () => string | null;
  /** When the last complete reading began, by the monotonic clock; null before the first. */
  readonly readAtMs: () => number | null;
  /**
   * The ContractRegistrations for an asset that are there and were not read yet, or whose namespace has other
   * labels by now, as `namespace/name`. Throws if that cannot be found out now. Files are read as a whole.
   */
  readonly listMissed?: (fqn: string) => Promise<readonly string[]>;
  /** Likewise, whether a Team with this name is there and was not read yet. */
  readonly isTeamMissed?: (slug: string) => Promise<boolean>;
  /**
   * The namespaces that exist and may not be read, because rights are missing there. What they have is unknown.
   * Undefined for folders.
   */
  readonly listRefused?: () => readonly string[];
  /** Whether the kind itself is being deleted, with all its objects. Undefined for folders. */
  readonly isKindEnding?: (kind: KindName) => Promise<boolean>;
  /** Whether a file cannot be read, and may have any object. */
  readonly hidesObjects: () => boolean;
  /** Settles once everything has been read for the first time. */
  readonly start: (listener: SourceListener) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface SourceListener {
  readonly onChange: (key: ObjectKey, priority: Priority) => void;
  /** The object is gone; another one may have its name. */
  readonly onDeparture?: (key: ObjectKey) => void;
  /** Another namespace is covered now; objects that disappeared there before were not reported. */
  readonly onScopeGained?: () => void;
  readonly onError: (error: unknown, during: string) => void;
}

/** The parts of a key. */
export function placeOf(key: ObjectKey): Pick<SourceObject, 'kind' | 'namespace' | 'name'> {
  const [kind, namespace = '', name = ''] = key.split('/');
  // Keys come from keyOf, which takes a kind.
  return { kind: kind as KindName, namespace, name };
}

export function keyOf(kind: KindName, namespace: string, name: string): ObjectKey {
  return `${kind}/${namespace}/${name}`;
}
