// `concordat mcp`, as an agent uses it: a client of the protocol walks through the story.

import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';
import {
  must,
  narrowerSchema,
  openWorld,
  orderSchema,
  type Party,
  proposedAsset,
  publishedAsset,
  publishOk,
  register,
  type World,
} from '../../support/client/client-world.ts';
import { programEnvironment } from '../../support/program-environment.ts';
import { run } from '../support.ts';

let registry: TestRegistry;
let world: World;

beforeAll(async () => {
  registry = await openRegistry({});
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(() => registry.stop());

const program = resolve(import.meta.dirname, '../../../bin/concordat.js');

interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

interface Agent {
  readonly client: Client;
  readonly use: (name: string, given?: Record<string, unknown>) => Promise<Answer>;
}

async function withAgent(
  { key }: Pick<Party, 'key'>,
  args: readonly string[],
  work: (agent: Agent) => Promise<void>,
): Promise<void> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const env = { ...programEnvironment(), CONCORDAT_URL: registry.url, CONCORDAT_KEY: key };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    env: env as Record<string, string>,
  });
  await client.connect(transport);
  try {
    await work({
      client,
      use: async (name, given = {}) => {
        const { content, isError } = await client.callTool({ name, arguments: given });
        const [first] = content as readonly { readonly text: string }[];
        return { text: first?.text ?? '', isError: isError === true };
      },
    });
  } finally {
    await client.close();
  }
}

/** The code that the first answer of a write asks for. */
function codeIn({ text }: Answer): string {
  return /"confirm": "([0-9a-f]{12})"/.exec(text)?.[1] ?? '';
}

describe('by default', () => {
  test('offers the routes that only read, each with what it needs', async () => {
    await withAgent(world.consumer, [], async ({ client }) => {
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['list_assets', 'assess_impact', 'diff_dbt']));
      expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
      for (const name of [
        'publish_contract',
        'log_in',
        'issue_api_key',
        'get_metrics',
        'call_tools',
      ]) {
        expect(names).not.toContain(name);
      }
      expect(tools.find(({ name }) => name === 'assess_impact')?.inputSchema).toMatchObject({
        required: expect.arrayContaining(['asset_id', 'proposed_schema']),
        properties: { asset_id: { format: 'uuid' } },
        additionalProperties: false,
      });
    });
  });

  test('finds an asset, and says what a change breaks, and for whom', async () => {
    const { fqn, contractId } = await publishedAsset(world.producer);
    await register(world.consumer, contractId);
    await withAgent(world.other, [], async ({ use }) => {
      const found = JSON.parse((await use('list_assets', { fqn })).text);
      const [asset] = found.results;
      expect(asset).toMatchObject({ fqn, active_contract_id: contractId });
      const given = { asset_id: asset.id, proposed_schema: narrowerSchema };
      const impact = JSON.parse((await use('assess_impact', given)).text);
      expect(impact).toMatchObject({ consumers: [{ team: { name: world.consumer.name } }] });
    });
  });

  test('says what is wrong, and goes on', async () => {
    await withAgent(world.other, [], async ({ client, use }) => {
      const none = { asset_id: '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21' };
      expect(await use('get_asset', none)).toMatchObject({
        isError: true,
        text: expect.stringContaining('ASSET_NOT_FOUND: '),
      });
      expect(await use('get_asset', { asset_id: 1, colour: 'red' })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^VALIDATION_ERROR: .*asset_id/),
      });
      await expect(use('publish_contract')).rejects.toThrow('Start it with --allow-write');
      await expect(use('make_tea')).rejects.toThrow('There is no tool "make_tea".');
      await expect(client.getPrompt({ name: 'x' })).rejects.toThrow('There is no prompt "x".');
      expect((await use('list_teams')).isError).toBe(false);
    });
  });

  test('has the two questions as prompts, with tools that exist', async () => {
    await withAgent(world.other, [], async ({ client }) => {
      const tools = (await client.listTools()).tools.map(({ name }) => name);
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(['may_i_change_this', 'who_reads_this']);
      for (const { name } of prompts) {
        const asked = { asset: 'shop.public.orders', change: 'drop total', field: '$.total' };
        const { messages } = await client.getPrompt({ name, arguments: asked });
        const [{ content }] = messages as unknown as [{ content: { text: string } }];
        const { text } = content;
        expect(text).toContain('shop.public.orders');
        const named = text.match(/\b[a-z]+_[a-z_]+\b/g) ?? [];
        const fields = ['asset_id', 'proposed_schema'];
        expect(named.filter((each) => !tools.includes(each) && !fields.includes(each))).toEqual([]);
      }
      await expect(client.getPrompt({ name: 'who_reads_this' })).rejects.toThrow('needs asset');
    });
  });

  test('answers what was sent at once, and ends with its input', async () => {
    const asked = [1, 2, 3].map((id) => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name: 'list_teams', arguments: {} },
    }));
    const input = asked.map((each) => JSON.stringify(each)).join('\n');
    const env = { CONCORDAT_URL: registry.url, CONCORDAT_KEY: world.other.key };
    const { code, stdout, stderr } = await run(['mcp'], input, { env });
    expect({ code, stderr, lines: stdout.trim().split('\n').length }).toEqual({
      ...{ code: 0, stderr: '', lines: 3 },
    });
  });

  test('a registry that is away is an answer', async () => {
    const input = `${JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_teams' } },
    })}\n`;
    const env = { CONCORDAT_URL: 'http://127.0.0.1:9', CONCORDAT_KEY: 'k' };
    const { code, stdout } = await run(['mcp'], input, { env });
    expect(code).toBe(0);
    expect(stdout).toContain('NOT_REACHABLE: The registry at http://127.0.0.1:9 cannot be reached');
  });
});

