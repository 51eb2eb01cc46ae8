// A real provider of OpenID Connect in this process (the package `oidc-provider`), with its own
// sign-in page. Its accounts are those that a test sets.

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterAll } from 'vitest';
import { clientSecret } from './providers-file.ts';

export interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}

interface RealProvider {
  /** A token that the provider signs for a machine: its subject is `ci`. */
  readonly machineToken: (audience: string) => Promise<string>;
  readonly issuer: string;
  readonly accounts: Map<string, Account>;
  /** The registries that its client may return to. */
  readonly serve: (registryUrls: readonly string[], providerNames: readonly string[]) => void;
}

const clientId = 'concordat';
const machineId = 'ci';

export async function openRealProvider(): Promise<RealProvider> {
  let answer: RequestListener = (_, response) => response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((listening) => server.listen(0, 'localhost', listening));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const accounts = new Map<string, Account>();
  return {
    issuer,
    machineToken: async (audience) => {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{ grant_type: 'client_credentials', resource: audience },
          ...{ client_id: machineId, client_secret: clientSecret },
        }),
      });
      return ((await response.json()) as { readonly access_token: string }).access_token;
    },
    accounts,
    serve: (registryUrls, names) => {
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: clientId,
            client_secret: clientSecret,
            redirect_uris: registryUrls.flatMap((url) =>
              names.map((name) => `${url}/api/v1/auth/oidc/${name}/callback`),
            ),
            post_logout_redirect_uris: registryUrls.map((url) => `${url}/`),
            backchannel_logout_uri: `${registryUrls[0]}/api/v1/auth/oidc/${names[0]}/backchannel-logout`,
            backchannel_logout_session_required: true,
          },
          {
            client_id: machineId,
            client_secret: clientSecret,
            grant_types: ['client_credentials'],
            token_endpoint_auth_method: 'client_secret_post',
            ...{ redirect_uris: [], response_types: [] },
          },
        ],
        scopes: ['openid', 'email', 'profile', 'groups'],
        claims: {
          openid: ['sub'],
          email: ['email', 'email_verified'],
          profile: ['name'],
          groups: ['groups'],
        },
        // Its own would not call this machine.
        fetch: (url: URL, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) =>
          fetch(url, options),
        features: {
          backchannelLogout: { enabled: true },
          clientCredentials: { enabled: true },
          resourceIndicators: {
            enabled: true,
            getResourceServerInfo: (_: unknown, audience: string) => ({
              ...{ scope: '', audience, accessTokenTTL: 300, accessTokenFormat: 'jwt' },
            }),
          },
        },
        pkce: { required: () => true },
        cookies: { keys: ['of the tests'] },
        findAccount: (_: unknown, id: string) =>
          accounts.has(id)
            ? { accountId: id, claims: async () => ({ sub: id, ...accounts.get(id) }) }
            : undefined,
      });
      answer = provider.callback();
    },
  };
}
