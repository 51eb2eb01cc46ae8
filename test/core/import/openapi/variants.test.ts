// Variants that only a discriminator leads to: what a change of one does to those who read and send its base.

import { describe, expect, test } from 'vitest';
import type { ContractTerms } from '../../../../src/core/comparison.ts';
import { compare } from '../../../../src/core/diff/compare.ts';
import { toContractTerms } from '../../../../src/core/import/candidate.ts';
import { alignTerms } from '../../../../src/core/import/openapi/align-terms.ts';
import { parseOpenApi } from '../../../../src/core/import/openapi/openapi.ts';
import { objectAt } from '../../../../src/core/import/read-json.ts';
import type { Json, JsonObject } from '../../../../src/core/value/json.ts';
import { object } from '../../diff/support/terms.ts';

type Schemas = Readonly<Record<string, Json>>;

const text: Json = { type: 'string' };
const number: Json = { type: 'integer' };
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const mapping = (targets: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(targets).map(([tag, name]) => [tag, `${ref(name).$ref}`]));
const mapped = mapping({ cat: 'Cat', dog: 'Dog' });

/** The base, whose property `k` tells the variants apart. */
const pet = (targets: JsonObject | null, properties: Schemas = {}): JsonObject => ({
  ...(object({ k: text, name: text, ...properties }, ['k']) as JsonObject),
  discriminator: { propertyName: 'k', ...(targets === null ? {} : { mapping: targets }) },
});
const variant = (properties: Schemas, required: readonly string[] = [], base = 'Pet'): Json => ({
  allOf: [ref(base), object(properties, required)],
});
const [cat, dog] = [variant({ meow: text }), variant({ bark: text }, ['bark'])];
const pets = (targets: JsonObject | null): Schemas => ({ Pet: pet(targets), Cat: cat, Dog: dog });

const json = (schema: Json) => ({ content: { 'application/json': { schema } } });

/** One operation answers with the schema, the other one takes it. */
function documentOf(schemas: Schemas, root: Json = ref('Pet'), openapi = '3.0.3'): JsonObject {
  const responses = { 200: { description: '', ...json(root) } };
  const post = { requestBody: json(root), responses: { 204: { description: '' } } };
  const info = { title: 'Pets', version: '1' };
  return {
    openapi,
    info,
    paths: { '/pets': { get: { responses }, post } },
    components: { schemas },
  };
}

/** The terms of what is answered, and of what is taken. */
function termsOf(document: Json): readonly ContractTerms[] {
  const { candidates, problems } = parseOpenApi(document);
  expect(problems).toEqual([]);
  return candidates.flatMap(({ terms }) => (terms === null ? [] : [toContractTerms(terms, null)]));
}

function between(old: readonly ContractTerms[], next: readonly ContractTerms[]) {
  return old.map((terms, index) => compare(...alignTerms(terms, next[index] ?? terms)));
}

type Verdict = 'asks' | 'tells' | 'same';

function verdicts(old: readonly ContractTerms[], next: readonly ContractTerms[]): string {
  const said = between(old, next).map(({ isBreaking, changes }): Verdict => {
    if (isBreaking) return 'asks';
    return changes.length === 0 ? 'same' : 'tells';
  });
  return said.join(', ');
}

/** What changed, both documents, and what it does to the answer and to the request. */
type Row = readonly [string, JsonObject, JsonObject, `${Verdict}, ${Verdict}`];

