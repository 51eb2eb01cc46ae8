// What an identity provider sends to /scim/v2, and what comes back.

import { expect } from 'vitest';

interface ScimAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the bodies are those of the standard, without a type.
  readonly body: any;
  readonly headers: Headers;
}

export function openScim(url: string, key: string | undefined) {
  const ask = async (method: string, path: string, body?: unknown): Promise<ScimAnswer> => {
    const response = await fetch(`${url}/scim/v2${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/scim+json; charset=utf-8' }),
      },
      ...(body !== undefined && {
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    });
    const { status, headers } = response;
    const text = await response.text();
    if (text !== '') expect(headers.get('content-type')).toBe('application/scim+json');
    return { status, headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const must = async (
    status: number,
    method: string,
    path: string,
    body?: unknown,
    // biome-ignore lint/suspicious/noExplicitAny: as above.
  ): Promise<any> => {
    const answer = await ask(method, path, body);
    expect(answer, `${method} ${path}: ${JSON.stringify(answer.body)}`).toMatchObject({ status });
    return answer.body;
  };
  /** A refusal: an error of SCIM that says in a sentence what is wrong. */
  const refused = async (
    wanted: { readonly status: number; readonly scimType?: string },
    method: string,
    path: string,
    body?: unknown,
  ): Promise<string> => {
    const answer = await ask(method, path, body);
    expect(answer.body).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      detail: expect.stringMatching(/^\S+ \S+ \S+/),
      ...{ ...wanted, status: String(wanted.status) },
    });
    expect(answer.status).toBe(wanted.status);
    return answer.body.detail;
  };
  return { ask, must, refused };
}
