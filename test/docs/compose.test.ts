// examples/compose and the page about the image, without Docker: the file is read as compose reads it, and
// its settings are read as the server reads them.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import packageFile from '../../package.json' with { type: 'json' };
import { readConfig, settings } from '../../src/ops/config/config.ts';
import { blocksOf } from './blocks.ts';

const root = join(import.meta.dirname, '../..');
const file = 'examples/compose/compose.yaml';
const image = `localhost/concordat:${packageFile.version}`;

/** The part of the compose specification that the example uses; a key that it does not know fails. */
const service = z.strictObject({
  image: z.string(),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.literal('service_healthy') }))
    .optional(),
  environment: z.record(z.string().regex(/^[A-Z_]+$/), z.string()),
  ports: z.array(z.string().regex(/^(?:[\d.]+:)?\d+:\d+$/)),
  volumes: z.array(z.string().regex(/^[\w-]+:\/[\w/]+$/)).optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .optional(),
  healthcheck: z.strictObject({
    test: z.tuple([z.literal('CMD')], z.string()),
    interval: z.string().regex(/^\d+s$/),
    start_period: z.string().regex(/^\d+s$/),
  }),
});

const composeFile = z.strictObject({
  name: z.string(),
  services: z.strictObject({ concordat: service, postgres: service }),
  volumes: z.record(z.string(), z.strictObject({})),
});

/** Variables as compose puts them in: `${NAME:-default}`, and `${NAME:?message}` where one is missing. */
function interpolate(text: string, environment: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)(:[-?])([^}]*)\}/g, (_whole, name, sign, rest) => {
    const value = environment[name];
    if (value) return value;
    if (sign === ':?') throw new Error(`${name}: ${rest}`);
    return rest;
  });
}

const read = (environment: Readonly<Record<string, string>>) =>
  composeFile.parse(parse(interpolate(readFileSync(join(root, file), 'utf8'), environment)));

const secrets = { BOOTSTRAP_KEY: 'a-key-for-this-test', ADMIN_PASSWORD: 'a password of the test' };

test('compose refuses to start without its secrets', () => {
  expect(() => read({})).toThrow('BOOTSTRAP_KEY: Set BOOTSTRAP_KEY to 16 characters or more.');
  expect(() => read({ BOOTSTRAP_KEY: secrets.BOOTSTRAP_KEY })).toThrow('ADMIN_PASSWORD: Set ');
});

test('its settings are those of the server, and name the Postgres beside it', () => {
  const { services, volumes } = read(secrets);
  const { concordat, postgres } = services;
  const config = readConfig(concordat.environment);
  expect(config).toMatchObject({ ok: true });
  for (const name of Object.keys(concordat.environment)) expect(settings).toHaveProperty(name);
  expect(concordat.image).toBe(image);

  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = postgres.environment;
  expect(concordat.environment.DATABASE_URL).toBe(
    `postgres://${POSTGRES_USER}:${POSTGRES_PASSWORD}@postgres:5432/${POSTGRES_DB}`,
  );
  expect(Object.keys(concordat.depends_on ?? {})).toEqual(['postgres']);
  for (const each of [concordat, postgres]) {
    for (const volume of each.volumes ?? [])
      expect(volumes).toHaveProperty(volume.split(':')[0] ?? '');
  }
});

test('it waits longer than a stop takes, and writes where the image does', () => {
  const { concordat } = read(secrets).services;
  const config = readConfig(concordat.environment);
  if (!config.ok) throw new Error(config.problems.join('\n'));
  const waits = Number.parseInt(concordat.stop_grace_period ?? '', 10);
  expect(waits).toBeGreaterThan(config.config.SHUTDOWN_GRACE_SECONDS);
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const [, port, folder] = /PORT=(\d+) DATA_DIR=(\S+)/.exec(dockerfile) ?? [];
  expect(concordat.ports).toEqual([`8080:${port}`]);
  expect(folder?.startsWith(`${concordat.tmpfs?.[0]}/`)).toBe(true);
});

test('the page writes every secret that compose asks for, once', () => {
  const asked = [...readFileSync(join(root, file), 'utf8').matchAll(/\$\{(\w+):\?/g)];
  const [{ script } = { script: '' }] = blocksOf('docs/guide/docker.md');
  const written = /<<END\n([\s\S]*?)END\n/.exec(script)?.[1] ?? '';
  const names = [...written.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  expect(names).toEqual(asked.map(([, name]) => name));
});

test('the page about the image names real settings, files and the image', () => {
  const script = blocksOf('docs/guide/docker.md')
    .map((block) => block.script)
    .join('\n');
  const given = [...script.matchAll(/-e ([A-Z_]+)=/g)].map(([, name = '']) => name);
  const others = ['POSTGRES_USER', 'POSTGRES_PASSWORD', 'CONCORDAT_URL', 'CONCORDAT_KEY'];
  for (const name of given) expect([...Object.keys(settings), ...others]).toContain(name);
  for (const [named] of script.matchAll(/examples\/[\w/]+\.yaml/g)) {
    expect([named, existsSync(join(root, named))]).toEqual([named, true]);
  }
  const images = [...script.matchAll(/localhost\/concordat:\S+?(?=[;\s])/g)].map(
    ([named]) => named,
  );
  expect(new Set(images)).toEqual(new Set([image]));
});