const alike = ([kind, targets, more]: readonly [
  string,
  JsonObject | null,
  JsonObject | null,
]): readonly Row[] => {
  const old = documentOf(pets(targets));
  const withCat = (changed: Json) => documentOf({ ...pets(targets), Cat: changed });
  const fish = { ...pets(targets), Pet: pet(more), Fish: variant({ fin: text }, ['fin']) };
  const siamese = { ...pets(targets), Siamese: variant({ eyes: text }, ['eyes'], 'Cat') };
  const bluer = { ...siamese, Siamese: variant({ eyes: number }, ['eyes'], 'Cat') };
  return [
    [`${kind}: nothing`, old, old, 'same, same'],
    [`${kind}: the type of a field`, old, withCat(variant({ meow: number })), 'asks, asks'],
    [`${kind}: a field less`, old, withCat(variant({})), 'asks, asks'],
    [`${kind}: a field more`, old, withCat(variant({ meow: text, z: text })), 'tells, tells'],
    [`${kind}: a demand more`, old, withCat(variant({ meow: text }, ['meow'])), 'tells, asks'],
    [
      `${kind}: a demand less`,
      documentOf({ ...pets(targets), Dog: variant({ bark: text }) }),
      old,
      'tells, asks',
    ],
    [`${kind}: a variant more`, old, documentOf(fish), 'tells, tells'],
    [`${kind}: a variant less`, documentOf(fish), old, 'asks, asks'],
    [`${kind}: the first variants`, documentOf({ Pet: pet(null) }), old, 'tells, asks'],
    [
      `${kind}: the first variants, and the type of a field of the base`,
      documentOf({ Pet: pet(null) }),
      documentOf({ ...pets(targets), Pet: pet(targets, { name: number }) }),
      'asks, asks',
    ],
    [
      `${kind}: the type of a field of the base`,
      old,
      documentOf({ ...pets(targets), Pet: pet(targets, { name: number }) }),
      'asks, asks',
    ],
    [`${kind}: a variant of a variant more`, old, documentOf(siamese), 'tells, tells'],
    [
      `${kind}: the type of a field of a variant of a variant`,
      documentOf(siamese),
      documentOf(bluer),
      'asks, asks',
    ],
    [
      `${kind}: a demand more of a variant beside one that has variants`,
      documentOf(siamese),
      documentOf({ ...siamese, Dog: variant({ bark: text, z: text }, ['bark', 'z']) }),
      'tells, asks',
    ],
    [
      `${kind}: the same where only the variant in between stands`,
      documentOf(siamese, ref('Cat')),
      documentOf(bluer, ref('Cat')),
      'asks, asks',
    ],
    [
      `${kind}: the first variant of a variant, where only that stands`,
      documentOf(pets(targets), ref('Cat')),
      documentOf(siamese, ref('Cat')),
      'tells, asks',
    ],
    [
      `${kind}: a variant that does not stand there`,
      documentOf(pets(targets), ref('Cat')),
      documentOf({ ...pets(targets), Dog: variant({}) }, ref('Cat')),
      'same, same',
    ],
    [
      `${kind}: the discriminator goes`,
      old,
      documentOf({ ...pets(targets), Pet: object({ k: text, name: text }, ['k']) }),
      'asks, asks',
    ],
  ];
};

const [a, b] = [object({ k: text, a: text }, ['k']), object({ k: text, b: text }, ['k'])];
const listed = (targets: Readonly<Record<string, string>> | null, names = ['A', 'B']): Schemas => ({
  Pet: {
    oneOf: names.map(ref),
    discriminator: {
      propertyName: 'k',
      ...(targets === null ? {} : { mapping: mapping(targets) }),
    },
  },
  ...{ A: a, B: b },
});
const wrapped = (targets: Readonly<Record<string, string>>): Schemas => ({
  Pet: {
    ...(listed(targets).Pet as JsonObject),
    oneOf: ['A', 'B'].map((name) => ({ allOf: [ref(name)] })),
  },
});
const only = (meow: Json) => ({ Pet: pet(mapping({ cat: 'Cat' })), Cat: object({ meow }) });
const part = (meow: Json) => ({
  Thing: object({ id: text }),
  Pet: { allOf: [ref('Thing'), pet(mapped)] },
  Cat: variant({ meow }),
  Dog: dog,
});
const named = (meow: Json) => ({
  ...pets(null),
  Cat: variant({ k: { type: 'string', enum: ['CAT'] }, meow }),
});
interface Parts {
  readonly Pet: JsonObject;
  readonly Cat: (base: string) => Json;
}

