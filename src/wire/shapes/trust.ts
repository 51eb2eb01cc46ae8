// Trusts: whose tokens are exchanged for keys.

import { z } from 'zod';
import { trustScopes } from '../../core/team.ts';
import { choice, exampleId, flag, id, pageAnswer, requiredText, text, timestamp } from './shape.ts';

const isOnThisMachine = (url: URL) =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);

/** Without TLS, anybody on the way could answer in place of the issuer. */
function isIssuer(given: string): boolean {
  const url = URL.parse(given);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOnThisMachine(url));
}

const issuerExample = 'https://token.actions.githubusercontent.com';
const issuerMeaning = 'The issuer, exactly as the `iss` of its tokens.';
const audienceExample = 'https://contracts.example.org';
const claimsExample = { repository: 'acme/shop', ref: 'refs/heads/main' };

const scope = choice(
  trustScopes,
  'What a key may do. `write` implies `read`, but not `acknowledge`: it must be listed.',
  'write',
);
const claimName = z.string().min(1).max(100);
const pattern = z.string().min(1).max(500);

const trustFields = {
  id: id('The trust.', exampleId.trust),
  name: text('Its purpose.', 'checkout CI'),
  issuer: text(issuerMeaning, issuerExample),
  audience: text('The `aud` that a token must have.', audienceExample),
  claims: z.record(z.string(), z.string()).meta({
    description: 'The claims that a token must have: equal, or beginning so for a `*` at the end.',
    examples: [claimsExample],
  }),
  team_id: id('The team that the keys act for.', exampleId.team),
  scopes: z.array(scope).meta({ description: 'What the keys may do.' }),
  reusable: flag('Whether one token may be exchanged more than once.', false),
  created_at: timestamp('When it was created.'),
};

export const Trust = z.object(trustFields).meta({
  id: 'Trust',
  description: 'A rule about tokens of another issuer that are exchanged for a key of a team.',
});

export const TrustCreate = z
  .strictObject({
    name: requiredText('Its purpose.', 'checkout CI', 200),
    issuer: z
      .string()
      .max(500)
      .refine(isIssuer, 'must be an https:// URL without a query')
      .meta({ description: issuerMeaning, examples: [issuerExample] }),
    audience: requiredText('The `aud` that a token must have.', audienceExample, 500),
    claims: z
      .record(claimName, pattern)
      .refine((claims) => Object.keys(claims).length > 0, 'must name at least one claim')
      .refine((claims) => Object.keys(claims).length <= 20, 'must name at most 20 claims')
      .meta({
        description:
          'The claims that a token must have, as texts. A `*` at the end, after a `/` or a `:`, stands for any continuation: `repo:acme/*`. Of issuers that anybody gets tokens of, such as GitHub, one claim must name the owner.',
        examples: [claimsExample],
      }),
    team_id: id('The team that the keys act for.', exampleId.team),
    scopes: z
      .array(scope)
      .min(1)
      .max(trustScopes.length)
      .meta({ description: 'What the keys may do.', examples: [['write']] }),
    reusable: flag(
      'Whether one token may be exchanged more than once, as by the commands of a GitLab job.',
      false,
    ).default(false),
  })
  .meta({
    id: 'TrustCreate',
    description: 'A new trust.',
    examples: [
      {
        name: 'checkout CI',
        issuer: issuerExample,
        audience: audienceExample,
        claims: claimsExample,
        team_id: exampleId.team,
        scopes: ['write'],
      },
    ],
  });

export const TrustList = z
  .object({
    results: z.array(Trust).meta({ description: 'The trusts of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'TrustList', description: 'A page of trusts.' });

/** Those of GitHub and GitLab have 2 KB. */
const tokenLimit = 16 * 1024;

export const TokenExchange = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(tokenLimit)
      .meta({ description: 'The ID token (a JWT) of the issuer.', examples: ['eyJhbGciOi...'] }),
    trust_id: id('Chooses among several trusts that accept the token.', exampleId.trust).optional(),
  })
  .meta({
    id: 'TokenExchange',
    description: 'A token to exchange for a key.',
    examples: [{ token: 'eyJhbGciOi...' }],
  });
