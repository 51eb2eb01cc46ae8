// A provider that answers whatever a test says: wrong tokens, wrong keys, too much, or nothing.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll } from 'vitest';

type Claims = Readonly<Record<string, unknown>>;

interface SigningKey {
  readonly id: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

interface LyingProvider {
  readonly issuer: string;
  /** Changed by a test; `reset` restores them. */
  readonly says: Says;
  readonly reset: () => void;
  /** Replaces the only key. */
  readonly rotate: () => Promise<void>;
  readonly key: () => SigningKey;
  /** An honest ID token with other claims, or signed by another key. */
  readonly sign: (claims: Claims, by?: SigningKey) => Promise<string>;
  /** How often each path was requested. */
  readonly requests: Map<string, number>;
}

interface Says {
  /** What the token endpoint answers. */
  token: (nonce: string) => Promise<unknown>;
  /** Answers in place of the path. */
  answer: (path: string, response: ServerResponse) => boolean;
  metadata: Claims;
}

export async function openLyingProvider(): Promise<LyingProvider> {
  let key = await newKey('first');
  const requests = new Map<string, number>();
  const sign: LyingProvider['sign'] = (claims, by = key) => {
    const now = Math.floor(Date.now() / 1000);
    const honest = { iss: issuer, aud: 'concordat', sub: 'ada', iat: now, exp: now + 300 };
    const person = { email: 'ada@example.com', groups: ['everybody'] };
    return new SignJWT({ ...honest, ...person, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: by.id })
      .sign(by.privateKey);
  };
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    requests.set(path, (requests.get(path) ?? 0) + 1);
    if (says.answer(path, response)) return;
    void answerTo(path).then((body) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
    request.resume();
  });
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const answerTo = async (path: string): Promise<unknown> => {
    if (path === '/jwks') return { keys: [{ ...key.jwk, kid: key.id, use: 'sig', alg: 'ES256' }] };
    if (path === '/token') return says.token(nonceOf.nonce);
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      ...says.metadata,
    };
  };
  const honest = (): Says => ({
    token: async (nonce) => tokens(await sign({ nonce })),
    answer: () => false,
    metadata: {},
  });
  const says = honest();
  return {
    issuer,
    says,
    reset: () => void Object.assign(says, honest()),
    rotate: async () => {
      key = await newKey(`key ${requests.size} ${Math.random()}`);
    },
    key: () => key,
    sign,
    requests,
  };
}

/** The nonce of the sign-in that runs, which the browser would have carried to the provider. */
export const nonceOf = { nonce: '' };

export function tokens(idToken: string) {
  return { access_token: 'an access token', token_type: 'bearer', id_token: idToken };
}

async function newKey(id: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return { id, privateKey, jwk: await exportJWK(publicKey) };
}
