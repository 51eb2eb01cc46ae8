// Checks a token of a trusted issuer, by the library `jose`: its signature against the keys that the
// issuer publishes, its algorithm and its times. What is checked, and why: docs/decisions/trusts.md.

import { hash } from 'node:crypto';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { CheckedToken } from '../../core/team.ts';
import type { JsonObject } from '../../core/value/json.ts';

interface CheckTokenDeps {
  /** Reaches only permitted addresses, within limits. */
  readonly get: (url: string) => Promise<Response>;
  /** Called with what the caller is not told: it may say something about the network. */
  readonly onAway: (reason: string) => void;
  readonly clockToleranceSeconds: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Nothing is requested from an issuer that nobody trusts. */
export type CheckToken = (
  token: string,
  isTrusted: (issuer: string) => Promise<boolean>,
) => Promise<Outcome<CheckedToken>>;

/** Asymmetric ones only: a key that everybody can read proves nothing as a shared secret. */
export const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** A withdrawn key is refused after this time. */
const keptMs = 5 * 60 * 1000;
/** A token with an unknown key makes us read the keys again, but not more often than this. */
const askAgainMs = 1_000;

/** A token that is older was stored, not just issued. */
const maxAgeSeconds = 24 * 60 * 60;

/** One more than any registry needs; then all are read again. */
const maxIssuers = 1_000;

class IssuerAway extends Error {
  override name = 'IssuerAway';
}

export function openTokenCheck(deps: CheckTokenDeps): CheckToken {
  const { get, onAway, clockToleranceSeconds, clock } = deps;
  // Loaded with the first token, because most processes never see one.
  const library = lazily(() => import('jose'));
  const kept = new Map<string, { readonly at: number; readonly keys: ReturnType<typeof open> }>();
  const open = async (issuer: string) => {
    const { createRemoteJWKSet, customFetch } = await library();
    const url = await findKeysUrl(get, issuer);
    return createRemoteJWKSet(url, {
      cacheMaxAge: keptMs,
      cooldownDuration: askAgainMs,
      [customFetch]: (address: string) => get(address),
    });
  };
  const keysOf = (issuer: string) => {
    const before = kept.get(issuer);
    if (before !== undefined && performance.now() - before.at < keptMs) return before.keys;
    if (kept.size >= maxIssuers) kept.clear();
    const asked = { at: performance.now(), keys: open(issuer) };
    kept.set(issuer, asked);
    asked.keys.catch(() => {
      if (kept.get(issuer) === asked) kept.delete(issuer);
    });
    return asked.keys;
  };
  return async (token, isTrusted) => {
    const { decodeJwt, jwtVerify, errors } = await library();
    try {
      const { iss } = decodeJwt(token);
      if (typeof iss !== 'string' || !(await isTrusted(iss))) {
        return refused('No trust names its issuer');
      }
      const keys = await keysOf(iss).catch(toAway);
      const { payload } = await jwtVerify(
        token,
        (header, jws) =>
          keys(header, jws).catch((error: unknown) => {
            const isOfToken =
              error instanceof errors.JWKSNoMatchingKey ||
              error instanceof errors.JWKSMultipleMatchingKeys ||
              error instanceof errors.JOSENotSupported;
            return isOfToken ? Promise.reject(error) : toAway(error);
          }),
        {
          algorithms,
          issuer: iss,
          requiredClaims: ['exp', 'iat', 'aud'],
          maxTokenAge: maxAgeSeconds,
          clockTolerance: clockToleranceSeconds,
          currentDate: new Date(clock()),
        },
      );
      const { aud, exp = 0, iat = 0 } = payload;
      const endsAtSeconds = Math.min(exp, iat + maxAgeSeconds) + clockToleranceSeconds;
      return accept({
        issuer: iss,
        // It is what the issuer wrote, also null.
        audiences: [aud].flat().filter((one) => typeof one === 'string'),
        // The library parsed it from JSON.
        claims: payload as JsonObject,
        digest: hash('sha256', token.slice(0, token.lastIndexOf('.')), 'buffer'),
        endsAt: new Date(Math.ceil(endsAtSeconds) * 1000).toISOString(),
      });
    } catch (error) {
      if (error instanceof IssuerAway) {
        onAway(error.message);
        return refuse(
          'ISSUER_UNAVAILABLE',
          'The issuer of the token cannot be reached, or does not publish its keys as OpenID Connect Discovery says. Try again; the log of the registry says more.',
        );
      }
      if (error instanceof errors.JOSEError) return refused(error.message);
      throw error;
    }
  };
}

function refused(reason: string): Outcome<never> {
  return refuse('UNAUTHENTICATED', `The token is not accepted: ${reason}.`);
}

function toAway(cause: unknown): never {
  if (cause instanceof IssuerAway) throw cause;
  throw new IssuerAway(cause instanceof Error ? cause.message : String(cause));
}

/** As OpenID Connect Discovery says, which GitHub, GitLab and Kubernetes follow. */
async function findKeysUrl(get: CheckTokenDeps['get'], issuer: string): Promise<URL> {
  const response = await get(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (response.status !== 200) throw new IssuerAway(`It answered ${response.status}.`);
  const metadata: unknown = await response.json();
  const { issuer: named, jwks_uri } = Object(metadata);
  if (named !== issuer) throw new IssuerAway('Its metadata names another issuer.');
  const url = typeof jwks_uri === 'string' ? URL.parse(jwks_uri) : null;
  // Without TLS, anybody on the way could answer in place of the issuer.
  const isPrivate = url?.protocol === 'https:' || issuer.startsWith('http:');
  if (url === null || !isPrivate) throw new IssuerAway('Its metadata names no jwks_uri by https.');
  return url;
}

function lazily<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}
