// Files that contain less than before, or the same in other words: what an import publishes goes
// through the same review as other publishes.

import type { Json, JsonObject } from '../../../src/core/value/json.ts';
import {
  must,
  type Party,
  publishOk,
  register,
  uniqueName,
  type World,
} from '../../support/client/client-world.ts';
import { type Model, manifestOf } from '../../support/manifest.ts';
import { agree, asked, publishProposal, type Way } from './way.ts';

/** The response to the second import, as its outcome for the asset's consumers. */
async function outcome(world: World, fqn: string, result: Result) {
  if (!result.ok) return result;
  return asked(world, await assetNamed(world, fqn), result.status);
}

type Result = { readonly ok: boolean; readonly status: number; readonly refusal?: unknown };

async function assetNamed({ admin }: World, fqn: string) {
  const { results } = must(await admin.listAssets({ query: { fqn } }), 200);
  const [asset] = results;
  if (asset === undefined) throw new Error(`There is no asset ${fqn}.`);
  return asset;
}

async function consume(
  world: World,
  consumer: Party,
  fqn: string,
  fields?: readonly string[],
): Promise<void> {
  const { active_contract_id } = await assetNamed(world, fqn);
  if (active_contract_id === null) throw new Error(`${fqn} has no contract.`);
  if (fields === undefined) return void (await register(consumer, active_contract_id));
  const body = { contract_id: active_contract_id, consumer_team_id: consumer.teamId };
  must(
    await consumer.client.registerConsumer({ body: { ...body, needs: { fields: [...fields] } } }),
    201,
  );
}

const newName = (what: string) => uniqueName(what).replace(' ', '_');

// dbt

type Upload = Parameters<World['admin']['uploadBuildtool']>[0]['body'];

const upload = ({ producer }: World, manifest: JsonObject, options: Partial<Upload>) =>
  producer.client.uploadBuildtool({
    body: {
      manifest,
      owner_team_id: producer.teamId,
      auto_publish_contracts: true,
      auto_create_proposals: true,
      ...options,
    },
  });

const bothColumns = { id: 'bigint', total: 'double' };

interface ManifestChange {
  /** The model in the second file. */
  readonly model?: Partial<Model>;
  readonly options?: (world: World) => Partial<Upload>;
  readonly meta?: (world: World) => JsonObject;
  /** Changes the second file. */
  readonly edit?: (nodes: Record<string, JsonObject>, name: string) => Record<string, JsonObject>;
  /** Files in between, which are accepted. */
  readonly between?: readonly Partial<Upload>[];
}

const nodesOf = (manifest: JsonObject) => manifest.nodes as Record<string, JsonObject>;

const byManifest =
  ({ model = {}, options, meta, edit, between = [] }: ManifestChange): Way['attempt'] =>
  async (world) => {
    const name = newName('model');
    const fqn = `shop.public.${name}`;
    const first = manifestOf('shop', [{ name, columns: bothColumns }]);
    must(await upload(world, first, {}), 200);
    await consume(world, world.consumer, fqn);
    for (const each of between) must(await upload(world, first, each), 200);
    const second = manifestOf('shop', [
      { name, columns: bothColumns, ...(meta && { meta: meta(world) }), ...model },
    ]);
    const nodes = nodesOf(second);
    const manifest = { ...second, nodes: edit === undefined ? nodes : edit(nodes, name) };
    return outcome(world, fqn, await upload(world, manifest, options?.(world) ?? {}));
  };

const fewer = { columns: { id: 'bigint' } };

/** The same model under another id, with one column less. */
function withTwin(nodes: Record<string, JsonObject>, kind: 'model' | 'seed') {
  const [[id = '', node = {}] = []] = Object.entries(nodes);
  const { id: onlyColumn = null } = node.columns as JsonObject;
  const unique_id = `${id.replace('model.', `${kind}.`)}_twin`;
  return {
    [unique_id]: { ...node, unique_id, resource_type: kind, columns: { id: onlyColumn } },
  };
}

/** The same table as a model of another project, which has no file here. */
function withReference(nodes: Record<string, JsonObject>) {
  const [node = {}] = Object.values(nodes);
  const unique_id = 'model.another.orders';
  const reference = { ...node, unique_id, path: '', original_file_path: '', columns: {} };
  return { [unique_id]: reference, ...nodes };
}

