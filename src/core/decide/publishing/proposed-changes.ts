// The changes of a proposal that is not about a schema, each with its old and new value.

import type { Asset } from '../../asset.ts';
import type { Change, ChangeType } from '../../comparison.ts';
import type { ContractStatus } from '../../contract.ts';
import type { ContractId } from '../../id.ts';
import type { Proposed, ProposedTerms } from '../../proposal.ts';

interface ChangedFacts {
  readonly asset: Pick<
    Asset,
    'fqn' | 'environment' | 'ownerTeamId' | 'guaranteeMode' | 'needsMode'
  >;
  readonly base: {
    readonly id: ContractId;
    readonly version: string;
    readonly status: ContractStatus;
  } | null;
}

/**
 * Empty if nothing is left to change, so the proposal is outdated.
 *
 * @example changesOfProposed({ kind: 'guarantee_mode', guaranteeMode: 'ignore' }, facts)
 * // [{ type: 'guarantee_mode_lowered', path: '$.guarantee_mode', old: 'strict', new: 'ignore', ...
 * }]
 */
export function changesOfProposed(
  proposed: Exclude<Proposed, ProposedTerms>,
  { asset, base }: ChangedFacts,
): readonly Change[] {
  switch (proposed.kind) {
    case 'deprecation':
      if (base?.id !== proposed.contractId || base.status !== 'active') return [];
      return [
        breaking(
          'contract_deprecated',
          '$.status',
          `Version ${base.version} of ${asset.fqn} would be deprecated, and no version would be active.`,
          `active ${base.version}`,
          `deprecated ${base.version}`,
        ),
      ];
    case 'move':
      return [
        ...moved(
          '$.environment',
          'environment',
          asset.fqn,
          asset.environment,
          proposed.environment,
        ),
        ...moved('$.owner_team_id', 'owner', asset.fqn, asset.ownerTeamId, proposed.ownerTeamId),
      ];
    case 'guarantee_mode':
      if (asset.guaranteeMode === proposed.guaranteeMode) return [];
      return [
        breaking(
          'guarantee_mode_lowered',
          '$.guarantee_mode',
          `The guarantee mode of ${asset.fqn} would change from ${asset.guaranteeMode} to ${proposed.guaranteeMode}.`,
          asset.guaranteeMode,
          proposed.guaranteeMode,
        ),
      ];
    case 'needs_mode':
      if (asset.needsMode === proposed.needsMode) return [];
      return [
        breaking(
          'needs_mode_loosened',
          '$.needs_mode',
          `The needs mode of ${asset.fqn} would change from ${asset.needsMode} to ${proposed.needsMode}, so some changes would no longer ask every consumer that they ask today.`,
          asset.needsMode,
          proposed.needsMode,
        ),
      ];
    default:
      return proposed satisfies never;
  }
}

function moved(
  path: string,
  what: string,
  fqn: string,
  from: string,
  to: string,
): readonly Change[] {
  if (from === to) return [];
  const description = `${fqn} would move: its ${what} changes from ${from} to ${to}.`;
  return [breaking('asset_moved', path, description, from, to)];
}

function breaking(
  type: ChangeType,
  path: string,
  description: string,
  old: string,
  next: string,
): Change {
  return { type, path, description, breaking: true, old, new: next };
}
