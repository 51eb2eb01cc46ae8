// Withdrawing a promise without a break: through its mode, version, owner, name or proposal.

import type { JsonObject } from '../../../src/core/value/json.ts';
import {
  createAsset,
  must,
  narrowerSchema,
  orderSchema,
  propose,
  publishedAsset,
  publishOk,
  register,
  type World,
  widerSchema,
} from '../../support/client/client-world.ts';
import { agree, askedAsset, consumedAsset, publishProposal, type Way } from './way.ts';

const publishTo = (
  { producer }: World,
  assetId: string,
  body: Parameters<World['admin']['publishContract']>[0]['body'],
) => producer.client.publishContract({ params: { asset_id: assetId }, body });

const patch = (
  { producer }: World,
  assetId: string,
  body: NonNullable<Parameters<World['admin']['updateAsset']>[0]['body']>,
) => producer.client.updateAsset({ params: { asset_id: assetId }, body });

async function retire(world: World, contractId: string, status: 'deprecated' | 'archived') {
  const params = { contract_id: contractId };
  must(await world.producer.client.updateContract({ params, body: { status } }), 200);
}

async function forceDelete({ admin }: World, assetId: string) {
  const query = { force: true, reason: 'Its table was dropped.' };
  must(await admin.deleteAsset({ params: { asset_id: assetId }, query }), 204);
}

async function blocked(world: World) {
  const asked = await askedAsset(world);
  const params = { proposal_id: asked.proposalId };
  const body = { response: 'blocked' as const, notes: 'We read it.' };
  must(await world.consumer.client.acknowledgeProposal({ params, body }), 200);
  return { ...asked, params };
}

/** The outcome of the steps for an asset that one team consumes. */
const consumed =
  (
    attempt: (
      world: World,
      asset: Awaited<ReturnType<typeof consumedAsset>>,
    ) => ReturnType<Way['attempt']>,
    more: Record<string, unknown> = {},
  ): Way['attempt'] =>
  async (world) =>
    attempt(world, await consumedAsset(world, more));

const asks = 'asks the consumers';

/** Under full, and if the engine has nothing to compare. */
const hiddenDefaults: readonly (readonly [string, (value: string) => JsonObject])[] = [
  [
    'in one of three branches that are alike',
    (value) => ({ anyOf: ['a', value, 'b'].map((each) => ({ type: 'string', default: each })) }),
  ],
  ['beside a reference', (value) => ({ $ref: '#/$defs/t', default: value })],
  ['inside a condition', (value) => ({ if: {}, else: { default: value } })],
  ['inside what is excluded', (value) => ({ not: { type: 'null', default: value } })],
];

const withNote = (note: JsonObject) => ({
  ...orderSchema,
  properties: { ...orderSchema.properties, note },
  $defs: { t: { type: 'string' } },
});

/** A schema with its own id, where `#/$defs/t` is not that of the enclosing document. */
const namedPart = (t: JsonObject) =>
  withNote({
    $id: 'https://contracts.test/note',
    $defs: { t },
    properties: { of: { $ref: '#/$defs/t' } },
  });

const withTotal: JsonObject = { type: 'object', properties: { total: { type: 'number' } } };
const anything = ['string', 'number', 'boolean', 'null', 'object', 'array'];
const mapOf = (keyword: string, child: JsonObject): JsonObject => ({
  type: 'object',
  [keyword]: child,
});
const inItems = (items: JsonObject): JsonObject => ({ type: 'array', items });
const inReference = (t: JsonObject): JsonObject => ({ $ref: '#/$defs/t', $defs: { t } });
const pattern = (name: string) => mapOf('patternProperties', { [name]: { type: 'number' } });

/**
 * Each step except the last is compatible: a property becomes an allowed name, and is then removed.
 */