const manifests: Readonly<Record<string, readonly [ManifestChange, string]>> = {
  'drop a column from a manifest': [{ model: fewer }, 'asks the consumers'],
  'drop the types of all columns': [
    { model: { columns: { id: '', total: '' } } },
    'asks the consumers',
  ],
  'write a column name in capitals': [
    { model: { columns: { ID: 'bigint', TOTAL: 'double' } } },
    'asks the consumers',
  ],
  'drop a column, and write the mode none beside it': [
    { model: fewer, meta: () => ({ svc: { compatibility_mode: 'none' } }) },
    'asks the consumers',
  ],
  'write the mode none in the manifest, to break with the next one': [
    { meta: () => ({ svc: { compatibility_mode: 'none' } }) },
    'asks the consumers',
  ],
  'write a lower guarantee mode in the manifest': [
    {
      meta: () => ({ svc: { guarantee_mode: 'ignore' } }),
      options: () => ({ conflict_mode: 'overwrite' }),
    },
    'changes nothing',
  ],
  'give the model to another team by the manifest': [
    {
      meta: ({ other }) => ({ svc: { owner_team: other.name } }),
      options: () => ({ conflict_mode: 'overwrite' }),
    },
    'asks the consumers',
  ],
  'take the consumers out of the manifest, and drop a column': [
    {
      model: { ...fewer, meta: { svc: { consumers: [] } } },
      options: () => ({ conflict_mode: 'overwrite', auto_register_consumers: true }),
    },
    'asks the consumers',
  ],
  'name the table of a model as that of another project, and drop a column': [
    { model: fewer, edit: withReference },
    'asks the consumers',
  ],
  'make the table of a model by a seed with fewer columns': [
    { edit: (nodes) => withTwin(nodes, 'seed') },
    'asks the consumers',
  ],
  'make the table a second time, with fewer columns, before the model': [
    { edit: (nodes) => ({ ...withTwin(nodes, 'model'), ...nodes }) },
    'changes nothing',
  ],
  'make the table a second time, with fewer columns, after the model': [
    { edit: (nodes) => ({ ...nodes, ...withTwin(nodes, 'model') }) },
    'changes nothing',
  ],
  'leave the model out, and prune': [
    {
      edit: (nodes) => {
        const [[id = '', node = {}] = []] = Object.entries(nodes);
        return { [`${id}_other`]: { ...node, unique_id: `${id}_other`, alias: newName('other') } };
      },
      options: () => ({ prune: 'deprecate' }),
    },
    'asks the consumers',
  ],
  'have columns take null by an option, and take that back': [
    { between: [{ nullable_columns: true }], options: () => ({ nullable_columns: false }) },
    'asks the consumers',
  ],
  'drop a column, and ask for a proposal alone': [
    { model: fewer, options: () => ({ auto_publish_contracts: false }) },
    'asks the consumers',
  ],
  'drop a column, and leave out what breaks': [
    { model: fewer, options: () => ({ auto_create_proposals: false, partial: true }) },
    'changes nothing',
  ],
};

// OpenAPI

const whole = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
const part = { type: 'object', properties: { a: { type: 'string' } } };

const json = (schema: Json, type = 'application/json') => ({ content: { [type]: { schema } } });
const lines = (itemSchema: Json) => ({
  content: { 'application/jsonl': { schema: { type: 'array' }, itemSchema } },
});
const answering = (schema: Json): JsonObject => ({ responses: { 200: json(schema) } });
const taking = (...parameters: readonly JsonObject[]): JsonObject => ({
  ...answering(whole),
  parameters: [...parameters],
});
const typed = (types: Readonly<Record<string, Json>>): JsonObject => ({
  content: Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }])),
});
const inQuery = { name: 'q', in: 'query', schema: { type: 'string' } };

function documentOf(operation: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    openapi: '3.2.0',
    info: { title: 'Shop', version: '1' },
    paths: { '/orders': { get: operation } },
    ...more,
  };
}

const byDocument =
  (first: JsonObject, second: JsonObject, reads?: readonly string[]): Way['attempt'] =>
  async (world) => {
    const { producer, consumer } = world;
    const prefix = newName('api');
    const send = (spec: JsonObject) =>
      producer.client.importOpenapi({ body: { spec, prefix, owner_team_id: producer.teamId } });
    must(await send(first), 200);
    const fqn = `${prefix}.shop.get_orders`;
    await consume(world, consumer, fqn, reads);
    return outcome(world, fqn, await send(second));
  };

/** OpenAPI 3.0 ignores what stands beside a reference. */
const besideReference = {
  type: 'object',
  properties: { a: { $ref: '#/components/schemas/text', type: 'integer' } },
};
const texts = { components: { schemas: { text: { type: 'string' } } } };

const inVariants = (note: Json): JsonObject => ({
  oneOf: [
    { type: 'object', properties: { kind: { const: 'a' }, note: {} }, required: ['kind'] },
    { type: 'object', properties: { kind: { const: 'b' }, note }, required: ['kind'] },
  ],
});

const toldApartBy = (propertyName: string): JsonObject => ({
  oneOf: ['a', 'b'].map((name) => ({
    type: 'object',
    properties: { kind: { type: 'string' }, sort: { type: 'string' }, [name]: {} },
    required: ['kind', 'sort', name],
  })),
  discriminator: { propertyName },
});

/** A base that is answered and taken, and its variants, which only a discriminator leads to. */
const varied = (meow: Json | null, mapping?: Readonly<Record<string, string>>) => {
  const variant = (properties: JsonObject) => ({
    allOf: [{ $ref: '#/components/schemas/Pet' }, { type: 'object', properties }],
  });
  const pet = {
    type: 'object',
    properties: { kind: { type: 'string' } },
    required: ['kind'],
    discriminator: { propertyName: 'kind', ...(mapping && { mapping }) },
  };
  const [Cat, Dog] = [
    variant(meow === null ? {} : { meow }),
    variant({ bark: { type: 'string' } }),
  ];
  const operation = { ...answering({ $ref: pets }), requestBody: json({ $ref: pets }) };
  return documentOf(operation, { components: { schemas: { Pet: pet, Cat, Dog } } });
};
const pets = '#/components/schemas/Pet';

