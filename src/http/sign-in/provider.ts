// One provider of OpenID Connect: the code flow with PKCE, by the library `openid-client`. What is
// checked, and by whom: docs/decisions/sign-in-with-oidc.md.

import * as oidc from 'openid-client';
import type { ProviderClaims } from '../../core/decide/people/sign-in.ts';
import { problemOfText } from '../../core/value/storable.ts';
import { email as emailShape } from '../../wire/shapes/user.ts';
import { algorithms } from './check-token.ts';
import { AnswerTooLarge, limitedFetch } from './limited-fetch.ts';
import { SignInFailure } from './sign-in-failure.ts';

export interface ProviderOptions {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
  /** The claim with what the provider calls a person by SCIM. */
  readonly externalIdClaim: string;
  readonly timeoutSeconds: number;
  readonly clockToleranceSeconds: number;
}

/** What the browser keeps until it comes back from the provider. */
export interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What a provider says of somebody who signed out there. */
export interface ProviderLogout {
  readonly issuer: string;
  /** One of the two is never null. */
  readonly subject: string | null;
  readonly session: string | null;
  /** Milliseconds since 1970. Sessions that began later go on. */
  readonly untilMs: number;
}

interface Provider {
  /** The page of the provider that the browser goes to. */
  readonly begin: (redirectUri: string) => Promise<{ readonly url: URL; readonly begun: Begun }>;
  /** `callback` is the address with which the browser came back. */
  readonly finish: (callback: URL, begun: Begun) => Promise<ProviderClaims>;
  /** @param nowMs milliseconds since 1970 */
  readonly readLogout: (token: string, nowMs: number) => Promise<ProviderLogout>;
  /** Where the browser ends the session of the provider; null if the provider has no such page. */
  readonly endSession: (returnTo: string) => Promise<URL | null>;
}

/** A provider that moves its endpoints is followed after this time. */
const metadataKeptMs = 5 * 60 * 1000;

