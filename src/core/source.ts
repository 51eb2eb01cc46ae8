// A source: a cluster, a folder or a repository that contracts are reconciled from.

import type { Timestamp } from './id.ts';
import type { JsonObject } from './value/json.ts';

/** The source name in the management of its assets. */
export function managedSourceOf(kind: SourceDescription['kind']): string {
  return kind === 'cluster' ? 'kubernetes' : kind;
}

export interface SourceDescription {
  /** Unique among the sources of a registry, and stable across restarts. */
  readonly identity: string;
  readonly kind: 'cluster' | 'directory' | 'git';
  /** The name shown to people. */
  readonly place: string;
  /** The cluster that currently has the identity, if a setting names the cluster. */
  readonly cluster?: string;
}

export interface SourceState extends SourceDescription {
  readonly id: string;
  /** The process that reconciles it, or did last. */
  readonly holder: string;
  /** Null if the lease was given back. */
  readonly renewedAt: Timestamp | null;
  /** Why nothing is concluded from it at the moment. */
  readonly problem: string | null;
  /** Only for a folder or a repository; the objects of a cluster are in the cluster. */
  readonly objects: number;
  readonly notReady: number;
}

/** An object of a folder or a repository. */
export interface SourceObjectState {
  readonly id: string;
  readonly sourceId: string;
  readonly kind: 'DataContract' | 'ContractProposal' | 'ContractRegistration' | 'Team';
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  /** Null before the first reconciliation. */
  readonly ready: SourceCondition | null;
  /** -1 before the first reconciliation. */
  readonly observedGeneration: number;
  readonly status: JsonObject;
  readonly updatedAt: Timestamp;
}

interface SourceCondition {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}
