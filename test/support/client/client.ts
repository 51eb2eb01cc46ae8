// The client of every test: the product's own, with each response checked against openapi.json.

import { type Client, createClient } from '../../../src/wire/client.ts';
import { isScim, type Route } from '../../../src/wire/route.ts';
import { routes } from '../../../src/wire/routes.ts';
import { problemOfAnswer } from './client-document.ts';

export type TestClient = Client & {
  /** A client of the same registry with another key. */
  readonly as: (key: string | undefined) => TestClient;
  readonly url: string;
  /** A client of the same registry with a session's cookie, like a browser on its own page. */
  readonly signedIn: (session: BrowserSession) => TestClient;
};

export interface BrowserSession {
  readonly cookie: string;
  readonly csrfToken: string;
}

export function openClient(
  url: string,
  key?: string,
  headers: Readonly<Record<string, string>> = {},
): TestClient {
  const client = createClient({
    baseUrl: url,
    ...(key !== undefined && { key }),
    headers,
    fetch: checkedFetch,
  });
  return {
    ...client,
    url,
    as: (other) => openClient(url, other),
    signedIn: ({ cookie, csrfToken }) =>
      openClient(url, undefined, { cookie, 'x-csrf-token': csrfToken, origin: url }),
  };
}

/** `fetch` that fails on a response that the document does not describe. */
export const checkedFetch: typeof globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const response = await fetch(request);
  const text = await response.clone().text();
  const row = rowOf(request.method, new URL(request.url).pathname);
  if (row !== null && response.status !== 304 && request.method !== 'HEAD') {
    const contentType = response.headers.get('content-type') ?? '';
    const headers = [...response.headers.keys()];
    const problem = problemOfAnswer(row, { status: response.status, contentType, text, headers });
    if (problem !== null) throw new Error(problem);
  }
  if (!response.headers.has('x-request-id')) throw new Error('The answer has no X-Request-ID.');
  return response;
};

// SCIM describes itself.
const described = Object.values<Route>(routes).filter((row) => !isScim(row));
const patterns = described.map((row) => ({
  row,
  pattern: new RegExp(`^${row.path.replace(/\{\w+\}/g, '[^/]+')}$`),
  parameters: row.path.split('{').length,
}));
patterns.sort((a, b) => a.parameters - b.parameters);

function rowOf(method: string, path: string): Route | null {
  const asked = method === 'HEAD' ? 'GET' : method;
  return (
    patterns.find(({ row, pattern }) => row.method === asked && pattern.test(path))?.row ?? null
  );
}
