// What happened to the asset, newest first.

import { useAnswer } from '../data/use-answer.ts';
import { Panel } from '../parts/bits.tsx';
import { EventLine } from '../parts/event-line.tsx';
import { Await, Empty } from '../parts/states.tsx';
import { words } from '../words.ts';
import type { AssetTabProps } from './asset.tsx';

export default function AssetHistory({ asset }: AssetTabProps) {
  const answer = useAnswer('listEntityHistory', {
    params: { entity_type: 'asset', entity_id: asset.id },
    query: { limit: 100 },
  });
  return (
    <Panel title={words.asset.history}>
      <Await answer={answer}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty title={words.audit.none} icon="clock" />
          ) : (
            <ul className="events">
              {results.map((event) => (
                <EventLine key={event.id} event={event} />
              ))}
            </ul>
          )
        }
      </Await>
    </Panel>
  );
}
