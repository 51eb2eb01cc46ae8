// A contract as a table of fields; fields with inner fields can be unfolded.

import { Fragment, useEffect, useMemo, useRef, useState } from 'react';
import type { Contract } from '../data/shapes.ts';
import { Link } from '../router.tsx';
import { words } from '../words.ts';
import { TableFrame } from './bits.tsx';
import { Chunks, isChunked } from './chunks.tsx';
import { type Field, fieldsOf, listFields } from './fields.ts';
import { Icon } from './icon.tsx';
import { Empty } from './states.tsx';

/** "Unfold all" stops at this depth, because a recursive schema is infinite. */
const unfoldDepth = 6;
const unfoldLimit = 5_000;
const rowHeight = 44;
/** Small contracts are unfolded completely. */
const wholeUpTo = 40;

export function FieldTable({
  contract,
  sought = null,
  removeAt = null,
}: {
  readonly contract: Pick<Contract, 'schema' | 'dialect' | 'guarantees'>;
  /** The link that opens the editor without the field; null if the user may not propose that. */
  readonly removeAt?: ((field: Field) => string | null) | null;
  /** The field that somebody came for, such as `$.lines[*].sku`. */
  readonly sought?: string | null;
}) {
  const fields = useMemo(() => fieldsOf(contract), [contract]);
  const all = useMemo(() => listFields(fields, unfoldDepth, unfoldLimit), [fields]);
  const inner = useMemo(() => all.filter((field) => field.hasChildren), [all]);
  const target = sought?.replace(/^\$\.?/, '').replaceAll('[*]', '[]') ?? null;
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(
    () =>
      new Set(
        inner
          .map(({ path }) => path)
          .filter((path) => all.length <= wholeUpTo || isAround(path, target)),
      ),
  );
  const rows = useMemo(() => visibleRows(fields, unfolded, 0), [fields, unfolded]);
  if (fields.length === 0) return <Empty title={words.fields.none} />;

  const toggle = (path: string) =>
    setUnfolded((paths) => {
      const next = new Set(paths);
      if (!next.delete(path)) next.add(path);
      return next;
    });
  const renderRow = (index: number) => {
    const row = rows[index];
    if (row === undefined) return null;
    const { field, depth } = row;
    return (
      <FieldRow
        key={field.path}
        field={field}
        depth={depth}
        rowIndex={index + 2}
        isUnfolded={unfolded.has(field.path)}
        isSought={field.path === target}
        removeAt={removeAt?.(field)}
        onToggle={toggle}
      />
    );
  };
  const areAllUnfolded = inner.every((field) => unfolded.has(field.path));
  return (
    <>
      {inner.length > 0 && (
        <div className="table-tools no-print">
          <button
            type="button"
            className="button button-quiet"
            onClick={() =>
              setUnfolded(new Set(areAllUnfolded ? [] : inner.map((field) => field.path)))
            }
          >
            {areAllUnfolded ? words.fields.foldAll : words.fields.unfoldAll}
          </button>
        </div>
      )}
      <TableFrame label={words.fields.caption}>
        <table
          className={`table fields ${isChunked(rows.length) ? 'table-long' : ''}`}
          aria-rowcount={rows.length + 1}
        >
          <caption className="hidden">{words.fields.caption}</caption>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">{words.fields.name}</th>
              <th scope="col">{words.fields.type}</th>
              <th scope="col">{words.fields.required}</th>
              <th scope="col">{words.fields.description}</th>
              {removeAt !== null && (
                <th scope="col" className="no-print">
                  <span className="hidden">{words.fields.actions}</span>
                </th>
              )}
            </tr>
          </thead>
          <Chunks total={rows.length} rowHeight={rowHeight} as="tbody" renderRow={renderRow} />
        </table>
      </TableFrame>
    </>
  );
}

function FieldRow({
  field,
  depth,
  rowIndex,
  isUnfolded,
  isSought,
  removeAt,
  onToggle,
}: {
  readonly field: Field;
  readonly depth: number;
  /** Counts from 1, including the table's header. */
  readonly rowIndex: number;
  readonly isUnfolded: boolean;
  readonly isSought: boolean;
  /** Undefined if no field has one. */
  readonly removeAt: string | null | undefined;
  readonly onToggle: (path: string) => void;
}) {
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isSought) row.current?.scrollIntoView({ block: 'center' });
  }, [isSought]);
  return (
    <tr ref={row} aria-rowindex={rowIndex} aria-current={isSought ? 'true' : undefined}>
      <th scope="row" className={`field-name depth-${Math.min(depth, 8)}`}>
        {field.hasChildren ? (
          <button
            type="button"
            className="unfold"
            aria-expanded={isUnfolded}
            aria-label={
              isUnfolded ? words.fields.foldUp(field.path) : words.fields.unfold(field.path)
            }
            onClick={() => onToggle(field.path)}
          >
            <Icon name="chevron" />
          </button>
        ) : (
          <span className="unfold-gap" />
        )}
        <code title={field.path}>{field.name}</code>
      </th>
      <td>
        <code className="field-type">{field.type}</code>
      </td>
      <td>
        {field.isRequired !== null && (
          <span className={field.isRequired ? 'is-required' : 'is-optional'}>
            {field.isRequired ? words.fields.isRequired : words.fields.isOptional}
          </span>
        )}
      </td>
      <td className="field-rules">
        {field.description !== '' && <span className="field-text">{field.description}</span>}
        {field.rules.map((rule) => (
          <Fragment key={rule}>
            <code className="rule">{rule}</code>{' '}
          </Fragment>
        ))}
        {field.guarantees.map((guarantee) => (
          <Fragment key={guarantee}>
            <span className="rule rule-guarantee">
              <Icon name="check" />
              {guarantee}
            </span>{' '}
          </Fragment>
        ))}
      </td>
      {removeAt !== undefined && (
        <td className="field-action no-print">
          {removeAt !== null && (
            <Link className="field-remove" to={removeAt}>
              {words.fields.remove}
              <span className="hidden"> {field.path}</span>
            </Link>
          )}
        </td>
      )}
    </tr>
  );
}

function isAround(path: string, target: string | null): boolean {
  return target !== null && (target.startsWith(`${path}.`) || target.startsWith(`${path}[`));
}

interface Row {
  readonly field: Field;
  readonly depth: number;
}

function visibleRows(
  fields: readonly Field[],
  unfolded: ReadonlySet<string>,
  depth: number,
): readonly Row[] {
  return fields.flatMap((field) =>
    field.hasChildren && unfolded.has(field.path)
      ? [{ field, depth }, ...visibleRows(field.children(), unfolded, depth + 1)]
      : [{ field, depth }],
  );
}
