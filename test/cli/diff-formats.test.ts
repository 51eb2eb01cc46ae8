// Every output format of one comparison with everything in it: breaks, an accepted break, new and
// removed items, and names that try to inject something.

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import ajvDraft04 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { npmPackage } from '../support/tools.ts';
import { type Folder, makeFolder, run } from './support.ts';

const golden = resolve(import.meta.dirname, '../golden/cli');
let folder: Folder;

const contract = (fqn: string, schema: object, more: object = {}) => ({
  apiVersion: 'concordat.dev/v1',
  kind: 'DataContract',
  metadata: { name: 'any' },
  spec: { fqn, schema, ...more },
});

const consumers = [{ team: 'Finance' }, { team: '@everyone' }];
const evil = '</summary>](http://evil.example) `x` ::error::\n::stop-commands::x <!-- @all #1 %0A';

beforeAll(async () => {
  folder = await makeFolder();
  const text = { type: 'string' };
  const orders = { id: { type: 'integer' }, email: text, status: { enum: ['open', evil] } };
  await folder.file(
    'old/orders.json',
    contract('shop.orders', { type: 'object', properties: orders }, { consumers }),
  );
  await folder.file(
    'new/orders.json',
    contract(
      'shop.orders',
      { type: 'object', properties: { id: text, status: { enum: ['open'] } } },
      { consumers },
    ),
  );
  await folder.file(
    'old/users.json',
    contract('shop.users', { type: 'object', properties: { name: text } }),
  );
  await folder.file(
    'new/users.json',
    contract('shop.users', { type: 'object', properties: { name: text, [evil]: text } }),
  );
  await folder.file(
    'old/parcels.json',
    contract('shop.parcels', { type: 'object', properties: { weight: { type: 'integer' } } }),
  );
  await folder.file(
    'new/parcels.json',
    contract('shop.parcels', { type: 'object', properties: { weight: text } }),
  );
  await folder.file('old/gone.json', contract('shop.gone', { type: 'object' }));
  await folder.file('new/fresh.json', contract('shop.fresh', { type: 'object' }));
  await folder.file(
    '.concordat-ignore',
    `- asset: shop.parcels\n  reason: ${JSON.stringify(`Agreed. ${evil}`)}\n  until: 2999-12-31\n- asset: shop.nothing\n  reason: Old.\n  until: 2020-01-31\n`,
  );
});
afterAll(() => folder.remove());

const diff = (format: string) =>
  run(['diff', 'old', 'new', '--format', format], '', { cwd: folder.path });

