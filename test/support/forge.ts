// Stands in for the API of a forge: the comments of one pull or merge request, kept as GitHub and GitLab
// keep them, with every request that came. It refuses what they would refuse.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

interface ForgeComment {
  readonly id: number;
  readonly body: string;
  readonly by: 'token' | 'somebody' | 'bot';
}

interface ForgeRequest {
  readonly method: string;
  readonly path: string;
  readonly at: number;
}

type Answer = (response: ServerResponse, keep: () => ForgeComment | undefined) => void;

export interface Forge {
  readonly url: string;
  comments: ForgeComment[];
  requests: ForgeRequest[];
  /** Answers the next requests of a method in place of the API, one each. */
  failNext: (method: string, ...answers: readonly Answer[]) => void;
}

export const forgeToken = 'ghs_1234567890abcdef';

const pageSize = 100;

const kinds = {
  github: {
    list: '/repos/acme/shop/issues/7/comments',
    one: /^\/repos\/acme\/shop\/issues\/comments\/(\d+)$/,
    update: 'PATCH',
    hasHeaders: ({ headers }: IncomingMessage) =>
      headers.authorization === `Bearer ${forgeToken}` &&
      headers.accept === 'application/vnd.github+json' &&
      headers['x-github-api-version'] === '2022-11-28',
    show: ({ id, body, by }: ForgeComment): unknown => ({
      ...{ id, body },
      user: { id: { token: 41, somebody: 42, bot: 43 }[by], type: by === 'bot' ? 'Bot' : 'User' },
    }),
    maxLength: 65_536,
  },
  gitlab: {
    list: '/projects/12/merge_requests/7/notes',
    one: /^\/projects\/12\/merge_requests\/7\/notes\/(\d+)$/,
    update: 'PUT',
    hasHeaders: ({ headers }: IncomingMessage) => headers['private-token'] === forgeToken,
    show: ({ id, body, by }: ForgeComment): unknown => ({
      ...{ id, body },
      author: { id: { token: 41, somebody: 42, bot: 43 }[by] },
    }),
    maxLength: 1_000_000,
  },
};

/** `isJob`: the token is that of a job of GitHub, which belongs to no user and writes as a bot. */
export async function openForge(kind: keyof typeof kinds, isJob = false): Promise<Forge> {
  const api = kinds[kind];
  const failures = new Map<string, Answer[]>();
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    forge.requests.push({ method, path: url, at: performance.now() });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const path = url.split('?')[0] ?? '';
    const by = isJob ? ('bot' as const) : ('token' as const);
    const act = (): readonly [status: number, body?: unknown] => {
      if (!request.headers['user-agent'] || !api.hasHeaders(request)) return [401];
      if (path === '/user') return isJob ? [403, { message: 'Not for jobs' }] : [200, { id: 41 }];
      const { body } = text === '' ? { body: '' } : (JSON.parse(text) as { readonly body: string });
      if (text !== '' && request.headers['content-type'] !== 'application/json') return [415];
      if (body.length > api.maxLength) return [422, { message: 'Body is too long' }];
      if (path === api.list && method === 'GET') return [200, listed(url, response)];
      if (path === api.list && method === 'POST') {
        const made = { id: 1 + Math.max(0, ...forge.comments.map(({ id }) => id)), body, by };
        forge.comments.push(made);
        return [201, api.show(made)];
      }
      const [, id] = api.one.exec(path) ?? [];
      const index = forge.comments.findIndex((each) => each.id === Number(id));
      const found = forge.comments[index];
      if (found === undefined) return [404, { message: 'Not Found' }];
      if (method === 'DELETE') {
        forge.comments.splice(index, 1);
        return [204];
      }
      if (method !== api.update) return [405];
      forge.comments[index] = { ...found, body };
      return [200, api.show({ ...found, body })];
    };
    const failure = failures.get(method)?.shift();
    if (failure !== undefined) {
      failure(response, () => {
        act();
        return forge.comments.at(-1);
      });
      return;
    }
    const [status, body] = act();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const listed = (url: string, response: ServerResponse) => {
    const query = new URL(url, 'http://forge').searchParams;
    const size = Math.min(pageSize, Number(query.get('per_page') ?? 30));
    const page = Number(query.get('page') ?? 1);
    if (page * size < forge.comments.length) {
      response.setHeader('link', `<${forge.url}${api.list}?page=${page + 1}>; rel="next"`);
    }
    return forge.comments.slice((page - 1) * size, page * size).map(api.show);
  };
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const forge: Forge = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    comments: [],
    requests: [],
    failNext: (method, ...answers) => {
      failures.set(method, [...answers]);
    },
  };
  return forge;
}

/** A refusal or failure with this status. */
export function answering(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ message }));
  };
}
