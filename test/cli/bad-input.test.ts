import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandFailure } from '../../src/cli/exit-code.ts';
import { readSourceFile } from '../../src/cli/input/read-file.ts';
import { makeRepository } from '../support/git-repository.ts';
import { type Folder, makeFolder, run } from './support.ts';

let folder: Folder;

beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => folder.remove());

const diff = (args: readonly string[], cwd = folder.path) => run(['diff', ...args], '', { cwd });
const schema = { type: 'object', properties: { id: { type: 'integer' } } };

describe('input that cannot be read ends with 3 and one sentence', () => {
  const text = JSON.stringify({ ...schema, title: 'größe' });

  test.each([
    ['UTF-16 with a mark', Buffer.from(`\ufeff${text}`, 'utf16le'), 'bad.json is UTF-16. Save it'],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le'), 'bad.json'],
    ['Latin-1', Buffer.from(text, 'latin1'), 'bad.json is not UTF-8. Save it as UTF-8.'],
    ['zeros after the end', Buffer.from(`${text}\0\0`), 'bad.json, line 1, column 73: this is not'],
    ['an empty file', Buffer.from(''), 'bad.json, line 1, column 1: the JSON ends too early'],
  ])('%s', async (_name, bytes, message) => {
    await folder.file('fine.json', schema);
    await writeFile(join(folder.path, 'bad.json'), bytes);
    const ran = await diff(['fine.json', 'bad.json']);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test.each([
    ['aliases that multiply', ['a0: &a0 [x, x]', ...multiply(40)].join('\n'), /alias/],
    ['an anchor in a circle', 'type: object\nproperties: &p\n  self: {properties: *p}\n', /nested/],
    ['a key that is written twice', 'type: object\ntype: string\n', /unique/],
    ['more YAML than is parsed', `type: string # ${'x'.repeat(17 * 1024 * 1024)}`, /16777216/],
  ])('YAML with %s', async (_name, content, message) => {
    await folder.file('fine.json', schema);
    await folder.file('bad.yaml', content);
    const ran = await diff(['fine.json', 'bad.yaml']);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toMatch(message);
  });

  test('a file of 500 MB is refused by its size, before it is read', async () => {
    await folder.file('fine.json', schema);
    await using huge = await open(join(folder.path, 'huge.json'), 'w');
    await huge.truncate(500 * 1024 * 1024);
    const ran = await diff(['fine.json', 'huge.json']);
    expect(ran).toEqual({
      code: 3,
      stdout: '',
      stderr: 'huge.json is larger than 134217728 bytes. Split it.\n',
    });
  });

  test('a key of JSON that is written twice is told, with its place', async () => {
    await folder.file('once.json', '{"type": "object", "properties": {"id": {"type": "string"}}}');
    const twice =
      '{"type": "object",\n "properties": {"id": {"type": "integer"}, "id": {"type": "string"}}}';
    await folder.file('twice.json', twice);
    const ran = await diff(['once.json', 'twice.json']);
    expect(ran).toEqual({
      code: 0,
      stdout:
        'No changes.\n\n! twice.json, line 2, column 44: "id" is defined twice in one object. The last definition counts. Remove the other.\n',
      stderr: '',
    });
  });

  test('a link out of a folder is refused by name, and one within it is another name', async () => {
    await folder.file('outside.json', schema);
    await folder.file('links/a.schema.json', schema);
    await symlink(
      join(folder.path, 'links/a.schema.json'),
      join(folder.path, 'links/b.schema.json'),
    );
    await symlink(join(folder.path, 'nowhere.json'), join(folder.path, 'links/c.schema.json'));
    expect((await diff(['links', 'links'])).stdout).toContain('= 1 contract compared');
    await symlink(join(folder.path, 'outside.json'), join(folder.path, 'links/out.schema.json'));
    const ran = await diff(['links', 'links']);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain(
      'links/out.schema.json is a link out of links, which is not followed',
    );
  });

  test('a link out of a repository is refused by name', async () => {
    const outside = await folder.file('outside.json', schema);
    const repository = await makeRepository();
    await repository.commit({ 'a.schema.json': JSON.stringify(schema) });
    await symlink(outside, join(repository.folder, 'out.schema.json'));
    const ran = await diff(['--against', 'HEAD'], repository.folder);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain('out.schema.json is a link out of');
    await repository.remove();
  });

  test('a folder with ten thousand files is compared', async () => {
    const path = join(folder.path, 'many');
    await mkdir(path);
    const content = JSON.stringify({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'integer',
    });
    for (let i = 0; i < 10_000; i += 500) {
      const batch = Array.from({ length: 500 }, (_, index) => i + index);
      await Promise.all(batch.map((index) => writeFile(join(path, `${index}.json`), content)));
    }
    const ran = await diff(['many', 'many']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('= 10,000 contracts compared, 0 new');
  });
});

function multiply(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`);
}

describe('a file that was cut anywhere is read or refused, never a crash', () => {
  const openapi = {
    info: { title: 'Shop', version: '1' },
    paths: {
      '/orders': {
        post: {
          parameters: [{ in: 'query', name: 'page', schema: { type: 'integer' }, type: 'integer' }],
          responses: { 200: { content: { 'application/json': { schema } }, schema } },
        },
      },
    },
  };
  const documents: Readonly<Record<string, string>> = {
    'schema.json': JSON.stringify({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...schema,
    }),
    'contract.yaml':
      'kind: DataContract\nmetadata: {name: a}\nspec:\n  fqn: a.b\n  schema: {type: object}\n',
    'openapi.json': JSON.stringify({ openapi: '3.1.0', ...openapi }),
    'swagger.json': JSON.stringify({ swagger: '2.0', ...openapi }),
    'asyncapi.yaml':
      'asyncapi: 3.0.0\nchannels:\n  a:\n    messages:\n      m: {payload: {type: string}}\noperations:\n  o: {action: send, channel: {$ref: "#/channels/a"}}\n',
    'crd.yaml':
      'kind: CustomResourceDefinition\nspec:\n  group: a.b\n  names: {kind: A}\n  versions:\n  - name: v1\n    served: true\n    schema:\n      openAPIV3Schema: {type: object}\n',
    'odcs.yaml':
      'kind: DataContract\napiVersion: v3.1.0\nid: a\nschema:\n- name: orders\n  properties:\n  - {name: id, logicalType: integer}\n',
    'odcs-2.yaml':
      'kind: DataContract\napiVersion: v2.2.2\nquantumName: a\ndataset:\n- table: orders\n  columns:\n  - {column: id, logicalType: integer}\n',
    'specification.yaml':
      'dataContractSpecification: 1.2.0\nid: a\nmodels:\n  orders:\n    fields:\n      id: {$ref: "#/definitions/id"}\ndefinitions:\n  id: {type: long}\n',
    'manifest.json': JSON.stringify({
      metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
      nodes: {
        'model.a.b': { resource_type: 'model', name: 'b', columns: { id: { data_type: 'int' } } },
      },
      metrics: { 'metric.a.b': { created_at: 1 } },
    }),
    'schema.graphql': 'type Query { a(b: Int = 1): [A!] }\nenum A { B C }\ninput I { x: [Int] }\n',
    'introspection.json': JSON.stringify({
      data: {
        __schema: { queryType: { name: 'Query' }, types: [{ kind: 'OBJECT', name: 'Query' }] },
      },
    }),
  };

  test.each(Object.entries(documents))('%s', async (name, text) => {
    let refused = 0;
    for (let length = 0; length <= text.length; length++) {
      const file = { path: name, name, isNamed: true, text: text.slice(0, length) };
      try {
        await readSourceFile(file, {});
      } catch (error) {
        if (!(error instanceof CommandFailure)) throw error;
        expect(error.code).toBe(3);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(0);
  });
});
