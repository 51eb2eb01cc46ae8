// Ways around review through managed assets: changes of files for an asset that a team consumes,
// and changes through the API at the same time. The API is a separate process on the same database.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../../src/core/value/json.ts';
import {
  openTestController,
  openTestRegistry,
  patience,
  type TestController,
  type TestRegistry,
} from '../controller/support/open-controller.ts';
import {
  bootstrapKey,
  openProcess,
  type ProcessRegistry,
} from '../support/client/client-registry.ts';
import {
  must,
  mustRefuse,
  narrowerSchema,
  openWorld,
  orderSchema,
  register,
  type World,
} from '../support/client/client-world.ts';

let registry: TestRegistry;
let api: ProcessRegistry;
let world: World;
let controller: TestController;
const slugs = { producer: '', consumer: '', other: '' };
let count = 0;

beforeAll(async () => {
  registry = await openTestRegistry();
  api = await openProcess(registry.database.serviceUrl);
  world = await openWorld(api.url, bootstrapKey);
  for (const role of ['producer', 'consumer', 'other'] as const) {
    const params = { team_id: world[role].teamId };
    slugs[role] = must(await world.admin.getTeam({ params }), 200).slug;
  }
  controller = await openTestController(registry, {
    shop: [slugs.producer],
    both: [slugs.producer, slugs.other],
    rivals: [slugs.other],
    'consumer-too': [slugs.producer, slugs.consumer],
    readers: [slugs.consumer],
    'readers-too': [slugs.consumer],
    'new-team': ['fresh-team'],
    'new-team-too': ['fresh-team'],
  });
});

afterAll(async () => {
  await controller?.stop();
  await api?.stop();
  await registry?.stop();
});

type Kind = 'DataContract' | 'ContractProposal' | 'ContractRegistration' | 'Team';

/** The file of one object; after each change the test waits until the controller has responded. */
interface File {
  readonly put: (spec: JsonObject) => Promise<void>;
  readonly remove: () => Promise<void>;
  readonly reason: () => string;
}

function fileOf(kind: Kind, namespace: string, name: string): File {
  const path = `${namespace}/${kind}-${name}.yaml`;
  const key = `${kind}/${namespace}/${name}`;
  const found = () => controller.source.get(key);
  const statusOf = () =>
    (found()?.status ?? {}) as {
      observedGeneration?: number;
      conditions?: { type: string; reason: string }[];
    };
  return {
    reason: () => statusOf().conditions?.find(({ type }) => type === 'Ready')?.reason ?? '',
    put: async (spec) => {
      const before = found();
      const metadata = { name, namespace };
      const manifest = { apiVersion: 'concordat.dev/v1', kind, metadata, spec };
      await controller.write(path, stringify(manifest));
      await vi.waitFor(() => {
        const now = found();
        // An object that is being deleted keeps its earlier status.
        const isNew = before === null || before.isDeleting || now?.generation !== before.generation;
        expect([now?.isDeleting, isNew]).toEqual([false, true]);
        expect(statusOf().observedGeneration).toBe(now?.generation);
      }, patience);
    },
    remove: async () => {
      await controller.remove(path);
      await vi.waitFor(() => {
        expect(found() === null || found()?.isDeleting).toBe(true);
      }, patience);
    },
  };
}

/** An asset managed by a file, at 1.0.0, with a consumer who registered through the API. */
interface Tried {
  readonly name: string;
  readonly fqn: string;
  readonly assetId: string;
  readonly contractId: string;
  readonly file: File;
  /** Writes the initial spec with this change. */
  readonly put: (change: JsonObject) => Promise<void>;
}

const broken = { schema: narrowerSchema };

