// Holds ARCHITECTURE.md against the code: its table of rooms, its map of folders, its named writers.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path/posix';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

/** A folder of more files than this hides them. Migrations are numbered and only added. */
const folderLimit = 22;
const growingFolders = ['src/store/migrations'];

const all = ['src', 'test', 'bench', 'scripts', 'bin'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)),
);
const files = all.filter((file) => /\.(tsx?|js)$/.test(file));
const sources = files.filter((file) => file.startsWith('src/'));
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

interface Import {
  readonly from: string;
  /** A file of ours, or the name of a package. */
  readonly target: string;
  /** `*` for all that the module exports. */
  readonly names: readonly string[];
}

const imports = files.flatMap(importsOf);
const ofSources = imports.filter(({ from }) => from.startsWith('src/'));

interface Room {
  readonly rooms: readonly string[] | 'all';
  readonly packages: readonly string[];
}

const table = readTable();

describe('The table of rooms', () => {
  test('has a row for each folder of src', () => {
    const rooms = new Set(sources.map(roomOf));
    expect([...table.keys()].sort()).toEqual([...rooms].sort());
  });

  test.each([...table])('is true of %s', (room, { rooms, packages }) => {
    const own = ofSources.filter(({ from }) => roomOf(from) === room);
    const imported = own
      .filter(({ target }) => target.startsWith('src/'))
      .map(({ target }) => roomOf(target));
    const touched = own.filter(({ target }) => isPackage(target));
    if (rooms !== 'all') {
      expect(sorted(imported.filter((other) => other !== room))).toEqual(sorted(rooms));
    }
    expect(sorted(touched.map(({ target }) => packageOf(target)))).toEqual(sorted(packages));
  });

  test('has rooms that do without Node: core, wire, registry and web', () => {
    const strangers = ofSources.filter(
      ({ from, target }) =>
        target.startsWith('node:') && ['core', 'wire', 'registry', 'web'].includes(roomOf(from)),
    );
    expect(strangers).toEqual([]);
  });
});

describe('The map', () => {
  test('names every folder of src, and no other', () => {
    const folders = new Set(all.filter((file) => file.startsWith('src/')).flatMap(foldersOf));
    folders.delete('src');
    expect(foldersOfMap().sort()).toEqual([...folders].map((folder) => folder.slice(4)).sort());
  });

  test('has no folder of too many files', () => {
    const counts = Map.groupBy(all, (file) => dirname(file));
    const crowded = [...counts]
      .filter(([folder, inside]) => inside.length > folderLimit && !growingFolders.includes(folder))
      .map(([folder, inside]) => `${folder}: ${inside.length}`);
    expect(crowded).toEqual([]);
  });
});

describe('The files', () => {
  test('do not import each other in a circle, not even for types', () => {
    expect(circlesIn(imports.map(({ from, target }) => [from, target]))).toEqual([]);
  });

  test('of core do not make circles of folders', () => {
    const ofCore = ofSources.filter(({ from }) => roomOf(from) === 'core');
    const edges = ofCore
      .filter(({ target }) => target.startsWith('src/'))
      .map(({ from, target }): Edge => [dirname(from), dirname(target)])
      .filter(([from, to]) => from !== to);
    expect(circlesIn(edges)).toEqual([]);
  });

  test('export nothing that no other file names', () => {
    const used = new Set(imports.flatMap((each) => namesUsed(each)));
    const idle = files
      .filter((file) => !isCalledByName(file))
      .flatMap((file) => exportsOf(file).map((name) => `${file} ${name}`))
      .filter((each) => !used.has(each));
    expect(idle).toEqual([]);
  });
});

