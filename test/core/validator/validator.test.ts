import { describe, expect, test } from 'vitest';
import { validate } from '../../../src/core/containment/validate/validator.ts';
import type { Dialect } from '../../../src/core/schema/dialects.ts';
import { parseSchema } from '../../../src/core/schema/parse-schema.ts';
import type { SchemaNode } from '../../../src/core/schema/schema.ts';
import type { Json } from '../../../src/core/value/json.ts';
import { parseJson } from '../../../src/core/value/json.ts';

function json(text: string): Json {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

/** A schema, what it accepts, what it refuses; the dialect where it is not 2020-12. */
type Row = readonly [schema: string, accepted: string[], rejected: string[], dialect?: Dialect];

function holds(row: Row, closed: boolean): void {
  const [schema, accepted, rejected, dialect] = row;
  const { root } = parseSchema(json(schema), dialect);
  const sort = (texts: readonly string[]): string[] =>
    texts.map((text) => `${text} ${validate(root, json(text), { closed })}`);
  expect(sort(accepted)).toEqual(accepted.map((text) => `${text} accepted`));
  expect(sort(rejected)).toEqual(rejected.map((text) => `${text} rejected`));
}

const validRows: Row[] = [
  ['true', ['1', 'null'], []],
  ['false', [], ['1', 'null']],
  ['{"type":"integer"}', ['1', '1.0', '-0', '1e3', '9007199254740993', '1e40'], ['1.5', '"1"']],
  ['{"type":"number"}', ['1', '1.5', '1e999'], ['"1"', 'null']],
  ['{"type":["string","null"]}', ['"a"', 'null'], ['0', '[]']],
  ['{"enum":[1,{"a":[1,2]},null]}', ['1.0', '{"a":[1.0,2]}', 'null'], ['"1"', '{"a":[2,1]}']],
  ['{"enum":[9007199254740993]}', ['9007199254740993'], ['9007199254740992']],
  ['{"const":0}', ['0', '-0', '0.0'], ['false', '""']],
  ['{"const":{"a":1,"b":2}}', ['{"b":2,"a":1}'], ['{"a":1}', '{"a":1,"b":2,"c":3}']],
  ['{"minimum":1.1,"maximum":3}', ['1.1', '3.0', '"x"'], ['1.09999', '3.0000001']],
  ['{"exclusiveMinimum":1,"exclusiveMaximum":2}', ['1.5'], ['1', '2']],
  ['{"minimum":1,"exclusiveMinimum":true}', ['1.1'], ['1'], 'draft-04'],
  ['{"minimum":9007199254740993}', ['9007199254740993'], ['9007199254740992']],
  ['{"multipleOf":0.01}', ['0.07', '1.15', '4.35', '1e20'], ['0.001', '1.155']],
  ['{"multipleOf":0.1}', ['0.3', '-0.7', '1e15'], ['0.35']],
  ['{"multipleOf":3}', ['9007199254740993', '-3', '0'], ['9007199254740994', '1e20']],
  ['{"minLength":2,"maxLength":2}', ['"ab"', '"😀😀"', '3'], ['"😀"', '"abc"']],
  ['{"pattern":"^.$"}', ['"a"', '"😀"'], ['""', '"ab"', '"\\n"']],
  ['{"pattern":"a"}', ['"bab"', '7'], ['"b"']],
  ['{"format":"date"}', ['"2024-02-29"', '1'], ['"2023-02-29"', '"x"']],
  ['{"format":"int32"}', ['99999999999', '"x"'], []],
  [
    '{"format":"int32"}',
    ['2147483647', '-2147483648', '-0', '1.0', '"x"'],
    ['2147483648', '-2147483649', '0.5', '1e300'],
    'openapi-3.0',
  ],
  [
    '{"format":"int64"}',
    ['9223372036854775807', '-9223372036854775808', '1e18'],
    ['9223372036854775808', '-9223372036854775809', '1e19', '1.5'],
    'openapi-3.1',
  ],
  ['{"format":"float"}', ['3.4e38', '0.1', '1e-60'], ['3.5e38', '-1e39'], 'openapi-3.0'],
  ['{"format":"double"}', ['1e308', '1e309'], [], 'openapi-3.0'],
  ['{"format":"byte"}', ['"YQ=="', '1'], ['"YQ"'], 'openapi-3.0'],
  ['{"format":"byte"}', ['"YQ"'], [], '2020-12'],
  ['{"items":{"type":"integer"}}', ['[]', '[1,2]', '{}'], ['[1,"a"]']],
  ['{"prefixItems":[{"type":"integer"}],"items":false}', ['[]', '[1]'], ['["a"]', '[1,2]']],
  ['{"items":[{"type":"integer"}],"additionalItems":false}', ['[1]'], ['[1,2]'], 'draft-07'],
  ['{"items":{"type":"integer"},"additionalItems":false}', ['[1,2]'], ['[""]'], 'draft-07'],
  ['{"contains":{"type":"integer"}}', ['[1,""]', '{}'], ['[]', '[""]']],
  [
    '{"contains":{"type":"integer"},"minContains":2,"maxContains":2}',
    ['[1,2,""]'],
    ['[1]', '[1,2,3]'],
  ],
  ['{"contains":{"type":"integer"},"minContains":0}', ['[]', '[""]'], []],
  [
    '{"uniqueItems":true}',
    ['[1,"1",true]', '[[1],[2]]'],
    ['[1,1.0]', '[{"a":1,"b":2},{"b":2,"a":1}]'],
  ],
  ['{"properties":{"a":{"type":"integer"}}}', ['{}', '{"a":1,"b":2}', '1'], ['{"a":""}']],
  [
    '{"properties":{"__proto__":{"type":"integer"}}}',
    ['{"__proto__":1}', '{}'],
    ['{"__proto__":""}'],
  ],
  [
    '{"required":["toString","__proto__"]}',
    ['{"toString":1,"__proto__":1}'],
    ['{}', '{"toString":1}'],
  ],
  [
    '{"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false}',
    ['{"x1":1}'],
    ['{"x1":""}', '{"y":1}'],
  ],
  [
    '{"patternProperties":{"a":{"minimum":2},"b":{"maximum":3}}}',
    ['{"ab":2.5}'],
    ['{"ab":4}', '{"ab":1}'],
  ],
  ['{"propertyNames":{"maxLength":1}}', ['{"a":1}', '[]'], ['{"ab":1}']],
  ['{"minProperties":1,"maxProperties":1}', ['{"a":1}', '[]'], ['{}', '{"a":1,"b":2}']],
  ['{"dependentRequired":{"a":["b"]}}', ['{"b":1}', '{"a":1,"b":1}'], ['{"a":1}']],
  ['{"dependentSchemas":{"a":{"required":["b"]}}}', ['{"b":1}', '{"a":1,"b":1}'], ['{"a":1}']],
  [
    '{"dependencies":{"a":["b"],"c":{"minProperties":3}}}',
    ['{}', '{"a":1,"b":1}'],
    ['{"a":1}', '{"c":1}'],
    'draft-07',
  ],
  ['{"allOf":[{"minimum":1},{"maximum":2}]}', ['1.5'], ['0', '3']],
  ['{"anyOf":[{"type":"string"},{"minimum":2}]}', ['"a"', '2', 'null'], ['1']],
  ['{"oneOf":[{"minimum":1},{"maximum":2,"type":"number"}]}', ['3', '0', '"a"'], ['1.5']],
  ['{"not":{"type":"integer"}}', ['1.5', '""'], ['1']],
  ['{"not":{"not":{"type":"integer"}}}', ['1'], ['1.5']],
  ['{"if":{"minimum":5},"then":{"multipleOf":2},"else":{"multipleOf":3}}', ['6', '3'], ['7', '4']],
  ['{"if":{"minimum":5},"then":{"multipleOf":2}}', ['1', '6'], ['7']],
  ['{"then":false,"else":false}', ['1'], []],
  ['{"$ref":"#/$defs/a","maximum":5,"$defs":{"a":{"minimum":1}}}', ['3'], ['0', '6']],
  [
    '{"$ref":"#/definitions/a","maximum":5,"definitions":{"a":{"minimum":1}}}',
    ['3', '6'],
    ['0'],
    'draft-07',
  ],
  [
    '{"properties":{"n":{"$ref":"#"}},"additionalProperties":false}',
    ['{"n":{"n":{}}}'],
    ['{"n":{"m":1}}'],
  ],
  [
    '{"$id":"http://x.test/","$ref":"a#b","$defs":{"x":{"$id":"a","$defs":{"y":{"$anchor":"b","type":"null"}}}}}',
    ['null'],
    ['1'],
  ],
  ['{"type":"string","nullable":true}', ['null', '"a"'], ['1'], 'openapi-3.0'],
  ['{"type":"string","nullable":true}', ['"a"'], ['null', '1']],
  ['{"properties":{"a":true},"unevaluatedProperties":false}', ['{"a":1}'], ['{"b":1}']],
  ['{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}', ['{"a":1}'], ['{"b":1}']],
  [
    '{"anyOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"required":["b"]}],"unevaluatedProperties":false}',
    ['{"a":1}'],
    ['{"b":1}', '{"a":1,"b":1}'],
  ],
  ['{"not":{"not":{"properties":{"a":true}}},"unevaluatedProperties":false}', ['{}'], ['{"a":1}']],
  [
    '{"if":{"properties":{"a":{"const":1}},"required":["a"]},"unevaluatedProperties":false}',
    ['{"a":1}'],
    ['{"a":2}', '{"b":1}'],
  ],
  [
    '{"dependentSchemas":{"a":{"properties":{"b":true}}},"properties":{"a":true},"unevaluatedProperties":false}',
    ['{"a":1,"b":1}'],
    ['{"b":1}'],
  ],
  [
    '{"additionalProperties":{"type":"integer"},"unevaluatedProperties":false}',
    ['{"x":1}'],
    ['{"x":""}'],
  ],
  ['{"allOf":[{"unevaluatedProperties":true}],"unevaluatedProperties":false}', ['{"x":1}'], []],
  [
    '{"unevaluatedProperties":false,"allOf":[{"unevaluatedProperties":false,"properties":{"a":true}}]}',
    ['{"a":1}'],
    ['{"b":1}'],
  ],
  ['{"prefixItems":[true],"unevaluatedItems":false}', ['[1]'], ['[1,2]']],
  [
    '{"contains":{"type":"integer"},"unevaluatedItems":{"type":"string"}}',
    ['[1,"a"]', '["a",1]'],
    ['[1,null]'],
  ],
  [
    '{"contains":{"type":"integer"},"unevaluatedItems":{"type":"string"}}',
    [],
    ['["a"]', '[]'],
    '2019-09',
  ],
  [
    '{"anyOf":[{"prefixItems":[true,{"const":1}]},{"prefixItems":[true]}],"unevaluatedItems":false}',
    ['[0]', '[0,1]'],
    ['[0,2]'],
  ],
  [
    '{"$id":"http://x.test/tree","$dynamicAnchor":"n","properties":{"kids":{"items":{"$dynamicRef":"#n"}}}}',
    ['{"kids":[{"kids":[]}]}'],
    [],
  ],
  [
    '{"$id":"http://x.test/strict","$dynamicAnchor":"n","$ref":"tree","unevaluatedProperties":false,"$defs":{"t":{"$id":"tree","$dynamicAnchor":"n","type":"object","properties":{"kids":{"type":"array","items":{"$dynamicRef":"#n"}}}}}}',
    ['{"kids":[{"kids":[]}]}'],
    ['{"kids":[{"kidz":[]}]}', '{"kidz":1}'],
  ],
  [
    '{"$id":"http://x.test/strict","$recursiveAnchor":true,"$ref":"tree","unevaluatedProperties":false,"$defs":{"t":{"$id":"tree","$recursiveAnchor":true,"type":"object","properties":{"kids":{"items":{"$recursiveRef":"#"}}}}}}',
    ['{"kids":[{"kids":[]}]}'],
    ['{"kids":[{"kidz":[]}]}'],
    '2019-09',
  ],
];

const closedRows: Row[] = [
  ['{}', ['{"a":1}', '[{"a":{"b":1}}]'], []],
  ['{"type":"object"}', ['{"a":{"b":1}}'], ['1']],
  ['{"properties":{}}', ['{}', '1'], ['{"a":1}']],
  ['{"properties":{"a":{}}}', ['{}', '{"a":{"x":1}}'], ['{"b":1}']],
  ['{"properties":{"a":{"type":"integer"}}}', ['{"a":1}'], ['{"a":""}', '{"a":1,"b":1}']],
  ['{"properties":{"a":{}},"additionalProperties":true}', ['{"a":1}'], ['{"b":1}']],
  ['{"properties":{"a":{}},"additionalProperties":{}}', ['{"a":1}'], ['{"b":1}']],
  ['{"properties":{"a":{}},"additionalProperties":{"title":"x"}}', ['{"a":1}'], ['{"b":1}']],
  ['{"properties":{"a":{}},"additionalProperties":{"type":"integer"}}', ['{"b":1}'], ['{"b":""}']],
  ['{"properties":{"a":{}},"unevaluatedProperties":{"type":"integer"}}', ['{"b":1}'], ['{"b":""}']],
  ['{"patternProperties":{"^x":{}}}', ['{"x1":1}'], ['{"y":1}']],
  ['{"additionalProperties":{"properties":{"a":{}}}}', ['{"k":{"a":1}}'], ['{"k":{"b":1}}']],
  [
    '{"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}',
    ['{"a":1,"b":1}', '{"a":1}'],
    ['{"c":1}'],
  ],
  [
    '{"properties":{"o":{"allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}}}',
    ['{"o":{"a":1,"b":1}}'],
    ['{"o":{"c":1}}'],
  ],
  [
    '{"allOf":[{"properties":{"o":{"properties":{"a":{}}}}},{"properties":{"o":{"properties":{"b":{}}}}}]}',
    ['{"o":{"a":1,"b":1}}'],
    ['{"o":{"c":1}}'],
  ],
  [
    '{"allOf":[{"properties":{"o":{"properties":{"a":{}}}}},{"properties":{"o":{}}}]}',
    ['{"o":{"a":1}}'],
    ['{"o":{"c":1}}'],
  ],
  [
    '{"anyOf":[{"properties":{"k":{"const":"x"},"a":{}},"required":["k"]},{"properties":{"k":{"const":"y"},"b":{}},"required":["k"]}]}',
    ['{"k":"x","a":1}', '{"k":"y","b":1}'],
    ['{"k":"x","b":1}', '{"k":"z"}'],
  ],
  ['{"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}', ['{"a":1,"b":1}'], ['{"c":1}']],
  [
    '{"oneOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}',
    ['{"a":1}', '{"b":1}'],
    ['{"a":1,"b":1}', '{"a":1,"c":1}', '{"a":"","b":1}'],
  ],
  [
    '{"anyOf":[{"type":"object"},{"properties":{"a":{}},"required":["a"]}]}',
    ['{"b":1}', '{"a":1}'],
    ['{"a":1,"b":1}'],
  ],
  [
    '{"not":{"properties":{"a":{"type":"string"}},"required":["a"]}}',
    ['{"a":1}', '{"b":1}'],
    ['{"a":""}'],
  ],
  [
    '{"properties":{"a":{}},"not":{"properties":{"b":{}},"required":["b"]}}',
    ['{"a":1}'],
    ['{"b":1}'],
  ],
  [
    '{"if":{"properties":{"k":{"const":1}},"required":["k"]},"then":{"properties":{"a":{}}},"else":{"properties":{"b":{}}}}',
    ['{"k":1,"a":1}', '{"b":1}'],
    ['{"k":1,"b":1}', '{"a":1}', '{"k":2}'],
  ],
  ['{"if":{"properties":{"k":{"const":1}},"required":["k"]}}', ['{"k":1,"z":1}'], []],
  [
    '{"properties":{"a":{}},"dependentSchemas":{"a":{"properties":{"b":{}}}}}',
    ['{"a":1,"b":1}'],
    ['{"b":1}'],
  ],
  [
    '{"$ref":"#/$defs/x","properties":{"a":{}},"$defs":{"x":{"properties":{"b":{}}}}}',
    ['{"a":1,"b":1}'],
    ['{"c":1}'],
  ],
  ['{"properties":{"n":{"$ref":"#"}}}', ['{"n":{"n":{}}}'], ['{"n":{"m":1}}']],
  [
    '{"properties":{"free":{"type":"object"},"typed":{"properties":{"a":{}}}}}',
    ['{"free":{"x":{"y":1}},"typed":{"a":1}}'],
    ['{"typed":{"x":1}}'],
  ],
  ['{"items":{"properties":{"a":{}}}}', ['[{"a":1}]', '[1]'], ['[{"b":1}]']],
  ['{"prefixItems":[{"properties":{"a":{}}}]}', ['[{"a":1},{"b":1}]'], ['[{"b":1}]']],
  [
    '{"contains":{"properties":{"a":{}},"required":["a"]}}',
    ['[{"a":1,"b":1}]', '[{"a":1},{"c":1}]'],
    ['[{"c":1}]'],
  ],
  ['{"enum":[{"a":1}]}', ['{"a":1}'], ['{"b":1}']],
];

describe('a value is valid by the rules of its dialect', () => {
  test.each(validRows.map((row) => [row[0].slice(0, 120), row] as const))('%s', (_name, row) => {
    holds(row, false);
  });
});

describe('closed(S): what a producer of S emits', () => {
  test.each(closedRows.map((row) => [row[0].slice(0, 120), row] as const))('%s', (_name, row) => {
    holds(row, true);
    const { root } = parseSchema(json(row[0]));
    for (const text of row[1]) expect(validate(root, json(text))).toBe('accepted');
  });
});

test('the smaller reading of closed(S) closes the places that the page leaves open', () => {
  const rows: [schema: string, inBoth: string, onlyInLarger: string][] = [
    ['{"if":{"properties":{"k":{"const":1}},"required":["k"]}}', '{"k":1}', '{"k":1,"z":1}'],
    ['{"dependentSchemas":{"b":{"properties":{"b":{}}}}}', '{"b":1}', '{"b":1,"z":1}'],
    ['{"contains":{"properties":{"b":{}},"required":["b"]}}', '[{"b":1}]', '[{"b":1,"z":1}]'],
  ];
  for (const [schema, inBoth, onlyInLarger] of rows) {
    const { root } = parseSchema(json(schema));
    const read = (value: string) =>
      [false, true].map((isNarrow) => validate(root, json(value), { closed: true, isNarrow }));
    expect([schema, read(inBoth)]).toEqual([schema, ['accepted', 'accepted']]);
    expect([schema, read(onlyInLarger)]).toEqual([schema, ['accepted', 'rejected']]);
  }
});

describe('what cannot be decided is given up', () => {
  const rows: [string, string][] = [
    ['{"$ref":"#"}', '1'],
    ['{"allOf":[{"$ref":"#"}]}', '1'],
    ['{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}', '1'],
    ['{"not":{"$ref":"#"}}', '1'],
    ['{"$ref":"http://elsewhere.test/x"}', '1'],
    ['{"$ref":"#/nowhere"}', '1'],
    ['{"pattern":"("}', '"a"'],
    ['{"pattern":"^(a*)*(a*)*\\\\1\\\\2b$"}', `"${'a'.repeat(60)}"`],
    ['{"multipleOf":3}', '1e400000000'],
    [
      '{"anyOf":[{"$ref":"#/nowhere"},{"type":"integer"}],"unevaluatedProperties":false}',
      '{"a":1}',
    ],
  ];
  test.each(rows)('%s on %s', (schema, value) => {
    expect(validate(parseSchema(json(schema)).root, json(value))).toBe('gave_up');
  });

  test('and what another keyword settles is not', () => {
    const settled = (schema: string, value: string) =>
      validate(parseSchema(json(schema)).root, json(value));
    expect(settled('{"$ref":"#/nowhere","type":"string"}', '1')).toBe('rejected');
    expect(settled('{"anyOf":[{"$ref":"#/nowhere"},{"type":"integer"}]}', '1')).toBe('accepted');
    expect(settled('{"properties":{"a":{"$ref":"#"},"b":false}}', '{"a":{"b":1}}')).toBe(
      'rejected',
    );
    expect(settled('{"format":"date","pattern":"("}', '"x"')).toBe('rejected');
  });

  test('a deep value and a long chain of references end without an overflow', () => {
    const deep = json(`${'['.repeat(500)}${']'.repeat(500)}`);
    expect(validate(parseSchema({ items: { $ref: '#' } }).root, deep)).toBe('accepted');
    const chain = (wrap: (next: Json) => Json): SchemaNode => {
      const links = Array.from({ length: 5000 }, (_, i) => [
        `d${i}`,
        wrap({ $ref: `#/$defs/d${i + 1}` }),
      ]);
      const $defs = { ...Object.fromEntries(links), d5000: {} };
      return parseSchema({ $ref: '#/$defs/d0', $defs }).root;
    };
    expect(
      validate(
        chain((next) => next),
        1,
      ),
    ).toBe('accepted');
    expect(
      validate(
        chain((next) => ({ allOf: [next] })),
        1,
      ),
    ).toBe('gave_up');
    expect(
      validate(
        chain((next) => ({ contains: next, unevaluatedItems: next })),
        deep,
      ),
    ).toBe('rejected');
  });

  test('branches that multiply spend the budget and no more', () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => {
        const next = { $ref: `#/$defs/d${i + 1}` };
        return [`d${i}`, { anyOf: [{ allOf: [next] }, { allOf: [next] }] }];
      }),
    );
    const { root } = parseSchema({ $ref: '#/$defs/d0', $defs: { ...doubling, d40: false } });
    expect(validate(root, 1, { stepBudget: 10_000 })).toBe('gave_up');
  });

  test('an object of 50,000 keys is validated in steps that grow with its size', () => {
    const large = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]));
    const { root } = parseSchema({
      patternProperties: { '^k\\d+$': { type: 'integer' } },
      unevaluatedProperties: false,
    });
    expect(validate(root, large, { closed: true })).toBe('accepted');
  });

  test('formats are annotations where the caller says so', () => {
    const { root } = parseSchema({ format: 'date' });
    expect(validate(root, 'x')).toBe('rejected');
    expect(validate(root, 'x', { formats: false })).toBe('accepted');
  });
});
