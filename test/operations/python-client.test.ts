// The wheel of the Python client, in an empty environment, against a registry: through a gate that fails
// as often as a test says.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makePythonClient } from '../../scripts/release/make-python-client.ts';
import { run, runOk } from '../../scripts/run-command.ts';
import { programOf, wheelsOf } from '../../scripts/tools/python-environment.ts';
import { openRegistry, type TestRegistry } from '../support/client/client-registry.ts';
import { openWorld, type World } from '../support/client/client-world.ts';

let folder: string;
let python: string;
let registry: TestRegistry;
let world: World;

/** How the next requests fail: with a status, or with an answer that is lost on the way. */
let failures: (number | 'lost')[] = [];
let sent: string[] = [];
const gate = createServer((request, response) => void pass(request, response));

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  sent.push(`${method} ${url.split('?')[0]}`);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const failure = failures.shift();
  if (typeof failure === 'number') {
    response.writeHead(failure, { 'retry-after': '0', 'content-type': 'application/json' });
    response.end('{"detail":{"code":"RATE_LIMITED","message":"Come back later."}}');
    return;
  }
  const kept = Object.entries(headers).filter(([name]) => !/^(host|connection)$/.test(name));
  const answer = await fetch(registry.url + url, {
    method,
    headers: kept.map(([name, value]) => [name, String(value)] as const),
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const text = await answer.text();
  if (failure === 'lost') return void response.destroy();
  const told = ['content-type', 'idempotency-replayed'].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  response.writeHead(answer.status, Object.fromEntries(told)).end(text);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'release-python-'));
  await makePythonClient(join(folder, 'wheel'));
  await runOk('python3', ['-m', 'venv', join(folder, 'venv')]);
  python = join(folder, 'venv/bin/python');
  const [wheel = ''] = await readdir(join(folder, 'wheel'));
  const from = ['--no-index', '--find-links', wheelsOf('python-client')];
  await runOk(python, ['-m', 'pip', 'install', '-q', ...from, join(folder, 'wheel', wheel)]);
  registry = await openRegistry();
  world = await openWorld(registry.url, registry.bootstrapKey);
  await new Promise<void>((listening) => gate.listen(0, '127.0.0.1', listening));
});
afterAll(async () => {
  gate.close();
  gate.closeAllConnections();
  await registry?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  failures = [];
  sent = [];
});

/** Runs a script that has the client and the keys, and returns what it printed. */
async function runScript(script: string): Promise<unknown> {
  const { port } = gate.address() as AddressInfo;
  const { producer, consumer } = world;
  const given = {
    url: `http://127.0.0.1:${port}`,
    ...{ admin: registry.bootstrapKey, key: producer.key, team: producer.teamId },
    ...{ consumer_key: consumer.key, consumer: consumer.teamId },
  };
  const head = `
import httpx, json, uuid
from concordat_client import *
from concordat_client.api.assets import create_asset, delete_asset, list_assets, update_asset
from concordat_client.api.contracts import publish_contract
from concordat_client.api.proposals import acknowledge_proposal, list_proposals, publish_proposal
from concordat_client.api.registrations import register_consumer
from concordat_client.api.teams import create_team, get_team, list_teams, update_team
from concordat_client.models import *
given = json.loads(${JSON.stringify(JSON.stringify(given))})
team, consumer = uuid.UUID(given["team"]), uuid.UUID(given["consumer"])
registry = connect(given["url"], key=given["key"])
def named(fqn): return AssetCreate(fqn=fqn, owner_team_id=team)
`;
  await writeFile(join(folder, 'script.py'), head + script);
  return JSON.parse(await runOk(python, [join(folder, 'script.py')]));
}

