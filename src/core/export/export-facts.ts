// The facts that an exported contract is made from.

import type { Asset } from '../asset.ts';
import type { Contract } from '../contract.ts';

/** All facts that a contract's document contains. */
export interface ExportFacts {
  readonly contract: Contract;
  readonly asset: Pick<
    Asset,
    'environment' | 'guaranteeMode' | 'needsMode' | 'onDeadline' | 'autoPublish' | 'metadata'
  > & {
    readonly ownerTeamName: string;
    readonly ownerTeamSlug: string;
    readonly ownerUserEmail: string | null;
  };
  /** Teams with an active registration on any contract of the asset, by name. */
  readonly consumers: readonly {
    readonly teamName: string;
    readonly teamSlug: string;
    readonly notes: string | null;
  }[];
}
