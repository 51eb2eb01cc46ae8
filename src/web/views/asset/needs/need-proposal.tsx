// What becomes of an open proposal, if a team states what it reads: told before it is saved.

import { useMemo } from 'react';
import type { JsonObject } from '../../../../core/value/json.ts';
import type { Asset, Contract, Proposal, RegistrationRead } from '../../../data/shapes.ts';
import { termsOf } from '../../../data/terms-of.ts';
import { useAnswer } from '../../../data/use-answer.ts';
import { useAskingCheck } from '../../../engine/use-verdict.ts';
import type { AskingCheck, AskingQuestion } from '../../../engine/verdict.ts';
import { HitReason } from '../../../parts/hit-line.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { paths } from '../../../paths.ts';
import { Link } from '../../../router.tsx';
import { words } from '../../../words.ts';

export type StatedHere = ({ readonly fields: string[] } | { readonly schema: JsonObject }) & {
  readonly guarantees?: string[];
};

interface NoteProps {
  readonly registration: RegistrationRead;
  /** Null: everything. */
  readonly stated: StatedHere | null | 'unread';
}

export function OpenProposal({ registration, stated }: NoteProps) {
  const assetId = registration.asset_id;
  const listed = useAnswer('listProposals', {
    query: { asset_id: assetId, status: 'pending', kind: 'schema', page_size: 1 },
  });
  const open = listed.kind === 'ready' ? listed.body.results[0] : undefined;
  const proposal = useAnswer(
    'getProposal',
    open === undefined ? null : { params: { proposal_id: open.id }, query: { examples: 'first' } },
  );
  const baseId = proposal.kind === 'ready' ? proposal.body.base_contract_id : null;
  const base = useAnswer(
    'getContract',
    baseId === null ? null : { params: { contract_id: baseId } },
  );
  const asset = useAnswer('getAsset', { params: { asset_id: assetId } });
  if (proposal.kind !== 'ready' || base.kind !== 'ready' || asset.kind !== 'ready') return null;
  return (
    <Note
      registration={registration}
      stated={stated}
      proposal={proposal.body}
      base={base.body}
      asset={asset.body}
    />
  );
}

function Note({
  registration,
  stated,
  proposal,
  base,
  asset,
}: NoteProps & {
  readonly proposal: Proposal;
  readonly base: Contract;
  readonly asset: Asset;
}) {
  const { found_needs: found } = registration;
  const question = useMemo((): AskingQuestion | null => {
    const { proposed_schema: schema, proposed, asks } = proposal;
    if (schema === undefined || stated === 'unread') return null;
    const old = termsOf(base);
    const next = {
      ...old,
      schema,
      compatibilityMode: proposed.compatibility_mode ?? old.compatibilityMode,
      guarantees: proposed.guarantees ?? null,
    };
    const guaranteeMode = asset.guarantee_mode;
    return { wish: stated, found: found ?? null, asks, old, next, guaranteeMode };
  }, [stated, found, proposal, base, asset]);
  const check = useAskingCheck(question);
  const me = proposal.consumers.find(({ team_id }) => team_id === registration.consumer_team_id);
  const effect =
    check.kind === 'ready' ? check.verdict : check.kind === 'comparing' ? check.last : null;
  return (
    <p className={effect?.isAsked === false ? 'note note-warn' : 'note'} role="status">
      <Icon name="clock" />
      <span>
        <Effect
          effect={effect}
          hasAnswered={me?.response !== undefined}
          isAsked={me !== undefined}
          asksAll={proposal.asks === 'all'}
        />{' '}
        <Link to={paths.proposal(proposal.id)}>{words.asset.seeProposal}</Link>
      </span>
    </p>
  );
}

function Effect({
  effect,
  hasAnswered,
  isAsked,
  asksAll,
}: {
  readonly effect: AskingCheck | null;
  readonly hasAnswered: boolean;
  readonly isAsked: boolean;
  readonly asksAll: boolean;
}) {
  const { open } = words.readers;
  if (hasAnswered) return open.answered;
  if (asksAll) return open.asksAll;
  if (effect === null) return open.unknown;
  if (!effect.isAsked) return isAsked ? open.leaves : open.staysOut;
  return (
    <>
      {isAsked ? open.stays : open.joins}
      {effect.verdict !== null && (
        <>
          {' '}
          {words.needs.verdicts[effect.verdict.verdict]}
          <HitReason hit={effect.verdict} />
        </>
      )}
    </>
  );
}