describe('The Python client', () => {
  test('creates a team, an asset and a version, and asks the consumers before it breaks them', async () => {
    const found = await runScript(`
admin = connect(given["url"], key=given["admin"])
created = answered(create_team.sync(client=admin, body=TeamCreate(name="Of Python")))
asset = answered(create_asset.sync(client=registry, body=named("python.orders")))
def publish(schema):
    body = PublishRequest.from_dict({"schema": schema})
    return answered(publish_contract.sync(asset.id, client=registry, body=body))
first = publish({"type": "object", "properties": {"id": {"type": "integer"}}})
other = connect(given["url"], key=given["consumer_key"])
body = RegistrationCreate(contract_id=first.contract.id, consumer_team_id=consumer)
answered(register_consumer.sync(client=other, body=body))
broken = publish({"type": "object", "properties": {"id": {"type": "string"}}})
open_ones = list(each(list_proposals.sync, client=registry, asset_id=asset.id))
body = Acknowledge(response="approved", team_id=consumer)
answered(acknowledge_proposal.sync(open_ones[0].id, client=other, body=body))
published = answered(publish_proposal.sync(open_ones[0].id, client=registry))
print(json.dumps([created.name, first.action, broken.action, [each.status for each in open_ones], published.contract.version]))
`);
    expect(found).toEqual(['Of Python', 'published', 'proposal_created', ['pending'], '2.0.0']);
  });

  test('raises what is refused, by its kind', async () => {
    const found = await runScript(`
said = []
def refused(ask):
    try: ask()
    except Refused as error: said.append([type(error).__name__, error.status, error.code, str(error) != ""])
create_asset.sync(client=registry, body=named("python.twice"))
refused(lambda: create_asset.sync(client=registry, body=named("python.twice")))
refused(lambda: create_asset.sync(client=registry, body=named("no fqn")))
refused(lambda: get_team.sync(uuid.uuid4(), client=registry))
refused(lambda: list_teams.sync(client=connect(given["url"], key="wrong")))
print(json.dumps(said))
`);
    expect(found).toEqual([
      ['Conflict', 409, 'ASSET_EXISTS', true],
      ['Invalid', 400, 'VALIDATION_ERROR', true],
      ['NotFound', 404, 'TEAM_NOT_FOUND', true],
      ['NotAllowed', 401, 'UNAUTHENTICATED', true],
    ]);
  });

  test('creates once what it sends again because the answer was lost', async () => {
    failures = ['lost', 503, 429];
    const found = await runScript(`
made = create_asset.sync_detailed(client=registry, body=named("python.once"))
print(json.dumps([made.status_code, made.headers.get("idempotency-replayed")]))
`);
    expect({ found, sent }).toEqual({
      found: [201, 'true'],
      sent: Array.from({ length: 4 }, () => 'POST /api/v1/assets'),
    });
  });

  test('keeps the key out of what is printed and logged, also one that was read with its line end', async () => {
    const found = await runScript(`
clients = [connect(given["url"], key=given["key"] + "\\n"), registry]
told = []
for client in clients:
    list_teams.sync(client=client)
    told += [repr(client), str(client), repr(client.with_timeout(httpx.Timeout(1)))]
try: list_teams.sync(client=connect(given["url"], key=given["key"] + "\\nb"))
except Exception as error: told += [type(error).__name__, repr(error)]
print(json.dumps([[given["key"] in each for each in told], told[-2]]))
`);
    expect(found).toEqual([Array.from({ length: 8 }, () => false), 'ValueError']);
  });

  test('raises what is no answer of a registry, such as the way to a page to sign in', async () => {
    failures = [302, 200];
    const found = await runScript(`
said = []
for attempt in range(2):
    try: said.append(delete_asset.sync_detailed(uuid.uuid4(), client=registry).status_code)
    except Exception as error: said.append(type(error).__name__)
print(json.dumps(said))
`);
    expect({ found, sent }).toEqual({
      found: ['Refused', 'UnexpectedStatus'],
      sent: [expect.any(String), expect.any(String)],
    });
  });

  test('waits for a registry that is busy, and says so if it stays busy', async () => {
    failures = [503, 429, 503, 429];
    const asked = 'print(json.dumps(len(answered(list_teams.sync(client=registry)).results) > 0))';
    expect(await runScript(asked)).toBe(true);
    expect(sent).toHaveLength(5);
    failures = [429, 429, 503];
    const found = await runScript(`
said = []
for attempt in range(2):
    try: list_teams.sync(client=connect(given["url"], key=given["key"], retries=attempt))
    except Refused as error: said.append([type(error).__name__, error.code, str(error)])
print(json.dumps(said))
`);
    expect(found).toEqual([
      ['RateLimited', 'RATE_LIMITED', 'Come back later.'],
      ['Unavailable', 'RATE_LIMITED', 'Come back later.'],
    ]);
  });

  test('does not send a change again that may have been made', async () => {
    for (const failure of [503, 'lost'] as const) {
      failures = [failure];
      sent = [];
      const found = await runScript(`
try: update_team.sync(team, client=registry, body=TeamUpdate(name="Producer"))
except Exception as error: print(json.dumps(type(error).__name__))
`);
      expect(['Unavailable', 'RemoteProtocolError']).toContain(found);
      expect(sent).toHaveLength(1);
    }
  });

  test('lists everything, page after page, also without waiting', async () => {
    failures = [503];
    const found = await runScript(`
import asyncio
for at in range(5): create_asset.sync(client=registry, body=named(f"python.list.a{at}"))
names = [asset.fqn for asset in each(list_assets.sync, client=registry, fqn="python.list.", page_size=2)]
async def main():
    async with connect(given["url"], key=given["key"]) as other:
        return len(answered(await list_assets.asyncio(client=other, fqn="python.list.")).results)
print(json.dumps([names, asyncio.run(main())]))
`);
    expect(found).toEqual([[0, 1, 2, 3, 4].map((at) => `python.list.a${at}`), 5]);
    expect(sent.filter((each) => each.startsWith('GET'))).toHaveLength(4);
  });
});

test('Its types are those of the API', async () => {
  await writeFile(
    join(folder, 'typed.py'),
    `from uuid import UUID
from concordat_client import answered, connect, each
from concordat_client.api.assets import get_asset, list_assets
registry = connect("https://registry.example.com", key="key")
name: str = answered(get_asset.sync(UUID(int=1), client=registry)).fqn
for asset in each(list_assets.sync, client=registry):
    asset.fqn.upper()
    asset.nothing
get_asset.sync(client=registry)
`,
  );
  const mypy = ['-m', 'mypy', '--no-incremental', '--python-executable', python];
  const { stdout } = await run(programOf('python-client', 'python'), [
    ...mypy,
    join(folder, 'typed.py'),
  ]);
  const faults = [...stdout.matchAll(/typed\.py:(\d+): error: .*\[([\w-]+)\]/g)];
  expect(faults.map(([, line, code]) => [line, code])).toEqual([
    ['8', 'attr-defined'],
    ['9', 'call-arg'],
  ]);
});

test('The wheel has the same bytes each time', async () => {
  await makePythonClient(join(folder, 'again'));
  const digests = ['wheel', 'again'].map(async (into) => {
    const [wheel = ''] = await readdir(join(folder, into));
    return createHash('sha256')
      .update(await readFile(join(folder, into, wheel)))
      .digest('hex');
  });
  const [first, second] = await Promise.all(digests);
  expect(first).toBe(second);
});
