// The fields of two schemas next to each other, matched by their location in a value.

import { useMemo } from 'react';
import { words } from '../words.ts';
import { Badge, TableFrame, type Tone } from './bits.tsx';
import { Chunks, isChunked } from './chunks.tsx';
import { type Field, fieldsOf, listFields, type Readable } from './fields.ts';
import type { IconName } from './icon.tsx';
import { Empty } from './states.tsx';

type Relation = 'old' | 'next' | 'both' | 'same';

interface Pair {
  readonly path: string;
  readonly old: Field | undefined;
  readonly next: Field | undefined;
  readonly relation: Relation;
}

const depth = 6;
const limit = 5_000;
const rowHeight = 56;

const looks: Readonly<Record<Relation, readonly [Tone, IconName]>> = {
  old: ['bad', 'cross'],
  next: ['good', 'plus'],
  both: ['warn', 'swap'],
  same: ['plain', 'check'],
};

export function SideBySide({
  old,
  next,
  oldName,
  nextName,
  isChangedOnly,
}: {
  readonly old: Readable;
  readonly next: Readable;
  readonly oldName: string;
  readonly nextName: string;
  readonly isChangedOnly: boolean;
}) {
  const pairs = useMemo(() => pairFields(old, next), [old, next]);
  const rows = isChangedOnly ? pairs.filter(({ relation }) => relation !== 'same') : pairs;
  if (rows.length === 0) return <Empty title={words.compare.none} icon="check" />;
  const renderRow = (index: number) => {
    const pair = rows[index];
    if (pair === undefined) return null;
    return (
      <tr
        key={pair.path}
        className={`side-row side-row-${pair.relation}`}
        aria-rowindex={index + 2}
      >
        <th scope="row">
          <code>{pair.path}</code>
        </th>
        <td>
          <Badge tone={looks[pair.relation][0]} icon={looks[pair.relation][1]}>
            {words.compare.onlyIn[pair.relation]}
          </Badge>
        </td>
        <FieldCell field={pair.old} side={oldName} />
        <FieldCell field={pair.next} side={nextName} />
      </tr>
    );
  };
  return (
    <TableFrame label={words.compare.sideBySide}>
      <table
        className={`table sides ${isChunked(rows.length) ? 'table-long' : ''}`}
        aria-rowcount={rows.length + 1}
      >
        <caption className="hidden">{words.compare.tableCaption(oldName, nextName)}</caption>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">{words.fields.name}</th>
            <th scope="col">{words.compare.status}</th>
            <th scope="col">{oldName}</th>
            <th scope="col">{nextName}</th>
          </tr>
        </thead>
        <Chunks total={rows.length} rowHeight={rowHeight} as="tbody" renderRow={renderRow} />
      </table>
    </TableFrame>
  );
}

function FieldCell({ field, side }: { readonly field: Field | undefined; readonly side: string }) {
  if (field === undefined) {
    return (
      <td className="muted" data-side={side}>
        {words.compare.absent}
      </td>
    );
  }
  return (
    <td data-side={side}>
      <code className="field-type">{field.type}</code>
      {field.isRequired !== null && (
        <span className={field.isRequired ? 'is-required' : 'is-optional'}>
          {field.isRequired ? words.fields.isRequired : words.fields.isOptional}
        </span>
      )}
      {field.rules.map((rule) => (
        <code className="rule" key={rule}>
          {rule}
        </code>
      ))}
      {field.description !== '' && <span className="field-text">{field.description}</span>}
    </td>
  );
}

/** In the order of the new schema; removed fields stay next to their former neighbours. */
function pairFields(old: Readable, next: Readable): readonly Pair[] {
  const before = listFields(fieldsOf(old), depth, limit);
  const after = listFields(fieldsOf(next), depth, limit);
  const olds = new Map(before.map((field) => [field.path, field]));
  const nexts = new Map(after.map((field) => [field.path, field]));
  const gone = before.filter((field) => !nexts.has(field.path));
  const pairs = after.map((field) => toPair(field.path, olds.get(field.path), field));
  for (const field of gone) {
    const place = before.indexOf(field);
    const neighbour = before.slice(0, place).findLast(({ path }) => nexts.has(path));
    const at =
      neighbour === undefined ? -1 : pairs.findIndex(({ path }) => path === neighbour.path);
    pairs.splice(at + 1, 0, toPair(field.path, field, undefined));
  }
  return pairs;
}

function toPair(path: string, old: Field | undefined, next: Field | undefined): Pair {
  return { path, old, next, relation: relate(old, next) };
}

function relate(old: Field | undefined, next: Field | undefined): Relation {
  if (old === undefined) return 'next';
  if (next === undefined) return 'old';
  return looksOf(old) === looksOf(next) ? 'same' : 'both';
}

function looksOf({ type, isRequired, rules, description }: Field): string {
  return JSON.stringify([type, isRequired, rules, description]);
}