const lettingGo: readonly (readonly [string, readonly JsonObject[]])[] = [
  ['a pattern of every name', [withTotal, pattern('.*'), { type: 'object' }]],
  ['a pattern that becomes narrower', [withTotal, pattern('^t'), pattern('^to')]],
  ['a pattern for which nothing is left', [withTotal, pattern('^t'), mapOf('properties', {})]],
  [
    'all other names, then a pattern',
    [withTotal, mapOf('additionalProperties', { type: 'number' }), pattern(''), { type: 'object' }],
  ],
  [
    'all other names, whatever they hold',
    [
      withTotal,
      mapOf('additionalProperties', { type: anything }),
      mapOf('additionalProperties', {}),
    ],
  ],
  [
    'names that are not evaluated',
    [withTotal, mapOf('unevaluatedProperties', { type: anything }), { type: 'object' }],
  ],
  [
    'a pattern, in the items of a list',
    [inItems(withTotal), inItems(pattern('.*')), inItems({ type: 'object' })],
  ],
  [
    'a pattern, behind a reference',
    [inReference(withTotal), inReference(pattern('.*')), inReference({ type: 'object' })],
  ],
  [
    'a pattern, in one part of a conjunction',
    [withTotal, { allOf: [{ type: 'object' }, pattern('.*')] }, { allOf: [{ type: 'object' }] }],
  ],
  [
    'the pattern of another branch',
    [
      mapOf('patternProperties', { '^a': withTotal, '^b': mapOf('properties', { id: {} }) }),
      mapOf('patternProperties', { '^a': mapOf('properties', { id: {} }), '^b': withTotal }),
    ],
  ],
];

const ofTotal: JsonObject = { total: { type: 'number' } };
const sized: JsonObject = { size: { type: 'integer' } };
const conditional = (note: JsonObject): JsonObject => ({
  ...{ type: 'object', properties: sized, if: { required: ['size'] } },
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword.
  ...{ then: mapOf('properties', { note }) },
});
const ofKind = (kind: string, more: JsonObject = {}): JsonObject => ({
  ...{ type: 'object', properties: { kind: { const: kind }, ...more }, required: ['kind'] },
});
const inVariants = (...anyOf: readonly JsonObject[]): JsonObject => ({ anyOf });

/** A field that some values have and others no longer, so that it may become another. */
const partly: readonly (readonly [string, readonly JsonObject[]])[] = [
  [
    'a condition that becomes one branch',
    [
      conditional({ type: 'string' }),
      {
        ...{ type: 'object', properties: sized },
        anyOf: [{ required: ['size'], properties: { note: { type: 'integer' } } }, {}],
      },
    ],
  ],
  [
    'one variant of all that had it',
    [
      inVariants(ofKind('a', ofTotal), ofKind('b', ofTotal)),
      inVariants(ofKind('a', ofTotal), ofKind('b')),
    ],
  ],
  [
    'a branch that nothing enters',
    [withTotal, { ...mapOf('properties', sized), anyOf: [{ not: {}, ...withTotal }, {}] }],
  ],
  [
    'an open object that gets names in the first of two variants',
    [
      inVariants(
        mapOf('properties', { note: { type: 'object' } }),
        mapOf('properties', { note: {} }),
      ),
      inVariants(mapOf('properties', { note: withTotal }), mapOf('properties', { note: {} })),
    ],
  ],
  [
    'an open object that is described as one without properties',
    [
      mapOf('properties', { note: { type: 'object' } }),
      mapOf('properties', { note: mapOf('properties', {}) }),
    ],
  ],
];

/** Under forward, where a property may go, but one variant may not give it another content. */
const forwardSteps: readonly (readonly [string, readonly JsonObject[]])[] = [
  [
    'a variant that comes without it',
    [withTotal, inVariants(withTotal, mapOf('properties', { note: {} }))],
  ],
  [
    'a variant that demands it, and describes nothing of it',
    [
      { ...mapOf('properties', sized), additionalProperties: false },
      inVariants(
        { ...mapOf('properties', sized), additionalProperties: false },
        { ...mapOf('properties', sized), required: ['total'] },
      ),
    ],
  ],
];