describe('Only the files that are named for it', () => {
  test('read the environment, the arguments and the signals', () => {
    expect(sourcesWith(/process\.(env|argv|on\(|once\()/)).toEqual([
      ...['src/main.ts', 'src/start/sources.ts'],
      ...['src/store/postgres/embedded.ts'],
    ]);
  });

  test('open connections to Postgres, so that each has the TLS that is asked for', () => {
    expect(sourcesWith(/\bnew (pg\.)?(Client|Pool)\(/)).toEqual(['src/ops/postgres/connect.ts']);
  });

  test('write to the database: store/write, and the exceptions of ARCHITECTURE.md', () => {
    const writing = /\b(insert into|delete from)\s+[a-z_]|\bupdate [a-z_]+( as [a-z]+)?\s+set\b/;
    const others = sourcesWith(writing).filter((file) => !file.startsWith('src/store/write/'));
    const named = [...page.matchAll(/`(store\/[\w/-]+\.ts)`: /g)].map(([, file]) => `src/${file}`);
    expect(others).toEqual(named.sort());
  });
});

test('Core knows no clock, no chance and no waiting', () => {
  const knowing =
    /\bDate\.now\(|new Date\(\)|Math\.random\(|performance\.now\(|\basync\b|\bawait\b/;
  expect(sourcesWith(knowing).filter((file) => roomOf(file) === 'core')).toEqual([]);
});

function sourcesWith(pattern: RegExp): string[] {
  return sources.filter((file) => pattern.test(withoutComments(textOf(file)))).sort();
}

/** Rows like: | `wire` | what it holds | core | zod | its invariant | */
function readTable(): ReadonlyMap<string, Room> {
  const rows = page.matchAll(/^\| `([\w.]+)` \| [^|]+ \| ([^|]+) \| ([^|]+) \|/gm);
  return new Map(
    [...rows].map(([, room = '', rooms = '', packages = '']) => [
      room,
      { rooms: rooms === 'all' ? 'all' : listed(rooms), packages: listed(packages) },
    ]),
  );
}

function listed(cell: string): readonly string[] {
  return cell === 'none' ? [] : cell.split(', ');
}

/** The paths of the block that follows "Where things are": a line a folder, indented by its depth. */
function foldersOfMap(): string[] {
  const block = /## Where things are[\s\S]*?```\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const path: string[] = [];
  return [...block.matchAll(/^( *)([\w-]+)\/ /gm)].map(([, indent = '', name = '']) => {
    path.splice(indent.length / 2, path.length, name);
    return path.join('/');
  });
}

function foldersOf(file: string): string[] {
  const folders: string[] = [];
  for (let at = dirname(file); at !== '.'; at = dirname(at)) folders.push(at);
  return folders;
}

function importsOf(from: string): Import[] {
  const code = withoutComments(textOf(from));
  const statements = code.matchAll(/(?:^|\n)\s*(?:import|export)\b([^;'"]*?)from\s+'([^']+)'/g);
  const bare = code.matchAll(/(?:^|\n)import\s+'([^']+)'|\brequire\.resolve\('([^']+)'\)/g);
  const late = code.matchAll(/(?:\{([^{}]*)\}\s*=\s*await\s+)?\bimport\(\s*'([^']+)'\s*\)/g);
  return [
    ...[...statements].map(([, clause = '', path = '']) => ({
      from,
      target: targetOf(from, path),
      names: namesOf(clause, code),
    })),
    ...[...bare].map(([, path, found = '']) => ({
      from,
      target: targetOf(from, path ?? found),
      names: [],
    })),
    ...[...late].map(([, clause, path = '']) => ({
      from,
      target: targetOf(from, path),
      names: clause === undefined ? wordsOf(code) : namesOf(`{${clause}}`, code),
    })),
  ];
}

/** What a clause takes; of a namespace, what is named anywhere in the code, or all of it. */
function namesOf(clause: string, code: string): readonly string[] {
  const space = /\*\s+as\s+(\w+)/.exec(clause)?.[1];
  if (space !== undefined) {
    const isHandedOn = new RegExp(`(?<!as )(?<!\\w|[^.]\\.)${space}\\b(?![.:\\w])`).test(code);
    return isHandedOn ? ['*'] : wordsOf(code);
  }
  const inside = /\{([\s\S]*)\}/.exec(clause)?.[1] ?? '';
  const names = inside
    .split(',')
    .map((part) => part.trim().replace(/^type\s+/, ''))
    .map((part) => part.split(/\s+as\s+|\s*:\s*/)[0] ?? '')
    .filter((name) => name !== '');
  return /^\s*(?:type\s+)?\w+/.test(clause.replace(/\{[\s\S]*\}/, '').replace(/^\s*type\s/, ''))
    ? [...names, 'default']
    : names;
}

function wordsOf(code: string): readonly string[] {
  return [...new Set(code.match(/\w+/g)), 'default'];
}

function namesUsed({ target, names }: Import): readonly string[] {
  const taken = names.includes('*') ? exportsOf(target) : names;
  return taken.map((name) => `${target} ${name}`);
}

function exportsOf(file: string): readonly string[] {
  const declared = textOf(file).matchAll(
    /^export (?:default |async |abstract )*(?:function\*?|const|let|class|interface|type|enum)\s+(\w+)/gm,
  );
  return [...declared].map(([whole, name = '']) =>
    whole.startsWith('export default') ? 'default' : name,
  );
}

/** Modules that a tool calls, what is made from the code, and what makes it. */
function isCalledByName(file: string): boolean {
  return (
    /\.bench\.ts$|setup\.ts$|bench\/peers\/collected-pairs\.ts$|crd\/type-source\.ts$|release\/client\/main\.ts$/.test(
      file,
    ) || textOf(file).startsWith('// Made from')
  );
}

type Edge = readonly [from: string, to: string];

/** Each circle once, as the files or folders that it goes through. */
function circlesIn(edges: readonly Edge[]): string[][] {
  const next = Map.groupBy(edges, ([from]) => from);
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (at: string, trail: readonly string[]) => {
    const start = trail.indexOf(at);
    if (start >= 0) found.push(trail.slice(start));
    if (start >= 0 || done.has(at)) return;
    for (const [, to] of next.get(at) ?? []) visit(to, [...trail, at]);
    done.add(at);
  };
  for (const at of next.keys()) visit(at, []);
  return found;
}

/** `start` for src/start/serve.ts, `main.ts` for src/main.ts. */
function roomOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function targetOf(from: string, path: string): string {
  return path.startsWith('.') ? normalize(join(dirname(from), path)) : path;
}

function isPackage(target: string): boolean {
  return !/^(src\/|node:|data:)/.test(target) && target !== 'package.json';
}

function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}

function textOf(file: string): string {
  return texts.get(file) ?? '';
}

function withoutComments(code: string): string {
  return code.replace(/(?<=^|\s)\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
