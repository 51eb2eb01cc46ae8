// Every message of the page for troubleshooting is one that the product prints.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, documentation } from './blocks.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/guide/troubleshooting.md'), 'utf8');

const messages = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = '']) => message);

/** Each text as it reads when it is printed: parts of a sentence that stand on lines of their own are one. */
const texts = [
  ...['src', 'bin', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  ),
  join(root, 'Makefile'),
].map((file) => readFileSync(file, 'utf8').replaceAll(/['"`] \+\s+['"`]/g, ''));

// What the pages of the guide themselves print, where a variable is empty.
texts.push(...documentation.flatMap(blocksOf).map(({ script }) => script));

test('the page has messages', () => {
  expect(messages.length).toBeGreaterThan(20);
});

test.each(messages)('%s', (message) => {
  const literals = message.split('...').map((part) => part.trim().replaceAll(/[^\w\s]/g, '\\$&'));
  // What stands for a name or a number is a short expression.
  const printed = new RegExp(literals.join('[\\s\\S]{1,80}?'));
  expect(texts.some((text) => printed.test(text))).toBe(true);
});
