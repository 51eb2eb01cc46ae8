// The guide as the server shows it: every page exists, every link has a target, and nothing
// violates a strict policy.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressOf, pages, resolveLink } from '../../src/http/pages/guide/pages.ts';
import type { Newcomer } from './newcomer.ts';
import { openWorld } from './world.ts';

const docs = join(import.meta.dirname, '../../docs');

let world: Newcomer;

beforeAll(async () => {
  world = await openWorld();
});

afterAll(() => world?.stop());

const get = async (path: string) => {
  const answer = await fetch(`${world.url}${path}`);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

test.each(['guide', 'runbooks'])('has every file of docs/%s', (folder) => {
  const files = readdirSync(join(docs, folder)).map((file) => `${folder}/${file}`);
  const shown = pages.map(({ file }) => file).filter((file) => file.startsWith(`${folder}/`));
  expect([...shown].sort()).toEqual([...files].sort());
});

test.each([
  ...readdirSync(join(docs, 'guide')).map((file) => `guide/${file}`),
  ...['sign-in.md', 'scim.md', 'machines.md', 'pull-requests.md'],
])('%s opens with how long it takes', (file) => {
  const text = readFileSync(join(docs, file), 'utf8');
  expect(text.slice(0, text.search(/^(##|\| message|\| word)/m))).toMatch(/\bminutes?\b/);
});

test('shows a runbook by the link of its alert, and only that one in the menu', async () => {
  const { status, text } = await get('/docs/guide/runbooks/ConcordatDown.md');
  expect(status).toBe(200);
  expect(text).toContain('<h1 id="concordatdown">ConcordatDown</h1>');
  const menu = text.slice(0, text.indexOf('<main'));
  expect(menu).toContain('aria-current="page">ConcordatDown<');
  expect(menu).not.toContain('ConcordatRestarts');
  expect((await get('/docs/guide/runbooks')).text).toContain(
    '"/docs/guide/runbooks/ConcordatRestarts"',
  );
});

describe.each(pages)('$file', (page) => {
  test('is shown under a strict policy, without inline content', async () => {
    const { status, headers, text } = await get(addressOf(page));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; form-action 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; object-src 'none'",
    );
    expect(text).not.toMatch(/<script|<style| style=| on\w+="/);
    expect(text.match(/<h1 /g)).toHaveLength(1);
    expect(text.match(/aria-current="page"/g)).toHaveLength(1);
    // No Markdown is left over.
    expect(text).not.toMatch(/<p>[^<]*(?:\*\*|```|\]\()/);
  });

  test('has no dangling links', async () => {
    const source = readFileSync(join(docs, page.file), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
    const targets = [...source.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
    const lost: string[] = [];
    for (const target of targets) {
      const address = resolveLink(page.file, target);
      const [path = '', anchor] = (address ?? '').split('#');
      if (address?.startsWith('https://')) continue;
      if (address === null) {
        if (!existsSync(join(docs, dirname(page.file), target.split('#')[0] ?? '')))
          lost.push(target);
        continue;
      }
      const { status, text } = await get(path === '' ? addressOf(page) : path);
      if (status !== 200) lost.push(target);
      if (anchor !== undefined && !text.includes(`id="${anchor}"`)) lost.push(target);
    }
    expect(lost).toEqual([]);
  });
});

test('its style sheet is served, and a missing page is 404', async () => {
  const style = await get('/docs/guide/style.css');
  expect([style.status, style.headers.get('content-type')]).toEqual([
    200,
    'text/css; charset=utf-8',
  ]);
  expect((await get('/docs/guide/nothing')).status).toBe(404);
  expect((await get('/docs/guide/..%2f..%2fpackage.json')).status).toBe(404);
});