/** What is taken is told apart by its kind, of which no variant is known at first. */
const takingPets = (variants: JsonObject): JsonObject => {
  const { Pet } = (varied(null).components as JsonObject).schemas as JsonObject;
  const operation = { ...answering(whole), requestBody: json({ $ref: pets }) };
  return documentOf(operation, { components: { schemas: { Pet: Pet ?? {}, ...variants } } });
};
/** Pets whose cats have a variant, and what dogs have to say. */
const besideKittens = (required: readonly string[], root = pets): JsonObject => {
  const variant = (base: string, own: JsonObject) => ({
    allOf: [{ $ref: `#/components/schemas/${base}` }, { type: 'object', ...own }],
  });
  const { Pet } = (varied(null, { cat: 'Cat' }).components as JsonObject).schemas as JsonObject;
  const schemas = {
    Pet: Pet ?? {},
    Cat: variant('Pet', root === pets ? {} : { required: [...required] }),
    Dog: variant('Pet', root === pets ? { required: [...required] } : {}),
    Kitten: variant('Cat', {}),
    Listed: {
      oneOf: ['Cat', 'Dog'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
      discriminator: { propertyName: 'kind', mapping: { feline: 'Cat', canine: 'Dog' } },
    },
  };
  return documentOf(
    { ...answering(whole), requestBody: json({ $ref: root }) },
    { components: { schemas } },
  );
};
const byName = { cat: 'Cat', dog: '#/components/schemas/Dog' };

const withError = (schema: Json, status = '404') =>
  documentOf({ responses: { 200: json(whole), [status]: json(schema) } });
const numbered = { type: 'object', properties: { a: { type: 'integer' }, b: {} } };

/** What a document changes of an operation, and the fields that its consumer has said it reads. */
const read: Readonly<Record<string, readonly [JsonObject, JsonObject, readonly string[]]>> = {
  'answer an error with less than its consumer reads of it': [
    withError(whole),
    withError(part),
    ['$.responses.404["application/json"].b'],
  ],
  'answer an error of another type, which only the default describes': [
    withError(whole, 'default'),
    withError(numbered, 'default'),
    ['$.responses.404["application/json"].a'],
  ],
  'answer with another type, where all of the answers is read': [
    withError(whole),
    documentOf({ responses: { 200: json(numbered), 404: json(whole) } }),
    ['$.responses'],
  ],
  'drop a field of a variant that its consumer reads': [
    varied({ type: 'string' }),
    varied(null),
    ['$.response.meow'],
  ],
  'demand a key from a consumer who has said what else it sends': [
    documentOf(taking(inQuery)),
    documentOf(
      { ...taking(inQuery), security: [{ key: [] }] },
      { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'key' } } } },
    ),
    ['$.request.query.q', '$.response.a'],
  ],
};

