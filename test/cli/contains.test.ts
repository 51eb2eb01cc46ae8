import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Folder, makeFolder, run, runProcess } from './support.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

describe('concordat contains', () => {
  test('yes ends with 0', async () => {
    const a = await folder.file('integer.json', { type: 'integer' });
    const b = await folder.file('number.json', { type: 'number' });
    expect(await run(['contains', a, b])).toEqual({ code: 0, stdout: 'yes\n', stderr: '' });
  });

  test('no ends with 1 and shows a witness', async () => {
    const a = await folder.file('true.json', { const: 1.5 });
    const b = await folder.file('integer.json', { type: 'integer' });
    expect(await run(['contains', a, b])).toEqual({
      code: 1,
      stdout: 'no: a has 1.5, b refuses it\n',
      stderr: '',
    });
    const ran = await run(['contains', '--format', 'json', a, b]);
    expect(JSON.parse(ran.stdout)).toEqual({
      verdict: 'no',
      steps: expect.any(Number),
      witness: 1.5,
    });
    expect(JSON.parse(ran.stdout).steps % 1).toBe(0);
  });

  test('undecided ends with 1 and says where and why', async () => {
    const a = await folder.file('any.json', { properties: { p: {} }, required: ['p'] });
    const b = await folder.file('far.json', {
      properties: { p: { $ref: 'https://example.com/p' } },
    });
    const ran = await run(['contains', a, b]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^undecided at \$.*: .*https:\/\/example\.com\/p/);
  });

  test('--closed reads a as what its producer emits', async () => {
    const a = await folder.file('a.json', { type: 'object', properties: { a: {} } });
    const b = await folder.file('b.json', {
      type: 'object',
      properties: { b: { type: 'string' } },
    });
    expect((await run(['contains', a, b])).code).toBe(1);
    expect((await run(['contains', '--closed', a, b])).code).toBe(0);
  });

  test('--no-formats reads format as an annotation', async () => {
    const a = await folder.file('text.json', { type: 'string' });
    const b = await folder.file('date.json', { type: 'string', format: 'date' });
    expect((await run(['contains', a, b])).code).toBe(1);
    expect((await run(['contains', '--no-formats', a, b])).code).toBe(0);
  });

  test.each([
    ['one file', ['contains', 'a.json']],
    ['files beside --ndjson', ['contains', '--ndjson', 'a.json']],
    ['no steps at all', ['contains', '--steps', '0', 'a', 'b']],
  ])('%s is wrong usage: 2', async (_name, args) => {
    expect(await run(args)).toMatchObject({ code: 2, stdout: '' });
  });
});

function answersOf(stdout: string): readonly Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

