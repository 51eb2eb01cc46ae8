// Machines without keys: a token of another issuer is exchanged for a key of a team, if a trust
// accepts it. One issuer is a real provider, the other says whatever a test says.

import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';
import { describe, expect, test, vi } from 'vitest';
import {
  createAsset,
  must,
  mustRefuse,
  openRegistryForFile,
  proposedAsset,
  publishOk,
  widerSchema,
} from '../../support/client/client-world.ts';
import { openLyingProvider } from '../../support/sign-in/lying-provider.ts';
import { openRealProvider } from '../../support/sign-in/real-provider.ts';

const real = await openRealProvider();
const forge = await openLyingProvider();
const { registry, world } = await openRegistryForFile({
  ...{ ISSUER_ALLOWED_NETWORKS: '127.0.0.0/8,::1', RATE_LIMIT_LOGIN: '1000' },
});
real.serve([registry.url], []);
const { admin, producer } = world;
const stranger = admin.as(undefined);
const audience = 'https://contracts.example.org';

let jobs = 0;

/** What GitHub says of a job, with the audience of the registry. */
const job = (claims: Record<string, unknown> = {}) => {
  jobs++;
  return forge.sign({
    ...{ aud: audience, sub: 'repo:acme/shop:ref:refs/heads/main', jti: `job-${jobs}` },
    ...{ repository: 'acme/shop', ref: 'refs/heads/main', run_id: '4711', ref_protected: 'true' },
    ...claims,
  });
};

const trustFor = async (more: Record<string, unknown> = {}) => {
  const body = {
    ...{ name: 'shop CI', issuer: forge.issuer, audience, claims: { repository: 'acme/shop' } },
    ...{ team_id: producer.teamId, scopes: ['write' as const] },
    ...more,
  };
  return must(await admin.createTrust({ body }), 201);
};

const exchange = (token: string, trust_id?: string) =>
  stranger.exchangeToken({ body: { token, ...(trust_id && { trust_id }) } });

const whileTrusted = async (more: Record<string, unknown>, work: () => Promise<void>) => {
  const { id } = await trustFor(more);
  try {
    await work();
  } finally {
    must(await admin.deleteTrust({ params: { trust_id: id } }), 204);
  }
};

/** The key of a token, and a client that uses it. */
const enter = async (token: string) => {
  const key = must(await exchange(token), 201);
  return { key, client: admin.as(key.key) };
};

describe('A token', () => {
  test('is exchanged for a key of the team, which lasts for 15 minutes and is the actor on record', async () => {
    const trust = await trustFor({ claims: { repository: 'acme/*', ref: 'refs/heads/main' } });
    const { key, client } = await enter(await job());
    expect(key).toEqual({
      ...{ id: key.id, name: 'repo:acme/shop:ref:refs/heads/main', trust_id: trust.id },
      ...{ team_id: producer.teamId, team_ids: [producer.teamId], all_teams: false },
      ...{ user_id: null, scopes: ['write'], prefix: key.key?.slice(0, 12), key: key.key },
      ...{ created_at: key.created_at, last_used_at: null, revoked_at: null },
      expires_at: new Date(Date.parse(key.created_at) + 15 * 60_000).toISOString(),
    });
    const { id } = await createAsset({ ...producer, client });
    const { results } = must(await admin.listEvents({ query: { entity_id: id } }), 200);
    const [made] = results;
    expect(made).toMatchObject({
      ...{ event_type: 'asset.created', actor_type: 'api_key', actor_id: key.id },
      metadata: { actor_name: 'repo:acme/shop:ref:refs/heads/main' },
    });
    const { results: ofKey } = must(
      await admin.listEntityHistory({ params: { entity_type: 'api_key', entity_id: key.id } }),
      200,
    );
    expect(
      ofKey.map(({ event_type, actor_id, metadata }) => [event_type, actor_id, metadata]),
    ).toEqual([
      [
        'api_key.created',
        key.id,
        expect.objectContaining({
          ...{ trust_id: trust.id, trust_name: 'shop CI', issuer: forge.issuer },
          claims: {
            ...{ repository: 'acme/shop', ref: 'refs/heads/main', run_id: '4711' },
            ...{ sub: 'repo:acme/shop:ref:refs/heads/main', jti: `job-${jobs}` },
          },
        }),
      ],
    ]);
    const { results: keys } = must(await admin.listApiKeys(), 200);
    expect(keys.map((one) => one.id)).not.toContain(key.id);
    must(await admin.deleteTrust({ params: { trust_id: trust.id } }), 204);
  });

  test('of a real provider is exchanged', async () => {
    const of = { issuer: real.issuer, claims: { sub: 'ci' } };
    await whileTrusted(of, async () => {
      const { client } = await enter(await real.machineToken(audience));
      expect(must(await client.getIdentity(), 200)).toMatchObject({
        ...{ scopes: ['read', 'write'], team_ids: [producer.teamId] },
      });
    });
  });

  test('is exchanged once, also by two at once, unless the trust is reusable', async () => {
    await whileTrusted({}, async () => {
      const token = await job();
      const both = await Promise.all([exchange(token), exchange(token)]);
      expect(both.map(({ status }) => status).sort()).toEqual([201, 401]);
      const { message } = mustRefuse(await exchange(token), 401, 'UNAUTHENTICATED');
      expect(message).toContain('exchanged before');
    });
    await whileTrusted({ reusable: true }, async () => {
      const token = await job();
      must(await exchange(token), 201);
      must(await exchange(token), 201);
    });
  });

  test('is refused if a claim differs, is missing, or is a list; or the audience is another', async () => {
    await whileTrusted({ claims: { repository: 'acme/*', ref_protected: 'true' } }, async () => {
      for (const claims of [
        { repository: 'acme-evil/shop' },
        { repository: undefined },
        { repository: ['acme/shop'] },
        { ref_protected: 'false' },
        { aud: 'https://elsewhere.example.org' },
        { aud: ['https://elsewhere.example.org'] },
        ...[{ aud: null }, { aud: { audience } }, { aud: [null] }],
      ]) {
        mustRefuse(await exchange(await job(claims)), 401, 'UNAUTHENTICATED');
      }
      must(await exchange(await job({ aud: ['other', audience], ref_protected: true })), 201);
    });
  });

  test('that several trusts accept is exchanged by the one that is chosen', async () => {
    const first = await trustFor({ name: 'first' });
    const second = await trustFor({ name: 'second', scopes: ['read'] });
    const token = await job();
    const { message, field } = mustRefuse(await exchange(token), 400, 'VALIDATION_ERROR');
    expect({ message, field }).toEqual({
      message: expect.stringContaining(`second (${second.id})`),
      field: 'trust_id',
    });
    expect(must(await exchange(token, second.id), 201).scopes).toEqual(['read']);
    for (const { id } of [first, second]) {
      must(await admin.deleteTrust({ params: { trust_id: id } }), 204);
    }
  });
});

