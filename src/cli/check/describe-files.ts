// Finds the columns of a set of files. They come from the files' contents and from the names of their folders.

import { quoteName, quoteText } from '../../core/checks/sql/dialect.ts';
import type { ColumnKind, SourceColumn } from '../../core/checks/sql/source-column.ts';
import { type Cell, type Source, sourceFailure } from './source.ts';

/** How files of one kind are read. */
export interface FilesReading {
  readonly paths: readonly string[];
  /** What reads a list of files, with more options. */
  readonly fromOf: (files: string, more: string) => string;
  readonly typeOf: (column: string, sqlType: string) => ColumnKind;
  /** The type of a column that is the name of a folder. */
  readonly typeOfText?: (column: string) => ColumnKind;
  /** Asks for the names that stand beside each other in a file, the columns first; DuckDB changes those that it has seen before. */
  readonly namesIn?: (file: string, ask: Source['ask']) => Promise<readonly (readonly Cell[])[]>;
  readonly rowNumber?: RowNumber;
}

/** How the rows of a file are numbered. */
interface RowNumber {
  readonly name: string;
  /** The number of the first row. */
  readonly first: 0 | 1;
  /** Whether DuckDB has it as a column of this name. Otherwise it counts the rows. */
  readonly isKnown: boolean;
}

interface DescribedFiles {
  readonly columns: readonly SourceColumn[];
  /** What reads the files. */
  readonly from: string;
  /** The same, with the name of the file and the number in it for each row. */
  readonly placedFrom: string;
  /** The names of these two. */
  readonly name: string;
  readonly number: string | null;
}

export async function describeFiles(
  reading: FilesReading,
  ask: Source['ask'],
): Promise<DescribedFiles> {
  const { paths, fromOf, rowNumber } = reading;
  const ofFolders = columnsOfFolders(await headsOf(reading, ask));
  const folders = ofFolders.size > 0 ? readingFolders : ignoringFolders;
  const describe = async (some: readonly string[]): Promise<readonly SourceColumn[]> => {
    const described = await ask(`DESCRIBE SELECT * FROM ${fromOf(listOf(some), folders)}`);
    return described.map(([name, sqlType]) => {
      const column = { name: name ?? '', sqlType: sqlType ?? '' };
      const isOfFolder = ofFolders.has(column.name.toLowerCase());
      return { ...column, type: typeOf(reading, column, isOfFolder) };
    });
  };
  const all = await describe(paths);
  const lacking = new Map<string, string[]>();
  for (const path of paths.length === 1 ? [] : paths) {
    const ofFile = await describe([path]);
    refuseOther(all, ofFile, path);
    const names = new Set(ofFile.map(({ name }) => name));
    for (const { name } of all) {
      if (!names.has(name)) lacking.set(name, [...(lacking.get(name) ?? []), path]);
    }
  }
  const taken = new Set(all.map(({ name }) => name.toLowerCase()));
  const name = freeName('filename', taken);
  const columns = all.map((column): SourceColumn => {
    const [path, ...others] = lacking.get(column.name) ?? [];
    if (path === undefined) return column;
    const those = [path, ...others].map(quoteText).join(', ');
    return { ...column, missing: { in: path, rows: `${quoteName(name)} IN (${those})` } };
  });
  const named = `${folders}, filename = ${quoteText(name)}`;
  const number = rowNumber === undefined ? null : freeName(rowNumber.name, taken);
  const isKnown = rowNumber?.isKnown === true && number === rowNumber.name;
  const counted = paths.map((path) => {
    const added = `${quoteText(path)} AS ${quoteName(name)}, row_number() OVER () - ${1 - (rowNumber?.first ?? 1)} AS ${quoteName(number ?? '')}`;
    return `SELECT *, ${added} FROM ${fromOf(listOf([path]), folders)}`;
  });
  return {
    ...{ columns, name, number },
    from: fromOf(listOf(paths), lacking.size === 0 ? folders : named),
    placedFrom: isKnown ? fromOf(listOf(paths), named) : `(${counted.join(' UNION ALL BY NAME ')})`,
  };
}

/** The names of the columns of each file, in small letters. */
async function headsOf({ paths, namesIn }: FilesReading, ask: Source['ask']) {
  const heads = new Map<string, readonly string[]>();
  if (namesIn === undefined) return heads;
  for (const path of paths) {
    const siblings = await namesIn(listOf([path]), ask);
    for (const names of siblings) refuseRepeated(names, path);
    heads.set(path, siblings[0]?.map((name) => name?.toLowerCase() ?? '') ?? []);
  }
  return heads;
}