const documents: Readonly<Record<string, readonly [JsonObject, JsonObject, string?]>> = {
  'answer with less': [documentOf(answering(whole)), documentOf(answering(part))],
  'answer with less under another status': [
    documentOf(answering(whole)),
    documentOf({ responses: { 201: json(part) } }),
  ],
  'drop the answer that a default with less stands behind': [
    documentOf({ responses: { 200: json(whole), default: json(part) } }),
    documentOf({ responses: { default: json(part) } }),
  ],
  'answer with less in a media type of a vendor': [
    documentOf(answering(whole)),
    documentOf({ responses: { 200: json(part, 'application/vnd.shop+json') } }),
  ],
  'describe a type apart, with less, that a range of types described': [
    documentOf({ responses: { 200: json(whole, '*/*') } }),
    documentOf({ responses: { 200: typed({ '*/*': whole, 'application/json': part }) } }),
  ],
  'take less in a type of the body that a range of types described': [
    documentOf({ ...answering(whole), requestBody: json(whole, '*/*') }),
    documentOf({
      ...answering(whole),
      requestBody: typed({ '*/*': whole, 'application/xml': { ...whole, required: ['b'] } }),
    }),
  ],
  'answer with less under a status that comes before': [
    documentOf({ responses: { 201: json(whole) } }),
    documentOf({ responses: { 200: json(part), 201: json(whole) } }),
  ],
  'answer with less in the items of a stream that is described as a list, too': [
    documentOf({ responses: { 200: lines(whole) } }),
    documentOf({ responses: { 200: lines(part) } }),
  ],
  'answer in XML': [
    documentOf(answering(whole)),
    documentOf({ responses: { 200: json(part, 'application/xml') } }),
  ],
  'answer in a type that is no JSON where nothing was answered': [
    documentOf({ ...taking(inQuery), responses: { 200: { description: 'Nothing.' } } }),
    documentOf({ ...taking(inQuery), responses: { 200: json(part, 'application/xml') } }),
  ],
  'answer without a body': [
    documentOf(answering(whole)),
    documentOf({ responses: { 204: { description: 'Nothing.' } } }),
  ],
  'answer with a property that no answer can have': [
    documentOf(answering(whole)),
    documentOf(answering({ ...whole, not: { required: ['b'] } })),
  ],
  'answer with a property that a length of its name keeps out': [
    documentOf(answering({ ...whole, properties: { ...whole.properties, note: {} } })),
    documentOf(
      answering({
        ...whole,
        properties: { ...whole.properties, note: {} },
        propertyNames: { maxLength: 3 },
      }),
    ),
  ],
  'answer with anything': [documentOf(answering(whole)), documentOf(answering({}))],
  'describe the answer by a reference to nothing': [
    documentOf(answering(whole)),
    documentOf({ responses: { 200: { $ref: '#/components/responses/none' } } }),
    'changes nothing',
  ],
  'say that a property is only written': [
    documentOf(answering(whole)),
    documentOf(
      answering({
        ...whole,
        properties: { ...whole.properties, b: { type: 'string', writeOnly: true } },
      }),
    ),
  ],
  'move a parameter from the query to a header': [
    documentOf(taking(inQuery)),
    documentOf(taking({ ...inQuery, in: 'header' })),
  ],
  'state a parameter twice, the second time required': [
    documentOf(taking(inQuery)),
    documentOf(taking(inQuery, { ...inQuery, required: true })),
  ],
  'put a query string in the place of a parameter': [
    documentOf(taking(inQuery)),
    documentOf(
      taking({
        name: 'all',
        in: 'querystring',
        content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } },
      }),
    ),
  ],
  'demand a cookie': [
    documentOf(answering(whole)),
    documentOf(taking({ ...inQuery, in: 'cookie', required: true })),
  ],
  'demand a parameter for the whole path': [
    documentOf(answering(whole)),
    documentOf(
      {},
      {
        paths: {
          '/orders': { parameters: [{ ...inQuery, required: true }], get: answering(whole) },
        },
      },
    ),
  ],
  'describe a parameter by its content': [
    documentOf(taking(inQuery)),
    documentOf(taking({ name: 'q', in: 'query', ...json({ type: 'integer' }) })),
  ],
  'move the operation behind a reference, with less': [
    documentOf(answering(whole)),
    documentOf(
      {},
      {
        paths: { '/orders': { $ref: '#/components/pathItems/orders' } },
        components: { pathItems: { orders: { get: answering(part) } } },
      },
    ),
  ],
  'forbid in one variant of an answer what another one keeps': [
    documentOf(answering(inVariants({ type: 'string' }))),
    documentOf(answering(inVariants(false))),
  ],
  'tell the variants of an answer apart by another property': [
    documentOf(answering(toldApartBy('kind'))),
    documentOf(answering(toldApartBy('sort'))),
  ],
  'change a field of a variant that only a discriminator leads to': [
    varied({ type: 'string' }),
    varied({ type: 'integer' }),
  ],
  'drop a field of a variant that a mapping leads to': [
    varied({ type: 'string' }, byName),
    varied(null, byName),
  ],
  'let two values of a mapping lead to the variants of each other': [
    varied({ type: 'string' }, byName),
    varied({ type: 'string' }, { cat: byName.dog, dog: byName.cat }),
  ],
  'take a value of a mapping away': [
    varied({ type: 'string' }, { ...byName, kitten: byName.cat }),
    varied({ type: 'string' }, byName),
  ],
  'demand a field in the first variants that a base of the body gets': [
    takingPets({}),
    takingPets({ Dog: { allOf: [{ $ref: pets }, { type: 'object', required: ['bark'] }] } }),
  ],
  'demand a field of a variant beside one that has variants': [
    besideKittens([]),
    besideKittens(['bark']),
  ],
  'demand a field of a listed variant that has variants': [
    besideKittens([], '#/components/schemas/Listed'),
    besideKittens(['meow'], '#/components/schemas/Listed'),
  ],
  'demand the body that was optional': [
    documentOf({ ...answering(whole), requestBody: json(whole) }),
    documentOf({ ...answering(whole), requestBody: { ...json(whole), required: true } }),
  ],
  'say of a property of the body that it is only read': [
    documentOf({ ...answering(whole), requestBody: json(whole) }),
    documentOf({
      ...answering(whole),
      requestBody: json({ ...whole, properties: { ...whole.properties, b: { readOnly: true } } }),
    }),
  ],
  'write the same text in a version that reads more of it': [
    documentOf(answering(besideReference), { openapi: '3.0.3', ...texts }),
    documentOf(answering(besideReference), texts),
  ],
  'give the name of the operation to another path': [
    documentOf(answering(whole)),
    documentOf(
      {},
      { paths: { '/{orders}': { get: answering(part) }, '/orders': { get: answering(whole) } } },
    ),
    'changes nothing',
  ],
};

/** Imported, then changed by hand step by step; only the last step must be proposed. */
const byHand =
  (first: JsonObject, ...steps: readonly ((schema: JsonObject) => JsonObject)[]): Way['attempt'] =>
  async (world) => {
    const { producer, consumer } = world;
    const prefix = newName('api');
    const body = { spec: first, prefix, owner_team_id: producer.teamId };
    must(await producer.client.importOpenapi({ body }), 200);
    const asset = await assetNamed(world, `${prefix}.shop.get_orders`);
    await consume(world, consumer, asset.fqn);
    const params = { contract_id: asset.active_contract_id ?? '' };
    const schemas = [must(await world.admin.getContract({ params }), 200).schema as JsonObject];
    for (const step of steps) schemas.push(step(schemas.at(-1) ?? {}));
    for (const schema of schemas.slice(1, -1)) {
      await publishOk(producer.client, asset.id, { schema });
    }
    const last = { schema: schemas.at(-1) ?? {} };
    return producer.client.publishContract({ params: { asset_id: asset.id }, body: last });
  };

const memberOf = (schema: JsonObject, name: string) =>
  (schema.properties as JsonObject)[name] as JsonObject;

/** In a group of parameters that is optional, which no caller can omit. */
const demandingHeader = (schema: JsonObject): JsonObject => {
  const properties = { Tenant: { type: 'string' } };
  const header = { type: 'object', properties, required: ['Tenant'] };
  const request = { type: 'object', properties: { header } };
  return { ...schema, properties: { ...(schema.properties as JsonObject), request } };
};

