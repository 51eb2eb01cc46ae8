// Checks that every threat of docs/security.md names tests that exist.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');

/** The rows of its tables: the attack, the defence, the tests. */
const sections = page.split(/^## /m).slice(1);
const threats = sections.flatMap((section) =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| attack'))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))),
);

/** Every quoted text of a file, including the names of its tests. */
function titlesOf(file: string): ReadonlySet<string> {
  const text = readFileSync(join(root, file), 'utf8');
  const titles = new Set<string>();
  for (const [, , title = ''] of text.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])+)\1/g)) {
    titles.add(title.replaceAll(/\\(.)/g, '$1'));
  }
  return titles;
}

describe('The page of threats', () => {
  test('has a section for every kind of threat', () => {
    expect(sections.map((section) => section.split('\n')[0])).toEqual([
      'Keys',
      'Sessions',
      'Ownership and review',
      'Injection',
      'Requests that the registry makes',
      'Denial of service',
      'Kubernetes',
      'The connection to Postgres',
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