/** A field of the only variant gets another type, with and without a mapping that names the variant. */
const nested =
  (schemas: (parts: Parts) => Schemas) =>
  (what: string): readonly Row[] =>
    [null, mapping({ cat: 'Cat' })].map((targets): Row => {
      const side = (meow: Json) =>
        documentOf(schemas({ Pet: pet(targets), Cat: (base) => variant({ meow }, [], base) }));
      return [
        `${what}${targets === null ? '' : ', mapped'}`,
        side(text),
        side(number),
        'asks, asks',
      ];
    });
/** The tag has a schema of its own, which the names or the mapping do not fit at first sight. */
const withTag = (k: Json, targets: Readonly<Record<string, string>> | null) => {
  const side = (meow: Json, name: Json = text) =>
    documentOf({
      Pet: pet(targets === null ? null : mapping(targets), { k, name }),
      Cat: variant({ meow }),
      Dog: dog,
    });
  return (what: string): readonly Row[] => [
    [`${what}: a field of a variant`, side(text), side(number), 'asks, asks'],
    [`${what}: a field of the base`, side(text), side(text, number), 'asks, asks'],
    [`${what}: nothing`, side(text), side(text), 'same, same'],
  ];
};
const tagRows: readonly Row[] = [
  ...withTag(number, { 1: 'Cat', 2: 'Dog' })('an integer as tag'),
  ...withTag({ type: 'boolean' }, { true: 'Cat', false: 'Dog' })('a boolean as tag'),
  ...withTag({ type: 'string', enum: ['cat', 'dog'] }, null)('a tag in other letters'),
  ...withTag({ type: 'string', enum: ['feline', 'canine'] }, null)('a tag that fits no name'),
  ...withTag({ type: 'string', pattern: '^[a-z]+$' }, null)('a tag with a pattern'),
  ...withTag({ type: 'string', maxLength: 1 }, { cat: 'Cat', dog: 'Dog' })('a tag with a length'),
];
const fallback = (bark: Json, targets: Readonly<Record<string, string>> = { cat: 'Cat' }) => ({
  Pet: {
    ...(object({ k: text }, ['k']) as JsonObject),
    discriminator: {
      propertyName: 'k',
      mapping: mapping(targets),
      defaultMapping: 'Other',
    },
  },
  Cat: object({ meow: text }),
  Dog: object({ name: number }),
  Other: object({ bark, name: text }),
});
const inline = (meow: Json) =>
  documentOf({ Cat: object({ meow }) }, { type: 'array', items: pet(mapping({ cat: 'Cat' })) });
const inlineFallback = (bark: Json) => {
  const { Pet, ...variants } = fallback(bark);
  return documentOf(variants, { type: 'array', items: Pet }, '3.2.0');
};
const swagger = (meow: Json): JsonObject => ({
  swagger: '2.0',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets': {
      get: { responses: { 200: { description: '', schema: { $ref: '#/definitions/Pet' } } } },
      post: {
        parameters: [{ in: 'body', name: 'pet', schema: { $ref: '#/definitions/Pet' } }],
        responses: { 204: { description: '' } },
      },
    },
  },
  definitions: {
    Pet: { ...(object({ k: text }, ['k']) as JsonObject), discriminator: 'k' },
    Cat: {
      'x-ms-discriminator-value': 'cat',
      allOf: [{ $ref: '#/definitions/Pet' }, object({ meow })],
    },
  },
});