function typeOf(
  { typeOf, typeOfText }: FilesReading,
  { name, sqlType }: Pick<SourceColumn, 'name' | 'sqlType'>,
  isOfFolder: boolean,
): ColumnKind {
  return isOfFolder && typeOfText !== undefined ? typeOfText(name) : typeOf(name, sqlType);
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name.toLowerCase()) ? freeName(`${name} of the source`, taken) : name;
}

export const ignoringFolders = ', hive_partitioning = false';
/** Values in names of folders have no type, as those of CSV. */
const readingFolders = ', hive_partitioning = true, hive_types_autocast = false';

/** The columns in the names of a file's folders: `day` in `day=2026-11-29/part-0.parquet`. */
function namesInFolders(path: string): readonly string[] {
  const folders = path.split(/[\\/]/).slice(0, -1);
  return folders.flatMap((folder) => /^([^=?]+)=/.exec(folder)?.[1]?.toLowerCase() ?? []);
}

/**
 * What folders say counts as columns, unless the files have the same columns themselves: DuckDB would read the
 * names of the folders in place of what the files say.
 */
function columnsOfFolders(heads: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const named = [...heads].map(([path, head]) => ({ path, head, names: namesInFolders(path) }));
  const isOwn = ({ head, names }: (typeof named)[number]) =>
    names.filter((name) => head.includes(name));
  const clash = named.find((each) => isOwn(each).length > 0);
  if (clash !== undefined) {
    const [name] = isOwn(clash);
    if (named.every((each) => isOwn(each).length === each.names.length)) return new Set();
    const message = `${clash.path} has the column ${name}, and the names of folders say it, too, or another one. Check files that have these columns by themselves.`;
    throw sourceFailure('SOURCE_UNREADABLE', message);
  }
  const [first, ...others] = named.map(({ names }) => [...new Set(names)].sort().join('/'));
  const isSame = others.every((each) => each === first);
  return new Set(isSame ? named[0]?.names : []);
}

/**
 * The names of the columns, and then those of the fields of each struct, from a tree of names whose every node
 * says how many children follow it.
 */
export function siblingsOf([root, ...nodes]: readonly (readonly Cell[])[]) {
  const columns: Cell[] = [];
  const siblings = [columns];
  const open = [{ names: columns, left: Number(root?.[1] ?? 0) }];
  for (const [name = null, children = null] of nodes) {
    const parent = open.at(-1);
    if (parent === undefined) break;
    parent.names.push(name);
    parent.left--;
    const names: Cell[] = [];
    siblings.push(names);
    open.push({ names, left: Number(children ?? 0) });
    while (open.at(-1)?.left === 0) open.pop();
  }
  return siblings;
}

/** The files themselves, whatever signs of patterns their names have. */
function listOf(paths: readonly string[]): string {
  return `[${paths.map((path) => quoteText(path.replace(/[[*?]/g, '[$&]'))).join(', ')}]`;
}

function refuseRepeated(head: readonly Cell[], path: string): void {
  const names = head.map((cell) => cell?.toLowerCase());
  const repeated = names.findIndex(
    (name, index) => name !== undefined && names.indexOf(name) < index,
  );
  if (repeated < 0) return;
  const message = `Two columns or fields of ${path} are called ${head[repeated]}, small and capital letters aside. Give one another name.`;
  throw sourceFailure('SOURCE_UNREADABLE', message);
}

/** Read together, numbers beside text would become text, in lists and structs too. */
function refuseOther(
  columns: readonly SourceColumn[],
  ofFile: readonly SourceColumn[],
  path: string,
): void {
  const names = new Map(columns.map(({ name }) => [name.toLowerCase(), name]));
  for (const { name } of ofFile) {
    const alike = names.get(name.toLowerCase());
    if (alike === undefined || alike === name) continue;
    const message = `${path} calls a column ${name}, and other files call it ${alike}. Check them by themselves.`;
    throw sourceFailure('SOURCE_UNREADABLE', message);
  }
  const kindOf = ({ type, sqlType }: SourceColumn) => (type.kind === 'json' ? sqlType : type.kind);
  const kinds = new Map(columns.map((column) => [column.name, kindOf(column)]));
  const other = ofFile.find((column) => kinds.get(column.name) !== kindOf(column));
  if (other === undefined) return;
  const message = `${path} has the column ${other.name} with the type ${other.sqlType}, and other files have it with another type. Check them by themselves.`;
  throw sourceFailure('SOURCE_UNREADABLE', message);
}
