// What an asset directly depends on, for those who may change it: to add, and to remove.

import { useState } from 'react';
import type { BodyOf } from '../../../data/shapes.ts';
import { useAct, useAnswer, useSettled } from '../../../data/use-answer.ts';
import { Fqn, Panel, TableFrame } from '../../../parts/bits.tsx';
import { Dialog, SelectField, TextField } from '../../../parts/form/form.tsx';
import { RowAction } from '../../../parts/form/row-action.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Await, RefusalNote } from '../../../parts/states.tsx';
import { paths } from '../../../paths.ts';
import { Link } from '../../../router.tsx';
import { words } from '../../../words.ts';
import type { AssetTabProps } from '../asset-tab.ts';

type Dependency = BodyOf<'listDependencies'>['results'][number];

const shownDependencies = 100;
const types = ['consumes', 'references', 'transforms'] as const;

export function AssetDependencies({ asset }: AssetTabProps) {
  const answer = useAnswer('listDependencies', {
    params: { asset_id: asset.id },
    query: { page_size: shownDependencies },
  });
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Dependency | null>(null);
  const said = words.dependencies;
  return (
    <Panel
      className="panel-flush"
      title={said.title}
      aside={
        <button type="button" className="button" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          {said.add}
        </button>
      }
    >
      <Await answer={answer}>
        {({ results }) =>
          results.length === 0 ? (
            <p className="hint graph-notes">{said.none}</p>
          ) : (
            <DependencyTable dependencies={results} onRemove={setRemoved} />
          )
        }
      </Await>
      {isAdding && <AddDialog asset={asset} onClose={() => setAdding(false)} />}
      {removed !== null && <RemoveDialog dependency={removed} onClose={() => setRemoved(null)} />}
    </Panel>
  );
}

function DependencyTable({
  dependencies,
  onRemove,
}: {
  readonly dependencies: readonly Dependency[];
  readonly onRemove: (dependency: Dependency) => void;
}) {
  const said = words.dependencies;
  return (
    <TableFrame label={said.title}>
      <table className="table table-cards">
        <caption className="hidden">{said.title}</caption>
        <thead>
          <tr>
            <th scope="col">{words.lineage.columns.asset}</th>
            <th scope="col">{words.lineage.columns.type}</th>
            <th scope="col">{said.source}</th>
            <th scope="col">{words.consumers.actions}</th>
          </tr>
        </thead>
        <tbody>
          {dependencies.map((one) => (
            <tr key={one.id}>
              <th scope="row">
                <Link to={paths.asset(one.depends_on_asset_id, 'lineage')}>
                  <Fqn fqn={one.depends_on_fqn} />
                </Link>
              </th>
              <td data-label={words.lineage.columns.type}>{words.lineage.types[one.type]}</td>
              <td data-label={said.source}>{said.sources[one.source]}</td>
              <td>
                <RowAction
                  label={said.remove}
                  of={one.depends_on_fqn}
                  isDangerous
                  onClick={() => onRemove(one)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function AddDialog({ asset, onClose }: AssetTabProps & { readonly onClose: () => void }) {
  const act = useAct();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState('');
  const [type, setType] = useState<(typeof types)[number]>('consumes');
  const { answer } = useSettled(
    useAnswer('listAssets', { query: { page_size: 20, ...(text.trim() !== '' && { q: text }) } }),
  );
  const found = answer.kind === 'ready' ? answer.body.results : [];
  const options = found
    .filter(({ id }) => id !== asset.id)
    .map(({ id, fqn, environment }) => ({ value: id, label: `${fqn} (${environment})` }));
  const said = words.dependencies;
  const add = async () => {
    const call = {
      params: { asset_id: asset.id },
      body: { depends_on_asset_id: chosen, type },
    };
    const added = await act.run('addDependency', call, said.added);
    if (added !== null) onClose();
  };
  return (
    <Dialog
      title={said.addTitle(asset.fqn)}
      confirm={said.add}
      isRunning={act.isRunning}
      onConfirm={add}
      onClose={onClose}
    >
      <TextField
        label={said.find}
        type="search"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        placeholder={words.assets.searchHint}
        value={text}
        onText={(next) => {
          setText(next);
          setChosen('');
        }}
      />
      <SelectField
        label={said.asset}
        required
        value={chosen}
        onText={setChosen}
        options={[{ value: '', label: said.choose(options.length) }, ...options]}
      />
      <SelectField
        label={words.lineage.columns.type}
        value={type}
        onText={(next) => setType(types.find((one) => one === next) ?? 'consumes')}
        options={types.map((value) => ({ value, label: words.lineage.types[value] }))}
      />
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function RemoveDialog({
  dependency,
  onClose,
}: {
  readonly dependency: Dependency;
  readonly onClose: () => void;
}) {
  const act = useAct();
  const said = words.dependencies;
  const remove = async () => {
    const params = { asset_id: dependency.asset_id, dependency_id: dependency.id };
    const done = await act.run('deleteDependency', { params }, said.removed);
    if (done !== null) onClose();
  };
  return (
    <Dialog
      title={said.removeTitle(dependency.depends_on_fqn)}
      confirm={said.remove}
      isDangerous
      isRunning={act.isRunning}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{dependency.source === 'dbt' ? said.fromDbt : said.removeHint}</p>
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}
