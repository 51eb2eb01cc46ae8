import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Folder, makeFolder, run } from './support.ts';

let folder: Folder;

beforeAll(async () => {
  folder = await makeFolder();
  await folder.file('old.json', {
    type: 'object',
    properties: { id: { type: 'integer' }, email: { type: 'string' } },
  });
  await folder.file('new.json', { type: 'object', properties: { id: { type: 'string' } } });
});
afterAll(() => folder.remove());

async function diffWith(acceptances: string, args: readonly string[] = []) {
  await folder.file('.concordat-ignore', acceptances);
  return run(['diff', ...args, 'old.json', 'new.json'], '', { cwd: folder.path });
}

const both = `
- asset: new.json
  change: property_removed
  path: $.properties.email
  reason: Nobody reads it.
  until: 2999-12-31
- asset: 'new.*'
  change: type_changed
  reason: Text until the ids have moved.
  until: 2999-12-31
`;

describe('.concordat-ignore', () => {
  test('an accepted break is shown with its reason, and does not fail', async () => {
    const ran = await diffWith(both);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('Accepted under backward: 2 of 2 changes would break.');
    expect(ran.stdout).toContain('    accepted until 2999-12-31: Nobody reads it.');
  });

  test('--no-ignore accepts nothing, --ignore-file names another file', async () => {
    expect((await diffWith(both, ['--no-ignore'])).code).toBe(1);
    await folder.file('accepted.yaml', both);
    expect((await diffWith('[]', ['--ignore-file', 'accepted.yaml'])).code).toBe(0);
  });

  test('a partly accepted item still breaks in the rest', async () => {
    const [, first = ''] = both.split('- asset');
    const ran = await diffWith(`- asset${first}`);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('Breaking under backward: 1 of 2 changes.');
  });

  test('what could not be decided beside an accepted break still breaks', async () => {
    const servers = Array.from({ length: 8 }, (_, index) => `t${index}`);
    const schema = (type: string, more: object, further: object) => ({
      ...{ $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'object', ...further },
      properties: { s: { items: { $ref: '#/$defs/S' } }, name: { type: 'string' } },
      $defs: {
        S: {
          ...{ type: 'object', properties: { type: { type: 'string' } }, ...more },
          allOf: servers.map((each) => ({
            if: { properties: { type: { const: each } }, required: ['type'] },
            // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
            then: { $ref: `#/$defs/${each}` },
          })),
        },
        ...Object.fromEntries(servers.map((each) => [each, { properties: { host: {} } }])),
        t0: { properties: { schema: { type } } },
      },
    });
    const closed = { unevaluatedProperties: false };
    await folder.file('many-1.json', schema('integer', {}, {}));
    await folder.file('many-2.json', schema('string', closed, { required: ['name'] }));
    await folder.file(
      '.concordat-ignore',
      "- { asset: 'many-2.json', change: required_added, reason: Agreed., until: 2999-12-31 }",
    );
    const ran = await run(['diff', 'many-1.json', 'many-2.json'], '', { cwd: folder.path });
    // Of the values that have a schema of t0, those that were accepted are refused now.
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('✗ s[]: compatibility could not be decided');
  });

  test('an expired entry is reported, and accepts nothing', async () => {
    const ran = await diffWith(both.replaceAll('2999-12-31', '2020-02-29'));
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(
      '! .concordat-ignore, line 2: the accepted break of new.json expired on 2020-02-29. Remove the entry, or agree on a new date.',
    );
  });

  test('the end date is the last day that counts', async () => {
    const today = new Date().toISOString().slice(0, 10);
    expect((await diffWith(both.replaceAll('2999-12-31', today))).code).toBe(0);
  });

  test('an entry that accepts nothing is reported', async () => {
    const ran = await diffWith(`${both}
- asset: new.json
  change: enum_values_removed
  reason: Not needed.
  until: 2999-12-31
`);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain(
      '! .concordat-ignore, line 12: the accepted break of new.json matches no breaking change. Remove the entry.',
    );
  });

  test('an entry about something that was not compared is ignored', async () => {
    const other = '- { asset: shop.other, reason: Elsewhere., until: 2999-12-31 }\n';
    expect((await diffWith(both + other)).stdout).not.toContain('shop.other');
  });

  test.each([
    ['no list', 'asset: x', /must be a list/],
    ['no reason', '- { asset: x, until: 2999-01-01 }', /line 1: reason is missing/],
    ['an empty reason', '- { asset: x, reason: " ", until: 2999-01-01 }', /reason is missing/],
    ['no end', '- { asset: x, reason: y }', /until must be the last day/],
    ['a day that is none', '- { asset: x, reason: y, until: 2999-02-30 }', /until must be/],
    ['no asset', '- { reason: y, until: 2999-01-01 }', /asset is missing/],
    [
      'a word nobody knows',
      '- { asset: x, type: y }',
      /"type" is not allowed\. Use asset, change, path/,
    ],
    ['a fault of YAML', '- [', /\.concordat-ignore: /],
  ])('a file with %s ends with 3', async (_name, text, message) => {
    const ran = await diffWith(text);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toMatch(message);
  });
});