const withTypeName = (response: JsonObject): JsonObject => ({
  ...response,
  properties: { ...(response.properties as JsonObject), __typename: { type: 'string' } },
});

const answeringTypeName = (schema: JsonObject): JsonObject => {
  const response = withTypeName(memberOf(schema, 'response'));
  return { ...schema, properties: { ...(schema.properties as JsonObject), response } };
};

/** The JSON of 200 stands with its status, and the response with less is said to be of another one. */
const ofAnotherStatus = (schema: JsonObject): JsonObject => {
  const { properties } = schema as { properties: Record<string, JsonObject> };
  const apart = { type: 'object', properties: { 'application/json': properties.response ?? null } };
  const responses = { type: 'object', properties: { 200: apart }, 'x-main': '299' };
  return { ...schema, properties: { ...properties, responses, response: part } };
};

/** A member moves behind a reference, which changes words alone. */
const behindReference =
  (name: string) =>
  (schema: JsonObject): JsonObject => {
    const { properties } = schema as { properties: Record<string, JsonObject> };
    const $defs = { ...(schema.$defs as JsonObject), [name]: properties[name] ?? {} };
    const description = 'In other words.';
    return {
      ...schema,
      description,
      $defs,
      properties: { ...properties, [name]: { $ref: `#/$defs/${name}` } },
    };
  };

const inTwoTypes = documentOf({
  ...answering(whole),
  requestBody: typed({ 'application/json': whole, 'application/xml': whole }),
});

/** The media type of the body that is left, written as an import writes it. */
const inJsonOnly = (schema: JsonObject): JsonObject => {
  const { properties } = schema as { properties: JsonObject };
  const listed = (types: JsonObject): JsonObject => ({ type: 'object', properties: types });
  const asJson = listed({ 'application/json': {} });
  const media_types = listed({ body: asJson, response: asJson });
  return { ...schema, properties: { ...properties, media_types } };
};

/** Headers are demanded within a branch. */
const demandingInBranch = (schema: JsonObject): JsonObject => {
  const { properties } = demandingHeader(schema) as { properties: Record<string, JsonObject> };
  const request = { type: 'object', properties: {}, anyOf: [properties.request ?? {}] };
  return { ...schema, properties: { ...properties, request } };
};

const operations: Readonly<Record<string, Way['attempt']>> = {
  'demand a header by hand, in a branch': byHand(documentOf(answering(whole)), demandingInBranch),
  'move the media types behind a reference by hand, and take one then': byHand(
    inTwoTypes,
    behindReference('media_types'),
    inJsonOnly,
  ),
  'take a media type by hand beside an idle keyword': byHand(inTwoTypes, (schema) => {
    const { properties } = inJsonOnly(schema) as { properties: Record<string, JsonObject> };
    const media_types = { ...properties.media_types, additionalProperties: true };
    return { ...schema, properties: { ...properties, media_types } };
  }),
  'say by hand that the response is that of another status': byHand(
    documentOf(answering(whole)),
    ofAnotherStatus,
  ),
  'no longer list by hand the media types of the body': byHand(
    documentOf({
      ...answering(whole),
      requestBody: typed({ 'application/json': whole, 'application/xml': whole }),
    }),
    (schema) => ({
      ...schema,
      properties: { ...(schema.properties as JsonObject), media_types: {} },
    }),
  ),
  'demand a header by hand, in a place that is optional': byHand(
    documentOf(answering(whole)),
    demandingHeader,
  ),
  'demand it of an operation that answers a __typename, as a GraphQL type does': byHand(
    documentOf(answering(withTypeName(whole))),
    demandingHeader,
  ),
  'have an operation answer a __typename first, and demand it then': byHand(
    documentOf(answering(whole)),
    answeringTypeName,
    demandingHeader,
  ),
};

// GraphQL

type GraphqlOptions = Partial<Parameters<World['admin']['importGraphql']>[0]['body']>;

const bySdl =
  (first: string, second: string, options: GraphqlOptions = {}): Way['attempt'] =>
  async (world) => {
    const { producer, consumer } = world;
    const prefix = newName('graphql');
    const send = (schema: string, more: GraphqlOptions) =>
      producer.client.importGraphql({
        body: {
          schema: `type Query { order: Order at(order: Given): Int }\ninput Given { id: ID }\n${schema}`,
          prefix,
          owner_team_id: producer.teamId,
          auto_publish_contracts: true,
          ...more,
        },
      });
    must(await send(first, {}), 200);
    const fqn = `${prefix}.Order`;
    await consume(world, consumer, fqn);
    return outcome(world, fqn, await send(second, options));
  };

const order = 'type Order { id: ID! note: String }';
const customers = 'type Order { by: Customer } type Customer { name: String mail: String }';
const fewerCustomers = 'type Order { by: Customer } type Customer { name: String }';

