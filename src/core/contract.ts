// A contract: one version of an asset's promises.

import type { ActorReference } from './actor.ts';
import type {
  Bump,
  CompatibilityMode,
  ContractTerms,
  Direction,
  Guarantees,
} from './comparison.ts';
import type { AssetId, ContractId, TeamId, Timestamp } from './id.ts';
import type { Dialect } from './schema/dialects.ts';
import type { Json } from './value/json.ts';

export type ContractStatus = 'active' | 'deprecated' | 'archived';

/** The format that the schema was made from. */
export type ContractFormat = 'jsonschema' | 'dbt' | 'openapi' | 'graphql' | 'odcs';

export type ContractSource = 'api' | 'kubernetes' | 'git' | 'sync';

/** The change from the version before; the first version is `initial`. */
export type ContractChangeType = 'initial' | Exclude<Bump, 'none'>;

export interface Contract extends ContractSummary, Pick<ContractTerms, 'hasUnreadVariants'> {
  readonly schema: Json;
  readonly guarantees: Guarantees | null;
}

/** A contract without its large parts, for lists. */
export interface ContractSummary {
  readonly id: ContractId;
  readonly assetId: AssetId;
  readonly assetFqn: string;
  readonly version: string;
  readonly status: ContractStatus;
  readonly compatibilityMode: CompatibilityMode;
  readonly format: ContractFormat;
  readonly direction: Direction;
  /** Null if the schema names its own dialect, or uses the default. */
  readonly dialect: Dialect | null;
  readonly schemaDigest: string;
  readonly changeType: ContractChangeType;
  readonly previousContractId: ContractId | null;
  readonly publishedAt: Timestamp;
  /** The team it was published for. */
  readonly publishedBy: TeamId;
  readonly publishedByActor: ActorReference;
  readonly source: ContractSource;
  readonly sourceReference: string | null;
  readonly commit: string | null;
}

/**
 * The facts about a schema's origin that a comparison needs.
 *
 * @example readingOf('graphql') // { hasNamedTypes: true }
 */
export function readingOf(
  format: ContractFormat,
): Pick<ContractTerms, 'hasNamedTypes' | 'hasPlaces'> {
  return {
    ...(format === 'graphql' && { hasNamedTypes: true }),
    ...(format === 'openapi' && { hasPlaces: true }),
  };
}

export function termsOf(
  contract: Pick<
    Contract,
    | 'schema'
    | 'compatibilityMode'
    | 'guarantees'
    | 'direction'
    | 'dialect'
    | 'format'
    | 'hasUnreadVariants'
  >,
): ContractTerms {
  return {
    schema: contract.schema,
    compatibilityMode: contract.compatibilityMode,
    guarantees: contract.guarantees,
    direction: contract.direction,
    ...(contract.dialect === null ? {} : { dialect: contract.dialect }),
    ...readingOf(contract.format),
    ...(contract.hasUnreadVariants === true && { hasUnreadVariants: true }),
  };
}

/** Of a field with a sunset date, in their order. `near` begins a month before the day, `over` on the day after it. */
export const sunsetStages = ['announced', 'near', 'over'] as const;

export type SunsetStage = (typeof sunsetStages)[number];

/** The last stage that readers of a field were told of, by its path. */
export type SunsetsTold = Readonly<Record<string, SunsetTold>>;

interface SunsetTold {
  readonly day: string;
  readonly stage: SunsetStage;
  /** Those that were told of this stage. Without them, all readers count as told. */
  readonly teams?: readonly TeamId[];
}