describe('concordat contains --ndjson', () => {
  test('answers in order, a line each, and ends with 0', async () => {
    const questions = [
      { id: 1, a: { type: 'integer' }, b: { type: 'number' } },
      { id: 'two', a: { enum: [8] }, b: { const: 7 } },
      { id: { three: 3 }, a: {}, b: { $ref: 'https://example.com/x' } },
      { id: null, a: { type: 'string' }, b: { format: 'date' }, formats: false },
      { a: { properties: { x: {} } }, b: { properties: { y: { type: 'null' } } }, closed: true },
      {
        id: 6,
        a: { minimum: 3, exclusiveMinimum: true },
        b: { exclusiveMinimum: true, minimum: 3 },
        dialect: 'draft-04',
      },
    ];
    const ran = await run(
      ['contains', '--ndjson'],
      questions.map((each) => `${JSON.stringify(each)}\n`).join(''),
    );
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const micros = expect.any(Number);
    expect(answersOf(ran.stdout)).toEqual([
      { id: 1, verdict: 'yes', micros },
      { id: 'two', verdict: 'no', witness: 8, micros },
      {
        id: { three: 3 },
        verdict: 'undecided',
        reason: expect.stringContaining('example.com/x'),
        micros,
      },
      { id: null, verdict: 'yes', micros },
      { id: null, verdict: 'yes', micros },
      { id: 6, verdict: 'yes', micros },
    ]);
  });

  test.each([
    ['no JSON', '{"id": 1', null, /is not valid JSON/],
    ['no object', '[1]', null, /not an object/],
    ['no a', '{"id": 5, "b": {}}', 5, /no a or no b/],
    ['a dialect nobody knows', '{"id": 6, "a": {}, "b": {}, "dialect": "draft-02"}', 6, /draft-02/],
    ['formats in words', '{"id": 7, "a": {}, "b": {}, "formats": "no"}', 7, /formats/],
    ['closed in words', '{"id": 8, "a": {}, "b": {}, "closed": 1}', 8, /closed/],
    ['depth', `{"id": 9, "a": ${'['.repeat(600)}${']'.repeat(600)}, "b": {}}`, 9, /nested deeper/],
    [
      'depth before its id',
      `{"a": ${'{"id":'.repeat(600)}1${'}'.repeat(600)}, "b": "\\"id\\": 3", "id": {"of": [9]}}`,
      { of: [9] },
      /nested deeper/,
    ],
    [
      'depth and an id past what a double holds',
      `{"a": ${'['.repeat(600)}${']'.repeat(600)}, "id" : 1.0e400 }`,
      Number.POSITIVE_INFINITY,
      /nested deeper/,
    ],
    [
      'depth in its id',
      `{"id": ${'['.repeat(600)}${']'.repeat(600)}, "a": {}, "b": {}}`,
      null,
      /nested deeper/,
    ],
  ])(
    'a line with %s gets an undecided answer with the reason, and the rest continues',
    async (_name, line, id, reason) => {
      const ran = await run(
        ['contains', '--ndjson'],
        `${line}\n\n{"id": "next", "a": 1, "b": {"type": "null"}}\n{"id": "last", "a": false, "b": true}`,
      );
      expect(ran.code).toBe(0);
      const [first, second, last, ...others] = answersOf(ran.stdout);
      expect(first).toEqual({
        id,
        verdict: 'undecided',
        reason: expect.stringMatching(reason),
        micros: 0,
      });
      expect(second).toMatchObject({ id: 'next', verdict: 'undecided' });
      expect(last).toMatchObject({ id: 'last', verdict: 'yes' });
      expect(others).toEqual([]);
    },
  );

  test('the same line twice gets the same answer, without a cache', async () => {
    const line = JSON.stringify({ id: 1, a: { pattern: '^(ab)+$' }, b: { pattern: '^a' } });
    const ran = await run(['contains', '--ndjson'], `${line}\n${line}\n`);
    const [first, second] = answersOf(ran.stdout).map(({ micros: _micros, ...rest }) => rest);
    expect(first).toEqual(second);
  });

  test('an id that a double cannot hold is returned unchanged', async () => {
    const ran = await run(['contains', '--ndjson'], '{"id": 9007199254740993, "a": {}, "b": {}}\n');
    expect(ran.stdout).toContain('"id":9007199254740993,');
  });

  test('a line longer than the limit is reported and skipped', async () => {
    const long = new Uint8Array(65 * 1024 * 1024).fill(0x20);
    const tail = new TextEncoder().encode('\n{"id": 2, "a": {}, "b": {}}\n');
    const ran = await run(['contains', '--ndjson'], Buffer.concat([long, tail]));
    expect(answersOf(ran.stdout)).toEqual([
      { id: null, verdict: 'undecided', reason: expect.stringContaining('longer than'), micros: 0 },
      { id: 2, verdict: 'yes', micros: expect.any(Number) },
    ]);
  });

  test('a reader that stops early is not a failure', async () => {
    const line = `${JSON.stringify({ id: 1, a: {}, b: {} })}\n`;
    const ran = await runProcess(['contains', '--ndjson'], line.repeat(20_000), {
      closesAfterFirstChunk: true,
    });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  });

  test('no input gives no answer', async () => {
    expect(await run(['contains', '--ndjson'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