describe('concordat diff --format', () => {
  test.each([
    ['text', 'diff.txt'],
    ['json', 'diff.json'],
    ['markdown', 'diff.md'],
    ['changelog', 'diff.changelog.md'],
    ['github', 'diff.github.txt'],
    ['gitlab', 'diff.gitlab.json'],
    ['sarif', 'diff.sarif'],
    ['junit', 'diff.junit.xml'],
  ])('%s equals the reviewed output', async (format, file) => {
    const ran = await diff(format);
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    await expect(ran.stdout).toMatchFileSnapshot(join(golden, file));
  });

  test('changelog is a command of its own, which is never a failure', async () => {
    const ran = await run(['changelog', 'old', 'new'], '', { cwd: folder.path });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toBe((await diff('changelog')).stdout);
    const same = await run(['changelog', 'old', 'old'], '', { cwd: folder.path });
    expect(same).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: '# Changes from `old` to `old`\n\nNothing changed.\n',
    });
    await folder.file('not.json', { hello: 'world' });
    const unread = await run(['changelog', 'not.json', 'not.json'], '', { cwd: folder.path });
    expect(unread.code).toBe(3);
  });

  test('changelog tells what became deprecated apart, and counts descriptions', async () => {
    const schema = (more: object) => ({
      type: 'object',
      properties: { id: { type: 'string', ...more }, note: { type: 'string', title: 'A' } },
    });
    await folder.file('one.json', schema({}));
    await folder.file('two.json', schema({ deprecated: true, title: 'B' }));
    const ran = await run(['changelog', 'one.json', 'two.json'], '', { cwd: folder.path });
    expect(ran.stdout).toContain('### Deprecated\n\n- `id`\n');
    expect(ran.stdout).toContain('\n1 description changed.\n');
  });

  test('sarif is valid by the schema of SARIF 2.1.0', async () => {
    const home = npmPackage('@microsoft/jest-sarif', '1.0.0-beta.0');
    const schema = JSON.parse(
      await readFile(join(home, 'lib/schemas/sarif-2.1.0-rtm.5.json'), 'utf8'),
    );
    const ajv = new ajvDraft04.default({ strict: false, allErrors: true, unicodeRegExp: false });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    const log = JSON.parse((await diff('sarif')).stdout);
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...log, version: '2.0.0' })).toBe(false);
    const [{ results }] = log.runs;
    const levels = results.map(({ ruleId, level, suppressions }: Record<string, unknown>) => [
      ...[ruleId, level, Array.isArray(suppressions)],
    ]);
    expect(levels).toEqual([
      ['property_removed', 'error', false],
      ['type_changed', 'error', false],
      ['enum_values_removed', 'error', false],
      ['type_changed', 'error', true],
      ['removed', 'error', false],
    ]);
  });

  test('github: every line is a command of ours, or starts with our name', async () => {
    const lines = (await diff('github')).stdout.trimEnd().split('\n');
    for (const line of lines) {
      expect(line).toMatch(
        /^(::(error|warning|notice) file=[^,]+,line=\d+,title=[^:]+::|Concordat: )/,
      );
    }
    expect(lines.filter((line) => line.startsWith('::error '))).toHaveLength(4);
  });

  test('the lines of a hundred findings in YAML are found in one reading of the file', async () => {
    const yamlOf = (type: string) =>
      stringify({
        properties: Object.fromEntries(
          Array.from({ length: 3_000 }, (_, i) => [
            `field${i}`,
            { type: i < 100 ? type : 'string', maxLength: i },
          ]),
        ),
      });
    const from = await folder.file('large-old.yaml', yamlOf('string'));
    const to = await folder.file('large-new.yaml', yamlOf('integer'));
    const ranAs = async (format: string) => {
      const before = process.cpuUsage();
      const { stdout } = await run(['diff', from, to, '--format', format]);
      return { stdout, cpu: process.cpuUsage(before).user };
    };
    // The first run loads the program.
    await ranAs('json');
    const without = await ranAs('json');
    const { stdout, cpu } = await ranAs('gitlab');
    const lines = JSON.parse(stdout).map(
      (each: { location: { lines: { begin: number } } }) => each.location.lines.begin,
    );
    expect(lines).toEqual(Array.from({ length: 100 }, (_, i) => 3 * i + 2));
    // Reading the file for each finding takes ten times as long as everything else.
    expect(cpu).toBeLessThan(3 * without.cpu);
  });

  test('gitlab: each finding has a unique, stable fingerprint', async () => {
    const read = async () => JSON.parse((await diff('gitlab')).stdout);
    const issues: readonly { readonly fingerprint: string }[] = await read();
    const fingerprints = issues.map(({ fingerprint }) => fingerprint);
    expect(new Set(fingerprints).size).toBe(issues.length);
    expect((await read()).map(({ fingerprint }: { fingerprint: string }) => fingerprint)).toEqual(
      fingerprints,
    );
  });

  test('--report writes further formats to files', async () => {
    const ran = await run(
      ['diff', 'old', 'new', '--report', 'markdown=comment.md', '--report', 'junit=out.xml'],
      '',
      { cwd: folder.path },
    );
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('✗ shop.orders');
    const comment = await readFile(join(folder.path, 'comment.md'), 'utf8');
    expect(comment).toBe((await diff('markdown')).stdout);
    expect(await readFile(join(folder.path, 'out.xml'), 'utf8')).toContain('<testsuites');
    const bad = await run(['diff', 'old', 'new', '--report', 'pdf=x'], '', { cwd: folder.path });
    expect(bad).toMatchObject({ code: 2, stdout: '' });
  });

  test('a comment stays within the limits of code hosts', async () => {
    const many = (type: string) =>
      Object.fromEntries(
        Array.from({ length: 400 }, (_, index) => [`field_${index}_${'x'.repeat(200)}`, { type }]),
      );
    for (let file = 0; file < 12; file++) {
      const named = (type: string) =>
        contract(`shop.t${file}`, { type: 'object', properties: many(type) });
      await folder.file(`large/old/${file}.json`, named('integer'));
      await folder.file(`large/new/${file}.json`, named('string'));
    }
    const ran = await run(['diff', 'large/old', 'large/new', '--format', 'markdown'], '', {
      cwd: folder.path,
    });
    expect(ran.code).toBe(1);
    expect(ran.stdout.length).toBeLessThan(65_536);
    expect(ran.stdout).toContain('### ❌ 12 contracts would break');
    expect(ran.stdout).toContain('and 380 more breaking changes');
    expect(ran.stdout).toMatch(/And \d+ more: run `concordat diff` to see all\./);
  });
});
