import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Folder, makeFolder, run } from './support.ts';

let folder: Folder;
let contract: string;
beforeAll(async () => {
  folder = await makeFolder();
  contract = await folder.file('orders.yaml', manifest);
});
afterAll(() => folder.remove());

const manifest = `apiVersion: concordat.dev/v1
kind: DataContract
metadata: {name: orders}
spec:
  fqn: shop.public.orders
  guarantees:
    acceptedValues: {state: [open, paid]}
  schema:
    type: object
    properties:
      id: {type: integer}
      total: {type: number, minimum: 0}
      email: {type: string, format: email, x-classification: pii}
    required: [id]
`;

const lines = (...values: readonly unknown[]) =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');

describe('concordat validate', () => {
  test('ends with 0 if every value is valid', async () => {
    const ran = await run(['validate', contract], lines({ id: 1, state: 'open' }, '', { id: 2 }));
    expect(ran).toEqual({ code: 0, stdout: '2 values, all valid.\n', stderr: '' });
  });

  test('names the line, the place and the value of each fault', async () => {
    const data = await folder.file(
      'orders.ndjson',
      lines({ id: 1 }, { id: 'x', state: 'lost' }, '{"id": 1', { id: 4, email: 'ada' }),
    );
    const ran = await run(['validate', contract, data]);
    expect(ran).toEqual({
      code: 1,
      stdout:
        '✗ line 2: $.id must be an integer, not "x"\n' +
        '✗ line 2: $.state is guaranteed to be "open" or "paid", not "lost"\n' +
        "✗ line 3: $ is not JSON: Expected ',' or '}' after property value in JSON at position 8 (line 1 column 9)\n" +
        '✗ line 4: $.email must have the format email\n' +
        '4 values: 1 valid, 3 not valid.\n',
      stderr: '',
    });
  });

  test('prints a line of JSON for each value that is not valid, and the counts', async () => {
    const ran = await run(
      ['validate', contract, '--format', 'json', '--show', '1'],
      lines({ id: 1, total: -1 }, { id: 1 }, { id: null }),
    );
    expect(ran.code).toBe(1);
    expect(
      ran.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        line: 1,
        verdict: 'invalid',
        faults: [{ path: '$.total', rule: 'minimum', message: 'must be at least 0', value: -1 }],
      },
      { valid: 1, invalid: 2, undecided: 0 },
    ]);
  });

  test('reads the items of a list in a .json file', async () => {
    const data = await folder.file('orders.json', [{ id: 1 }, { id: 1.5 }]);
    const ran = await run(['validate', contract, data]);
    expect(ran.stdout).toContain('✗ item 2: $.id must be an integer, not 1.5\n');
  });

  test('a value that the contract cannot be evaluated for is not called valid', async () => {
    const far = await folder.file('far.json', { $ref: 'https://example.com/a' });
    const ran = await run(['validate', far], lines(1));
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining('1 undecided') });
  });

  test.each([
    ['the contract', ['gone.json'], 2, 'gone.json is not a file.'],
    ['the data', ['orders.yaml', 'gone.ndjson'], 3, 'gone.ndjson cannot be read'],
  ])('says that %s does not exist', async (_name, args, code, message) => {
    const ran = await run(['validate', ...args], '', { cwd: folder.path });
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });
});