const sdls: Readonly<Record<string, readonly [string, string, GraphqlOptions?, string?]>> = {
  'take a field from a type': [order, 'type Order { id: ID! }'],
  'make an enum of a type': [order, 'enum Order { id }'],
  'make an input of a type': [order, 'input Order { id: ID! note: String }'],
  'make an interface of a type': [order, 'interface Order { id: ID! }'],
  'make a union of a type': [order, 'union Order = Part type Part { id: ID! }'],
  'have a field answer another type': [
    customers,
    'type Order { by: Buyer } type Buyer { name: String }',
  ],
  'have a field take a new argument that is required': [
    order,
    'type Order { id: ID! note(in: String!): String }',
  ],
  'take the default of an argument that is required': [
    'type Order { id: ID! note(in: String! = "en"): String }',
    'type Order { id: ID! note(in: String!): String }',
  ],
  'take an argument from a field': ['type Order { id: ID! note(in: String): String }', order],
  'no longer be of an interface': [
    'interface Node { id: ID! } type Order implements Node { id: ID! }',
    'interface Node { id: ID! } type Order { id: ID! }',
  ],
  'have a field take null': [order, 'type Order { id: ID note: String }'],
  'make a scalar of a type that another one shows': [
    customers,
    'type Order { by: Customer } scalar Customer',
  ],
  'make a type of a scalar that another one shows': [
    'type Order { by: Customer } scalar Customer',
    customers,
  ],
  'make an interface of a scalar that another one shows': [
    'type Order { by: Customer } scalar Customer',
    'type Order { by: Customer } interface Customer { name: String }',
  ],
  'make a union of a scalar that another one shows': [
    'type Order { by: Customer } scalar Customer',
    'type Order { by: Customer } union Customer = Person type Person { name: String }',
  ],
  'break a type that another one shows, and leave it out': [
    customers,
    fewerCustomers,
    { partial: true, auto_create_proposals: false },
    'changes nothing',
  ],
  'break a type that another one shows, while its own consumers are asked': [
    customers,
    fewerCustomers,
    {},
    'changes nothing',
  ],
};

// ODCS

const byOdcs =
  (change: (properties: readonly JsonObject[], name: string) => JsonObject): Way['attempt'] =>
  async (world) => {
    const { producer, consumer } = world;
    const name = newName('object');
    const id = { name: 'id', logicalType: 'integer' };
    const properties = [id, { name: 'note', logicalType: 'string' }];
    const document = {
      apiVersion: 'v3.0.2',
      kind: 'DataContract',
      id: 'x',
      version: '1.0.0',
      name: 'shop',
      status: 'active',
    };
    const send = (more: JsonObject) =>
      producer.client.importOdcs({
        body: {
          contract: { ...document, ...more },
          owner_team_id: producer.teamId,
          auto_publish_contracts: true,
        },
      });
    must(await send({ schema: [{ name, properties }] }), 200);
    const fqn = `shop.${name}`;
    await consume(world, consumer, fqn);
    return outcome(world, fqn, await send(change(properties, name)));
  };

const objects: Readonly<Record<string, readonly [Parameters<typeof byOdcs>[0], string?]>> = {
  'take a property from an ODCS object': [
    (properties, name) => ({ schema: [{ name, properties: properties.slice(0, 1) }] }),
  ],
  'take all properties from an ODCS object': [(_properties, name) => ({ schema: [{ name }] })],
  'name an ODCS object twice, first with less': [
    (properties, name) => ({
      schema: [
        { name, properties: properties.slice(0, 1) },
        { name, properties: [...properties] },
      ],
    }),
    'changes nothing',
  ],
  'say that an ODCS contract is retired, and take a property': [
    (properties, name) => ({
      schema: [{ name, properties: properties.slice(0, 1) }],
      status: 'retired',
    }),
  ],
  'write the mode none into an ODCS contract': [
    (properties, name) => ({
      schema: [{ name, properties: properties.slice(0, 1) }],
      customProperties: [{ property: 'compatibilityMode', value: 'none' }],
    }),
  ],
};

// What goes from a file, as its name goes to something else or its file describes nothing.

interface FileChange {
  /** The FQN that is consumed, below the prefix. */
  readonly name: string;
  readonly first: JsonObject | string;
  readonly second: JsonObject | string;
  /** A file in between, whose proposal the consumers approve. */
  readonly agreed?: JsonObject | string;
  /** What the owner changes in the metadata in between. */
  readonly metadata?: JsonObject;
  readonly options?: JsonObject;
}

function sendFile(
  { producer }: World,
  prefix: string,
  file: JsonObject | string,
  more: JsonObject,
) {
  const body = {
    owner_team_id: producer.teamId,
    auto_publish_contracts: true,
    auto_create_proposals: true,
    ...more,
  };
  const { client } = producer;
  if (typeof file === 'string') {
    return client.importGraphql({ body: { schema: file, prefix, ...body } });
  }
  if ('openapi' in file) return client.importOpenapi({ body: { spec: file, prefix, ...body } });
  if ('kind' in file) {
    return client.importOdcs({
      body: { contract: { id: prefix, ...file, name: prefix }, ...body },
    });
  }
  return client.uploadBuildtool({ body: { manifest: projectOf(file, prefix), ...body } });
}

/** The models of a project of this name. */
function projectOf({ models }: JsonObject, project: string): JsonObject {
  const manifest = manifestOf(project, models as unknown as readonly Model[]);
  const metadata = { ...(manifest.metadata as JsonObject), project_name: project };
  const nodes = Object.entries(nodesOf(manifest)).map(([id, node]) => {
    const { name, ...rest } = node;
    return [id, { ...rest, name: String(name).replace(/\W/g, '_') }] as const;
  });
  return { ...manifest, metadata, nodes: Object.fromEntries(nodes) };
}