const rows: readonly Row[] = [
  ...alike(['by name', null, null]),
  ...alike(['by a mapping', mapped, { ...mapped, ...mapping({ fish: 'Fish' }) }]),
  ...[null, { A: 'A', B: 'B', C: 'C' }].flatMap((inBase): readonly Row[] =>
    [null, { a: 'A', b: 'B' }].map((targets): Row => {
      const side = (own: readonly string[]) =>
        documentOf(
          {
            ...listed(targets),
            Base: pet(inBase && mapping(inBase)),
            A: variant({ z: text }, own, 'Base'),
            B: variant({}, [], 'Base'),
            C: variant({}, [], 'A'),
          },
          ref('Pet'),
        );
      const by = `${targets === null ? 'by name' : 'by a mapping'}${inBase === null ? '' : ', mapped in its base'}`;
      return [
        `in a listed union ${by}, a demand more of a variant that has variants`,
        side([]),
        side(['z']),
        'tells, asks',
      ];
    }),
  ),
  ...[{ required: ['meow'] }, {}].map((demand): Row => {
    const side = (targets: Readonly<Record<string, string>>) =>
      documentOf({
        Pet: pet(mapping(targets)),
        Cat: variant({ meow: text }, demand.required ?? []),
        Dog: variant({}),
      });
    return [
      `a value of a mapping leads from the variant of its name to another one, with ${demand.required ? 'a demand' : 'a field'} more`,
      side({ Cat: 'Cat', Dog: 'Dog' }),
      side({ Cat: 'Cat', Dog: 'Cat' }),
      demand.required ? 'tells, asks' : 'tells, tells',
    ];
  }),
  ...alike(['by a mapping of one', mapping({ cat: 'Cat' }), mapping({ cat: 'Cat', fish: 'Fish' })]),
  [
    'another name of a variant in a mapping',
    documentOf(pets(mapped)),
    documentOf({ Pet: pet(mapping({ cat: 'Kitten', dog: 'Dog' })), Kitten: cat, Dog: dog }),
    'tells, tells',
  ],
  [
    'another name of the base',
    documentOf(pets(mapped)),
    documentOf(
      {
        Animal: pet(mapped),
        Cat: variant({ meow: text }, [], 'Animal'),
        Dog: variant({ bark: text }, ['bark'], 'Animal'),
      },
      ref('Animal'),
    ),
    'same, same',
  ],
  [
    'two values of a mapping swap places',
    documentOf(pets(mapped)),
    documentOf(pets(mapping({ cat: 'Dog', dog: 'Cat' }))),
    'asks, asks',
  ],
  [
    'another value of a mapping',
    documentOf(pets(mapped)),
    documentOf(pets(mapping({ kitty: 'Cat', dog: 'Dog' }))),
    'asks, asks',
  ],
  [
    'a value of a mapping less',
    documentOf(pets({ ...mapped, ...mapping({ kitty: 'Cat' }) })),
    documentOf(pets(mapped)),
    'tells, asks',
  ],
  [
    'a mapping that says the names',
    documentOf({ ...pets(null), Pet: pet(mapping({ Pet: 'Pet' })) }),
    documentOf(pets(mapping({ Pet: 'Pet', Cat: 'Cat', Dog: 'Dog' }))),
    'tells, tells',
  ],
  ['only the mapping leads to it', documentOf(only(text)), documentOf(only(number)), 'asks, asks'],
  ['a discriminator in a part', documentOf(part(text)), documentOf(part(number)), 'asks, asks'],
  ...nested(({ Pet, Cat }) => ({ Pet, Alias: ref('Pet'), Other: ref('Alias'), Cat: Cat('Other') }))(
    'a variant of another name of its base',
  ),
  ...nested(({ Pet, Cat }) => ({ Pet, Cat: { allOf: [{ allOf: [Cat('Pet')] }] } }))(
    'a variant whose base is a part of a part',
  ),
  ...nested(({ Pet, Cat }) => ({
    Mixin: object({ m: text }),
    Pet: { ...Pet, anyOf: [ref('Mixin'), object({ n: text })] },
    Cat: Cat('Pet'),
  }))('a variant of a base that has a union of something else'),
  ...nested(({ Pet, Cat }) => ({ Pet: { allOf: [{ allOf: [Pet] }] }, Cat: Cat('Pet') }))(
    'a discriminator in a part of a part',
  ),
  ...tagRows,
  [
    'what all other values lead to',
    documentOf(fallback(text), ref('Pet'), '3.2.0'),
    documentOf(fallback(number), ref('Pet'), '3.2.0'),
    'asks, asks',
  ],
  [
    'a value that led to what all other values lead to',
    documentOf(fallback(text), ref('Pet'), '3.2.0'),
    documentOf(fallback(text, { cat: 'Cat', dog: 'Dog' }), ref('Pet'), '3.2.0'),
    'asks, asks',
  ],
  ['a variant that says its tag', documentOf(named(text)), documentOf(named(number)), 'asks, asks'],
  ['a base without a name', inline(text), inline(number), 'asks, asks'],
  [
    'what all other values of a base without a name lead to',
    inlineFallback(text),
    inlineFallback(number),
    'asks, asks',
  ],
  ['Swagger 2.0', swagger(text), swagger(number), 'asks, asks'],
  [
    'in a listed union, two values swap places',
    documentOf(listed({ x: 'A', y: 'B' })),
    documentOf(listed({ x: 'B', y: 'A' })),
    'asks, asks',
  ],
  [
    'in a listed union, a value less',
    documentOf(listed({ x: 'A', y: 'B', z: 'B' })),
    documentOf(listed({ x: 'A', y: 'B' })),
    'tells, asks',
  ],
  [
    'in a listed union, another name of a variant',
    documentOf(listed({ x: 'A', y: 'B' })),
    documentOf({ ...listed({ x: 'C', y: 'B' }, ['C', 'B']), C: a }),
    'tells, tells',
  ],
  [
    'in a listed union by name, another name of a variant',
    documentOf(listed(null)),
    documentOf({ ...listed(null, ['C', 'B']), C: a }),
    'asks, asks',
  ],
  ...[number, { type: 'string', pattern: '^[0-9]$' }].flatMap((k): readonly Row[] => {
    const side = (more: Readonly<Record<string, string>>, type: Json) => ({
      ...listed({ 1: 'A', 2: 'B', ...more }),
      A: object({ k, a: type }, ['k']),
      B: object({ k, b: text }, ['k']),
    });
    const old = documentOf(side({}, text));
    return [
      [
        'in a listed union, a value more, and a field',
        old,
        documentOf(side({ 3: 'B' }, number)),
        'asks, asks',
      ],
    ];
  }),
  ...[null, { x: 'A', y: 'B' }].flatMap((targets): readonly Row[] => {
    const side = (keyword: string, fields: Schemas, others: Schemas, wrapped = false) => {
      const members = ['A', 'B'].map((name) => (wrapped ? { allOf: [ref(name)] } : ref(name)));
      const { oneOf: _, ...rest } = listed(targets).Pet as JsonObject;
      const required = (named: Schemas) =>
        object({ k: text, ...named }, ['k', ...Object.keys(named)]);
      return documentOf({
        Pet: { ...rest, [keyword]: members },
        A: required(fields),
        B: required(others),
      });
    };
    const by = targets === null ? 'by name' : 'by a mapping';
    const [m, w] = [{ m: text }, { w: text }];
    return ['oneOf', 'anyOf'].flatMap((keyword): readonly Row[] => [
      [
        `in ${keyword} ${by}, two variants swap what they are`,
        side(keyword, m, w),
        side(keyword, w, m),
        'asks, asks',
      ],
      [
        `in ${keyword} ${by}, two types swap`,
        side(keyword, { m: text }, { m: number }),
        side(keyword, { m: number }, { m: text }),
        'asks, asks',
      ],
      [
        `in ${keyword} ${by}, the type of a field becomes that of another variant`,
        side(keyword, { m: text }, { m: number }),
        side(keyword, { m: number }, { m: number }),
        'asks, asks',
      ],
      [
        `in ${keyword} ${by}, a field more`,
        side(keyword, m, w),
        documentOf({
          ...(objectAt(objectAt(side(keyword, m, w), 'components'), 'schemas') ?? {}),
          A: object({ k: text, m: text, z: text }, ['k', 'm']),
        }),
        'tells, tells',
      ],
    ]);
  }),
  [
    'in a listed union, members in parts of their own swap places',
    documentOf({ ...listed({ x: 'A', y: 'B' }), ...wrapped({ x: 'A', y: 'B' }) }),
    documentOf({ ...listed({ x: 'A', y: 'B' }), ...wrapped({ x: 'B', y: 'A' }) }),
    'asks, asks',
  ],
  [
    'in a listed union, the first mapping, in which two names swap places',
    documentOf(listed(null)),
    documentOf(listed({ A: 'B', B: 'A' })),
    'asks, asks',
  ],
  [
    'in a listed union, the last mapping, in which two names had swapped places',
    documentOf(listed({ A: 'B', B: 'A' })),
    documentOf(listed(null)),
    'asks, asks',
  ],
  [
    'in a listed union, the first mapping, which says the names',
    documentOf(listed(null)),
    documentOf(listed({ A: 'A', B: 'B' })),
    'tells, tells',
  ],
  [
    'in a listed union, the first mapping',
    documentOf(listed(null)),
    documentOf(listed({ x: 'A', y: 'B' })),
    'tells, tells',
  ],
];

