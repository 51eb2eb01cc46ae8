// What happened to the asset, newest first: to itself, and to its contracts, proposals and consumers,
// whose events stand under ids of their own.

import type { AuditEvent, CallTo } from '../data/shapes.ts';
import { useAnswer, useAnswers } from '../data/use-answer.ts';
import { Panel } from '../parts/bits.tsx';
import { EventLine } from '../parts/event-line.tsx';
import { Await, Loading } from '../parts/states.tsx';
import { words } from '../words.ts';
import type { AssetTabProps } from './asset.tsx';

/** How many of each kind are followed, the newest ones. */
const followed = 15;

type EntityType = CallTo<'listEntityHistory'>['params']['entity_type'];

export default function AssetHistory({ asset }: AssetTabProps) {
  const query = { asset_id: asset.id, page_size: followed };
  const contracts = useAnswer('listContracts', { query });
  const proposals = useAnswer('listProposals', { query });
  const registrations = useAnswer('listRegistrations', { query });
  const things: (readonly [EntityType, string])[] = [['asset', asset.id]];
  if (contracts.kind === 'ready') {
    for (const { id } of contracts.body.results) things.push(['contract', id]);
  }
  if (proposals.kind === 'ready') {
    for (const { id } of proposals.body.results) things.push(['proposal', id]);
  }
  if (registrations.kind === 'ready') {
    for (const { id } of registrations.body.results) things.push(['registration', id]);
  }
  const answers = useAnswers(
    'listEntityHistory',
    things.map(([entity_type, entity_id]) => ({
      params: { entity_type, entity_id },
      query: { limit: 100 },
    })),
  );
  const own = answers[0];
  const events = answers.flatMap((answer) => (answer.kind === 'ready' ? answer.body.results : []));
  return (
    <Panel title={words.asset.history}>
      {own === undefined ? (
        <Loading />
      ) : (
        <Await answer={own}>
          {() => (
            <ul className="events">
              {newestFirst(events).map((event) => (
                <EventLine key={event.id} event={event} />
              ))}
            </ul>
          )}
        </Await>
      )}
    </Panel>
  );
}

/** Ids rise with time. */
function newestFirst(events: readonly AuditEvent[]): readonly AuditEvent[] {
  return [...events].sort((a, b) => (a.id < b.id ? 1 : -1));
}
