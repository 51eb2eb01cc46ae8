// The effect of a file before anything is written: totals, what could not be read, and each item
// with its changes, breaking ones first.

import { useMemo, useState } from 'react';
import { parseJson } from '../../../core/value/json.ts';
import type { Change } from '../../data/shapes.ts';
import type { FileProblem, ItemChange, Plan, PlanItem } from '../../imports/import.types.ts';
import { Badge, Panel, TableFrame, type Tone } from '../../parts/bits.tsx';
import { ChangeList } from '../../parts/change-list.tsx';
import { RowAction } from '../../parts/form/row-action.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { SlicedList } from '../../parts/paged-list.tsx';
import { Empty } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { words } from '../../words.ts';

type Shown = 'all' | 'breaking' | ItemChange;

const kinds = ['breaking', 'new', 'modified', 'unchanged', 'removed'] as const;

export function PlanPanel({ plan }: { readonly plan: Plan }) {
  const [shown, setShown] = useState<Shown>('all');
  const items = useMemo(() => plan.items.filter((item) => isOf(item, shown)), [plan, shown]);
  return (
    <Panel className="panel-flush" title={words.import.plan}>
      <div>
        <ul className="import-counts">
          {kinds.map((kind) => (
            <li key={kind}>
              <button
                type="button"
                aria-pressed={shown === kind}
                onClick={() => setShown(shown === kind ? 'all' : kind)}
              >
                <span className="count-number">{plan.summary[kind].toLocaleString('en')}</span>
                <span className="count-label">{words.import.counts[kind]}</span>
              </button>
            </li>
          ))}
        </ul>
        <Problems title={words.import.parseErrors} problems={plan.problems} />
        {items.length === 0 ? (
          <Empty title={plan.items.length === 0 ? words.import.empty : words.import.noneSuch} />
        ) : (
          <SlicedList key={shown} items={items} count={words.import.count}>
            {(slice) => <PlanTable items={slice} />}
          </SlicedList>
        )}
      </div>
    </Panel>
  );
}

function isOf(item: PlanItem, shown: Shown): boolean {
  if (shown === 'all') return true;
  return shown === 'breaking' ? item.isBreaking : item.change === shown;
}

function PlanTable({ items }: { readonly items: readonly PlanItem[] }) {
  return (
    <TableFrame label={words.import.planCaption}>
      <table className="table import-table">
        <caption className="hidden">{words.import.planCaption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.import.item}</th>
            <th scope="col">{words.import.change}</th>
            <th scope="col">{words.import.next}</th>
            <th scope="col">{words.import.changes}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <PlanRow key={`${item.fqn} ${item.name}`} item={item} />
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

const looks: Readonly<Record<ItemChange, readonly [Tone, IconName]>> = {
  new: ['calm', 'plus'],
  modified: ['good', 'swap'],
  unchanged: ['plain', 'check'],
  removed: ['warn', 'cross'],
};

function PlanRow({ item }: { readonly item: PlanItem }) {
  const [isOpen, setOpen] = useState(false);
  const [tone, icon] = looks[item.change];
  return (
    <>
      <tr>
        <th scope="row" className="cell-text">
          {item.change === 'new' ? (
            item.fqn
          ) : (
            <Link to={`${paths.assets}?${new URLSearchParams({ q: item.fqn })}`}>{item.fqn}</Link>
          )}
          {item.name !== '' && <span className="import-name">{item.name}</span>}
        </th>
        <td>
          <span className="import-badges">
            <Badge tone={tone} icon={icon}>
              {words.import.itemChanges[item.change]}
            </Badge>
            {item.isBreaking && (
              <Badge tone="bad" icon="alert">
                {words.import.itemBreaks}
              </Badge>
            )}
          </span>
        </td>
        <td>{item.change === 'modified' && words.versions.changeTypes[item.bump]}</td>
        <td>
          {item.told.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {item.changeCount > 0 && (
            <RowAction
              label={isOpen ? words.import.hideChanges : words.import.showChanges(item.changeCount)}
              of={item.fqn}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            />
          )}
        </td>
      </tr>
      {isOpen && (
        <tr className="import-changes">
          <td colSpan={4}>
            <ChangeList changes={changesOf(item)} />
          </td>
        </tr>
      )}
    </>
  );
}

function changesOf({ changesText }: PlanItem): readonly Change[] {
  const parsed = parseJson(changesText);
  // The cast is safe: the registry returns changes in the same form as a comparison.
  return parsed.ok && Array.isArray(parsed.value) ? (parsed.value as unknown as Change[]) : [];
}

const shownProblems = 20;

export function Problems({
  title,
  problems,
}: {
  readonly title: string;
  readonly problems: readonly FileProblem[];
}) {
  if (problems.length === 0) return null;
  return (
    <details className="import-problems" open={problems.length <= 5}>
      <summary>
        <Icon name="alert" />
        {title}: {words.import.problems(problems.length)}
      </summary>
      <ul>
        {problems.slice(0, shownProblems).map(({ message, place }, index) => (
          <li key={index}>
            {message} <code>{place}</code>
          </li>
        ))}
        {problems.length > shownProblems && (
          <li>{words.import.moreProblems(problems.length - shownProblems)}</li>
        )}
      </ul>
    </details>
  );
}