const seconds = () => Math.floor(Date.now() / 1000);

/** A token that is not signed as an honest one, with the claims that the trust demands. */
async function forged(header: JWTHeaderParameters, key: CryptoKey | Uint8Array): Promise<string> {
  const now = seconds();
  return new SignJWT({ iss: forge.issuer, aud: audience, repository: 'acme/shop' })
    .setIssuedAt(now)
    .setExpirationTime(now + 300)
    .setProtectedHeader(header)
    .sign(key);
}

const part = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');

const lies: Readonly<Record<string, () => Promise<string>>> = {
  'has ended': () => job({ iat: seconds() - 600, exp: seconds() - 300 }),
  'begins in an hour': () => job({ nbf: seconds() + 3600, exp: seconds() + 7200 }),
  'was issued in an hour': () => job({ iat: seconds() + 3600, exp: seconds() + 7200 }),
  'was issued two days ago': () => job({ iat: seconds() - 2 * 86_400 }),
  'never ends': () => job({ exp: undefined }),
  'does not say when it was issued': () => job({ iat: undefined }),
  'has no audience': () => job({ aud: undefined }),
  'is of another issuer': () => job({ iss: 'https://elsewhere.example.org' }),
  'is of an issuer that is spelled differently': () => job({ iss: `${forge.issuer}/` }),
  'is not signed': async () => {
    const [, payload] = (await job()).split('.');
    return `${part({ alg: 'none' })}.${payload}.`;
  },
  'was changed': async () => {
    const [header, payload = '', signature] = (await job({ repository: 'x/y' })).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return `${header}.${part({ ...claims, repository: 'acme/shop' })}.${signature}`;
  },
  'is signed with the public key as a shared secret': () =>
    forged(
      { alg: 'HS256', kid: forge.key().id },
      new TextEncoder().encode(JSON.stringify(forge.key().jwk)),
    ),
  'is signed with a key that it brings': async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    return forged({ alg: 'ES256', jwk: await exportJWK(publicKey) }, privateKey);
  },
  'is signed with another key under the name of the right one': async () => {
    const { privateKey } = await generateKeyPair('ES256');
    return forged({ alg: 'ES256', kid: forge.key().id }, privateKey);
  },
  'is signed with a key that nobody knows': async () => {
    const { privateKey } = await generateKeyPair('ES256');
    return forged({ alg: 'ES256', kid: 'unknown' }, privateKey);
  },
  'is no token': async () => 'eyJhbGciOi...',
};