async function managedAsset(row: Way): Promise<Tried> {
  const { first, isListed, namespace = 'shop', document } = row;
  const name = `c${++count}`;
  const fqn = `ways.table_${count}`;
  const file = fileOf('DataContract', namespace, name);
  const configMapKeyRef = { name, key: 'document' };
  const source: JsonObject =
    document === undefined
      ? { schema: orderSchema }
      : { schemaFrom: { configMapKeyRef, ...document.from } };
  if (document !== undefined) await writeDocument(name, document.text);
  const spec = { fqn, team: slugs.producer, ...source, ...first };
  const consumers = isListed ? [{ team: slugs.consumer }] : [];
  await file.put({ ...spec, consumers });
  expect(file.reason()).toBe('Published');
  const [asset] = must(await world.admin.listAssets({ query: { fqn } }), 200).results;
  const contractId = asset?.active_contract_id;
  if (asset === undefined || contractId === null || contractId === undefined) {
    throw new Error(`${fqn} was not published.`);
  }
  if (!isListed) await register(world.consumer, contractId);
  const put = (change: JsonObject) => file.put({ ...spec, ...change });
  return { name, fqn, assetId: asset.id, contractId, file, put };
}

/** Writes the ConfigMap that `schemaFrom` names. */
const writeDocument = (name: string, document: string) =>
  controller.write(
    `shop/document-${name}.json`,
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { document } }),
  );

/** The folder may be read between two writes, and then again. */
const untilConflict = (file: File) =>
  vi.waitFor(() => expect(file.reason()).toBe('FqnConflict'), patience);

