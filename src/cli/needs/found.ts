// What finders are asked, and what they answer.

import type { FoundSource } from '../../core/need.ts';
import type { AssetReads, ReadPlace } from '../../core/needs/find/gather-reads.ts';
import type { RegistryOptions } from '../options.ts';
import type { SqlDialect } from './sql-dialects.ts';

export interface FindOptions extends RegistryOptions {
  readonly dialect?: SqlDialect;
  readonly defaultSchema?: string;
  /** The paths of a manifest and a catalog of dbt. */
  readonly dbt?: string;
  readonly catalog?: string;
  /** Whether the contracts of a registry say which columns the tables of SQL files have. */
  readonly contracts?: boolean;
  /** The path of a schema. */
  readonly graphql?: string;
  /** The files are events of OpenLineage. */
  readonly openlineage?: true;
  /** What the FQNs of GraphQL types start with. */
  readonly prefix?: string;
  readonly register?: boolean;
  readonly source?: string;
  readonly team?: string;
  readonly environment?: string;
  readonly format: 'text' | 'json';
}

export interface Found {
  readonly origin: FoundSource['origin'];
  readonly places: readonly ReadPlace[];
  readonly assets: readonly AssetReads[];
  /** The name of the project, if the files say it. */
  readonly source?: string;
}

/** What became of the fields of an asset in the registry, as a sentence, by its FQN. */
export type Outcomes = ReadonlyMap<string, string>;
