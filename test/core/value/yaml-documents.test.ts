import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Document, parseAllDocuments, stringify } from 'yaml';
import { exactNumberTag, jsonOfYaml } from '../../../src/core/value/yaml.ts';
import { jsonOfDocument, parseYamlDocuments } from '../../../src/core/value/yaml-documents.ts';
import { cpuMsOf } from '../import/cpu-time.ts';

// The library itself, with its own search for keys that are written twice, and its own merging.
const plain = (text: string) =>
  parseAllDocuments(text, { merge: true, customTags: (tags) => [exactNumberTag, ...tags] });

const keys = ['a', '"a"', "'a'", 'b', '1', '"1"', '1.0', '01', '0x1', '~', '', '-0', '0'];
const odd = [
  ...['? a', '? {a: 1}', ': 1', '[a]: 1', '&k a: 1', '*k : 2', '!!str 1: 2', 'a:\tb', '\ta: 1'],
  ...[
    '<<: *k',
    '<<: {a: 1}',
    '<<: [*k, {b: 2}]',
    '"<<": 1',
    'b: {<<: *k, a: 2}',
    '<<: 1',
    '- a: 1',
    '- [a: 1, a: 2]',
    '{a: 1, a: 2}',
    'a: {a: 1, "a": 2}',
  ],
  ...['a: |', 'a: >-', 'a: &k', 'a: *k', '# a', '---', '...', '%YAML 1.1', '"a', '}', 'a: b: c'],
  ...['!!set {a, a}', '!!omap [a: 1, a: 2]', 'a: !!set {b, b}', '? |', 'a: "b', '- - a: 1', 'a:'],
];
const lines = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '', '  ', '    '),
      fc.oneof(
        fc.constantFrom(...odd),
        fc
          .tuple(fc.constantFrom(...keys), fc.constantFrom('1', '', '{a: 1}', '[a]'))
          .map(([key, value]) => `${key}: ${value}`),
      ),
    ),
    { maxLength: 10 },
  )
  .map((each) => each.map(([indent, line]) => `${indent}${line}`).join('\n'));

function told(document: Document.Parsed, text: string, read = jsonOfDocument) {
  const [error] = document.errors;
  return error === undefined ? valueIn(document, read) : faultOf(error, text);
}

const byLibrary = (document: Document.Parsed) => jsonOfYaml(document.toJS({ maxAliasCount: 100 }));

function faultOf({ code, message, pos }: Document.Parsed['errors'][number], text: string) {
  if (code !== 'DUPLICATE_KEY') return { code, at: message };
  // Among keys with a question mark, the parser's place may be that of another key, and after an
  // empty value it is the end of the line before the key.
  return { code, at: text.includes('?') ? 0 : pos[0] + text.slice(pos[0]).search(/\S|$/) };
}

function valueIn(document: Document.Parsed, read: typeof jsonOfDocument) {
  const failure = (message: string) => (/merge|alias/i.test(message) ? 'is not merged' : message);
  try {
    const value = read(document);
    return value.ok ? value : failure(value.message);
  } catch (error) {
    return failure(String(error));
  }
}

test('each text is read as by the parser alone, with the same faults at the same places', () => {
  let repeated = 0;
  const property = fc.property(lines, (text) => {
    const own = parseYamlDocuments(text);
    const other = Array.from(plain(text));
    expect(own).toHaveLength(other.length);
    for (const [index, document] of other.entries()) {
      const { errors } = document;
      const read = own[index] === undefined ? null : told(own[index], text);
      const isRepeated = errors.some(({ code }) => code === 'DUPLICATE_KEY');
      if (isRepeated) repeated++;
      // Of several faults of different kinds, another one may be the first.
      const isMixed = isRepeated && errors.some(({ code }) => code !== 'DUPLICATE_KEY');
      // The library takes two merge keys in one object; here the second one is told.
      if (isMergedTwice(own[index])) continue;
      if (!isMixed) expect(read).toEqual(told(document, text, byLibrary));
      else expect(errors.map((error) => faultOf(error, text))).toContainEqual(read);
    }
  });
  fc.assert(property, { numRuns: 5000 });
  expect(repeated).toBeGreaterThan(500);
});

function isMergedTwice(document: Document.Parsed | undefined): boolean {
  const [error] = document?.errors ?? [];
  return error?.code === 'DUPLICATE_KEY' && error.message.includes('merge key');
}

test('the values of 40,000 keys are those of their JSON, and no key is compared with all others', () => {
  const value = Object.fromEntries(
    Array.from({ length: 40_000 }, (_, i) => [`key ${i}`, { type: 'string', maxLength: i }]),
  );
  const text = stringify(value);
  const unchecked = cpuMsOf(() => parseAllDocuments(text, { uniqueKeys: false }));
  let documents: readonly Document.Parsed[] = [];
  const checked = cpuMsOf(() => {
    documents = parseYamlDocuments(text);
  });
  expect(documents.map((document) => told(document, text))).toEqual([{ ok: true, value }]);
  // The parser's own search takes 10 to 20 times as long as its parsing.
  expect(checked).toBeLessThan(4 * unchecked);
  const [twice] = parseYamlDocuments(`${text}key 7: 1\n`);
  expect(twice?.errors[0]).toMatchObject({
    code: 'DUPLICATE_KEY',
    linePos: [{ line: 120_001, col: 1 }, {}],
  });
});

test('what merge keys multiply is refused for its size, and not copied before', () => {
  const levels = Array.from(
    { length: 60 },
    (_, level) =>
      `l${level + 1}: &l${level + 1}\n  a: {<<: *l${level}, x: 1}\n  b: {<<: *l${level}, x: 2}\n`,
  );
  const [document] = parseYamlDocuments(`l0: &l0 {a: 1, b: 2}\n${levels.join('')}`);
  const reads = () => document !== undefined && jsonOfDocument(document);
  expect(reads).toThrow('Excessive alias count');
});
