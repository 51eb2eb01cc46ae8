// Compares any two versions: the changes and why they matter, then the fields side by side.

import { useState } from 'react';
import type { Contract } from '../../data/shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { Badge, Panel } from '../../parts/bits.tsx';
import { ChangeList, changeSummary } from '../../parts/change-list.tsx';
import { Checkbox, SelectField } from '../../parts/form/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { SideBySide } from '../../parts/side-by-side.tsx';
import { Await, Empty } from '../../parts/states.tsx';
import { refineQuery, usePlace } from '../../router.tsx';
import { words } from '../../words.ts';
import type { AssetTabProps } from './asset-tab.ts';

export default function AssetCompare({ asset }: AssetTabProps) {
  const answer = useAnswer('listAssetContracts', {
    params: { asset_id: asset.id },
    query: { page_size: 100 },
  });
  return (
    <Await answer={answer}>
      {({ results }) =>
        results.length < 2 ? (
          <Empty title={words.compare.needsTwo} icon="swap" />
        ) : (
          <Comparison contracts={results} />
        )
      }
    </Await>
  );
}

function Comparison({ contracts }: { readonly contracts: readonly Contract[] }) {
  const { query } = usePlace();
  const newest = contracts[0];
  const from = find(contracts, query.get('from')) ?? contracts[1] ?? newest;
  const to = find(contracts, query.get('to')) ?? newest;
  const options = contracts.map(({ version, status }) => ({
    value: version,
    label: `${version} · ${words.versions.contractStates[status]}`,
  }));
  if (from === undefined || to === undefined) return null;
  return (
    <>
      <div className="compare-bar no-print">
        <SelectField
          label={words.compare.from}
          value={from.version}
          options={options}
          onText={(version) => refineQuery({ from: version, to: to.version })}
        />
        <button
          type="button"
          className="button"
          onClick={() => refineQuery({ from: to.version, to: from.version })}
        >
          <Icon name="swap" />
          {words.compare.swap}
        </button>
        <SelectField
          label={words.compare.to}
          value={to.version}
          options={options}
          onText={(version) => refineQuery({ from: from.version, to: version })}
        />
      </div>
      {from.id === to.id ? (
        <Empty title={words.compare.same} icon="swap" />
      ) : (
        <Differences key={`${from.id} ${to.id}`} from={from} to={to} />
      )}
    </>
  );
}

function Differences({ from, to }: { readonly from: Contract; readonly to: Contract }) {
  const answer = useAnswer('compareContracts', { body: { from: from.id, to: to.id } });
  const [isChangedOnly, setChangedOnly] = useState(true);
  return (
    <>
      <Await answer={answer}>
        {(diff) => (
          <Panel
            title={words.changes.title}
            aside={
              <span className="panel-aside">
                {changeSummary(diff.changes)}
                <Badge
                  tone={diff.is_breaking ? 'bad' : 'good'}
                  icon={diff.is_breaking ? 'cross' : 'check'}
                >
                  {words.versions.changeTypes[diff.change_type]}
                </Badge>
              </span>
            }
          >
            <ChangeList changes={diff.changes} old={from} />
          </Panel>
        )}
      </Await>
      <Panel
        className="panel-flush"
        title={words.compare.sideBySide}
        aside={
          <Checkbox
            label={words.compare.changedOnly}
            isChecked={isChangedOnly}
            onChange={setChangedOnly}
          />
        }
      >
        <SideBySide
          old={from}
          next={to}
          oldName={from.version}
          nextName={to.version}
          isChangedOnly={isChangedOnly}
        />
      </Panel>
    </>
  );
}

function find(contracts: readonly Contract[], version: string | null): Contract | undefined {
  return contracts.find((contract) => contract.version === version);
}
