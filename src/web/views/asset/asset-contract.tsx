// The current contract or an older one, as a table of fields, as JSON, or for printing.

import type { Contract } from '../../data/shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { withoutField } from '../../editor/remove-field.ts';
import { ContractBadge, Panel } from '../../parts/bits.tsx';
import { nameOfActor } from '../../parts/event-detail.ts';
import { FieldTable } from '../../parts/field-table.tsx';
import type { Field } from '../../parts/fields.ts';
import { CopyButton } from '../../parts/form/form.tsx';
import { GuaranteeList } from '../../parts/guarantee-list.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Await, Empty } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link, refineQuery, usePlace } from '../../router.tsx';
import { useActsFor } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import { LastChange, WhoDepends } from './asset-glance.tsx';
import type { AssetTabProps } from './asset-tab.ts';

export default function AssetContract({ asset }: AssetTabProps) {
  const { query } = usePlace();
  const version = query.get('version') ?? 'latest';
  const answer = useAnswer('getAssetContract', { params: { asset_id: asset.id, version } });
  const isFirst = answer.kind === 'refused' && answer.status === 404 && version === 'latest';
  if (isFirst) {
    return (
      <Empty title={words.asset.noContract} icon="box">
        <p>{words.asset.noContractHint}</p>
        <Link to={paths.asset(asset.id, 'try')} className="button button-main">
          {words.asset.changeSchema}
        </Link>
      </Empty>
    );
  }
  return (
    <Await answer={answer}>
      {(contract) => <ContractPage asset={asset} contract={contract} />}
    </Await>
  );
}

function ContractPage({ asset, contract }: AssetTabProps & { readonly contract: Contract }) {
  const { query } = usePlace();
  const isJson = query.get('as') === 'json';
  const actsFor = useActsFor();
  const mayPropose =
    contract.status === 'active' && asset.managed_by === null && actsFor(asset.owner_team_id);
  const removeAt = ({ place }: Field) =>
    withoutField(contract.schema, place) === null ? null : paths.removeField(asset.id, place);
  return (
    <div className="columns columns-wide-left">
      <Panel
        className="panel-flush"
        title={words.fields.caption}
        aside={
          // biome-ignore lint/a11y/useSemanticElements: two buttons are no form
          <div className="segments no-print" role="group" aria-label={words.asset.readAs}>
            <button type="button" aria-pressed={!isJson} onClick={() => refineQuery({ as: '' })}>
              {words.asset.asTable}
            </button>
            <button type="button" aria-pressed={isJson} onClick={() => refineQuery({ as: 'json' })}>
              {words.asset.asJson}
            </button>
          </div>
        }
      >
        {isJson ? (
          <JsonView value={contract.schema} label={words.tryChange.editor} />
        ) : (
          <FieldTable
            key={`${contract.id} ${query.get('field')}`}
            contract={contract}
            sought={query.get('field')}
            removeAt={mayPropose ? removeAt : null}
          />
        )}
      </Panel>
      <div className="stack">
        <Facts contract={contract} />
        <Panel title={words.asset.guarantees}>
          <GuaranteeList guarantees={contract.guarantees} />
        </Panel>
        <LastChange contract={contract} />
        <WhoDepends asset={asset} />
        <Origin contract={contract} />
      </div>
    </div>
  );
}

function Facts({ contract }: { readonly contract: Contract }) {
  const { facts } = words.asset;
  return (
    <Panel
      title={`${facts.version} ${contract.version}`}
      aside={
        <span className="panel-aside">
          <ContractBadge state={contract.status} />
          <button type="button" className="link-button no-print" onClick={() => print()}>
            {words.actions.print}
          </button>
        </span>
      }
    >
      <dl className="facts">
        <dt>{facts.mode}</dt>
        <dd>
          <code>{contract.compatibility_mode}</code>
          <span className="hint">{words.modes[contract.compatibility_mode]}</span>
        </dd>
        <dt>{facts.published}</dt>
        <dd>
          <Time at={contract.published_at} isExact />{' '}
          {words.audit.by(nameOfActor(contract.published_by_actor))}
        </dd>
      </dl>
    </Panel>
  );
}

/** The first digits of a digest tell two apart; the tooltip and the copy have all of them. */
const shownDigits = 12;

function Origin({ contract }: { readonly contract: Contract }) {
  const { facts } = words.asset;
  const { source_reference: reference, schema_digest: digest } = contract;
  return (
    <Panel title={words.glance.origin}>
      <dl className="facts">
        <dt>{facts.source}</dt>
        <dd>
          {words.glance.sources[contract.source]}
          {reference !== null && <span className="hint">{reference}</span>}
        </dd>
        {contract.commit !== null && (
          <>
            <dt>{facts.commit}</dt>
            <dd>
              <code>{contract.commit}</code>
            </dd>
          </>
        )}
        <dt>{facts.format}</dt>
        <dd>{words.glance.formats[contract.format]}</dd>
        <dt>{facts.digest}</dt>
        <dd className="fact-copied">
          <code title={digest}>{digest.slice(0, shownDigits)}…</code>
          <CopyButton text={digest} />
        </dd>
      </dl>
    </Panel>
  );
}
