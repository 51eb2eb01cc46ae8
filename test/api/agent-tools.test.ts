// The registry as tools over HTTP, at /api/v1/mcp.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import {
  issueKey,
  must,
  mustRefuse,
  openWorld,
  publishedAsset,
  uniqueName,
  type World,
} from '../support/client/client-world.ts';

let registry: TestRegistry;
let world: World;

beforeAll(async () => {
  registry = await openRegistry({ AGENT_TOOLS: 'write' });
  world = await openWorld(registry.url, registry.bootstrapKey);
});
afterAll(() => registry.stop());

async function withAgent(
  key: string,
  work: (client: Client) => Promise<void>,
  { url = registry.url, headers = {} }: { url?: string; headers?: Record<string, string> } = {},
) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/api/v1/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

async function use(client: Client, name: string, given: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const [first] = content as readonly { readonly text: string }[];
  return { text: first?.text ?? '', isError: isError === true };
}

const rename = () => ({ name: uniqueName('team') });

describe('with all tools', () => {
  test('a key does by tools what it may do by the routes, and nothing else', async () => {
    const { assetId } = await publishedAsset(world.producer);
    await withAgent(world.producer.key, async (client) => {
      const asset = await use(client, 'get_asset', { asset_id: assetId });
      expect(JSON.parse(asset.text)).toMatchObject({ id: assetId });
      // It takes an administrator.
      const given = rename();
      const shown = await use(client, 'create_team', given);
      const confirm = /"confirm": "(\w+)"/.exec(shown.text)?.[1];
      const refused = await use(client, 'create_team', { ...given, confirm });
      expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/^FORBIDDEN: /) });
      // A code holds for the key that it was given to.
      await withAgent(registry.bootstrapKey, async (other) => {
        const tried = await use(other, 'create_team', { ...given, confirm });
        expect(tried.text).toMatch(/^Nothing was done: the code is not that of these arguments/);
      });
    });
  });

  test('a write by a tool stands in the audit trail like any other', async () => {
    const key = await issueKey(world.admin, { team_id: world.other.teamId, scopes: ['admin'] });
    const given = rename();
    let confirm = '';
    await withAgent(key, async (client) => {
      const shown = await use(client, 'create_team', given);
      confirm = /"confirm": "(\w+)"/.exec(shown.text)?.[1] ?? '';
    });
    // The code is the same for any replica, and behind any proxy.
    const headers = { 'x-forwarded-for': '192.0.2.1', 'x-request-id': 'of-an-agent' };
    await withAgent(
      key,
      async (client) => {
        const team = JSON.parse((await use(client, 'create_team', { ...given, confirm })).text);
        const query = { entity_id: team.id };
        const [listed] = must(await world.admin.listEvents({ query }), 200).results;
        const params = { event_id: listed?.id ?? '' };
        expect(must(await world.admin.getEvent({ params }), 200)).toMatchObject({
          ...{ event_type: 'team.created', actor_type: 'api_key', request_id: 'of-an-agent' },
        });
      },
      { headers },
    );
  });
});

test('without a key, and with a message that is none', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' } as const;
  mustRefuse(await world.admin.as('wrong').callTools({ body }), 401, 'UNAUTHENTICATED');
  const wrong = { jsonrpc: '1.0' } as never;
  mustRefuse(await world.admin.callTools({ body: wrong }), 400, 'VALIDATION_ERROR');
  const unknown = must(
    await world.admin.callTools({ body: { ...body, method: 'tools/eat' } }),
    200,
  );
  expect(unknown).toMatchObject({ id: 1, error: { code: -32601 } });
  must(await world.admin.callTools({ body: { jsonrpc: '2.0', method: 'notifications/x' } }), 202);
});

test('reads only by default, and is not there where it is off', async () => {
  const [reading, off] = await Promise.all([openRegistry(), openRegistry({ AGENT_TOOLS: 'off' })]);
  try {
    await withAgent(
      reading.bootstrapKey,
      async (client) => {
        const { tools } = await client.listTools();
        expect(tools.some(({ annotations }) => annotations?.readOnlyHint !== true)).toBe(false);
        expect(tools.map(({ name }) => name)).toContain('list_assets');
      },
      { url: reading.url },
    );
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const answer = await fetch(`${off.url}/api/v1/mcp`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${off.bootstrapKey}`, 'content-type': 'application/json' },
      },
      body: JSON.stringify(message),
    });
    expect(answer.status).toBe(404);
  } finally {
    await Promise.all([reading.stop(), off.stop()]);
  }
});