/** Under forward, a new property that is required without the word `required`. */
const demandedAnew: readonly (readonly [string, JsonObject])[] = [
  ['another property requires it', { required: ['id'], dependentRequired: { id: ['tax'] } }],
  ['two properties are needed', { required: ['id'], minProperties: 2 }],
  [
    'two properties are needed in some values',
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword.
    { required: ['id'], if: { properties: { id: { const: '5' } } }, then: { minProperties: 2 } },
  ],
  ['what lacks it is excluded', { not: { not: { required: ['tax'] } } }],
  ['a choice leaves nothing else', { oneOf: [true, { properties: { tax: false } }] }],
  [
    'each branch of a choice has it',
    {
      required: ['id'],
      oneOf: ['a', 'b'].map((tax) => ({ properties: { tax: { const: tax } }, required: ['tax'] })),
    },
  ],
];

/** Under strict, what a guarantee loses beside what it keeps. */
const lessGuaranteed: readonly (readonly [string, JsonObject, JsonObject])[] = [
  [
    'the column that freshness is measured by',
    { freshness: { max_staleness_minutes: 60, measured_by: 'id' } },
    { freshness: { max_staleness_minutes: 60 } },
  ],
  [
    'one of two tests that are alike',
    { custom: [{ type: 'unique' }, { type: 'unique' }] },
    { custom: [{ type: 'unique' }] },
  ],
  [
    'a column called __proto__',
    JSON.parse('{"nullability": {"__proto__": "never", "id": "never"}}'),
    { nullability: { id: 'never' } },
  ],
  [
    'a list of values, which grows',
    { accepted_values: { id: [1, 2] } },
    { accepted_values: { id: [1, 2, '3'] } },
  ],
];

/** An agreement that is left behind, and the same change again. */
const agreedBefore: Readonly<
  Record<string, (world: World, assetId: string, proposalId: string) => Promise<unknown>>
> = {
  'withdrawn since': (world, _assetId, proposalId) =>
    world.producer.client.withdrawProposal({
      params: { proposal_id: proposalId },
      body: { reason: 'It was a mistake.' },
    }),
  'superseded since': (world, assetId) =>
    publishTo(world, assetId, { schema: { type: 'object' }, supersede: true }),
};

