// The events of an asset, its contracts, proposals and consumers, newest first.

import { useState } from 'react';
import { useAnswer, useSettled } from '../../data/use-answer.ts';
import { Panel } from '../../parts/bits.tsx';
import { EventList } from '../../parts/event-line.tsx';
import { PagedList } from '../../parts/paged-list.tsx';
import { Empty } from '../../parts/states.tsx';
import { words } from '../../words.ts';
import type { AssetTabProps } from './asset-tab.ts';

const pageSize = 50;

export default function AssetHistory({ asset }: AssetTabProps) {
  const [page, setPage] = useState(1);
  const query = { asset_id: asset.id, limit: pageSize, offset: (page - 1) * pageSize };
  const { answer, isSettling } = useSettled(useAnswer('listEvents', { query }));
  return (
    <Panel title={words.asset.history}>
      <PagedList
        answer={answer}
        page={page}
        pageSize={pageSize}
        count={words.audit.count}
        empty={<Empty title={words.audit.none} icon="list" />}
        isSettling={isSettling}
        onPage={setPage}
      >
        {(events) => <EventList events={events} />}
      </PagedList>
    </Panel>
  );
}
