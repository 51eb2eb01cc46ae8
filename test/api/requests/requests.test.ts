// Requests in general: invalid ones are refused in the error form, and change nothing.

import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { checkedFetch } from '../../support/client/client.ts';
import {
  createAsset,
  must,
  openRegistryForFile,
  publishOk,
} from '../../support/client/client-world.ts';

const { registry, world } = await openRegistryForFile();

const json = { 'content-type': 'application/json' };

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
  readonly key?: string | null;
}

async function send(path: string, sent: Sent = {}) {
  const key = sent.key === undefined ? world.producer.key : sent.key;
  const response = await checkedFetch(`${registry.url}${path}`, {
    method: sent.method ?? (sent.body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(sent.body !== undefined && json),
      ...sent.headers,
    },
    ...(sent.body !== undefined && { body: sent.body }),
    ...(sent.body instanceof ReadableStream && { duplex: 'half' }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    detail: text === '' ? null : (JSON.parse(text).detail ?? null),
    text,
  };
}

function sendTeam(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  return send('/api/v1/teams', { body, headers, key: registry.bootstrapKey });
}

describe('Every answer', () => {
  test("has the caller's X-Request-ID, if it is valid", async () => {
    const { headers } = await send('/api/v1/teams', {
      headers: { 'x-request-id': 'deploy-47.1_a' },
    });
    expect(headers.get('x-request-id')).toBe('deploy-47.1_a');
  });

  test("has a new X-Request-ID, if the caller's is invalid", async () => {
    const sent = 'a'.repeat(129);
    const { headers } = await send('/api/v1/teams', { headers: { 'x-request-id': sent } });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('has the same X-Request-ID as the audit event that it caused', async () => {
    const asset = await createAsset(world.producer);
    const requestId = `request-${asset.id}`;
    const patched = await world.producer.client.updateAsset({
      params: { asset_id: asset.id },
      body: { metadata: { a: 1 } },
      headers: { 'x-request-id': requestId },
    });
    must(patched, 200);
    const query = { entity_id: asset.id, event_type: 'asset.updated' } as const;
    const [event] = must(await world.admin.listEvents({ query }), 200).results;
    const full = must(await world.admin.getEvent({ params: { event_id: event?.id ?? '' } }), 200);
    expect(full.request_id).toBe(requestId);
  });

  test('forbids sniffing, framing and shared caching', async () => {
    const { headers } = await send('/api/v1/teams');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('x-powered-by')).toBeNull();
  });
});

describe('A path', () => {
  test.each([
    '/api/v1/nothing',
    '/api/v2/teams',
    '/nothing',
    '/api/v1/teams/',
    '/api',
    '/%2e%2e/x',
  ])('that does not exist is 404 in the error form: %s', async (path) => {
    const { status, detail } = await send(path);
    expect({ status, code: detail.code }).toEqual({ status: 404, code: 'ROUTE_NOT_FOUND' });
  });

  test('that does not support a method is 405 with the supported ones', async () => {
    const { status, detail, headers } = await send('/api/v1/teams', { method: 'PUT' });
    expect({ status, code: detail.code, allow: headers.get('allow') }).toEqual({
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
      allow: 'POST, GET, HEAD, OPTIONS',
    });
  });

  test('answers OPTIONS with the supported methods', async () => {
    const { status, headers } = await send('/api/v1/teams', { method: 'OPTIONS', key: null });
    expect({ status, allow: headers.get('allow') }).toEqual({
      status: 204,
      allow: 'POST, GET, HEAD, OPTIONS',
    });
  });

  test('answers HEAD like GET, without the body', async () => {
    const got = await send('/api/v1/teams');
    const { status, headers, text } = await send('/api/v1/teams', { method: 'HEAD' });
    expect({ status, text, length: headers.get('content-length') }).toEqual({
      status: 200,
      text: '',
      length: got.headers.get('content-length'),
    });
  });

  test('with a malformed id is 400 and names the parameter', async () => {
    const { status, detail } = await send('/api/v1/assets/not-an-id');
    expect({ status, detail }).toEqual({
      status: 400,
      detail: {
        code: 'VALIDATION_ERROR',
        message: '"asset_id" must be a UUID.',
        field: 'asset_id',
        errors: [{ field: 'asset_id', message: 'must be a UUID' }],
      },
    });
  });

  test('with a well-formed unknown id is 404', async () => {
    const { status, detail } = await send('/api/v1/assets/0198c5a1-09f3-7d0e-8a44-3a2f6f1b7c21');
    expect({ status, code: detail.code }).toEqual({ status: 404, code: 'ASSET_NOT_FOUND' });
  });

  test('accepts an id in upper case', async () => {
    const asset = await createAsset(world.producer);
    const { status } = await send(`/api/v1/assets/${asset.id.toUpperCase()}`);
    expect(status).toBe(200);
  });

  test.each(['%00', '%ff', 'a%00b'])('with %s in an id is 400', async (id) => {
    expect((await send(`/api/v1/assets/${id}`)).status).toBe(400);
  });
});

describe('A query', () => {
  test('with several problems lists all of them, the first one in field', async () => {
    const { status, detail } = await send('/api/v1/assets?page=0&page_size=101&colour=red');
    expect(status).toBe(400);
    expect(detail).toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'page',
      errors: [
        { field: 'page', message: 'must be at least 1' },
        { field: 'page_size', message: 'must be at most 100' },
        { field: 'colour', message: 'is not a known field' },
      ],
    });
  });

  test.each([
    'page=1&page=2',
    'page=one',
    'page=1.5',
    'page=1e1',
    'page=',
    'page=99999999999999999999',
    'include_total=yes',
    'owner_team_id=1',
    'sort=metadata',
    'fqn=a%00b',
    'cursor=%00',
    'cursor=nonsense',
  ])('?%s is refused with 400', async (query) => {
    const { status, detail } = await send(`/api/v1/assets?${query}`);
    expect({ status, code: detail.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
  });

  test('that is not percent-encoded UTF-8 is 400', async () => {
    const { status, detail } = await send('/api/v1/assets?page=1&fqn=%ff');
    expect({ status, message: detail.message, field: detail.field }).toEqual({
      status: 400,
      message: '"fqn" is not percent-encoded UTF-8.',
      field: 'fqn',
    });
  });

  test.each(['1.5', '1e2', '', '0x1', '9007199254740993'])(
    'with %s for a number gives the allowed range',
    async (text) => {
      const { status, detail } = await send(`/api/v1/assets?page=${text}`);
      expect({ status, message: detail.message, field: detail.field }).toEqual({
        status: 400,
        message: '"page" must be a whole number of at most 15 digits.',
        field: 'page',
      });
    },
  );

  test('on a route without parameters is 400', async () => {
    expect((await send(`/api/v1/teams/${world.other.teamId}?verbose=1`)).status).toBe(400);
  });
});

describe('A body', () => {
  test.each([
    ['{"name":', 'cut off'],
    ["{'name':'a'}", 'single quotes'],
    ['{"name":"a"} x', 'more behind it'],
    ['\u{1}', 'a control character'],
    ['{"name":"a\u{0}"}', 'a bare NUL'],
    ['NaN', 'no JSON value'],
  ])('that is not JSON is INVALID_JSON: %s (%s)', async (body) => {
    const { status, detail } = await sendTeam(body);
    expect({ status, code: detail.code }).toEqual({ status: 400, code: 'INVALID_JSON' });
  });

  test.each(['[]', '"a"', '1', 'null', 'true'])(
    'that is %s is not an object: 400',
    async (body) => {
      const { status, detail } = await sendTeam(body);
      expect({ status, code: detail.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
    },
  );

  test('that is not UTF-8 is refused', async () => {
    const { status, detail } = await sendTeam(Buffer.from([0x22, 0xc3, 0x28, 0x22]));
    expect({ status, code: detail.code }).toEqual({ status: 400, code: 'INVALID_JSON' });
  });

  test('that is missing is 400 if one is required', async () => {
    const { status, detail } = await send('/api/v1/teams', {
      method: 'POST',
      key: registry.bootstrapKey,
    });
    expect({ status, message: detail.message }).toEqual({
      status: 400,
      message: 'The body is required.',
    });
  });

  test.each(['text/plain', 'application/xml', 'application/json; charset=latin1', ''])(
    'sent as "%s" is 415',
    async (type) => {
      const { status, detail } = await sendTeam('{"name":"a"}', { 'content-type': type });
      expect({ status, code: detail.code }).toEqual({
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
      });
    },
  );

  test('with an unknown field is 400, and creates nothing', async () => {
    const before = await countOf('team');
    const { status, detail } = await sendTeam('{"name":"strange","nmae":"x","slugg":"y"}');
    expect({ status, errors: detail.errors }).toEqual({
      status: 400,
      errors: [
        { field: 'nmae', message: 'is not a known field' },
        { field: 'slugg', message: 'is not a known field' },
      ],
    });
    expect(await countOf('team')).toBe(before);
  });

  test('with a mistyped compatibility_mode does not publish under another one', async () => {
    const asset = await createAsset(world.producer);
    const path = `/api/v1/assets/${asset.id}/contracts`;
    const wrongValue = await send(path, {
      body: '{"schema":{"type":"object"},"compatibility_mode":"Backward"}',
    });
    const wrongName = await send(path, {
      body: '{"schema":{"type":"object"},"compatibilty_mode":"none"}',
    });
    expect([wrongValue.status, wrongName.status]).toEqual([400, 400]);
    const contracts = await world.producer.client.listAssetContracts({
      params: { asset_id: asset.id },
    });
    expect(must(contracts, 200).total).toBe(0);
  });
});

describe('Bad input', () => {
  test('of 200 MB is 413 and is not read into memory', async () => {
    const before = process.memoryUsage().rss;
    const chunk = new Uint8Array(1024 * 1024).fill(0x20);
    let left = 200;
    const body = new ReadableStream({
      pull(controller) {
        if (left-- > 0) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const { status, detail } = await send('/api/v1/teams', { body, key: registry.bootstrapKey });
    expect({ status, code: detail.code }).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  test('that announces 200 MB is 413 before it is sent', async () => {
    const answer = await rawExchange(
      `POST /api/v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${registry.bootstrapKey}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 209715200\r\n\r\n{',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('PAYLOAD_TOO_LARGE');
  });

  test('nested 100,000 deep is refused, as arrays and as objects', async () => {
    const arrays = await sendTeam(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const { id } = await createAsset(world.producer);
    const objects = await send(`/api/v1/assets/${id}/contracts`, {
      body: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    });
    expect([arrays.status, objects.status]).toEqual([400, 400]);
    expect([arrays.detail.code, objects.detail.code]).toEqual(['INVALID_JSON', 'INVALID_JSON']);
  });

  test.each([
    ['a NUL in a value', '{"name":"n","metadata":{"a":{"b":"x\\u0000"}}}', 'metadata.a.b'],
    ['a NUL in a key', '{"name":"n","metadata":{"x\\u0000":1}}', 'metadata.x\\u0000'],
    ['a lone high surrogate', '{"name":"n","metadata":{"a":"\\ud83d"}}', 'metadata.a'],
    ['a lone low surrogate', '{"name":"\\udc00"}', 'name'],
    ['a number of a billion digits', '{"name":"n","metadata":{"a":1e999999999}}', 'metadata.a'],
    ['a very small number', '{"name":"n","metadata":{"a":[1e-99999]}}', 'metadata.a.0'],
    ['a long number', `{"name":"n","metadata":{"a":${'9'.repeat(20_000)}}}`, 'metadata.a'],
  ])('with %s is refused with its location', async (_what, body, field) => {
    const { status, detail } = await sendTeam(body);
    expect({ status, code: detail.code, field: detail.field }).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      field,
    });
  });

  test.each([
    '9007199254740993',
    '-9223372036854775808',
    '123456789012345678901234567890.123456789',
    '0.1',
    '1e308',
    '0.30000000000000004',
    '100000000000000000000000000000000',
  ])('with the number %s keeps it exactly', async (number) => {
    const asset = await createAsset(world.producer);
    const patched = await send(`/api/v1/assets/${asset.id}`, {
      method: 'PATCH',
      body: `{"metadata":{"n":${number}}}`,
    });
    expect(patched.status).toBe(200);
    const { text } = await send(`/api/v1/assets/${asset.id}`);
    const kept = /"n":([^}]*)\}/.exec(text)?.[1] ?? '';
    expect(decimal(kept)).toBe(decimal(number));
  });

  test('in a schema keeps numbers past 2^53 exactly', async () => {
    const asset = await createAsset(world.producer);
    const published = await send(`/api/v1/assets/${asset.id}/contracts`, {
      body: '{"schema":{"type":"integer","maximum":9223372036854775807}}',
    });
    expect(published.status).toBe(201);
    const { text } = await send(`/api/v1/assets/${asset.id}/contracts/latest`);
    expect(text).toContain('"maximum":9223372036854775807');
  });

  test('with any valid character keeps it', async () => {
    const asset = await createAsset(world.producer);
    const odd = { text: '\u{1}\u{7f}\u{2028}\u{fffd}\u{1f600}\u{10ffff} "\\/', __proto__x: '' };
    const body = JSON.stringify({ metadata: odd });
    must(
      await world.producer.client.updateAsset({
        params: { asset_id: asset.id },
        body: JSON.parse(body),
      }),
      200,
    );
    const { text } = await send(`/api/v1/assets/${asset.id}`);
    expect(JSON.parse(text).metadata).toEqual(odd);
  });

  test('with __proto__ as a key keeps it as a key', async () => {
    const asset = await createAsset(world.producer);
    const { status } = await send(`/api/v1/assets/${asset.id}`, {
      method: 'PATCH',
      body: '{"metadata":{"__proto__":{"polluted":true},"constructor":1}}',
    });
    expect(status).toBe(200);
    const { text } = await send(`/api/v1/assets/${asset.id}`);
    expect(text).toContain('"__proto__":{"polluted":true}');
    expect('polluted' in {}).toBe(false);
  });

  test('without a schema is small: a megabyte of it is 413', async () => {
    const { status } = await sendTeam(`{"name":"large","metadata":{"x":"${'x'.repeat(600_000)}"}}`);
    expect(status).toBe(413);
  });

  test('of a million keys is refused for its size', async () => {
    const keys = Array.from({ length: 1_000_000 }, (_, i) => `"k${i}":0`).join(',');
    const { status } = await sendTeam(`{"name":"many","metadata":{${keys}}}`);
    expect(status).toBe(413);
  });

  test('of tens of thousands of unknown keys is refused, and a hundred of them are listed', async () => {
    const keys = Array.from({ length: 40_000 }, (_, i) => `"k${i}":0`).join(',');
    const { status, detail } = await sendTeam(`{${keys}}`);
    expect({ status, told: detail.errors.length }).toEqual({ status: 400, told: 100 });
  });

  test('that is compressed is 415', async () => {
    const { status } = await sendTeam(randomBytes(20), { 'content-encoding': 'gzip' });
    expect(status).toBe(415);
  });

  test('that is not HTTP is 400 in the error form', async () => {
    const answer = await rawExchange('HELLO\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"VALIDATION_ERROR"');
  });

  test.each([
    ['without a Host', 'GET /api/v1/teams HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['to open a tunnel', 'CONNECT db:5432 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['with 20 kB of headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 400],
  ])('%s is refused in the error form, with its X-Request-ID', async (_what, sent, status) => {
    const answer = await rawExchange(sent);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/"detail":\{"code":/);
    expect(answer).toMatch(/\r\nx-request-id: \S+\r\n/i);
  });

  test('that is interrupted crashes nothing', async () => {
    const { hostname, port } = new URL(registry.url);
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        const head = `POST /api/v1/teams HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${registry.bootstrapKey}`;
        socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"na`);
      });
      socket.once('ready', () => setImmediate(() => socket.resetAndDestroy()));
      socket.on('close', () => resolve());
      socket.on('error', reject);
    });
    expect((await send('/health', { key: null })).status).toBe(200);
    expect(registry.takeCrashes()).toEqual([]);
  });

  test('with a schema pattern that backtracks for ever ends', async () => {
    const asset = await createAsset(world.producer);
    const evil = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    await publishOk(world.producer.client, asset.id, { schema: evil });
    const next = await world.producer.client.publishContract({
      params: { asset_id: asset.id },
      body: {
        schema: {
          type: 'object',
          properties: {
            a: { type: 'string', pattern: '^(a|a)*b$', const: `${'a'.repeat(40)}!` },
          },
        },
      },
    });
    expect([200, 201, 422]).toContain(next.status);
  });

  test('of any of these kinds does not stop the server', async () => {
    expect((await send('/health', { key: null })).status).toBe(200);
  });
});

async function countOf(table: string): Promise<number> {
  const [row] = await registry.database.query(`select count(*)::int as count from ${table}`);
  return Number(row?.count);
}

/** A number's value, in any spelling. */
function decimal(text: string): string {
  const [digits = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.');
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const trimmed = all.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + (all.length - trimmed.length);
  return `${text.startsWith('-') ? '-' : ''}${trimmed}e${power}`;
}

/** Returns everything that arrives on a bare socket until the other side closes it. */
function rawExchange(sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(registry.url);
    const socket = connect(Number(port), hostname, () => socket.write(sent));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (answer.includes('}}')) socket.end();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('The problems of a body', () => {
  const post = async (path: string, body: unknown) => {
    const response = await checkedFetch(`${registry.url}/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${registry.bootstrapKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(400);
    const { detail } = (await response.json()) as { detail: { errors: object[] } };
    return detail.errors;
  };
  const nobody = '0198c5a0-4c1e-7a52-9d0b-5b1f4f0c2a99';

  test.each<[string, string, object, [string, string][]]>([
    ['a schema that is missing', `/assets/${nobody}/contracts`, {}, [['schema', 'is required']]],
    [
      'a choice that is missing',
      `/assets/${nobody}/audit-results`,
      { triggered_by: 'ci' },
      [['status', 'is required']],
    ],
    ['an address that is missing', '/users', {}, [['email', 'is required']]],
    [
      'a list without an item',
      '/api-keys',
      { name: 'k', team_id: nobody, scopes: [] },
      [['scopes', 'must have at least 1 item']],
    ],
    [
      'a text without a character',
      '/api-keys',
      { name: '', team_id: nobody, scopes: ['read'] },
      [['name', 'must not be empty']],
    ],
    [
      'a schema that is none',
      `/assets/${nobody}/contracts`,
      { schema: null, dry_run: 'yes' },
      [
        ['schema', 'must be an object'],
        ['dry_run', 'must be true or false'],
      ],
    ],
  ])('is said of %s', async (_, path, body, problems) => {
    expect(await post(path, body)).toEqual(
      problems.map(([field, message]) => ({ field, message })),
    );
  });
});