export const promises: readonly Way[] = [
  ...lessGuaranteed.map(
    ([name, first, second]): Way => ({
      way: `drop of a guarantee under strict, with a wider schema: ${name}`,
      refusedBy: asks,
      attempt: consumed(
        async (world, { assetId }) => {
          const before = { schema: orderSchema, guarantees: first };
          await publishOk(world.producer.client, assetId, before);
          return publishTo(world, assetId, { schema: widerSchema, guarantees: second });
        },
        { guarantee_mode: 'strict' },
      ),
    }),
  ),
  ...Object.entries(agreedBefore).map(
    ([name, leave]): Way => ({
      way: `publish by an agreement to the same change, ${name}`,
      refusedBy: '409 PROPOSAL_NOT_READY',
      attempt: async (world) => {
        const { assetId, proposalId } = await askedAsset(world);
        await agree(world.consumer, proposalId);
        await leave(world, assetId, proposalId);
        const body = { schema: narrowerSchema, supersede: true };
        const again = await world.producer.client.publishContract({
          params: { asset_id: assetId },
          body,
        });
        if (!again.ok || again.body.action !== 'proposal_created') return again;
        return publishProposal(world, again.body.proposal.id ?? '');
      },
    }),
  ),
  {
    way: 'have the deprecation agreed to, and break what is deprecated',
    refusedBy: asks,
    attempt: consumed(async (world, { assetId, contractId }) => {
      const params = { contract_id: contractId };
      const body = { status: 'deprecated' as const };
      const answer = must(await world.producer.client.updateContract({ params, body }), 200);
      const { proposal } = answer as { proposal?: { id: string | null } };
      await agree(world.consumer, proposal?.id ?? '');
      must(await publishProposal(world, proposal?.id ?? ''), 200);
      return publishTo(world, assetId, { schema: narrowerSchema });
    }),
  },
  ...forwardSteps.map(
    ([name, [first = {}, second = {}]]): Way => ({
      way: `change a property in steps under forward, through ${name}`,
      refusedBy: asks,
      attempt: async (world) => {
        const { id: assetId } = await createAsset(world.producer);
        const mode = { compatibility_mode: 'forward' as const };
        const contractId = await publishOk(world.producer.client, assetId, {
          schema: first,
          ...mode,
        });
        await register(world.consumer, contractId);
        return publishTo(world, assetId, { schema: second });
      },
    }),
  ),
  ...demandedAnew.map(
    ([name, demand]): Way => ({
      way: `require a new property under forward, where ${name}`,
      refusedBy: asks,
      attempt: async (world) => {
        const { id: assetId } = await createAsset(world.producer);
        const schema = { ...mapOf('properties', { id: { type: 'string' } }), required: ['id'] };
        const first = { schema, compatibility_mode: 'forward' as const };
        await register(world.consumer, await publishOk(world.producer.client, assetId, first));
        const properties = { id: { type: 'string' }, tax: { type: 'string' } };
        return publishTo(world, assetId, { schema: { ...schema, properties, ...demand } });
      },
    }),
  ),
  ...[...lettingGo, ...partly].map(
    ([name, [first = {}, ...steps]]): Way => ({
      way: `let a property go in steps, through ${name}`,
      refusedBy: asks,
      attempt: async (world) => {
        const { id: assetId } = await createAsset(world.producer);
        const publishStep = (schema: JsonObject) =>
          publishOk(world.producer.client, assetId, { schema });
        await register(world.consumer, await publishStep(first));
        for (const schema of steps.slice(0, -1)) await publishStep(schema);
        return publishTo(world, assetId, { schema: steps.at(-1) ?? {} });
      },
    }),
  ),
  ...(['none', 'forward'] as const).map(
    (mode): Way => ({
      way: `loosen the mode to ${mode} and break, in one step`,
      refusedBy: asks,
      attempt: consumed((world, { assetId }) =>
        publishTo(world, assetId, { schema: narrowerSchema, compatibility_mode: mode }),
      ),
    }),
  ),
  ...hiddenDefaults.map(
    ([where, note]): Way => ({
      way: `change a default ${where}, under full`,
      refusedBy: asks,
      attempt: consumed(async (world, { assetId }) => {
        const { client } = world.producer;
        const first = { schema: withNote(note('a')), compatibility_mode: 'full' as const };
        await publishOk(client, assetId, first);
        return publishTo(world, assetId, { schema: withNote(note('b')) });
      }),
    }),
  ),
  {
    way: 'remove a property inside a schema that has an id of its own',
    refusedBy: asks,
    attempt: consumed(async (world, { assetId }) => {
      const t = { type: 'object', properties: { text: {} } };
      await publishOk(world.producer.client, assetId, { schema: namedPart(t) });
      return publishTo(world, assetId, { schema: namedPart({ ...t, properties: {} }) });
    }),
  },
  {
    way: 'loosen the mode alone, to break in a second step',
    refusedBy: asks,
    attempt: consumed((world, { assetId }) =>
      publishTo(world, assetId, { schema: orderSchema, compatibility_mode: 'none' }),
    ),
  },
  {
    way: 'name a major version, which a break would have',
    refusedBy: asks,
    attempt: consumed((world, { assetId }) =>
      publishTo(world, assetId, { schema: narrowerSchema, version: '2.0.0' }),
    ),
  },
  {
    way: 'take everything any value may be, and promise nothing',
    refusedBy: asks,
    attempt: consumed((world, { assetId }) => publishTo(world, assetId, { schema: {} })),
  },
  {
    way: 'deprecate the active version',
    refusedBy: asks,
    attempt: consumed((world, { contractId }) =>
      world.producer.client.updateContract({
        params: { contract_id: contractId },
        body: { status: 'deprecated' },
      }),
    ),
  },
  {
    way: 'deprecate the version while nobody consumes, and publish a first one again',
    refusedBy: 'asks nobody',
    attempt: async (world) => {
      const { assetId, contractId } = await publishedAsset(world.producer);
      await retire(world, contractId, 'deprecated');
      return publishTo(world, assetId, { schema: narrowerSchema });
    },
  },
  {
    way: 'archive every version, and publish a first one again',
    refusedBy: 'asks nobody',
    attempt: async (world) => {
      const { assetId, contractId } = await publishedAsset(world.producer);
      await retire(world, contractId, 'deprecated');
      await retire(world, contractId, 'archived');
      return publishTo(world, assetId, { schema: narrowerSchema });
    },
  },
  {
    way: 'move the asset to another environment',
    refusedBy: asks,
    attempt: consumed((world, { assetId }) => patch(world, assetId, { environment: 'elsewhere' })),
  },
  {
    way: 'give the asset to a friend',
    refusedBy: asks,
    attempt: consumed((world, { assetId }) =>
      patch(world, assetId, { owner_team_id: world.other.teamId }),
    ),
  },
  {
    way: 'lower the guarantee mode',
    refusedBy: asks,
    attempt: consumed((world, { assetId }) => patch(world, assetId, { guarantee_mode: 'ignore' })),
  },
  {
    way: 'move the asset and lower its guarantee mode as one question',
    refusedBy: '400 VALIDATION_ERROR',
    attempt: consumed((world, { assetId }) =>
      patch(world, assetId, { environment: 'elsewhere', guarantee_mode: 'ignore' }),
    ),
  },
  {
    way: 'remove the guarantees under strict',
    refusedBy: asks,
    attempt: consumed(
      async (world, { assetId }) => {
        const guarantees = { nullability: { id: 'never' as const } };
        await publishOk(world.producer.client, assetId, { schema: orderSchema, guarantees });
        return publishTo(world, assetId, { schema: orderSchema, guarantees: null });
      },
      { guarantee_mode: 'strict' },
    ),
  },
  {
    way: 'delete the asset',
    refusedBy: '409 ASSET_HAS_CONSUMERS',
    attempt: consumed((world, { assetId }) =>
      world.producer.client.deleteAsset({ params: { asset_id: assetId } }),
    ),
  },
  {
    way: 'have it deleted by force, and make its name again',
    refusedBy: asks,
    attempt: consumed(async (world, { assetId, fqn }) => {
      await forceDelete(world, assetId);
      const body = { fqn, owner_team_id: world.producer.teamId };
      const again = must(await world.producer.client.createAsset({ body }), 201);
      return publishTo(world, again.id, { schema: narrowerSchema });
    }),
  },
  {
    way: 'have it deleted by force, and make its name again as another team',
    refusedBy: asks,
    attempt: consumed(async (world, { assetId, fqn }) => {
      await forceDelete(world, assetId);
      const body = { fqn, owner_team_id: world.other.teamId };
      const again = must(await world.other.client.createAsset({ body }), 201);
      const params = { asset_id: again.id };
      return world.other.client.publishContract({ params, body: { schema: narrowerSchema } });
    }),
  },
  {
    way: 'have it deleted by force, and move another asset into its name',
    refusedBy: '409 ASSET_EXISTS',
    attempt: consumed(async (world, { assetId, fqn }) => {
      await forceDelete(world, assetId);
      const body = { fqn, owner_team_id: world.producer.teamId, environment: 'staging' };
      const staged = must(await world.producer.client.createAsset({ body }), 201);
      return patch(world, staged.id, { environment: 'production' });
    }),
  },
  {
    way: 'bring a deleted asset back as its owner',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const { id } = await createAsset(world.producer);
      must(await world.producer.client.deleteAsset({ params: { asset_id: id } }), 204);
      return world.producer.client.restoreAsset({ params: { asset_id: id } });
    },
  },
  {
    way: 'delete the team that consumes it',
    refusedBy: '403 FORBIDDEN',
    attempt: consumed((world) =>
      world.producer.client.deleteTeam({ params: { team_id: world.consumer.teamId } }),
    ),
  },
  {
    way: 'move the registration of a consumer to another version',
    refusedBy: '403 FORBIDDEN',
    attempt: consumed(async (world, { assetId, registrationId }) => {
      const contract_id = await publishOk(world.producer.client, assetId, { schema: widerSchema });
      const params = { registration_id: registrationId };
      return world.producer.client.updateRegistration({ params, body: { contract_id } });
    }),
  },
  {
    way: 'register a team twice, for two answers',
    refusedBy: '409 REGISTRATION_EXISTS',
    attempt: consumed((world, { contractId }) =>
      world.consumer.client.registerConsumer({
        body: { contract_id: contractId, consumer_team_id: world.consumer.teamId },
      }),
    ),
  },
  {
    way: 'publish while somebody is awaited',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => publishProposal(world, (await askedAsset(world)).proposalId),
  },
  {
    way: 'let it publish itself while somebody is awaited',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { assetId, proposalId } = await askedAsset(world);
      must(await patch(world, assetId, { auto_publish: true }), 200);
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'approve as a consumer',
    refusedBy: '403 FORBIDDEN',
    attempt: async (world) => {
      const params = { proposal_id: (await askedAsset(world)).proposalId };
      return world.consumer.client.approveProposal({ params });
    },
  },
  {
    way: 'supersede a break by a smaller one',
    refusedBy: asks,
    attempt: async (world) => {
      const { assetId } = await askedAsset(world);
      const properties = { ...orderSchema.properties, id: { type: 'string' } };
      return publishTo(world, assetId, { schema: { ...orderSchema, properties }, supersede: true });
    },
  },
  {
    way: 'withdraw what was agreed, propose it again, and count the old answers',
    refusedBy: '409 PROPOSAL_NOT_READY',
    attempt: async (world) => {
      const { assetId, proposalId } = await askedAsset(world);
      await agree(world.consumer, proposalId);
      const params = { proposal_id: proposalId };
      const body = { reason: 'We look at it again.' };
      must(await world.producer.client.withdrawProposal({ params, body }), 200);
      const again = await propose(world.producer.client, assetId, narrowerSchema);
      return publishProposal(world, again);
    },
  },
  {
    way: 'carry a break past the consumers behind a compatible version',
    refusedBy: '409 PROPOSAL_STALE',
    attempt: async (world) => {
      const { assetId, proposalId } = await askedAsset(world);
      await agree(world.consumer, proposalId);
      await publishOk(world.producer.client, assetId, { schema: widerSchema });
      return publishProposal(world, proposalId);
    },
  },
  {
    way: 'publish what a consumer blocked',
    refusedBy: '409 PROPOSAL_NOT_PENDING',
    attempt: async (world) => publishProposal(world, (await blocked(world)).proposalId),
  },
  {
    way: 'approve what a consumer blocked',
    refusedBy: '409 PROPOSAL_NOT_PENDING',
    attempt: async (world) => {
      const { params } = await blocked(world);
      return world.producer.client.approveProposal({ params });
    },
  },
  {
    way: 'rebase what a consumer blocked, into a new round',
    refusedBy: '409 PROPOSAL_NOT_PENDING',
    attempt: async (world) => {
      const { params } = await blocked(world);
      return world.producer.client.rebaseProposal({ params });
    },
  },
  {
    way: 'take the block of another consumer back',
    refusedBy: '409 PROPOSAL_NOT_PENDING',
    attempt: async (world) => {
      const { params, contractId } = await blocked(world);
      await register(world.other, contractId);
      return world.other.client.acknowledgeProposal({ params, body: {} });
    },
  },
  {
    way: 'propose again what a consumer blocked',
    refusedBy: asks,
    attempt: async (world) => {
      const { assetId } = await blocked(world);
      return publishTo(world, assetId, { schema: narrowerSchema });
    },
  },
  {
    way: 'force what was blocked and is superseded',
    refusedBy: '409 PROPOSAL_NOT_PENDING',
    attempt: async (world) => {
      const { params, assetId } = await blocked(world);
      await propose(world.producer.client, assetId, { type: 'object' });
      return world.admin.forceProposal({ params, body: { reason: 'It has to go today.' } });
    },
  },
];
