// The result of an import or a rehearsal: totals, then each item with links.

import { useMemo } from 'react';
import type { Refusal } from '../../data/shapes.ts';
import type { FileProblem, Outcome, OutcomeItem } from '../../imports/import.types.ts';
import { Badge, Panel, TableFrame, type Tone } from '../../parts/bits.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { SlicedList } from '../../parts/paged-list.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { words } from '../../words.ts';
import { Problems } from './import-plan.tsx';

export function OutcomePanel({ outcome }: { readonly outcome: Outcome }) {
  const { isRehearsal } = outcome;
  return (
    <Panel
      className={`panel-flush ${isRehearsal ? '' : 'panel-good'}`}
      title={isRehearsal ? words.import.rehearsed : words.import.done}
    >
      <div>
        <ul className="import-facts" aria-label={words.import.facts}>
          {factsOf(outcome).map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
        {isRehearsal && (
          <p className="note import-note" role="status">
            <Icon name="info" />
            <span>{words.import.nothingWritten}</span>
          </p>
        )}
        <Problems title={words.import.errors} problems={outcome.problems} />
        <Removed outcome={outcome} />
        <Items outcome={outcome} />
      </div>
    </Panel>
  );
}

/** A refused import, with each problem and its location in the file. */
export function ImportRefusal({ refusal }: { readonly refusal: Refusal }) {
  const { code, message } = refusal;
  const problems = problemsOf(refusal);
  return (
    <div>
      <RefusalNote refusal={problems.length === 0 ? refusal : { code, message }} />
      <Problems title={words.import.errors} problems={problems} />
    </div>
  );
}

function problemsOf({ errors }: Refusal): readonly FileProblem[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error: Partial<FileProblem>) =>
    error.message === undefined || error.place === undefined
      ? []
      : [{ message: error.message, place: error.place }],
  );
}

function factsOf({ assets, contracts, proposals, registrations, isRehearsal }: Outcome): string[] {
  const { did, would } = words.import.outcome;
  const say = isRehearsal ? would : did;
  const counts = [
    [assets.created, say.created],
    [assets.updated, say.updated],
    [assets.skipped, say.skipped],
    [assets.unchanged, say.unchanged],
    [assets.failed, say.failed],
    [contracts.published, say.published],
    [proposals.created, say.proposed],
    [registrations.created, say.registered],
  ] as const;
  const told = counts.flatMap(([count, sentence]) => (count === 0 ? [] : [sentence(count)]));
  return told.length === 0 ? [words.import.outcome.nothing] : told;
}

function Removed({ outcome: { removed } }: { readonly outcome: Outcome }) {
  if (removed.length === 0) return null;
  return (
    <details className="import-problems">
      <summary>
        <Icon name="info" />
        {words.import.vanished(removed.length)}
      </summary>
      <ul>
        {removed.map(({ fqn, breaking }) => (
          <li key={fqn}>
            {fqn}
            {breaking && ` · ${words.import.isConsumed}`}
          </li>
        ))}
      </ul>
    </details>
  );
}

const looks: Readonly<Record<OutcomeItem['action'], readonly [Tone, IconName]>> = {
  created: ['calm', 'plus'],
  updated: ['good', 'swap'],
  skipped: ['plain', 'info'],
  unchanged: ['plain', 'check'],
  failed: ['bad', 'cross'],
};

/** Sorts items that need attention first. */
const actionOrder: readonly OutcomeItem['action'][] = [
  'failed',
  'created',
  'updated',
  'skipped',
  'unchanged',
];

function Items({ outcome }: { readonly outcome: Outcome }) {
  const items = useMemo(
    () =>
      outcome.items.toSorted(
        (a, b) => actionOrder.indexOf(a.action) - actionOrder.indexOf(b.action),
      ),
    [outcome],
  );
  if (items.length === 0) return null;
  return (
    <SlicedList items={items} count={words.import.count}>
      {(slice) => <ItemTable items={slice} isRehearsal={outcome.isRehearsal} />}
    </SlicedList>
  );
}

function ItemTable({
  items,
  isRehearsal,
}: {
  readonly items: readonly OutcomeItem[];
  readonly isRehearsal: boolean;
}) {
  return (
    <TableFrame label={words.import.outcomeCaption}>
      <table className="table import-table">
        <caption className="hidden">{words.import.outcomeCaption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.import.item}</th>
            <th scope="col">{isRehearsal ? words.import.wouldBecome : words.import.became}</th>
            <th scope="col">{words.import.links}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <ItemRow key={item.fqn} item={item} isRehearsal={isRehearsal} />
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function ItemRow({
  item,
  isRehearsal,
}: {
  readonly item: OutcomeItem;
  readonly isRehearsal: boolean;
}) {
  const [tone, icon] = looks[item.action];
  // A rehearsal creates nothing, so there is nothing to link to.
  const isThere = !isRehearsal || item.action !== 'created';
  return (
    <tr>
      <th scope="row" className="cell-text">
        {item.asset_id !== null && isThere ? (
          <Link to={paths.asset(item.asset_id)}>{item.fqn}</Link>
        ) : (
          item.fqn
        )}
      </th>
      <td>
        <Badge tone={tone} icon={icon}>
          {words.import.actions[item.action]}
        </Badge>
      </td>
      <td>
        {item.contract_id !== null && item.asset_id !== null && isThere && (
          <Link to={paths.asset(item.asset_id)}>{words.import.seeContract}</Link>
        )}{' '}
        {item.proposal_id != null && !isRehearsal && (
          <Link to={paths.proposal(item.proposal_id)}>{words.import.seeProposal}</Link>
        )}
      </td>
    </tr>
  );
}
