// Who reads what: the fields of the contract in force, and the consumers that read each.

import { useMemo, useState } from 'react';
import { inTreeOrder, type Placed } from '../../data/field-tree.ts';
import type { AssetFields } from '../../data/shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { Badge, Panel } from '../../parts/bits.tsx';
import { Matrix, type Spot } from '../../parts/matrix.tsx';
import { Await, Empty } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useActsFor, useMyTeam } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import type { AssetTabProps } from './asset-tab.ts';
import { FieldSearch } from './field-search.tsx';
import { NeedEditor } from './needs/need-editor.tsx';
import '../../style/readers.css';

export default function AssetReaders({ asset }: AssetTabProps) {
  const answer = useAnswer('listAssetFields', { params: { asset_id: asset.id } });
  return (
    <Await answer={answer}>
      {(listed) => <Readers key={asset.id} asset={asset} {...listed} />}
    </Await>
  );
}

function Readers({ asset, ...listed }: AssetTabProps & AssetFields) {
  const table = useMemo(() => readersTable(listed), [listed]);
  const team = useMyTeam();
  const actsFor = useActsFor();
  const [isEditing, setEditing] = useState(false);
  const mine = table.consumers.find((each) => each.team.id === team?.id);
  if (listed.contract === null) return <Empty title={words.asset.noContract} icon="box" />;
  if (table.consumers.length === 0) {
    return (
      <Empty title={words.readers.none} icon="people">
        <p>{words.readers.noneHint}</p>
      </Empty>
    );
  }
  if (isEditing && mine !== undefined) {
    return (
      <NeedEditor
        assetId={asset.id}
        registrationId={mine.registrationId}
        fields={table.rows}
        onClose={() => setEditing(false)}
      />
    );
  }
  return (
    <Panel
      title={words.readers.title}
      aside={
        mine !== undefined &&
        actsFor(mine.team.id) && (
          <button type="button" className="button" onClick={() => setEditing(true)}>
            {words.readers.edit(mine.team.name)}
          </button>
        )
      }
    >
      {table.rows.length === 0 ? (
        <p className="muted">{words.fields.none}</p>
      ) : (
        <ReadersGrid table={table} />
      )}
      {!listed.complete && <p className="hint">{words.readers.cut}</p>}
    </Panel>
  );
}

function ReadersGrid({ table }: { readonly table: ReadersTable }) {
  const [search, setSearch] = useState('');
  const [active, setActive] = useState<Spot>({ row: 1, column: 1 });
  const wanted = search.trim().toLowerCase();
  const rows = useMemo(
    () => table.rows.filter(({ field }) => field.path.toLowerCase().includes(wanted)),
    [table, wanted],
  );
  const { consumers } = table;
  const spot = { ...active, row: Math.min(active.row, rows.length) };
  return (
    <>
      <FieldSearch
        search={search}
        onSearch={setSearch}
        found={rows.length === 0 ? null : words.readers.counts(rows.length, consumers.length)}
      >
        <Legend />
      </FieldSearch>
      <Matrix
        label={words.readers.grid}
        rowCount={rows.length}
        columnCount={consumers.length}
        active={spot}
        onActive={setActive}
        corner={words.readers.field}
        renderColumnHead={(index) => {
          const name = consumers[index]?.team.name;
          return <span title={name}>{name}</span>;
        }}
        renderRowHead={(index) => {
          const row = rows[index];
          return row && <FieldHead row={row} isFlat={wanted !== ''} table={table} />;
        }}
        renderCell={(row, column) => <Mark read={readAt(rows[row], consumers[column])} />}
      />
      <Detail row={rows[spot.row - 1]} consumer={consumers[spot.column - 1]} />
    </>
  );
}

function Legend() {
  return (
    <ul className="legend">
      {(['declared', 'found', 'everything'] as const).map((kind) => (
        <li key={kind}>
          <span className={`mark mark-${kind}`} aria-hidden="true" />
          {words.readers.marks[kind]}
        </li>
      ))}
    </ul>
  );
}

/** Deeper fields are indented no more. */
const maxIndent = 4;

