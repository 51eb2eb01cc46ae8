// openapi.json is complete, and the pages that show it load nothing from other hosts.

import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import packageFile from '../../../package.json' with { type: 'json' };
import { statusOf, statusOfCode } from '../../../src/http/errors.ts';
import { buildOpenApi } from '../../../src/wire/openapi.ts';
import { refusals } from '../../../src/wire/refusals.ts';
import { isScim, type Route, tags } from '../../../src/wire/route.ts';
import { routes } from '../../../src/wire/routes.ts';
import { checkedFetch } from '../../support/client/client.ts';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';

// SCIM describes itself.
const rows = Object.entries<Route>(routes).filter(([, row]) => !isScim(row));
const document = buildOpenApi(statusOf, packageFile.version);

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => [method, path] as const),
);

describe('openapi.json', () => {
  test('has no dangling references', () => {
    const lost = [...references(document)].filter((reference) => !find(reference));
    expect(lost).toEqual([]);
  });

  test('describes every parameter, every shape and every member', () => {
    const mute: string[] = [];
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        for (const parameter of arrayOf(operation.parameters)) {
          const { $ref, name, description } = record(parameter);
          if ($ref === undefined && !description) mute.push(`${method} ${path} ${name}`);
        }
      }
    }
    for (const [name, schema] of Object.entries(document.components.schemas ?? {})) {
      if (!record(schema).description) mute.push(name);
      mute.push(...muteMembers(schema, name));
    }
    expect(mute).toEqual([]);
  });

  test('gives every route a tag, its scope, and a response for each error code', () => {
    const wrong = rows.filter(([, row]) => {
      const operation = document.paths[row.path]?.[row.method.toLowerCase()];
      const answered = Object.keys(operation?.responses ?? {});
      const codes = row.errors.map((code) => String(statusOf(code)));
      return !(row.tag in tags) || codes.some((status) => !answered.includes(status));
    });
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  test('gives the size limit of bodies: those without a schema are small', () => {
    const limitOf = (path: string) =>
      record(document.paths[`/api/v1${path}`]?.post?.requestBody).description;
    expect(limitOf('/teams')).toBe('At most 512 KiB.');
    expect(limitOf('/assets/{asset_id}/contracts')).toContain('At most 4 MiB');
    expect(limitOf('/sync/openapi')).toContain('At most 128 MiB');
  });

  test('has examples of requests that match the shapes', () => {
    const refused: string[] = [];
    for (const [name, row] of rows) {
      if (row.body === undefined) continue;
      const examples = arrayOf(record(z.globalRegistry.get(row.body)).examples);
      if (examples.length === 0) refused.push(`${name} has no example`);
      for (const example of examples) {
        if (!row.body.safeParse(example).success) refused.push(`${name} refuses its example`);
      }
    }
    expect(refused).toEqual([]);
  });

  test('has examples of parameters that match the shapes', () => {
    const refused: string[] = [];
    for (const [name, row] of rows) {
      for (const shape of [row.params, row.query]) {
        for (const [field, member] of Object.entries(shape?.shape ?? {})) {
          const schema = record(z.toJSONSchema(member, { io: 'input', unrepresentable: 'any' }));
          for (const example of arrayOf(schema.examples)) {
            if (!z.safeParse(member, example).success) refused.push(`${name} ${field} ${example}`);
          }
        }
      }
    }
    expect(refused).toEqual([]);
  });

  test('describes every error code, and every code has a status', () => {
    expect(Object.keys(refusals).sort()).toEqual(Object.keys(statusOfCode).sort());
  });
});

