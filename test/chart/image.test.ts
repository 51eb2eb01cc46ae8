// The Dockerfile must fit the chart. Whether it builds and runs is tested where a container engine
// is available.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Installed, toBillOfMaterials } from '../../scripts/image/sbom.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';
import { chart, render } from './render.ts';

const root = join(chart, '../..');
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8').replace(/\\\n/g, ' ');
const stages = dockerfile.split(/^FROM /m).slice(1);
const last = stages.at(-1) ?? '';

const said = (instruction: string) =>
  [...last.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map((match) => match[1] ?? '');

test('the image runs as the user that the chart names, and listens where it calls', async () => {
  const objects = await render();
  const deployment = objects.find(({ kind }) => kind === 'Deployment') ?? {};
  const pod = at(deployment, 'spec', 'template', 'spec');
  const security = at(pod, 'securityContext');
  expect(said('USER')).toEqual([`${at(security, 'runAsUser')}:${at(security, 'runAsGroup')}`]);
  const ports = at(pod, 'containers', '0', 'ports');
  const numbers = Array.isArray(ports) ? ports.map((port: Json) => at(port, 'containerPort')) : [];
  expect(said('EXPOSE')).toEqual([numbers.join(' ')]);
  expect(said('ENV').join(' ')).toContain(`PORT=${numbers[0]}`);
  expect(said('CMD')).toEqual([JSON.stringify(at(pod, 'containers', '0', 'args'))]);
});

test('the image has the version of the package, as the chart has', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const ofChart = readFileSync(join(chart, 'Chart.yaml'), 'utf8');
  expect(said('ARG')).toContain(`VERSION=${version}`);
  expect(ofChart).toContain(`\nappVersion: ${version}\n`);
});

test('the image finds what it copies, and what it runs', () => {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  const copied = stages.flatMap((stage) =>
    [...stage.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap((match) =>
      (match[1] ?? '').split(' '),
    ),
  );
  expect(copied.length).toBeGreaterThan(0);
  for (const path of copied) {
    expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    // Everything is ignored except what is listed.
    expect(ignored).toContain(`!${path}`);
  }
  const [entry = ''] = said('ENTRYPOINT');
  const [program, ...words] = JSON.parse(entry);
  const file: string = words.at(-1) ?? '';
  expect(program).toBe('node');
  expect(existsSync(join(root, file.replace('/app/', '')))).toBe(true);
  // git reads repositories.
  expect(said('RUN').join()).toMatch(/ca-certificates git .*openssh-client/);
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const node = `node:${String(engines.node).replace(/\D/g, '')}-bookworm-slim`;
  const bases = stages.map((stage) => stage.split(/[\s@]/)[0]);
  // A program from one Debian release needs the same release at run time.
  expect(bases).toEqual([...stages.slice(1).map(() => node), 'debian:bookworm-slim']);
  expect(last).toContain(`base.name="docker.io/library/${bases.at(-1)}"`);
});

test('every image that it begins with is named by its digest, and stages of one tag by the same', () => {
  const bases = stages.map((stage) => stage.split(/\s/)[0] ?? '');
  for (const base of bases) expect(base).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  const tags = new Set(bases.map((base) => base.split('@')[0]));
  expect(new Set(bases).size).toBe(tags.size);
});

test('Node as the image starts it holds 64 MiB of what is young, and no more', () => {
  const [, ...words] = JSON.parse(said('ENTRYPOINT')[0] ?? '');
  const fillAndTell = `
    let held = [];
    for (let count = 0; count < 6e6; count++) {
      if (held.push({ count }) > 1e6) held = [];
    }
    const spaces = require('node:v8').getHeapSpaceStatistics();
    const young = spaces.find(({ space_name }) => space_name === 'new_space');
    console.log(young.space_size / 2 ** 20);`;
  const run = (flags: readonly string[]) =>
    Number(execFileSync(process.execPath, [...flags, '--eval', fillAndTell]));
  expect(run(words.slice(0, -1))).toBe(64);
  // Otherwise the flag would have no effect.
  expect(run([])).toBeGreaterThan(64);
});

test('what is in the image is listed: every package of the server, and none of its development', () => {
  const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  // The packages that `npm ci` installs without these.
  const installed = Object.fromEntries(
    Object.entries<Installed>(lock.packages).filter(
      ([, { dev, devOptional, optional }]) => !(dev || devOptional || optional),
    ),
  );
  const bill = JSON.parse(
    JSON.stringify(toBillOfMaterials(about, { packages: installed }, '24.1.2')),
  );
  expect(bill.bomFormat).toBe('CycloneDX');
  const listed: readonly { purl: string; hashes: readonly object[] }[] = bill.components;
  const purls = new Set(listed.map(({ purl }) => decodeURIComponent(purl)));
  for (const [name, version] of Object.entries(about.dependencies)) {
    expect(purls).toContain(`pkg:npm/${name}@${version}`);
  }
  expect(purls).toContain('pkg:generic/node@24.1.2');
  // Packages of types are not in this list, because packages of the server require some of them
  // too.
  for (const name of ['typescript', 'vite', 'vitest', 'playwright-core']) {
    expect(purls).not.toContain(`pkg:npm/${name}@${about.devDependencies[name]}`);
  }
  const zod = listed.find(({ purl }) => purl.startsWith('pkg:npm/zod@'));
  const { integrity } = lock.packages['node_modules/zod'];
  const content = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
  expect(zod?.hashes).toEqual([{ alg: 'SHA-512', content }]);
});

function at(value: Json, ...path: readonly string[]): Json {
  return path.reduce<Json>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)] ?? null;
    return isJsonObject(inner) ? ((inner as JsonObject)[key] ?? null) : null;
  }, value);
}
