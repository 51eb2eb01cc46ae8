// The import table of ARCHITECTURE.md, held against the code.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const source = resolve(import.meta.dirname, '../src');

interface Room {
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
  readonly node: boolean;
}

// One row a room: which rooms it may import, which packages it may touch, and whether it may touch
// Node itself.
const table: Readonly<Record<string, Room>> = {
  core: {
    rooms: [],
    packages: ['graphql', 'yaml', '@eslint-community/regexpp'],
    node: false,
  },
  wire: { rooms: ['core'], packages: ['zod'], node: false },
  registry: { rooms: ['core'], packages: [], node: false },
  store: { rooms: ['registry', 'core'], packages: ['slonik', 'pg', 'zod'], node: true },
  ops: {
    rooms: ['registry', 'core'],
    packages: [
      'pino',
      'prom-client',
      '@opentelemetry/api',
      '@opentelemetry/context-async-hooks',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
      'zod',
    ],
    node: true,
  },
  engine: {
    rooms: ['registry', 'core', 'ops'],
    packages: ['ajv', 'ajv-formats', 'ajv-draft-04'],
    node: true,
  },
  http: {
    rooms: ['wire', 'registry', 'core', 'ops', 'engine'],
    packages: ['express', 'swagger-ui-dist', 'redoc', 'zod'],
    node: true,
  },
  controller: {
    rooms: ['registry', 'core', 'ops'],
    packages: ['@kubernetes/client-node', 'yaml', 'zod'],
    node: true,
  },
  notify: { rooms: ['registry', 'core', 'ops'], packages: [], node: true },
  cli: { rooms: ['wire', 'core'], packages: ['commander', 'yaml'], node: true },
  web: { rooms: ['wire', 'core'], packages: ['react', 'react-dom'], node: false },
};

interface Import {
  readonly file: string;
  readonly from: string;
  readonly target: string;
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);
const imports = files.flatMap(importsOf);

describe('The house', () => {
  test('every folder of src is a room of the table', () => {
    const rooms = new Set(files.filter((file) => file.includes('/')).map(roomOf));
    expect([...rooms].filter((room) => !(room in table))).toEqual(['start']);
  });

  test('a room imports only the rooms that the table allows', () => {
    const strangers = imports
      .filter(({ from, target }) => target.startsWith('.') && from in table)
      .filter(({ file, from, target }) => {
        const room = roomOf(relative(source, resolve(source, file, '..', target)));
        return room !== from && !table[from]?.rooms.includes(room);
      });
    expect(strangers).toEqual([]);
  });

  test('a room touches only the packages that the table allows', () => {
    const strangers = imports
      .filter(({ from, target }) => !/^(\.|node:|data:)/.test(target) && from in table)
      .filter(({ from, target }) => !table[from]?.packages.includes(packageOf(target)));
    expect(strangers).toEqual([]);
  });

  test('core, wire, registry and web do without Node', () => {
    const strangers = imports.filter(
      ({ from, target }) => target.startsWith('node:') && table[from]?.node === false,
    );
    expect(strangers).toEqual([]);
  });

  test('only main.ts and the settings read the environment, the arguments and the signals', () => {
    const readers = files.filter(
      (file) =>
        !['main.ts', 'start/serve.ts', 'start/sources.ts', 'store/postgres/embedded.ts'].includes(
          file,
        ) && /process\.(env|argv|on\(|once\()/.test(text(file)),
    );
    expect(readers).toEqual([]);
  });

  test('one file opens connections to Postgres, so that each has the TLS that is asked for', () => {
    const openers = files.filter((file) => /\bnew (pg\.)?(Client|Pool)\(/.test(text(file)));
    expect(openers).toEqual(['store/postgres/connect.ts']);
  });

  test('core knows no clock, no chance and no waiting', () => {
    const offenders = files
      .filter((file) => roomOf(file) === 'core')
      .filter((file) =>
        /\bDate\.now\(|new Date\(\)|Math\.random\(|performance\.now\(|\basync\b|\bawait\b/.test(
          withoutComments(text(file)),
        ),
      );
    expect(offenders).toEqual([]);
  });

  test('nothing imports in a circle', () => {
    expect(circles()).toEqual([]);
  });
});

function importsOf(file: string): Import[] {
  const found = withoutComments(text(file)).matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g,
  );
  return [...found].map((match) => ({
    file,
    from: roomOf(file),
    target: match[1] ?? match[2] ?? match[3] ?? '',
  }));
}

function circles(): string[][] {
  const edges = new Map<string, string[]>();
  for (const { file, target } of imports.filter(({ target }) => target.startsWith('.'))) {
    if (isTypeOnly(file, target)) continue;
    edges.set(file, [
      ...(edges.get(file) ?? []),
      relative(source, resolve(source, file, '..', target)),
    ]);
  }
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: string[]) => {
    const start = trail.indexOf(file);
    if (start >= 0) found.push(trail.slice(start));
    if (start >= 0 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return found;
}

// A circle of types alone is erased before the program runs.
function isTypeOnly(file: string, target: string): boolean {
  const escaped = target.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const uses = text(file).match(new RegExp(`(import|export)\\b[^;'"]*?from\\s+'${escaped}'`, 'g'));
  return uses?.every((use) => /^(import|export) type\b/.test(use)) ?? false;
}

function roomOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : file;
}

function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

function text(file: string): string {
  return readFileSync(join(source, file), 'utf8');
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
