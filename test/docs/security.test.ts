// The threats of docs/security.md, held against the suite: each has a test that is there.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');

/** By heading, the rows of its table: what is tried, what stops it, what shows it. */
const sections = page.split(/^## /m).slice(1);
const threats = sections.flatMap((section) =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| what'))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))),
);

/** The titles of a file's tests, as they stand in its text. */
function titlesOf(file: string): ReadonlySet<string> {
  const text = readFileSync(join(root, file), 'utf8');
  const titles = new Set<string>();
  for (const [, , title = ''] of text.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])+)\1/g)) {
    titles.add(title.replaceAll(/\\(.)/g, '$1'));
  }
  return titles;
}

describe('The page of threats', () => {
  test('speaks of everything that a registry has to fear', () => {
    expect(sections.map((section) => section.split('\n')[0])).toEqual([
      'Keys',
      'Sessions',
      'Tenancy, and ways round review',
      'Injection',
      'Requests that the registry makes',
      'Denial of service',
      'Kubernetes',
      'The way to Postgres',
      'Supply chain',
    ]);
    expect(threats.length).toBeGreaterThan(40);
  });

  test.each(threats)('%s: %s', (_tried, _stopped, shown = '') => {
    const named = [...shown.matchAll(/`(test\/[\w./-]+)` "((?:\\.|[^"\\])+)"/g)];
    expect(named.length, 'a threat without a test').toBeGreaterThan(0);
    expect(named.map(([whole]) => whole).join('; ')).toBe(shown);
    for (const [, file = '', title = ''] of named) {
      expect(existsSync(join(root, file)), `${file} is not there`).toBe(true);
      const titles = titlesOf(file);
      expect(titles.has(title.replaceAll('\\"', '"')), `${file} has no test "${title}"`).toBe(true);
    }
  });
});
