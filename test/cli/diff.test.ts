import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Folder, makeFolder, run } from './support.ts';

const old = {
  type: 'object',
  properties: { id: { type: 'integer' }, email: { type: 'string' } },
  required: ['id'],
};
const wider = { ...old, properties: { ...old.properties, phone: { type: 'string' } } };
const broken = { ...old, properties: { id: { type: 'string' }, email: { type: 'string' } } };

let folder: Folder;
let files: Record<'old' | 'same' | 'wider' | 'broken', string>;

beforeAll(async () => {
  folder = await makeFolder();
  files = {
    old: await folder.file('old.json', old),
    same: await folder.file('same.json', Object.fromEntries(Object.entries(old).reverse())),
    wider: await folder.file('wider.json', wider),
    broken: await folder.file('broken.json', broken),
  };
});
afterAll(() => folder.remove());

test('--suggest prints edits that would make it compatible, proved by comparing again', async () => {
  const folder = await makeFolder();
  try {
    const text = { type: 'string' };
    await folder.file('old.json', { type: 'object', properties: { id: text, gone: text } });
    await folder.file('new.json', { type: 'object', properties: { id: text } });
    const asked = ['diff', '--suggest', 'old.json', 'new.json'];
    const ran = await run(asked, '', { cwd: folder.path });
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout).toContain(
      'To make it compatible:\n1. keep `gone`, and mark it as deprecated\nWith these edits it is compatible',
    );
    const json = await run([...asked, '--format', 'json'], '', { cwd: folder.path });
    expect(JSON.parse(json.stdout).items[0].suggestion).toEqual({
      edits: ['keep `gone`, and mark it as deprecated'],
      is_compatible: true,
      schema: { type: 'object', properties: { id: text, gone: { ...text, deprecated: true } } },
    });
    await folder.file('new.json', JSON.parse(json.stdout).items[0].suggestion.schema);
    expect(await run(['diff', 'old.json', 'new.json'], '', { cwd: folder.path })).toMatchObject({
      code: 0,
    });
  } finally {
    await folder.remove();
  }
});