describe('A token is refused that', () => {
  test.each(Object.keys(lies))('%s', async (lie) => {
    await whileTrusted({}, async () => {
      const token = (await lies[lie]?.()) ?? '';
      const { message } = mustRefuse(await exchange(token), 401, 'UNAUTHENTICATED');
      expect(message).not.toContain('repository');
      must(await exchange(await job()), 201);
    });
  });

  test('has a megabyte', async () => {
    const large = await job({ note: 'x'.repeat(750_000) });
    mustRefuse(await exchange(large), 413, 'PAYLOAD_TOO_LARGE');
    const long = await job({ note: 'x'.repeat(15_000) });
    mustRefuse(await exchange(long), 400, 'VALIDATION_ERROR');
  });
});

test('Refused tokens are on record with the reason, and count against the address', async () => {
  await whileTrusted({}, async () => {
    mustRefuse(await exchange(await job({ repository: 'x/y' })), 401, 'UNAUTHENTICATED');
    const query = { event_type: 'auth.login_failed' } as const;
    const { results } = must(await admin.listEvents({ query }), 200);
    expect(results[0]?.metadata).toMatchObject({
      ...{ exchange: true, address: '127.0.0.1' },
      reason: expect.stringContaining('its sub is repo:acme/shop:ref:refs/heads/main'),
    });
  });
  const limited = await openRegistryForFile({ RATE_LIMIT_LOGIN: '1' });
  const visitor = limited.world.admin.as(undefined);
  const token = await job();
  for (let i = 0; i < 10; i++) {
    const refused = await visitor.exchangeToken({ body: { token } });
    mustRefuse(refused, 401, 'UNAUTHENTICATED');
  }
  mustRefuse(await visitor.exchangeToken({ body: { token } }), 429, 'RATE_LIMITED');
});

describe('A key of a trust', () => {
  test('ends with the trust, and with the team', async () => {
    const trust = await trustFor();
    const { client } = await enter(await job());
    must(await client.listTeams(), 200);
    must(await admin.deleteTrust({ params: { trust_id: trust.id } }), 204);
    await vi.waitFor(async () => mustRefuse(await client.listTeams(), 401, 'UNAUTHENTICATED'));
    mustRefuse(await exchange(await job()), 401, 'UNAUTHENTICATED');

    const team = must(await admin.createTeam({ body: { name: 'Short-lived' } }), 201);
    const gone = await trustFor({ team_id: team.id });
    const other = await enter(await job());
    must(await other.client.listTeams(), 200);
    must(await admin.deleteTeam({ params: { team_id: team.id } }), 204);
    await vi.waitFor(async () =>
      mustRefuse(await other.client.listTeams(), 401, 'UNAUTHENTICATED'),
    );
    mustRefuse(await admin.getTrust({ params: { trust_id: gone.id } }), 404, 'TRUST_NOT_FOUND');
    const { results } = must(
      await admin.listEntityHistory({ params: { entity_type: 'trust', entity_id: gone.id } }),
      200,
    );
    expect(results.map(({ event_type }) => event_type).sort()).toEqual([
      'trust.created',
      'trust.deleted',
    ]);
  });

  test('writes for its team only, never administers, and answers proposals only if that is named', async () => {
    const { proposalId } = await proposedAsset(producer, [world.consumer]);
    const answer = { params: { proposal_id: proposalId }, body: { response: 'approved' as const } };
    const ofConsumer = { team_id: world.consumer.teamId };
    await whileTrusted(ofConsumer, async () => {
      const { client } = await enter(await job());
      mustRefuse(await client.createTeam({ body: { name: 'Mine' } }), 403, 'FORBIDDEN');
      mustRefuse(
        await client.createAsset({ body: { fqn: 'a.b', owner_team_id: producer.teamId } }),
        403,
        'FORBIDDEN',
      );
      const { message } = mustRefuse(await client.acknowledgeProposal(answer), 403, 'FORBIDDEN');
      expect(message).toContain('comes from a trust without the scope "acknowledge"');
    });
    await whileTrusted({ ...ofConsumer, scopes: ['acknowledge'] }, async () => {
      const { client } = await enter(await job());
      must(await client.acknowledgeProposal(answer), 200);
    });
    const body = { ...trustBody, scopes: ['admin'] } as unknown as typeof trustBody;
    mustRefuse(await admin.createTrust({ body }), 400, 'VALIDATION_ERROR');
  });
});

const trustBody = {
  ...{ name: 'x', issuer: forge.issuer, audience, claims: { sub: 'x' } },
  ...{ team_id: producer.teamId, scopes: ['write' as const] },
};
const github = 'https://token.actions.githubusercontent.com';