/** The base, and a variant that refers to it in another way. */
const called = (base: JsonObject, refersTo: JsonObject, own: JsonObject = {}): Schemas => ({
  Pet: { ...base, ...pet(null) },
  Dog: { ...own, allOf: [refersTo, object({ bark: text }, ['bark'])] },
});
const petRef = '#/components/schemas/Pet';
const byName: readonly (readonly [string, Schemas, root: string])[] = [
  ['an anchor', called({ $anchor: 'pet' }, { $ref: '#pet' }), petRef],
  ['a dynamic anchor', called({ $dynamicAnchor: 'pet' }, { $dynamicRef: '#pet' }), petRef],
  ['an id', called({ $id: 'https://x.example/pet' }, { $ref: 'https://x.example/pet' }), petRef],
  [
    'an id beside its own',
    called({ $id: 'https://x.example/pet' }, { $ref: 'pet' }, { $id: 'https://x.example/dog' }),
    petRef,
  ],
  [
    'an anchor below an id',
    called({ $id: 'https://x.example/pet', $anchor: 'it' }, { $ref: 'https://x.example/pet#it' }),
    petRef,
  ],
  ['its pointer, and the operation an anchor', called({ $anchor: 'pet' }, ref('Pet')), '#pet'],
];

test.each(byName)('A variant that calls its base by %s is compared', (_what, schemas, root) => {
  const text = JSON.stringify(documentOf(schemas, { $ref: root }, '3.1.0'));
  const changed = text.replace('"bark":{"type":"string"', '"bark":{"type":"integer"');
  expect(verdicts(termsOf(JSON.parse(text)), termsOf(JSON.parse(changed)))).toBe('asks, asks');
});