function FieldHead({
  row: { field, name, depth },
  isFlat,
  table,
}: {
  readonly row: FieldRow;
  /** Fields that were searched for stand without those around them. */
  readonly isFlat: boolean;
  readonly table: ReadersTable;
}) {
  const { length } = field.readers;
  return (
    <span className={`matrix-field matrix-depth-${isFlat ? 0 : Math.min(depth, maxIndent)}`}>
      <code title={field.path}>{isFlat ? field.path : name}</code>
      {field.deprecated && (
        <Badge tone="warn">
          {field.sunset === undefined
            ? words.readers.deprecated
            : words.readers.sunset(field.sunset)}
        </Badge>
      )}
      {length === 0 && !table.isReadWhole && <Badge tone="plain">{words.readers.nobody}</Badge>}
    </span>
  );
}

function Mark({ read }: { readonly read: Read }) {
  return (
    <>
      {read.kind !== 'none' && <span className={`mark mark-${read.kind}`} aria-hidden="true" />}
      <span className="hidden">{words.readers.marks[read.kind]}</span>
    </>
  );
}

/** The active cell in words: what its mark means, and when the field was last seen. */
function Detail({
  row,
  consumer,
}: {
  readonly row: FieldRow | undefined;
  readonly consumer: ConsumerColumn | undefined;
}) {
  if (row === undefined) return null;
  const { path, readers } = row.field;
  const read = consumer === undefined ? null : readAt(row, consumer);
  return (
    <div className="matrix-detail">
      <p>
        <code>{path}</code>
        {consumer === undefined || read === null ? (
          ` ${words.readers.readBy(readers.length)}`
        ) : (
          <>
            {' '}
            <strong>{consumer.team.name}</strong> {words.readers.says[read.kind]}
            {read.lastSeenAt !== undefined && (
              <>
                {' '}
                {words.readers.seen} <Time at={read.lastSeenAt} />.
              </>
            )}
          </>
        )}
      </p>
      <p className="hint">{words.readers.keys}</p>
    </div>
  );
}

interface Read {
  readonly kind: 'declared' | 'found' | 'everything' | 'none';
  readonly lastSeenAt?: string;
}

type Reader = AssetFields['readers_of_everything'][number];

interface ConsumerColumn {
  readonly registrationId: string;
  readonly team: Reader['team'];
  readonly readsEverything: boolean;
}

type FieldRow = Placed<AssetFields['fields'][number]> & {
  readonly reads: ReadonlyMap<string, Read>;
};

interface ReadersTable {
  readonly rows: readonly FieldRow[];
  readonly consumers: readonly ConsumerColumn[];
  /** Whether any field may be one that somebody reads. */
  readonly isReadWhole: boolean;
}

/** Teams that have said what they read come first. */
function readersTable(listed: AssetFields): ReadersTable {
  const consumers = new Map<string, ConsumerColumn>();
  const add = (readsEverything: boolean) => (reader: Reader) => {
    const { registration_id: registrationId, team } = reader;
    consumers.set(registrationId, { registrationId, team, readsEverything });
  };
  for (const { readers } of listed.fields) readers.forEach(add(false));
  listed.consumers.forEach(add(false));
  listed.readers_of_everything.forEach(add(true));
  const rows = inTreeOrder(listed.fields).map((placed) => ({
    ...placed,
    reads: new Map(
      placed.field.readers.map((reader): [string, Read] => [
        reader.registration_id,
        {
          kind: reader.origin,
          ...(reader.last_seen_at !== undefined && { lastSeenAt: reader.last_seen_at }),
        },
      ]),
    ),
  }));
  const order = (each: ConsumerColumn) => `${each.readsEverything ? 1 : 0} ${each.team.name}`;
  return {
    rows,
    consumers: [...consumers.values()].sort((one, other) => order(one).localeCompare(order(other))),
    isReadWhole: listed.readers_of_everything.length > 0,
  };
}

function readAt(row: FieldRow | undefined, consumer: ConsumerColumn | undefined): Read {
  if (row === undefined || consumer === undefined) return { kind: 'none' };
  const read = row.reads.get(consumer.registrationId);
  return read ?? { kind: consumer.readsEverything ? 'everything' : 'none' };
}