describe('concordat diff', () => {
  test('ends with 0 and says so if nothing changed', async () => {
    expect(await run(['diff', files.old, files.same])).toEqual({
      code: 0,
      stdout: 'No changes.\n',
      stderr: '',
    });
  });

  test('ends with 0 if the change is compatible', async () => {
    expect(await run(['diff', files.old, files.wider])).toEqual({
      code: 0,
      stdout: [
        'Compatible under backward: 1 change.',
        'Next version: minor, because something was added or widened, and no change is breaking.',
        '',
        '· phone: the property was added [property_added]',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('ends with 1 if it breaks, and shows an example', async () => {
    expect(await run(['diff', files.old, files.broken])).toEqual({
      code: 1,
      stdout: [
        'Breaking under backward: 1 of 1 change.',
        'Next version: major, because it contains a breaking change.',
        '',
        '✗ id: integer became string; a consumer that reads 0 would get "0" [type_changed]',
        '    for example {"id":0}',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('lists breaks, counts the rest, and lists all with --show all', async () => {
    const fields = Array.from({ length: 12 }, (_, index) => [`f${index}`, { type: 'string' }]);
    const wide = { type: 'object', properties: Object.fromEntries(fields) };
    const file = await folder.file('wide.json', wide);
    const listed = async (...args: string[]) => {
      const lines = (await run(['diff', ...args])).stdout.split('\n');
      return lines.filter((line) => /^[✗·]/.test(line));
    };
    const urgent = await listed(files.old, file);
    expect(urgent.slice(0, -1)).toEqual([
      expect.stringMatching(/^✗ id: .* \[property_removed\]$/),
      expect.stringMatching(/^✗ email: .* \[property_removed\]$/),
    ]);
    expect(urgent.at(-1)).toBe('· and 12 compatible changes: see --show all');
    expect(await listed(files.old, file, '--show', 'all')).toHaveLength(14);
  });

  test('--format github has ten annotations for a file, breaks first, and counts the others', async () => {
    const fields = Array.from({ length: 15 }, (_, index) => [`f${index}`, { type: 'string' }]);
    const wide = { type: 'object', properties: Object.fromEntries(fields) };
    const old = await folder.file('wide.json', wide);
    const empty = await folder.file('empty.json', { type: 'object', properties: {} });
    const { stdout } = await run(['diff', old, empty, '--format', 'github']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => line.startsWith('::error '))).toHaveLength(10);
    expect(lines.at(-1)).toMatch(/^Concordat: .* 5 more findings without an annotation\.$/);
  });

  test.each([
    ['breaking', 'wider', 0],
    ['breaking', 'broken', 1],
    ['any', 'same', 0],
    ['any', 'wider', 1],
    ['never', 'broken', 0],
  ] as const)('--fail-on %s with the %s file ends with %i', async (failOn, name, code) => {
    const ran = await run(['diff', '--fail-on', failOn, files.old, files[name]]);
    expect(ran.code).toBe(code);
  });

  test('--mode none never breaks, and the version still shows the change', async () => {
    const ran = await run(['diff', '--mode', 'none', '--format', 'json', files.old, files.broken]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      status: 'changes_detected',
      blocking: false,
      items: [
        {
          compatibility_mode: 'none',
          schema_change_type: 'none',
          breaks_backward: true,
          version_bump: 'major',
        },
      ],
    });
  });

  test('--format json has every change with its witness', async () => {
    const ran = await run(['diff', '--format', 'json', files.old, files.broken]);
    const description =
      '`$.properties.id`: integer became string; a consumer that reads 0 would get "0"';
    expect(JSON.parse(ran.stdout)).toEqual({
      status: 'breaking_changes_detected',
      from: files.old,
      to: files.broken,
      summary: { new: 0, modified: 1, unchanged: 0, removed: 0, breaking: 1 },
      blocking: true,
      items: [
        {
          name: files.broken,
          fqn: null,
          file: files.broken,
          change_type: 'modified',
          schema_change_type: 'breaking',
          compatibility_mode: 'backward',
          breaks_backward: true,
          version_bump: 'major',
          version_bump_reason: 'it contains a breaking change.',
          undecided_count: 0,
          breaking_changes: [description],
          changes: [
            {
              type: 'type_changed',
              path: '$.properties.id',
              description,
              breaking: true,
              old: 'integer',
              new: 'string',
              witness: { id: 0 },
            },
          ],
        },
      ],
      problems: [],
      notices: [],
    });
  });

  test('--direction response reads the schemas as written by the owner', async () => {
    const ran = await run(['diff', '--direction', 'response', files.wider, files.old]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/phone: .* \[property_removed\]/);
  });

  test("reads DataContract manifests, with the old one's mode and guarantees", async () => {
    const manifest = (mode: string, staleness: number, type: string) => `
kind: DataContract
apiVersion: concordat.dev/v1
metadata: { name: orders }
spec:
  fqn: shop.orders
  compatibilityMode: ${mode}
  guarantees:
    freshness: { max_staleness_minutes: ${staleness} }
  schema:
    type: object
    properties:
      amount: { type: ${type} }
`;
    const one = await folder.file('one.yaml', manifest('forward', 60, 'number'));
    const other = await folder.file('other.yaml', manifest('none', 90, 'integer'));
    const ran = await run(['diff', '--format', 'json', one, other]);
    expect(ran.code).toBe(1);
    const [item] = JSON.parse(ran.stdout).items;
    expect(item.compatibility_mode).toBe('forward');
    expect(item.changes.map((change: { type: string }) => change.type)).toEqual([
      'compatibility_mode_relaxed',
      'type_narrowed',
      'freshness_relaxed',
    ]);
  });

  test('reads YAML schemas, and keeps numbers exactly', async () => {
    const one = await folder.file('big-one.yaml', 'const: 9007199254740993\n');
    const other = await folder.file('big-other.yaml', 'const: 9007199254740992\n');
    expect((await run(['diff', one, other])).code).toBe(1);
    expect((await run(['diff', one, one])).code).toBe(0);
  });

  test('--dialect is the dialect of schemas without $schema', async () => {
    const one = await folder.file('nullable.json', { type: 'string', nullable: true });
    const other = await folder.file('plain.json', { type: 'string' });
    expect((await run(['diff', one, other])).code).toBe(0);
    expect((await run(['diff', '--dialect', 'openapi-3.0', one, other])).code).toBe(1);
  });

  test.each([
    ['a file that is not there', 'absent.json', null, /absent\.json cannot be read: ENOENT/],
    [
      'JSON with a fault',
      'fault.json',
      '{"type": ',
      /fault\.json, line 1, column 10: the JSON ends too early/,
    ],
    ['YAML with a fault', 'fault.yaml', 'a: [1\nb: 2', /fault\.yaml: neither JSON nor YAML/],
    [
      'a text that is no schema',
      'text.yaml',
      'just words',
      /text\.yaml: this is not a JSON Schema/,
    ],
    [
      'a manifest without a schema',
      'empty.yaml',
      'kind: DataContract\nspec: {}',
      /spec\.schema is missing/,
    ],
    [
      'a manifest whose mode is none there is',
      'mode.yaml',
      'kind: DataContract\nspec: {schema: {}, compatibilityMode: both}',
      /spec\.compatibilityMode must be one of Backward, Forward, Full, None, not "both"/,
    ],
    [
      'a manifest with a wrong guarantee',
      'wrong.yaml',
      'kind: DataContract\nspec: {schema: {}, guarantees: {volume: {}}}',
      /spec\.guarantees\.volume is empty/,
    ],
    ['aliases that multiply', 'bomb.yaml', bomb(), /bomb\.yaml: .*[Aa]lias/],
    [
      'YAML that JSON cannot say',
      'infinite.yaml',
      'maximum: .inf',
      /infinite\.yaml: .*no JSON number/,
    ],
  ])('%s ends with 3 and a message on stderr', async (_name, file, content, message) => {
    const path = content === null ? `${folder.path}/${file}` : await folder.file(file, content);
    const ran = await run(['diff', files.old, path]);
    expect(ran.code).toBe(3);
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).not.toContain('    at ');
  });

  test('an endless file is reported: 3', async () => {
    const endless = await run(['diff', files.old, '/dev/zero']);
    expect(endless).toMatchObject({ code: 3, stdout: '' });
    expect(endless.stderr).toMatch(/^\/dev\/zero is larger than \d+ bytes\. Split it\.\n$/);
  });

  test.each([
    ['no files', ['diff']],
    ['one file', ['diff', 'a.json']],
    ['an unknown mode', ['diff', '--mode', 'sideways', 'a', 'b']],
    ['an unknown option', ['diff', '--strict', 'a', 'b']],
    ['an unknown command', ['compare', 'a', 'b']],
  ])('%s is wrong usage: 2', async (_name, args) => {
    const ran = await run(args);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('error:');
  });

  test('--help has examples', async () => {
    const ran = await run(['diff', '--help']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('Usage: concordat diff [options] [inputs...]');
    expect(ran.stdout).toContain('$ concordat diff orders-v1.json orders-v2.json');
    expect((await run(['--help'])).stdout).toContain('4  registry not reachable');
  });

  test('prints no colours into a pipe', async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape is what must not be there.
    expect((await run(['diff', files.old, files.broken])).stdout).not.toMatch(/\u001b/);
  });
});

function bomb(): string {
  const levels = Array.from({ length: 20 }, (_, index) => {
    const inner = index === 0 ? 'x' : `*l${index - 1}`;
    return `l${index}: &l${index} [${Array.from({ length: 10 }, () => inner).join(', ')}]`;
  });
  return levels.join('\n');
}
