// A dependency: an asset is made from another asset, or refers to it.

import type { AssetId, DependencyId, TeamId, Timestamp } from './id.ts';

export const dependencyTypes = ['consumes', 'references', 'transforms'] as const;

export type DependencyType = (typeof dependencyTypes)[number];

export const dependencySources = ['manual', 'dbt'] as const;

export type DependencySource = (typeof dependencySources)[number];

export interface Dependency {
  readonly id: DependencyId;
  readonly assetId: AssetId;
  readonly assetFqn: string;
  readonly dependsOnAssetId: AssetId;
  readonly dependsOnFqn: string;
  readonly type: DependencyType;
  readonly source: DependencySource;
  readonly createdAt: Timestamp;
}

/** Upstream: what an asset depends on. Downstream: what depends on it. */
const lineageDirections = ['upstream', 'downstream'] as const;

export type LineageDirection = (typeof lineageDirections)[number];

/** Beyond ten steps, readers no longer see the connection. */
export const maxLineageDepth = 10;

/** About 500 bytes each: a response of at most 250 KB. */
export const maxLineageAssets = 500;

export interface Lineage {
  /** Breadth first; within a depth by FQN. Each asset once, with a shortest path to it. */
  readonly assets: readonly LineageAsset[];
  /** There are more assets than listed: deeper ones, or more than the maximum. */
  readonly truncated: boolean;
}

/** About 150 bytes each: a response of at most 300 KB. */
export const maxLineageEdges = 2_000;

/** A dependency between two assets that are both part of a lineage. */
export interface LineageEdge {
  readonly assetId: AssetId;
  readonly dependsOnAssetId: AssetId;
  readonly type: DependencyType;
}

export interface LineageAsset {
  readonly assetId: AssetId;
  readonly fqn: string;
  readonly environment: string;
  readonly ownerTeamId: TeamId;
  readonly ownerTeamName: string;
  /** Counts from 1. */
  readonly depth: number;
  /** The type of the last dependency on the path. */
  readonly type: DependencyType;
  /** FQNs, from the asset that was asked about to this one. */
  readonly path: readonly string[];
  readonly consumers: readonly { readonly teamId: TeamId; readonly teamName: string }[];
}
