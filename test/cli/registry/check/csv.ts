// The same table as a file of CSV, written as RFC 4180 has it, and what its cells are.

import { writeFile } from 'node:fs/promises';
import { openFiles } from '../../../../src/cli/check/duckdb-source.ts';
import type { Source } from '../../../../src/cli/check/source.ts';
import type { Json } from '../../../../src/core/value/json.ts';
import type { Random } from '../../../core/laws/values.ts';
import { columnSchema, pick, type Sample, type Table } from './columns.ts';

const plainCells = [
  ...[
    '0',
    '1',
    '-1',
    '-0',
    '1.0',
    '1.50',
    '0.1',
    '1e2',
    '1E+2',
    '-1.5e-3',
    '9007199254740993',
    '1e400',
  ],
  ...[
    '01',
    '+1',
    '1.',
    '.5',
    '1_000',
    ' 1',
    '1 ',
    '0x1',
    'NaN',
    'Infinity',
    '12345678901234567890.5',
  ],
  ...[
    'true',
    'false',
    'True',
    'null',
    'NULL',
    '\\N',
    '#',
    '# a',
    'a',
    'A',
    'é',
    '😀',
    'a b',
    '2024-02-29',
  ],
  ...["'", "'a'", 'a;b', 'a|b', 'a\tb', '{"a"', '\\', 'a\\', '\u2028', '\u00a0'],
];
const quotedOnly = ['a,b', 'a"b', '"', '""', 'a\nb', 'a\r\nb', '\n', ','];

interface CsvCell {
  readonly text: string;
  readonly isQuoted: boolean;
}

interface CsvTable {
  readonly table: Table;
  readonly text: string;
  /** Whether the contract is said to take text in a column. */
  readonly takesText: readonly boolean[];
}

/** What is written like a number is one, where no text is taken. */
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function cellValue({ text, isQuoted }: CsvCell, takesText: boolean): Json {
  if (takesText) return text === '' && !isQuoted ? null : text;
  if (text === '') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return number.test(text) ? exact(text) : text;
}

/** Not rounded. */
function exact(text: string): Json {
  return /\d{15}|e400/.test(text) ? JSON.rawJSON(text) : Number(text);
}

const nothing: Sample = ['', null];

/** Each file has its own ends of lines, and quotes more or less. */
export function csvTable(random: Random, rowCount: number): CsvTable {
  const columns = Array.from({ length: 6 }, () => random() < 0.5);
  const quoting = random();
  const cell = (): CsvCell => {
    if (random() < 0.1) return { text: '', isQuoted: random() < 0.5 };
    const text = random() < 0.2 ? pick(random, quotedOnly) : pick(random, plainCells);
    return { text, isQuoted: /[",\n\r]/.test(text) || random() < quoting };
  };
  const cells = Array.from({ length: rowCount }, () => columns.map(cell));
  const written = ({ text, isQuoted }: CsvCell) =>
    isQuoted ? `"${text.replaceAll('"', '""')}"` : text;
  const head = columns.map((_, index) => `c${index}`).join(',');
  const end = pick(random, ['\n', '\r\n']);
  const lines = cells.map((row) => row.map(written).join(','));
  const last = random() < 0.5 ? end : '';
  const rows = cells.map((row) =>
    row.map((each, index): Sample => [each.text, cellValue(each, columns[index] === true)]),
  );
  const properties = Object.fromEntries(
    columns.map((_, index) => {
      const samples = rows.map((row) => row[index] ?? nothing);
      return [`c${index}`, columnSchema(random, samples, false)];
    }),
  );
  const types = columns.map(() => ({ postgres: '', duckdb: 'CSV', samples: [] }));
  return {
    table: { types, schema: { type: 'object', properties }, rows },
    text: `${[head, ...lines].join(end)}${last}`,
    takesText: columns,
  };
}

export async function openCsv({ text, takesText }: CsvTable, path: string): Promise<Source> {
  await writeFile(path, text);
  return openFiles({
    ...{ paths: [path], format: 'csv' },
    takesText: (column) => takesText[Number(column.slice(1))] === true,
  });
}