export function openProvider(options: ProviderOptions): Provider {
  const { clientId, clientSecret, issuer, timeoutSeconds } = options;
  const client = {
    ...(clientSecret !== null && { client_secret: clientSecret }),
    [oidc.clockTolerance]: options.clockToleranceSeconds,
  };
  const isPlain = issuer.startsWith('http:');
  let kept: { readonly at: number; readonly metadata: Promise<oidc.ServerMetadata> } | null = null;

  const discover = async (): Promise<oidc.ServerMetadata> => {
    const found = await oidc.discovery(new URL(issuer), clientId, client, undefined, {
      timeout: timeoutSeconds,
      [oidc.customFetch]: fetchFromProvider,
      execute: isPlain ? [oidc.allowInsecureRequests] : [],
    });
    const metadata = found.serverMetadata();
    // The library lets some providers name a pattern of issuers, which would admit every customer.
    if (new URL(metadata.issuer).href !== new URL(issuer).href) {
      throw new SignInFailure('answer_invalid', `The provider is the issuer ${metadata.issuer}.`);
    }
    return metadata;
  };
  const findMetadata = (): Promise<oidc.ServerMetadata> => {
    if (kept !== null && performance.now() - kept.at < metadataKeptMs) return kept.metadata;
    const asked = { at: performance.now(), metadata: discover() };
    kept = asked;
    asked.metadata.catch(() => {
      if (kept === asked) kept = null;
    });
    return asked.metadata;
  };
  // New each time, so that the keys of the provider are read anew for each sign-in: a key that was
  // rotated a moment ago is known, and one that was withdrawn is not.
  const configure = async (): Promise<oidc.Configuration> => {
    const metadata = await findMetadata();
    const configuration = new oidc.Configuration(
      metadata,
      clientId,
      client,
      authenticationAt(metadata, clientSecret),
    );
    configuration[oidc.customFetch] = fetchFromProvider;
    configuration.timeout = timeoutSeconds;
    // Verifies the signature too, and not only the connection that the token came by.
    oidc.enableNonRepudiationChecks(configuration);
    if (isPlain) oidc.allowInsecureRequests(configuration);
    return configuration;
  };
  return {
    begin: (redirectUri) =>
      toFailure(async () => {
        const begun = {
          state: oidc.randomState(),
          nonce: oidc.randomNonce(),
          verifier: oidc.randomPKCECodeVerifier(),
        };
        const url = oidc.buildAuthorizationUrl(await configure(), {
          redirect_uri: redirectUri,
          scope: options.scopes.join(' '),
          state: begun.state,
          nonce: begun.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(begun.verifier),
          code_challenge_method: 'S256',
        });
        return { url, begun };
      }),
    finish: (callback, begun) =>
      toFailure(async () => {
        const configuration = await configure();
        const tokens = await oidc.authorizationCodeGrant(configuration, callback, {
          expectedState: begun.state,
          expectedNonce: begun.nonce,
          pkceCodeVerifier: begun.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined)
          throw new SignInFailure('answer_invalid', 'There is no ID token.');
        const isComplete = 'email' in claims && options.groupsClaim in claims;
        const canAsk = configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more =
          isComplete || !canAsk
            ? {}
            : await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
        return readClaims(claims, more, options);
      }),
    readLogout: (token, nowMs) =>
      toFailure(async () => {
        const metadata = await findMetadata();
        return readLogout(metadata, options, { token, nowMs });
      }),
    endSession: (returnTo) =>
      toFailure(async () => {
        const configuration = await configure();
        if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
        return oidc.buildEndSessionUrl(configuration, {
          client_id: clientId,
          post_logout_redirect_uri: returnTo,
        });
      }),
  };
}

/** A provider that does not say what it accepts accepts the header, by the standard. */
function authenticationAt(
  { token_endpoint_auth_methods_supported: accepted }: oidc.ServerMetadata,
  secret: string | null,
): oidc.ClientAuth {
  if (secret === null) return oidc.None();
  return accepted === undefined || accepted.includes('client_secret_basic')
    ? oidc.ClientSecretBasic(secret)
    : oidc.ClientSecretPost(secret);
}

/** A token that is older was stored, not just issued. */
const logoutMaxSeconds = 10 * 60;

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** As OpenID Connect Back-Channel Logout 1.0 says in its section 2.6. */
async function readLogout(
  { issuer, jwks_uri: keys }: oidc.ServerMetadata,
  { clientId, clockToleranceSeconds, timeoutSeconds }: ProviderOptions,
  { token, nowMs }: { readonly token: string; readonly nowMs: number },
): Promise<ProviderLogout> {
  const { createRemoteJWKSet, customFetch, jwtVerify } = await import('jose');
  if (keys === undefined) {
    throw new SignInFailure('answer_invalid', 'The provider publishes no keys.');
  }
  const { payload } = await jwtVerify(
    token,
    createRemoteJWKSet(new URL(keys), {
      timeoutDuration: timeoutSeconds * 1000,
      [customFetch]: fetchKeys,
    }),
    {
      ...{ algorithms, issuer, audience: clientId, requiredClaims: ['iat', 'jti', 'events'] },
      ...{ maxTokenAge: logoutMaxSeconds, clockTolerance: clockToleranceSeconds },
      currentDate: new Date(nowMs),
    },
  );
  const { sub, sid, events, iat = 0 } = payload;
  // An ID token has a nonce and no event, so that it ends nothing.
  if (Object(Object(events)[logoutEvent]) !== Object(events)[logoutEvent] || 'nonce' in payload) {
    throw new SignInFailure('answer_invalid', 'It is no logout token.');
  }
  const [subject, session] = [sub, sid].map(keepable);
  if (subject == null && session == null) {
    throw new SignInFailure('answer_invalid', 'It names neither a subject nor a session.');
  }
  const untilMs = (iat + clockToleranceSeconds) * 1000;
  return { issuer, subject: subject ?? null, session: session ?? null, untilMs };
}

async function fetchKeys(url: string, options: RequestInit): Promise<Response> {
  const response = await limitedFetch(url, options);
  if (response.status < 500) return response;
  throw new Error(`The provider answered ${response.status}.`, { cause: response });
}

function keepable(claim: unknown): string | null {
  return typeof claim === 'string' && isKeepable(claim) ? claim : null;
}

const fetchFromProvider: oidc.CustomFetch = (url, { body, method, headers, signal }) =>
  limitedFetch(url, {
    ...{ method, headers },
    ...(body != null && { body }),
    ...(signal !== undefined && { signal }),
  });

/** As OpenID Connect limits it. */
const subjectLimit = 255;
const nameLimit = 200;

type Claims = Readonly<Record<string, unknown>>;

/** The user info adds what the ID token does not say. */
function readClaims(
  token: Claims,
  userInfo: Claims,
  { groupsClaim, externalIdClaim }: ProviderOptions,
): ProviderClaims {
  const claims: Claims = { ...userInfo, ...token };
  const { iss, sub, email, name, _claim_names } = claims;
  if (typeof iss !== 'string' || typeof sub !== 'string' || !isKeepable(sub)) {
    throw new SignInFailure('answer_invalid', 'The subject is missing, too long or not text.');
  }
  // A provider says so if somebody is in too many groups for a token. They would be lost.
  if (typeof _claim_names === 'object' && _claim_names !== null && groupsClaim in _claim_names) {
    throw new SignInFailure(
      'answer_invalid',
      `The provider left ${groupsClaim} out of the token because there are too many. Let it send only the groups that are assigned to this application.`,
    );
  }
  const externalId = claims[externalIdClaim];
  const shownName = typeof name === 'string' ? name.trim().slice(0, nameLimit) : '';
  return {
    identity: { issuer: iss, subject: sub },
    email: emailShape.safeParse(email).data ?? null,
    isEmailVerified: isVerified(email, [token, userInfo]),
    name: shownName !== '' && isStorable(shownName) ? shownName : null,
    groups: readGroups(claims[groupsClaim], groupsClaim),
    externalId: keepable(externalId),
    // Of the ID token alone: what else is answered belongs to no session.
    session: keepable(token.sid),
  };
}

/**
 * Each answer speaks only of the address that it names. Some providers write the boolean as text;
 * anything else means no. Null if none says it.
 */
function isVerified(email: unknown, answers: readonly Claims[]): boolean | null {
  const said = answers
    .filter((answer) => answer.email === email)
    .map(({ email_verified }) => email_verified)
    .find((one) => one !== undefined && one !== null);
  return said === undefined ? null : said === true || said === 'true';
}

function isStorable(text: string): boolean {
  return problemOfText(text, []) === null;
}

function isKeepable(subject: string): boolean {
  return subject !== '' && subject.length <= subjectLimit && isStorable(subject);
}

/** No claim means no group. */
function readGroups(claim: unknown, name: string): readonly string[] {
  if (claim === undefined || claim === null) return [];
  if (typeof claim === 'string') return [claim];
  if (Array.isArray(claim)) return claim.filter((group) => typeof group === 'string');
  throw new SignInFailure('answer_invalid', `The claim ${name} is neither text nor a list.`);
}

async function toFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error);
  }
}

function failureOf(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error;
  if (error instanceof oidc.AuthorizationResponseError) {
    return new SignInFailure('provider_refused', `The provider answered ${error.error}.`, error);
  }
  const reason = reasonOf(error);
  if (isAway(error)) return new SignInFailure('provider_unavailable', reason, error);
  return new SignInFailure('answer_invalid', reason, error);
}

/** The innermost message says the most; none of them contains a token. */
function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) messages.push(cause.message);
  return messages.join(': ');
}

const timeouts: readonly unknown[] = ['OAUTH_TIMEOUT', 'ERR_JWKS_TIMEOUT'];

function isAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AnswerTooLarge) return false;
    // As fetch says it before the answer, and in the middle of it.
    if (cause instanceof TypeError && /^(?:fetch failed|terminated)$/.test(cause.message))
      return true;
    if (['TimeoutError', 'AbortError'].includes(cause.name)) return true;
    if ('code' in cause && timeouts.includes(cause.code)) return true;
    if (cause.cause instanceof Response) return cause.cause.status >= 500;
  }
  return false;
}
