// What happened to the asset, newest first: to itself, and to its contracts, proposals and consumers.

import { useState } from 'react';
import { useAnswer, useSettled } from '../data/use-answer.ts';
import { Panel } from '../parts/bits.tsx';
import { EventLine } from '../parts/event-line.tsx';
import { Pager } from '../parts/pager.tsx';
import { Await } from '../parts/states.tsx';
import { words } from '../words.ts';
import type { AssetTabProps } from './asset.tsx';

const pageSize = 50;

export default function AssetHistory({ asset }: AssetTabProps) {
  const [page, setPage] = useState(1);
  const query = { asset_id: asset.id, limit: pageSize, offset: (page - 1) * pageSize };
  const { answer, isSettling } = useSettled(useAnswer('listEvents', { query }));
  return (
    <Panel title={words.asset.history}>
      <Await answer={answer}>
        {({ results, total = results.length }) => (
          <div className={isSettling ? 'settling' : undefined} aria-busy={isSettling}>
            <ul className="events">
              {results.map((event) => (
                <EventLine key={event.id} event={event} />
              ))}
            </ul>
            <Pager
              label={words.audit.count(total)}
              page={page}
              pageSize={pageSize}
              total={total}
              onPage={setPage}
            />
          </div>
        )}
      </Await>
    </Panel>
  );
}