test('What a mapping leads to, and is no schema of the document, is told', () => {
  const targets = { cat: 'Cat', dog: 'dog.yaml', bird: 'Bird', fish: '#/info' };
  const { candidates, problems } = parseOpenApi(documentOf({ Pet: pet(targets), Cat: cat }));
  expect(candidates.map(({ terms }) => terms)).toEqual([expect.anything(), expect.anything()]);
  expect(problems.map(({ code, place }) => [code, place]).sort()).toEqual([
    ['UNREADABLE_PART', '$.components.schemas.Pet.discriminator.mapping.bird'],
    ['UNREADABLE_PART', '$.components.schemas.Pet.discriminator.mapping.dog'],
    ['UNREADABLE_PART', '$.components.schemas.Pet.discriminator.mapping.fish'],
  ]);
});

test.each(rows)('%s', (_what, old, next, expected) => {
  expect(verdicts(termsOf(old), termsOf(next))).toBe(expected);
});

describe('A contract of an earlier release, which does not say the variants,', () => {
  /** The definitions of a contract as it was imported: no variants, or those that a mapping names. */
  const earlier = (definitions: Schemas): readonly ContractTerms[] => {
    const renamed = JSON.stringify(definitions).replaceAll('#/components/schemas/', '#/$defs/');
    return termsOf(documentOf(definitions)).map((terms) => ({
      ...terms,
      hasUnreadVariants: true,
      schema: { ...(terms.schema as JsonObject), $defs: JSON.parse(renamed) as JsonObject },
    }));
  };
  test.each<readonly [string, Schemas, Schemas, `${Verdict}, ${Verdict}`]>([
    ['is told of them', { Pet: pet(null) }, pets(null), 'tells, tells'],
    ['says those of a mapping', pets(mapped), pets(mapped), 'same, same'],
    [
      'keeps the fields of its base',
      { Pet: pet(null) },
      { ...pets(null), Pet: pet(null, { name: number }) },
      'asks, asks',
    ],
    [
      'keeps the fields of those that a mapping names',
      pets(mapped),
      { ...pets(mapped), Cat: variant({ meow: number }) },
      'asks, asks',
    ],
  ])('%s', (_what, old, next, expected) => {
    expect(verdicts(earlier(old), termsOf(documentOf(next)))).toBe(expected);
  });
});

