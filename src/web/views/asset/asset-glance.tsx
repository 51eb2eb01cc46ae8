// A summary of a contract: its last change and its consumers.

import { placeText } from '../../../core/diff/change-text.ts';
import type { Asset, Contract } from '../../data/shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { Panel } from '../../parts/bits.tsx';
import { changesIn } from '../../parts/event-detail.ts';
import { Icon } from '../../parts/icon.tsx';
import { Await } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { words } from '../../words.ts';

const shownChanges = 4;
const shownConsumers = 12;

/** Taken from the event, so that showing a contract needs no comparison. */
export function LastChange({ contract }: { readonly contract: Contract }) {
  const answer = useAnswer('listEntityHistory', {
    params: { entity_type: 'contract', entity_id: contract.id },
    query: { limit: 100 },
  });
  const published =
    answer.kind === 'ready'
      ? answer.body.results.find(({ event_type: type }) => type === 'contract.published')
      : undefined;
  const before = published?.metadata.previous_version;
  if (published === undefined || typeof before !== 'string') return null;
  const { lines, total } = changesIn(published);
  return (
    <Panel title={words.glance.changed(before)} className="glance">
      {total === 0 ? (
        <p className="muted">{words.glance.noChange}</p>
      ) : (
        <ul className="glance-changes">
          {lines.slice(0, shownChanges).map((change) => (
            <li key={change}>
              <ChangedPlace change={change} />
            </li>
          ))}
        </ul>
      )}
      <Link to={paths.compare(contract.asset_id, before, contract.version)}>
        {total > shownChanges
          ? words.glance.compareMore(total - shownChanges)
          : words.glance.compare}
      </Link>
    </Panel>
  );
}

/** An event has the kind of a change and its path: `property_added: $.properties.voucher`. */
function ChangedPlace({ change }: { readonly change: string }) {
  const [kind = '', path = ''] = change.split(': ', 2);
  return (
    <>
      {words.changes.kind(kind)} <code title={path}>{placeText(path)}</code>
    </>
  );
}

export function WhoDepends({ asset }: { readonly asset: Asset }) {
  const answer = useAnswer('listRegistrations', {
    query: { asset_id: asset.id, status: 'active', page_size: shownConsumers },
  });
  return (
    <Panel title={words.glance.consumers} className="glance">
      <Await answer={answer}>
        {({ results, total = results.length }) =>
          results.length === 0 ? (
            <p className="quiet">
              <Icon name="people" />
              {words.consumers.none}
            </p>
          ) : (
            <>
              <ul className="pills">
                {results.map((one) => (
                  <li key={one.id} title={one.notes ?? undefined}>
                    {one.consumer_team_name}
                  </li>
                ))}
              </ul>
              <Link to={paths.asset(asset.id, 'consumers')}>
                {words.glance.allConsumers(total)}
              </Link>
            </>
          )
        }
      </Await>
    </Panel>
  );
}