describe('The pages', () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await openRegistry();
  });
  afterAll(() => registry.stop());

  test('GET /openapi.json returns the document', async () => {
    const response = await checkedFetch(`${registry.url}/openapi.json`);
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
  });

  // Most examples name objects that do not exist here. What matters is that none is malformed, and
  // that each response matches the document, which `checkedFetch` verifies.
  test.each(operations)('the examples of %s %s can be sent unchanged', async (method, path) => {
    const operation = record(document.paths[path]?.[method]);
    const response = await checkedFetch(`${registry.url}${exampleUrl(path, operation)}`, {
      method: method.toUpperCase(),
      headers: {
        authorization: `Bearer ${registry.bootstrapKey}`,
        'content-type': 'application/json',
      },
      ...(operation.requestBody !== undefined && { body: exampleBody(operation.requestBody) }),
    });
    expect([405, 413, 415]).not.toContain(response.status);
    // A malformed request has its problems listed; a key of many teams may be asked to choose one.
    const text = await response.clone().text();
    expect(response.status === 400 && text.includes('"errors"'), text).toBe(false);
    expect(response.status).toBeLessThan(500);
  });

  test.each(['/docs', '/redoc'])(
    '%s loads everything from this server, under a strict policy',
    async (path) => {
      const response = await checkedFetch(`${registry.url}${path}`);
      expect(response.status).toBe(200);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toMatch(/https?:/);
      const html = await response.text();
      const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
      expect(loaded.filter((url) => !url.startsWith('/') && !url.startsWith('data:'))).toEqual([]);
      for (const url of loaded.filter((candidate) => candidate.startsWith('/'))) {
        const asset = await checkedFetch(`${registry.url}${url}`);
        expect(asset.status, url).toBe(200);
        expect(await asset.text()).not.toContain('cdn.redoc.ly');
      }
    },
  );

  test.each(['/docs', '/redoc'])(
    '%s leads back to the page and the guide, and needs less than 500 kB',
    async (path) => {
      const html = await (await checkedFetch(`${registry.url}${path}`)).text();
      const links = [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map((match) => match[1]);
      expect(links).toEqual(['/', '/docs/guide', '/docs', '/redoc']);
      const loaded = [...html.matchAll(/(?:src|rel="stylesheet" href)="([^"]+)"/g)];
      const addresses = new Set([...loaded.map((match) => match[1] ?? ''), '/openapi.json']);
      let bytes = Buffer.byteLength(html);
      for (const address of addresses) bytes += await transferred(`${registry.url}${address}`);
      expect(bytes).toBeGreaterThan(100_000);
      expect(bytes).toBeLessThan(500_000);
    },
  );

  test.each(['gzip', 'br', 'identity'])('/openapi.json as %s is the same', async (encoding) => {
    const headers = { 'accept-encoding': encoding };
    const response = await checkedFetch(`${registry.url}/openapi.json`, { headers });
    expect(response.headers.get('content-encoding')).toBe(
      encoding === 'identity' ? null : encoding,
    );
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test.each(['/health', '/health/live'])('%s says that the process is alive', async (path) => {
    const response = await checkedFetch(`${registry.url}${path}`);
    expect(await response.json()).toEqual({
      status: 'ok',
      version: packageFile.version,
      uptime_seconds: expect.any(Number),
    });
  });

  test('/health/ready says that the registry is ready', async () => {
    const response = await checkedFetch(`${registry.url}/health/ready`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: 'ready',
      checks: { database: 'ok', migrations: 'ok' },
    });
  });

  test.each(['/health', '/health/live', '/health/ready', '/metrics', '/openapi.json'])(
    '%s cannot be mistaken for another type',
    async (path) => {
      const { headers } = await checkedFetch(`${registry.url}${path}`);
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    },
  );
});

/** The bytes of a body as a browser receives them; `fetch` unpacks them. */
function transferred(url: string): Promise<number> {
  return new Promise((done, failed) => {
    get(url, { headers: { 'accept-encoding': 'gzip, deflate, br' } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.byteLength;
      });
      response.on('end', () => done(bytes));
    }).on('error', failed);
  });
}

/** Every parameter of the path or the query, with its example. */
function exampleUrl(path: string, operation: Record<string, unknown>): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const parameter of arrayOf(operation.parameters).map(record)) {
    if (parameter.example === undefined) continue;
    const example = String(parameter.example);
    if (parameter.in === 'path') filled = filled.replace(`{${parameter.name}}`, example);
    if (parameter.in === 'query') query.set(String(parameter.name), example);
  }
  // A cursor and a head come from responses that this registry never gave.
  for (const name of ['cursor', 'from', 'head']) {
    if (!path.endsWith('/diff')) query.delete(name);
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function exampleBody(requestBody: unknown): string {
  const { schema } = record(record(record(requestBody).content)['application/json']);
  const name = String(record(schema).$ref ?? '').replace('#/components/schemas/', '');
  const named = record(record(document.components.schemas)[name]);
  const [example] = arrayOf(named.examples ?? record(schema).examples);
  return JSON.stringify(example);
}

function muteMembers(schema: unknown, path: string): string[] {
  return Object.entries(record(record(schema).properties)).flatMap(([name, member]) => {
    const { description, $ref } = record(member);
    const here = `${path}.${name}`;
    return [...(description || $ref ? [] : [here]), ...muteMembers(member, here)];
  });
}

function* references(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref' && typeof member === 'string') yield member;
    else yield* references(member);
  }
}

function find(reference: string): boolean {
  let here: unknown = document;
  for (const part of reference.replace('#/', '').split('/')) here = record(here)[part];
  return here !== undefined;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
