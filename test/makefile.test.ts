// What `make` does before it does anything else: it installs where something is missing, and only there.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let checkout: string;

beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'concordat-make-'));
  const root = join(import.meta.dirname, '..');
  for (const file of ['Makefile', 'package.json', 'package-lock.json']) {
    copyFileSync(join(root, file), join(checkout, file));
    changedAt(file, 100);
  }
});
afterAll(() => rmSync(checkout, { recursive: true }));

test('make installs in a fresh checkout, and not again after npm ci', () => {
  expect(installs()).toBe(true);
  // What npm leaves behind, whoever called it.
  mkdirSync(join(checkout, 'node_modules'));
  writeFileSync(join(checkout, 'node_modules/.package-lock.json'), '{}');
  changedAt('node_modules/.package-lock.json', 200);
  expect(installs()).toBe(false);
  changedAt('package-lock.json', 300);
  expect(installs()).toBe(true);
});

test('make reset deletes the data of make run, but not while it runs', () => {
  const data = join(checkout, '.concordat');
  mkdirSync(join(data, 'postgres'), { recursive: true });
  const reset = () => spawnSync('make', ['reset'], { cwd: checkout, encoding: 'utf8' });
  // This process stands for a Postgres that is alive.
  writeFileSync(join(data, 'postgres/postmaster.pid'), `${process.pid}\n5432\n`);
  expect(reset().stderr).toContain('make run still uses this folder. Stop it with Ctrl-C');
  expect(existsSync(data)).toBe(true);
  rmSync(join(data, 'postgres/postmaster.pid'));
  expect(reset().status).toBe(0);
  expect(existsSync(data)).toBe(false);
  // Nothing to delete is fine.
  expect(reset().status).toBe(0);
});

/** Seconds since 1970. */
function changedAt(file: string, seconds: number): void {
  utimesSync(join(checkout, file), seconds, seconds);
}

function installs(): boolean {
  const steps = execFileSync('make', ['--dry-run', 'install'], { cwd: checkout, encoding: 'utf8' });
  return steps.includes('npm ci');
}
