// The commands in the documentation that install the chart need a cluster with nodes, which `make
// e2e` has. These tests run the same commands with Helm, without connecting to a cluster.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/value/json.ts';
import { documentation } from '../docs/blocks.ts';
import { all, environmentOf, one } from './release.ts';
import { chart, helm, render } from './render.ts';

const root = join(chart, '../..');
const read = (page: string) => readFileSync(join(root, page), 'utf8');

interface Line {
  readonly page: string;
  /** The arguments after `install` or `upgrade --install`. */
  readonly rest: string;
}

const lines: readonly Line[] = documentation.flatMap((page) => {
  const text = read(page).replaceAll(/\\\n/g, ' ');
  const found = text.matchAll(/^helm (?:install|upgrade --install) (.*)$/gm);
  return [...found].map(([, rest = '']) => ({ page, rest }));
});

/** Installs or builds the tool once. */
beforeAll(async () => {
  await helm(['version']);
});

test('the guide installs it in two places', () => {
  expect(lines.map(({ page }) => page)).toEqual(['docs/guide/gitops.md', 'docs/guide/operate.md']);
});

test.each(lines)('$page: helm install $rest', async ({ page, rest }) => {
  const text = read(page);
  const [, values = ''] = /```yaml\n([\s\S]*?)```/.exec(text) ?? [];
  const words = rest.trim().split(/\s+/);
  const args = words
    .filter((word) => word !== '--wait')
    .map((word) => (word === 'charts/concordat' ? chart : word === 'values.yaml' ? '-' : word));
  expect(args).toContain(chart);
  const how = ['--kube-version', '1.32.0'];
  const { code, stdout, stderr } = await helm(['template', ...args, ...how], values);
  expect([code, stderr]).toEqual([0, '']);

  const objects = parseAllDocuments(stdout)
    .map((document): Json => document.toJS())
    .filter((value): value is JsonObject => value !== null && isJsonObject(value));
  for (const [, name = ''] of text.matchAll(/ deployment\/(\S+)/g)) {
    expect(one(objects, 'Deployment', name)).toBeDefined();
  }
  for (const [, name = ''] of text.matchAll(/get lease (\S+)/g)) {
    expect(JSON.stringify(all(objects, 'ConfigMap'))).toContain(`"LEASE_NAME":"${name}"`);
  }
});

test('the page of operations switches on what it says', async () => {
  const [, block = ''] = /```yaml\n([\s\S]*?)```/.exec(read('docs/operations.md')) ?? [];
  const objects = await render(parse(block));
  expect(all(objects, 'ServiceMonitor')).toHaveLength(1);
  expect(all(objects, 'PrometheusRule')).toHaveLength(1);
  expect(all(objects, 'ConfigMap').length).toBeGreaterThan(all(await render(), 'ConfigMap').length);
  expect(environmentOf(objects)).toEqual(environmentOf(await render()));
});