describe('with --allow-write', () => {
  test('walks through the story: each write is shown first, and done with its code', async () => {
    const { assetId, contractId } = await publishedAsset(world.producer);
    await withAgent(world.consumer, ['--allow-write'], async ({ use }) => {
      const given = { contract_id: contractId, consumer_team_id: world.consumer.teamId };
      const shown = await use('register_consumer', given);
      expect(shown.text).toMatch(/^Nothing was done yet\.\n.*POST \/api\/v1\/registrations/);
      const query = { asset_id: assetId };
      expect(must(await world.admin.listRegistrations({ query }), 200).results).toEqual([]);
      const done = await use('register_consumer', { ...given, confirm: codeIn(shown) });
      expect(JSON.parse(done.text)).toMatchObject({ contract_id: contractId, status: 'active' });
    });
    await withAgent(world.producer, ['--allow-write'], async ({ use }) => {
      const given = { asset_id: assetId, schema: narrowerSchema };
      const shown = await use('publish_contract', given);
      // The registry itself says what would happen.
      expect(shown.text).toContain('"action":"proposal_created"');
      expect(
        must(await world.admin.listProposals({ query: { asset_id: assetId } }), 200).total,
      ).toBe(0);
      const wider = { ...given, schema: { ...orderSchema, properties: {} } };
      const other = await use('publish_contract', { ...wider, confirm: codeIn(shown) });
      expect(other.text).toMatch(/^Nothing was done: the code is not that of these arguments/);
      const turned = { schema: narrowerSchema, asset_id: assetId, confirm: codeIn(shown) };
      const done = JSON.parse((await use('publish_contract', turned)).text);
      expect(done).toMatchObject({ action: 'proposal_created' });
      const proposal_id = done.proposal.id;
      await withAgent(world.consumer, ['--allow-write'], async (agent) => {
        const answer = {
          ...{ proposal_id, team_id: world.consumer.teamId, response: 'approved', round: 1 },
        };
        const asked = await agent.use('acknowledge_proposal', answer);
        const confirm = codeIn(asked);
        expect((await agent.use('acknowledge_proposal', { ...answer, confirm })).isError).toBe(
          false,
        );
      });
      const last = await use('publish_proposal', { proposal_id });
      const published = await use('publish_proposal', { proposal_id, confirm: codeIn(last) });
      expect(JSON.parse(published.text)).toMatchObject({ contract: { version: '2.0.0' } });
    });
  });

  test('an answer says which round it answers, so the code of one does not answer the next', async () => {
    const { assetId, proposalId: proposal_id } = await proposedAsset(world.producer, [
      world.consumer,
    ]);
    await withAgent(world.consumer, ['--allow-write'], async ({ client, use }) => {
      const unsaid = [
        await use('acknowledge_proposal', { proposal_id }),
        await use('acknowledge_proposal', { proposal_id, confirm: '0123456789ab' }),
        await use('bulk_acknowledgments', { items: [{ proposal_id, round: 1 }, { proposal_id }] }),
      ];
      for (const answer of unsaid) {
        expect(answer).toMatchObject({
          isError: true,
          text: expect.stringContaining('round" is required'),
        });
      }
      const { tools } = await client.listTools();
      const tool = tools.find(({ name }) => name === 'acknowledge_proposal');
      expect(tool?.inputSchema.required).toContain('round');
      const inBulk = tools.find(({ name }) => name === 'bulk_acknowledgments');
      expect(inBulk?.inputSchema.required).toEqual(['items']);
      expect(inBulk?.inputSchema.properties?.items).toMatchObject({
        items: { required: ['proposal_id', 'round'] },
      });
      const first = { proposal_id, round: 1 };
      const shown = await use('acknowledge_proposal', first);
      const { client: producer } = world.producer;
      const properties = { ...orderSchema.properties, note: { type: 'string' } };
      await publishOk(producer, assetId, { schema: { ...orderSchema, properties } });
      must(await producer.rebaseProposal({ params: { proposal_id } }), 200);
      const late = await use('acknowledge_proposal', { ...first, confirm: codeIn(shown) });
      expect(late).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^PROPOSAL_CHANGED/),
      });
      const bulk = { items: [{ proposal_id, round: 2 }] };
      const again = await use('bulk_acknowledgments', bulk);
      const done = await use('bulk_acknowledgments', { ...bulk, confirm: codeIn(again) });
      expect(JSON.parse(done.text)).toMatchObject({ succeeded: 1 });
    });
  });

  test('a force says which round it forces, so its code forces no later one', async () => {
    const { assetId, proposalId: proposal_id } = await proposedAsset(world.producer, [
      world.consumer,
    ]);
    await withAgent({ key: registry.bootstrapKey }, ['--allow-write'], async ({ use }) => {
      const given = { proposal_id, reason: 'Legal wants it gone.' };
      expect(await use('force_proposal', given)).toMatchObject({
        isError: true,
        text: expect.stringContaining('round" is required'),
      });
      const shown = await use('force_proposal', { ...given, round: 1 });
      const { client } = world.producer;
      const properties = { ...orderSchema.properties, note: { type: 'string' } };
      await publishOk(client, assetId, { schema: { ...orderSchema, properties } });
      must(await client.rebaseProposal({ params: { proposal_id } }), 200);
      expect(
        await use('force_proposal', { ...given, round: 1, confirm: codeIn(shown) }),
      ).toMatchObject({ isError: true, text: expect.stringMatching(/^PROPOSAL_CHANGED/) });
      const again = await use('force_proposal', { ...given, round: 2 });
      const done = await use('force_proposal', { ...given, round: 2, confirm: codeIn(again) });
      expect(JSON.parse(done.text)).toMatchObject({ status: 'force_published' });
    });
  });

  test('a path leads to no other route than the one that was shown', async () => {
    await withAgent(world.producer, ['--allow-write'], async ({ use }) => {
      const webhook_id = '0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21';
      for (const delivery_id of ['..', '.', '%2e%2e', 'a/b', '']) {
        const answer = await use('replay_delivery', { webhook_id, delivery_id });
        expect(answer).toMatchObject({
          ...{ isError: true, text: expect.stringMatching(/^VALIDATION_ERROR: delivery_id /) },
        });
      }
    });
  });

  test('refuses at once what the registry would refuse, where it can be tried', async () => {
    const { assetId } = await publishedAsset(world.producer);
    await withAgent(world.other, ['--allow-write'], async ({ use }) => {
      const given = { asset_id: assetId, schema: narrowerSchema };
      expect(await use('publish_contract', given)).toMatchObject({
        ...{ isError: true, text: expect.stringContaining('FORBIDDEN: ') },
      });
    });
  });
});