/** The outcome: proposed, or unchanged at which version, and whether its consumer still counts. */
async function outcomeOf({ assetId }: Tried): Promise<string> {
  const asset = must(await world.admin.getAsset({ params: { asset_id: assetId } }), 200);
  const query = { asset_id: assetId, status: 'pending' as const };
  const [proposal] = must(await world.admin.listProposals({ query }), 200).results;
  const consumers = must(
    await world.admin.listRegistrations({
      query: { asset_id: assetId, consumer_team_id: world.consumer.teamId, status: 'active' },
    }),
    200,
  ).results;
  const version = asset.active_contract_version;
  return [
    version === '1.0.0' ? null : version === null ? 'serves none' : `publishes ${version}`,
    consumers.length === 1 ? null : 'loses its consumer',
    proposal === undefined
      ? null
      : `asks ${proposal.acknowledgment_count} of ${proposal.total_consumers}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

/** Its consumer answers the proposal. */
async function agree(assetId: string, response: 'approved' | 'blocked' = 'approved') {
  const query = { asset_id: assetId, status: 'pending' as const };
  const [proposal] = must(await world.admin.listProposals({ query }), 200).results;
  if (proposal === undefined) throw new Error('Nothing is asked.');
  const params = { proposal_id: proposal.id };
  const body = { response, notes: 'We read it.' };
  must(await world.consumer.client.acknowledgeProposal({ params, body }), 200);
}

interface Way {
  readonly way: string;
  /** The rest of the outcome; empty if nothing changed. */
  readonly leaves: string;
  readonly first?: JsonObject;
  /** The file names its consumer. */
  readonly isListed?: true;
  readonly namespace?: string;
  /** Its schema is in a ConfigMap. */
  readonly document?: { readonly from: JsonObject; readonly text: string };
  readonly attempt: (tried: Tried) => Promise<unknown>;
}

const asks = 'asks 0 of 1';

const byId = { format: 'openapi', operation: 'getOrder' };

/** A document with one operation, which answers with the orders. */
const operationAt = (path: string, method = 'get', types: readonly string[] = []) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: {
      [path]: {
        [method]: {
          operationId: 'getOrder',
          parameters: types.map((type, index) => ({
            ...{ name: 'xy'[index], in: 'path', required: true, schema: { type } },
          })),
          responses: {
            200: { description: 'ok', content: { 'application/json': { schema: orderSchema } } },
          },
        },
      },
    },
  });

const both = ['integer', 'string'];

const payers = 'type Person { name: ID } type Firm { name: ID }';

/** How the document names its part, and the document before and after. */
const documents: Readonly<Record<string, readonly [JsonObject, string, string, string]>> = {
  'the operation that schemaFrom names is at another path': [
    byId,
    operationAt('/orders'),
    operationAt('/v2/orders'),
    '',
  ],
  'the operation that schemaFrom names has another method': [
    byId,
    operationAt('/orders'),
    operationAt('/orders', 'post'),
    '',
  ],
  'parameters of the path that schemaFrom names change places': [
    byId,
    operationAt('/orders/{x}/{y}', 'get', both),
    operationAt('/orders/{y}/{x}', 'get', both),
    '',
  ],
  'no query begins with the type that schemaFrom names': [
    { format: 'graphql', typeName: 'Query' },
    'type Query { id: ID }',
    'schema { query: Root } type Root { total: Int } type Query { id: ID }',
    '',
  ],
  'a type within the one that schemaFrom names has less': [
    { format: 'graphql', typeName: 'Query' },
    'type Query { order: Order } type Order { id: ID total: Int }',
    'type Query { order: Order } type Order { id: ID }',
    asks,
  ],
  'a union within the type that schemaFrom names loses a member': [
    { format: 'graphql', typeName: 'Query' },
    `type Query { order: Order } type Order { by: Payer } union Payer = Person | Firm ${payers}`,
    `type Query { order: Order } type Order { by: Payer } union Payer = Person ${payers}`,
    asks,
  ],
  'a type leaves the interface that the type that schemaFrom names shows': [
    { format: 'graphql', typeName: 'Query' },
    `type Query { by: Party } interface Party { name: ID } ${payers} type Club implements Party { name: ID }`,
    `type Query { by: Party } interface Party { name: ID } ${payers} type Club { name: ID }`,
    asks,
  ],
  'a type leaves the interface that schemaFrom names': [
    { format: 'graphql', typeName: 'Party' },
    `interface Party { name: ID } ${payers} type Club implements Party { name: ID }`,
    `interface Party { name: ID } ${payers} type Club { name: ID }`,
    asks,
  ],
};

const ways: readonly Way[] = [
  ...Object.entries(documents).map(([way, [from, text, next, leaves]]) => ({
    ...{ way, leaves, document: { from, text } },
    attempt: async ({ name, file, put }: Tried) => {
      await writeDocument(name, next);
      await put({ description: 'Read again.' });
      if (leaves === '') await untilConflict(file);
    },
  })),
  {
    way: 'the operation is at another path, in a file that was removed and put back',
    leaves: '',
    document: { from: byId, text: operationAt('/orders') },
    attempt: async ({ name, file, put }) => {
      await file.remove();
      await writeDocument(name, operationAt('/v2/orders'));
      await put({ description: 'Put back.' });
      await untilConflict(file);
    },
  },
  {
    way: 'the operation is at another path, where an earlier release had published the first',
    leaves: '',
    document: { from: byId, text: operationAt('/orders') },
    attempt: async ({ name, assetId, file, put }) => {
      await registry.database.query('update asset set imported_as = null where id = $1', [assetId]);
      await put({ consumers: [], publishPolicy: 'Manual' });
      await writeDocument(name, operationAt('/v2/orders'));
      await put({ description: 'Read again.' });
      await untilConflict(file);
    },
  },
  {
    way: 'another operation of the document with the same answer is named',
    leaves: '',
    document: { from: { ...byId, operation: 'GET /orders' }, text: operationAt('/orders') },
    attempt: async ({ name, file, put }) => {
      await writeDocument(name, operationAt('/v2/orders'));
      const configMapKeyRef = { name, key: 'document' };
      await put({ schemaFrom: { ...byId, operation: 'GET /v2/orders', configMapKeyRef } });
      await untilConflict(file);
    },
  },
  {
    way: 'a document that is gone, and comes back with less',
    leaves: asks,
    document: { from: {}, text: JSON.stringify(orderSchema) },
    attempt: async ({ name, file, put }) => {
      await controller.remove(`shop/document-${name}.json`);
      await put({ description: 'Its document is gone.' });
      expect(file.reason()).toBe('SourceNotFound');
      await writeDocument(name, JSON.stringify(narrowerSchema));
      await put({ description: 'It is back.' });
    },
  },
  { way: 'a break', leaves: asks, attempt: ({ put }) => put(broken) },
  {
    way: 'a break with mode none',
    leaves: asks,
    attempt: ({ put }) => put({ ...broken, compatibilityMode: 'none' }),
  },
  {
    way: 'mode none, and the break after it',
    leaves: asks,
    attempt: async ({ put }) => {
      await put({ compatibilityMode: 'none' });
      await put({ ...broken, compatibilityMode: 'none' });
    },
  },
  {
    way: 'a break with a major version written beside it',
    leaves: asks,
    attempt: ({ put }) => put({ ...broken, version: '2.0.0' }),
  },
  {
    way: 'a break while its list of consumers is emptied',
    leaves: asks,
    isListed: true,
    attempt: ({ put }) => put({ ...broken, consumers: [] }),
  },
  {
    way: 'the list of consumers emptied, and the break after it',
    leaves: asks,
    isListed: true,
    attempt: async ({ put }) => {
      await put({ consumers: [] });
      await put({ ...broken, consumers: [] });
    },
  },
  {
    way: 'a pattern that covers the field, and then nothing',
    leaves: 'publishes 1.1.0, asks 0 of 1',
    attempt: async ({ put }) => {
      const { total } = orderSchema.properties;
      const { id } = narrowerSchema.properties;
      const covered = { ...narrowerSchema, properties: { id }, patternProperties: { '^t': total } };
      await put({ schema: covered });
      await put(broken);
    },
  },
  {
    way: 'a break while it is suspended, and then resumed',
    leaves: asks,
    attempt: async ({ put }) => {
      await put({ ...broken, suspend: true });
      await put(broken);
    },
  },
  {
    way: 'the file removed, and put back with a break',
    leaves: asks,
    attempt: async ({ file, put }) => {
      await file.remove();
      await put(broken);
    },
  },
  ...(['Deprecate', 'Delete'] as const).map((deletionPolicy) => ({
    way: `the file removed with deletionPolicy ${deletionPolicy}, and put back with a break`,
    leaves: asks,
    first: { deletionPolicy },
    attempt: async ({ file, put }: Tried) => {
      await file.remove();
      await put(broken);
    },
  })),
  {
    way: 'deletionPolicy changed to Delete together with the break, and removed',
    // The break is withdrawn together with its file; the deletion waits for the consumer.
    leaves: '',
    attempt: async ({ file, put }) => {
      await put({ ...broken, deletionPolicy: 'Delete' });
      await file.remove();
      await vi.waitFor(() => expect(file.reason()).toBe('DeletionBlocked'), patience);
    },
  },
  {
    way: 'another file takes the name over, with a break',
    leaves: asks,
    attempt: async ({ file, fqn, name }) => {
      await file.remove();
      const heir = fileOf('DataContract', 'shop', `${name}-heir`);
      await heir.put({ fqn, team: slugs.producer, ...broken });
      // The first file may still hold the name while it goes.
      await vi.waitFor(() => expect(heir.reason()).not.toBe('FqnConflict'), patience);
    },
  },
  {
    way: 'a second file of the same name, with a break',
    leaves: '',
    attempt: async ({ fqn, name }) => {
      const twin = fileOf('DataContract', 'shop', `${name}-twin`);
      await twin.put({ fqn, team: slugs.producer, ...broken });
      expect(twin.reason()).toBe('FqnConflict');
    },
  },
  {
    way: 'a file of a team that does not own it, with a break',
    leaves: '',
    attempt: async ({ fqn, name }) => {
      const rival = fileOf('DataContract', 'rivals', name);
      await rival.put({ fqn, team: slugs.other, ...broken });
      expect(rival.reason()).toBe('FqnConflict');
    },
  },
  {
    way: 'the file of a team that does not own it, once the first is removed',
    leaves: '',
    attempt: async ({ file, fqn, name }) => {
      await file.remove();
      const rival = fileOf('DataContract', 'rivals', name);
      await rival.put({ fqn, team: slugs.other, ...broken });
      expect(rival.reason()).toBe('NotPermitted');
    },
  },
  {
    way: 'another name, and back with a break',
    leaves: asks,
    attempt: async ({ put, fqn }) => {
      await put({ fqn: `${fqn}_other` });
      await put({ ...broken, fqn });
    },
  },
  {
    way: 'another environment, and back with a break',
    leaves: asks,
    attempt: async ({ put }) => {
      await put({ environment: 'staging' });
      await put(broken);
    },
  },
  {
    way: 'another owner together with the break',
    leaves: asks,
    namespace: 'both',
    attempt: ({ put }) => put({ ...broken, team: slugs.other }),
  },
  {
    way: 'another owner, and the break by the new one',
    leaves: asks,
    namespace: 'both',
    attempt: async ({ put }) => {
      await put({ team: slugs.other });
      await put({ ...broken, team: slugs.other });
    },
  },
  {
    way: 'a guarantee dropped while the mode of guarantees is lowered',
    leaves: asks,
    first: { guarantees: { freshness: { max_staleness_minutes: 60 } }, guaranteeMode: 'strict' },
    attempt: ({ put }) => put({ guarantees: {}, guaranteeMode: 'ignore' }),
  },
  {
    way: 'the mode of guarantees lowered, and the guarantee dropped after it',
    leaves: asks,
    first: { guarantees: { freshness: { max_staleness_minutes: 60 } }, guaranteeMode: 'strict' },
    attempt: async ({ put }) => {
      await put({ guaranteeMode: 'ignore' });
      await put({ guarantees: {}, guaranteeMode: 'ignore' });
    },
  },
  {
    way: 'an answer to one break, and a worse one in its place',
    leaves: asks,
    first: { publishPolicy: 'Manual' },
    attempt: async ({ put, assetId }) => {
      await put({ ...broken, publishPolicy: 'Manual' });
      await agree(assetId);
      await put({ schema: { type: 'object' }, publishPolicy: 'Manual' });
    },
  },
  {
    way: 'an answer to one break, another break, and the first again',
    leaves: asks,
    first: { publishPolicy: 'Manual' },
    attempt: async ({ put, assetId }) => {
      await put({ ...broken, publishPolicy: 'Manual' });
      await agree(assetId);
      await put({ schema: { type: 'object' }, publishPolicy: 'Manual' });
      await put({ ...broken, publishPolicy: 'Manual' });
    },
  },
  {
    way: 'an answer, another consumer, and publishPolicy Automatic',
    leaves: 'asks 1 of 2',
    first: { publishPolicy: 'Manual' },
    attempt: async ({ put, assetId, contractId }) => {
      await put({ ...broken, publishPolicy: 'Manual' });
      await agree(assetId);
      await register(world.other, contractId);
      await put({ ...broken, publishPolicy: 'Automatic' });
    },
  },
  {
    way: 'a blocked break taken back and put again',
    leaves: asks,
    attempt: async ({ put, assetId }) => {
      await put(broken);
      await agree(assetId, 'blocked');
      await put({});
      await put(broken);
    },
  },
  ...(['Publish', 'Approve'] as const).map((decision) => ({
    way: `a ContractProposal that says ${decision} from the start`,
    leaves: asks,
    attempt: async ({ name }: Tried) => {
      const proposal = fileOf('ContractProposal', 'shop', name);
      await proposal.put({ contractRef: { name }, ...broken, decision });
    },
  })),
  {
    way: 'an answer beside a change that breaks nobody, and a break in its place',
    leaves: 'publishes 1.1.0, asks 0 of 1',
    namespace: 'consumer-too',
    attempt: async ({ name, put }) => {
      const proposal = fileOf('ContractProposal', 'consumer-too', name);
      const { properties, ...rest } = orderSchema;
      const wider = { ...rest, properties: { ...properties, note: { type: 'string' } } };
      const acknowledgements = [{ team: slugs.consumer, response: 'Approved' }];
      await put({ schema: wider });
      const spec = { contractRef: { name }, acknowledgements };
      await proposal.put({ ...spec, schema: wider });
      await proposal.put({ ...spec, ...broken });
      await proposal.put({ ...spec, ...broken, decision: 'Publish' });
    },
  },
  {
    way: 'a ContractProposal that forces',
    leaves: asks,
    attempt: async ({ name, put }) => {
      await put(broken);
      const proposal = fileOf('ContractProposal', 'shop', name);
      const decided = { decision: 'Force', decisionReason: 'We cannot wait.' };
      await proposal.put({ contractRef: { name }, ...broken, ...decided });
    },
  },
  {
    way: 'a ContractProposal of somebody else’s namespace',
    leaves: '',
    attempt: async ({ fqn, name }) => {
      const proposal = fileOf('ContractProposal', 'rivals', name);
      await proposal.put({ fqn, ...broken, decision: 'Publish' });
      expect(proposal.reason()).toBe('NotPermitted');
    },
  },
  {
    way: 'a registration in a file, renamed as GitOps does, and the break after it',
    leaves: asks,
    attempt: async ({ name, fqn, put }) => {
      const first = fileOf('ContractRegistration', 'readers', name);
      await first.put({ fqn, team: slugs.consumer });
      const second = fileOf('ContractRegistration', 'readers', `${name}-renamed`);
      await second.put({ fqn, team: slugs.consumer });
      await first.remove();
      await put(broken);
    },
  },
  {
    way: 'a registration in a file, moved to another namespace of its team, and the break after it',
    leaves: asks,
    attempt: async ({ name, fqn, put }) => {
      const spec = { fqn, team: slugs.consumer };
      const first = fileOf('ContractRegistration', 'readers', name);
      await first.put(spec);
      await fileOf('ContractRegistration', 'readers-too', name).put(spec);
      await first.remove();
      await put(broken);
    },
  },
  {
    way: 'a copy of its registration put by the producer, and removed',
    leaves: asks,
    attempt: async ({ name, fqn, put }) => {
      const spec = { fqn, team: slugs.consumer };
      await fileOf('ContractRegistration', 'readers', name).put(spec);
      const copy = fileOf('ContractRegistration', 'shop', name);
      await copy.put(spec);
      await copy.remove();
      await put(broken);
    },
  },
  {
    way: 'a registration put by the producer for its consumer, and removed',
    leaves: asks,
    attempt: async ({ name, fqn, put }) => {
      const file = fileOf('ContractRegistration', 'shop', name);
      await file.put({ fqn, team: slugs.consumer });
      expect(file.reason()).toBe('NotPermitted');
      await file.remove();
      await put(broken);
    },
  },
  {
    way: 'a break by the API beside the file',
    leaves: '',
    attempt: async ({ assetId }) => {
      const body = { ...broken, compatibility_mode: 'none' as const };
      const params = { asset_id: assetId };
      mustRefuse(
        await world.producer.client.publishContract({ params, body }),
        409,
        'ASSET_MANAGED_ELSEWHERE',
      );
    },
  },
  {
    way: 'the contract deprecated by the API, and the break in the file',
    leaves: asks,
    attempt: async ({ contractId, put }) => {
      const params = { contract_id: contractId };
      const body = { status: 'deprecated' as const };
      await world.producer.client.updateContract({ params, body });
      await put(broken);
    },
  },
  {
    way: 'the contract deprecated while nobody reads it, and a break in the file that declares its reader',
    leaves: `serves none, ${asks}`,
    attempt: async ({ assetId, contractId, put }) => {
      const query = { asset_id: assetId };
      const [left] = must(await world.admin.listRegistrations({ query }), 200).results;
      const leaving = { params: { registration_id: left?.id ?? '' } };
      must(await world.consumer.client.deleteRegistration(leaving), 204);
      const params = { contract_id: contractId };
      const reason = 'Nobody reads it.';
      const body = { status: 'deprecated' as const, override: true, reason };
      must(await world.admin.updateContract({ params, body }), 200);
      await put({ ...broken, consumers: [{ team: slugs.consumer }] });
    },
  },
  {
    way: 'the asset deleted by the API, and the break in the file',
    leaves: asks,
    attempt: async ({ assetId, put }) => {
      await world.producer.client.deleteAsset({ params: { asset_id: assetId } });
      await put(broken);
    },
  },
  {
    way: 'a break, and all of the file taken away while it is asked about',
    leaves: asks,
    attempt: async ({ file, put }) => {
      await put(broken);
      await file.remove();
      await put(broken);
    },
  },
  {
    way: 'the controller restarted between the break and its taking back',
    leaves: asks,
    attempt: async ({ put }) => {
      await put(broken);
      await controller.restart();
      await put({ ...broken, description: 'The same again.' });
    },
  },
];

describe('No way around review for a managed asset:', () => {
  test.each(ways.map((row) => [row.way, row.leaves, row] as const))(
    '%s: %s',
    async (_way, leaves, row) => {
      const tried = await managedAsset(row);
      await row.attempt(tried);
      expect(await outcomeOf(tried)).toBe(leaves);
    },
  );
});

describe('No way to a team through a Team:', () => {
  const findTeam = async (slug: string) =>
    must(await world.admin.listTeams({ query: { slug } }), 200).results[0];
  const taking = { name: 'Taken over', metadata: { pager: 'mine' }, deletionPolicy: 'Delete' };

  test('one in a folder that does not act for the team changes nothing, and leaves nothing behind', async () => {
    const before = await findTeam(slugs.producer);
    const file = fileOf('Team', 'rivals', slugs.producer);
    await file.put(taking);
    expect(file.reason()).toBe('NotPermitted');
    const nobody = fileOf('Team', 'rivals', 'nobodys-team');
    await nobody.put({});
    expect(nobody.reason()).toBe('NotPermitted');
    await file.remove();
    expect(await findTeam(slugs.producer)).toEqual(before);
    expect(await findTeam('nobodys-team')).toBeUndefined();
  });

  test('one for a team that people made changes nothing, and its deletion neither', async () => {
    const before = await findTeam(slugs.other);
    const file = fileOf('Team', 'rivals', slugs.other);
    await file.put(taking);
    expect(file.reason()).toBe('ManagedElsewhere');
    await file.remove();
    await vi.waitFor(() => expect(file.reason()).toBe(''), patience);
    expect(await findTeam(slugs.other)).toEqual(before);
  });

  test('of two folders that act for it, the first claim holds it, until that one lets go', async () => {
    const first = fileOf('Team', 'new-team', 'fresh-team');
    const second = fileOf('Team', 'new-team-too', 'fresh-team');
    await first.put({ name: 'Fresh' });
    expect(first.reason()).toBe('UpToDate');
    await second.put(taking);
    expect(second.reason()).toBe('Conflict');
    const held = await findTeam('fresh-team');
    expect(held).toMatchObject({ name: 'Fresh', metadata: {} });
    await second.remove();
    await vi.waitFor(() => expect(second.reason()).toBe(''), patience);
    expect(await findTeam('fresh-team')).toEqual(held);
    await first.remove();
    await vi.waitFor(async () => {
      expect((await findTeam('fresh-team'))?.managed_by).toBeNull();
    }, patience);
  });
});