const byFile =
  ({ name, first, second, agreed, metadata, options = {} }: FileChange): Way['attempt'] =>
  async (world) => {
    const prefix = newName('gone').toLowerCase();
    const sent = await sendFile(world, prefix, first, {});
    if (!sent.ok) return sent;
    const fqn = `${prefix}.${name}`;
    await consume(world, world.consumer, fqn);
    if (agreed !== undefined) {
      const { proposals } = must(await sendFile(world, prefix, agreed, {}), 200);
      const proposalId = proposals.details[0]?.proposal_id ?? '';
      await agree(world.consumer, proposalId);
      must(await publishProposal(world, proposalId), 200);
    }
    if (metadata !== undefined) {
      const { id: asset_id } = await assetNamed(world, fqn);
      const change = { params: { asset_id }, body: { metadata } };
      must(await world.producer.client.updateAsset(change), 200);
    }
    return outcome(world, fqn, await sendFile(world, prefix, second, options));
  };

const api = (title: string, ...paths: readonly string[]): JsonObject => ({
  openapi: '3.1.0',
  info: { title, version: '1' },
  paths: Object.fromEntries(paths.map((path) => [path, { get: answering(whole) }])),
});

/** An endpoint with two parameters in its path, and the type of each. */
const inPath = (types: Readonly<Record<string, string>>, schema: Json = whole): JsonObject => ({
  ...api('Shop'),
  paths: {
    [`/a${Object.keys(types)
      .map((name) => `/{${name}}`)
      .join('')}`]: {
      get: {
        ...answering(schema),
        parameters: Object.entries(types).map(([name, type]) => ({
          ...{ name, in: 'path', required: true },
          schema: { type },
        })),
      },
    },
  },
});

/** An API of one title, with an answer for each path. */
const answers = (schemas: Readonly<Record<string, Json>>): JsonObject => ({
  ...api('Shop'),
  paths: Object.fromEntries(
    Object.entries(schemas).map(([path, schema]) => [path, { get: answering(schema) }]),
  ),
});

const project = (...names: readonly string[]): JsonObject => ({
  models: names.map((name) => ({ name, columns: bothColumns })),
});

const contractOf = (...names: readonly string[]): JsonObject => ({
  apiVersion: 'v3.0.2',
  kind: 'DataContract',
  version: '1.0.0',
  status: 'active',
  schema: names.map((name) => ({ name, properties: [{ name: 'id', logicalType: 'integer' }] })),
});

const deprecating = { prune: 'deprecate' };

const gone: Readonly<Record<string, FileChange>> = {
  'give the name of an endpoint to another one that differs in capitals': {
    name: 'shop.get_users',
    first: api('Shop', '/Users'),
    second: api('Shop', '/users'),
  },
  'give the name of an endpoint to another one that differs in a slash': {
    name: 'shop.get_a_b',
    first: api('Shop', '/a/b'),
    second: api('Shop', '/a_b'),
  },
  'give the name of an endpoint to another one, and overwrite its row': {
    name: 'shop.get_users',
    first: api('Shop', '/Users'),
    second: api('Shop', '/users'),
    options: { conflict_mode: 'overwrite' },
  },
  'give the name of a table to another one that differs in a space': {
    name: 'public.a_b',
    first: project('a b'),
    second: project('a_b'),
  },
  'give the name of an object to another one that differs in a space': {
    name: 'a_b',
    first: contractOf('a b'),
    second: contractOf('a_b'),
  },
  'give an API another title': {
    name: 'shop.get_users',
    first: api('Shop', '/users', '/orders'),
    second: api('Store', '/users', '/orders'),
    options: deprecating,
  },
  'leave an endpoint out, and give its API another title': {
    name: 'shop.get_users',
    first: api('Shop', '/users', '/orders', '/items'),
    second: api('Store', '/orders', '/items'),
    options: deprecating,
  },
  'leave an object out, and give its contract another id': {
    name: 'a',
    first: contractOf('a', 'b', 'c'),
    second: { ...contractOf('b', 'c'), id: 'another' },
    options: deprecating,
  },
  'call the parameter of a path otherwise, and answer with less': {
    name: 'shop.get_users_id',
    first: answers({ '/users/{id}': whole }),
    second: answers({ '/users/{user}': part }),
  },
  'let the parameters of a path change places, and then what they take': {
    name: 'shop.get_a_x_y',
    first: inPath({ x: 'integer', y: 'string' }),
    agreed: inPath({ y: 'string', x: 'integer' }),
    second: inPath({ y: 'integer', x: 'string' }, { ...whole, title: 'An answer' }),
  },
  'put an endpoint before another one of the same name, which answers with less': {
    name: 'shop.get_a_b',
    first: answers({ '/a_b': whole }),
    second: answers({ '/a-b': whole, '/a_b': part }),
  },
  'leave out the first endpoint of a name, and answer with less in the second one': {
    name: 'shop.get_a_b_2',
    first: answers({ '/a-b': whole, '/a_b': whole }),
    second: answers({ '/a_b': part }),
  },
  'say in the metadata that an endpoint is another one, and give that its name': {
    name: 'shop.get_users',
    first: api('Shop', '/Users'),
    metadata: { path: '/users' },
    second: api('Shop', '/users'),
  },
  'say in the metadata that an endpoint is of another API, and leave it out': {
    name: 'shop.get_users',
    first: api('Shop', '/users', '/orders'),
    metadata: { api_title: 'Store', resource_type: 'table' },
    second: api('Shop', '/orders'),
    options: deprecating,
  },
  'say in the metadata that a model is of another project, and leave it out': {
    name: 'public.orders',
    first: project('orders', 'items'),
    metadata: { build_node_id: 'model.another.orders' },
    second: project('items'),
    options: deprecating,
  },
  'have queries begin with another type that has less': {
    name: 'Query',
    first: 'type Query { a: Int b: Int }',
    second: 'schema { query: Root } type Root { a: Int } type Query { a: Int b: Int }',
  },
  'have queries begin with another type, where an extension names the root of mutations': {
    name: 'Query',
    first: 'type Query { a: Int b: Int }',
    second: `extend schema { query: Root mutation: M } type M { c: Int }
      type Root { a: Int } type Query { a: Int b: Int }`,
  },
  'extend the schema by mutations, and begin queries with another type then': {
    name: 'Query',
    first: 'extend schema { mutation: M } type M { c: Int } type Query { a: Int b: Int }',
    second: 'schema { query: Root } type Root { a: Int } type Query { a: Int b: Int }',
  },
  'write the title of an API otherwise, and leave an endpoint out': {
    name: 'shop.get_users',
    first: api('Shop', '/users', '/orders', '/items'),
    second: api('SHOP', '/items'),
    options: deprecating,
  },
  'leave half of the endpoints out, and give their API another title': {
    name: 'shop.get_users',
    first: api('Shop', '/users', '/orders'),
    second: api('Store', '/orders'),
    options: deprecating,
  },
  'leave most objects out of a contract with a long id': {
    name: 'a',
    first: { ...contractOf('a', 'b', 'c'), id: 'i'.repeat(600) },
    second: { ...contractOf('b'), id: 'i'.repeat(600) },
    options: deprecating,
  },
  'leave half of the objects out, and give their contract another id': {
    name: 'a',
    first: contractOf('a', 'b'),
    second: { ...contractOf('b'), id: 'another' },
    options: deprecating,
  },
  'leave all endpoints out': {
    name: 'shop.get_users',
    first: api('Shop', '/users'),
    second: api('Shop'),
    options: deprecating,
  },
  'leave all types out': {
    name: 'User',
    first: 'type User { id: ID! }',
    second: 'scalar User',
    options: deprecating,
  },
  'leave all models out': {
    name: 'public.orders',
    first: project('orders'),
    second: project(),
    options: deprecating,
  },
  'leave all objects of a contract out': {
    name: 'orders',
    first: contractOf('orders'),
    second: contractOf(),
    options: deprecating,
  },
};