test('The contract says what each variant promises, by its tag', () => {
  const [answered] = termsOf(documentOf(pets(mapping({ cat: 'Cat' }))));
  expect(answered?.schema).toMatchObject({
    properties: { response: { $ref: '#/$defs/Pet' } },
    $defs: {
      Pet: {
        discriminator: { propertyName: 'k', mapping: { cat: '#/$defs/Cat' } },
        anyOf: [
          { allOf: [{ $ref: '#/$defs/Cat' }], properties: { k: { enum: ['cat'] } } },
          { allOf: [{ $ref: '#/$defs/Dog' }], properties: { k: { enum: ['Dog'] } } },
        ],
      },
      'Pet/base': object({ k: text, name: text }, ['k']),
      Cat: { allOf: [{ $ref: '#/$defs/Pet~1base' }, object({ meow: text })] },
    },
  });
});

test('A base that lists its variants stays as it is', () => {
  const schemas = listed({ x: 'A', y: 'B' });
  const [answered] = termsOf(documentOf(schemas));
  const renamed = JSON.stringify(schemas).replaceAll('#/components/schemas/', '#/$defs/');
  expect(answered?.schema).toMatchObject({ $defs: JSON.parse(renamed) as JsonObject });
});

test.each<readonly [string, Schemas]>([
  ['includes itself', { Pet: { ...pet(mapped), allOf: [ref('Pet')] }, Cat: cat, Dog: dog }],
  [
    'is a variant of its variant',
    { Pet: { ...pet(mapped), allOf: [ref('Cat')] }, Cat: cat, Dog: dog },
  ],
  ['names itself', { Pet: pet(mapping({ pet: 'Pet' })) }],
  ['has an alias as a variant', { Pet: pet(mapping({ pet: 'Alias' })), Alias: ref('Pet') }],
  [
    'stands in its variant in another way',
    { Pet: pet(mapping({ cat: 'Cat' })), Cat: { anyOf: [ref('Pet'), object({ meow: text })] } },
  ],
  [
    'is the variant of another base, which is one of its own',
    {
      Pet: { ...pet(mapping({ cat: 'Cat' })), allOf: [ref('Cat')] },
      Cat: { ...pet(mapping({ pet: 'Pet' })), allOf: [ref('Pet')] },
    },
  ],
])('A base that %s is read, and compared', (_what, schemas) => {
  const terms = termsOf(documentOf(schemas));
  expect(verdicts(terms, terms)).toBe('same, same');
  const changed = JSON.stringify(schemas).replace('"name":{"type":"string"}', '"name":{}');
  for (const { changes } of between(terms, termsOf(documentOf(JSON.parse(changed) as Schemas)))) {
    expect(changes.length).toBeGreaterThan(0);
  }
});