describe('A trust', () => {
  test.each([
    [{ claims: {} }, 'claims'],
    [{ claims: { repository: '*' } }, 'claims'],
    [{ claims: { repository: 'acme*' } }, 'claims'],
    [{ claims: { repository: '*/shop' } }, 'claims'],
    [{ claims: { repository: '/*' } }, 'claims'],
    [{ issuer: github, claims: { ref: 'refs/heads/main' } }, 'claims'],
    [{ issuer: github, claims: { sub: 'repo:*' } }, 'claims'],
    [{ issuer: `${github}/`, claims: { ref: 'refs/heads/main' } }, 'claims'],
    [{ issuer: 'https://gitlab.com', claims: { ref_protected: 'true' } }, 'claims'],
    [{ issuer: 'http://forge.example.org' }, 'issuer'],
    [{ issuer: 'https://forge.example.org/?a=b' }, 'issuer'],
    [{ scopes: [] }, 'scopes'],
  ])('is refused with %j', async (wrong, field) => {
    expect(
      mustRefuse(
        await admin.createTrust({ body: { ...trustBody, ...wrong } }),
        400,
        'VALIDATION_ERROR',
      ).field,
    ).toBe(field);
  });

  test('of a public issuer names the owner, and is listed by team', async () => {
    const body = { ...trustBody, issuer: github, claims: { sub: 'repo:acme/*' } };
    const trust = must(await admin.createTrust({ body }), 201);
    expect(trust).toEqual({ ...body, id: trust.id, reusable: false, created_at: trust.created_at });
    const query = { team_id: producer.teamId };
    const { results } = must(await admin.listTrusts({ query }), 200);
    expect(results).toContainEqual(trust);
    const ofOther = must(await admin.listTrusts({ query: { team_id: world.other.teamId } }), 200);
    expect(ofOther.results).toEqual([]);
    must(await admin.deleteTrust({ params: { trust_id: trust.id } }), 204);
  });
});

describe('An issuer', () => {
  test('is asked only if a trust names it', async () => {
    const before = new Map(forge.requests);
    mustRefuse(await exchange(await job()), 401, 'UNAUTHENTICATED');
    expect(forge.requests).toEqual(before);
  });

  test('can rotate its keys: the new one counts, and the old one no longer', async () => {
    await whileTrusted({ reusable: true }, async () => {
      const oldKey = forge.key();
      must(await exchange(await job()), 201);
      await forge.rotate();
      const token = await job();
      // The keys were read a moment ago, and are not read again within the same second.
      await vi.waitFor(async () => void must(await exchange(token), 201), { timeout: 10_000 });
      const old = await forge.sign({ aud: audience, repository: 'acme/shop' }, oldKey);
      mustRefuse(await exchange(old), 401, 'UNAUTHENTICATED');
    });
  });

  test('is away: the caller is told so, and what was issued stays', async () => {
    const away = await openLyingProvider();
    await whileTrusted({ issuer: away.issuer }, async () => {
      const token = await away.sign({ aud: audience, repository: 'acme/shop' });
      const answers: readonly [status: number, text: string][] = [
        [500, ''],
        [302, ''],
        [200, '{'],
        [200, 'x'.repeat(2_000_000)],
      ];
      for (const [status, text] of answers) {
        away.says.answer = (_, response) => {
          response.writeHead(status, { location: `${forge.issuer}/` }).end(text);
          return true;
        };
        mustRefuse(await exchange(token), 503, 'ISSUER_UNAVAILABLE');
      }
      away.reset();
      away.says.metadata = { issuer: forge.issuer };
      mustRefuse(await exchange(token), 503, 'ISSUER_UNAVAILABLE');
      away.reset();
      const { client } = await enter(token);
      away.says.answer = (_, response) => {
        response.destroy();
        return true;
      };
      must(await client.listTeams(), 200);
    });
  });
});

describe('A registry whose issuers may not be private', () => {
  test('never connects to one', async () => {
    const { registry: strict, world: own } = await openRegistryForFile({});
    const body = {
      ...trustBody,
      team_id: own.producer.teamId,
      claims: { repository: 'acme/shop' },
    };
    must(await own.admin.createTrust({ body }), 201);
    const before = new Map(forge.requests);
    const refused = await own.admin.as(undefined).exchangeToken({ body: { token: await job() } });
    mustRefuse(refused, 503, 'ISSUER_UNAVAILABLE');
    expect(forge.requests).toEqual(before);
    expect(strict.url).not.toBe(registry.url);
  });
});

test('Publishing needs no more than the exchange', async () => {
  await whileTrusted({}, async () => {
    const { client } = await enter(await job());
    const party = { ...producer, client };
    const { id } = await createAsset(party);
    await publishOk(client, id, { schema: widerSchema });
  });
});