/** A model of a manifest, described by a file of another kind. */
const byAnotherKind: Way = {
  way: 'describe the table of a model by a GraphQL type with less',
  refusedBy: 'asks the consumers',
  attempt: async (world) => {
    const { producer, consumer } = world;
    const name = newName('model');
    const fqn = `shop.public.${name}`;
    must(await upload(world, manifestOf('shop', [{ name, columns: bothColumns }]), {}), 200);
    await consume(world, consumer, fqn);
    const body = {
      schema: `type Query { it: ${name} } type ${name} { id: Int }`,
      prefix: 'shop.public',
      owner_team_id: producer.teamId,
      auto_publish_contracts: true,
    };
    return outcome(world, fqn, await producer.client.importGraphql({ body }));
  },
};

const bySource: Way = {
  way: 'declare the table of a model as a source of another project, and leave the model out',
  refusedBy: 'asks the consumers',
  attempt: async (world) => {
    const [project, name] = [newName('project').toLowerCase(), newName('model').toLowerCase()];
    const rest = { name: 'rest', columns: bothColumns };
    const first = manifestOf(project, [{ name, columns: bothColumns }, rest]);
    must(await upload(world, first, {}), 200);
    const fqn = `${project}.public.${name}`;
    await consume(world, world.consumer, fqn);
    const [node = {}] = Object.values(nodesOf(first));
    const unique_id = `source.another.raw.${name}`;
    const read = { unique_id, resource_type: 'source', package_name: 'another', identifier: name };
    const sources = { [unique_id]: { ...node, ...read } };
    must(await upload(world, { ...first, nodes: {}, sources }, {}), 200);
    const second = manifestOf(project, [rest]);
    return outcome(world, fqn, await upload(world, second, { prune: 'deprecate' }));
  },
};

const asks = 'asks the consumers';

export const imports: readonly Way[] = [
  ...Object.entries(manifests).map(([way, [change, refusedBy]]) => ({
    way,
    refusedBy,
    attempt: byManifest(change),
  })),
  ...Object.entries(documents).map(([way, [first, second, refusedBy = asks]]) => ({
    way,
    refusedBy,
    attempt: byDocument(first, second),
  })),
  ...Object.entries(read).map(([way, [first, second, fields]]) => ({
    way,
    refusedBy: asks,
    attempt: byDocument(first, second, fields),
  })),
  ...Object.entries(operations).map(([way, attempt]) => ({ way, refusedBy: asks, attempt })),
  ...Object.entries(sdls).map(([way, [first, second, options, refusedBy = asks]]) => ({
    way,
    refusedBy,
    attempt: bySdl(first, second, options),
  })),
  ...Object.entries(objects).map(([way, [change, refusedBy = asks]]) => ({
    way,
    refusedBy,
    attempt: byOdcs(change),
  })),
  ...Object.entries(gone).map(([way, change]) => ({
    way,
    refusedBy: asks,
    attempt: byFile(change),
  })),
  byAnotherKind,
  bySource,
];
