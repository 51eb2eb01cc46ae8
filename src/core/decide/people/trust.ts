// Trusts: what a token must say, and the key that it is exchanged for.

import { accept, type Outcome, refuse } from '../../failure.ts';
import type { TeamId, TrustId } from '../../id.ts';
import type { ApiKey, CheckedToken, Trust } from '../../team.ts';
import type { Json, JsonObject } from '../../value/json.ts';
import type { Deleted } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { apiKeyEvent, trustEvent } from '../events.ts';
import { notFound, preconditionFailed } from '../not-found.ts';
import type { Write } from '../write.ts';
import type { CreateTrust, DeleteTrust, ExchangeToken } from './commands.ts';

/**
 * Issuers whose tokens anybody can get, for their own repositories: one of these claims must name
 * whose.
 */
const publicIssuers: Readonly<Record<string, readonly string[]>> = {
  'https://token.actions.githubusercontent.com': [
    ...['sub', 'repository', 'repository_id', 'repository_owner', 'repository_owner_id'],
  ],
  'https://gitlab.com': [
    ...['sub', 'project_path', 'project_id', 'namespace_path', 'namespace_id'],
  ],
};

export function decideTrust(
  { heldTeams }: { readonly heldTeams: readonly TeamId[] },
  command: CreateTrust,
  { newId, at }: By,
): Outcome<Decided<Trust>> {
  const problem = findClaimsProblem(command);
  if (problem !== null) return refuse('VALIDATION_ERROR', problem, { field: 'claims' });
  const { teamId } = command;
  if (!heldTeams.includes(teamId)) return notFound('TEAM', teamId, 'team_id');
  const trust = { ...command, scopes: [...new Set(command.scopes)], id: newId(), createdAt: at };
  const events = [trustEvent('trust.created', trust)] as const;
  return accept({ writes: [{ kind: 'insert_trust', trust, events }], answer: trust });
}

function findClaimsProblem({ issuer, claims }: CreateTrust): string | null {
  const open = Object.entries(claims).find(([, pattern]) => !isBounded(pattern));
  if (open !== undefined) {
    return `${open[0]} is "${open[1]}". A * may only stand at the end, after a / or a : that ends a name, as in repo:acme/*.`;
  }
  const naming = publicIssuers[issuer.replace(/\/$/, '')];
  const names = naming?.some((name) => Object.hasOwn(claims, name) && isOwn(claims[name] ?? ''));
  if (naming === undefined || names === true) return null;
  return `Anybody can get a token of ${issuer}. Name whose you trust, with its owner, in one of: ${naming.join(', ')}.`;
}

/** So that `repo:acme/*` is possible, and `repo:acme*`, which is also that of acme-evil, is not. */
function isBounded(pattern: string): boolean {
  const star = pattern.indexOf('*');
  return star === -1 || (star === pattern.length - 1 && /[^/:][/:]\*$/.test(pattern));
}

/** Whether a pattern names an owner: `repo:*` does not. */
function isOwn(pattern: string): boolean {
  return !pattern.endsWith('*') || pattern.slice(0, -1).includes('/');
}

export function decideTrustDeletion(
  trust: Trust,
  { precondition }: DeleteTrust,
): Outcome<Decided<Deleted>> {
  if (precondition?.(trust) === false) return preconditionFailed();
  return accept({ writes: [deletionOfTrust(trust)], answer: { deleted: true } });
}

/** Its keys end with it, because each use looks for the trust. */
export function deletionOfTrust(trust: Trust): Write {
  const events = [trustEvent('trust.deleted', trust)] as const;
  return { kind: 'delete_trust', id: trust.id, events };
}

/** The names of trusts in a refusal. */
const listLimit = 20;

/** The trust that a token is exchanged by. The refusals tell only what the token itself says. */
export function chooseTrust(
  trusts: readonly Trust[],
  { issuer, audiences, claims }: CheckedToken,
  asked: TrustId | undefined,
): Outcome<Trust> {
  const forAudience = trusts.filter(({ audience }) => audiences.includes(audience));
  if (forAudience.length === 0) {
    return noTrust(
      `No trust accepts the audience ${audiences.join(', ').slice(0, valueLimit)} of ${issuer}. Request the token for the audience of the trust.`,
    );
  }
  const matching = forAudience.filter((trust) => doesMatch(trust, claims));
  const [chosen, second] = matching.filter(({ id }) => asked === undefined || id === asked);
  if (chosen === undefined) {
    return noTrust(
      `No trust of ${issuer} accepts the claims of this token: its sub is ${subjectOf(claims) ?? 'missing'}. An administrator can compare them with the trust.`,
    );
  }
  if (second === undefined) return accept(chosen);
  const names = matching.slice(0, listLimit).map(({ id, name }) => `${name} (${id})`);
  return refuse(
    'VALIDATION_ERROR',
    `Several trusts accept this token. Choose one with trust_id: ${names.join(', ')}.`,
    { field: 'trust_id' },
  );
}

/** @example doesMatch(trust, { repository: 'acme/shop' }) // true, for { repository: 'acme/*' } */
function doesMatch({ claims }: Pick<Trust, 'claims'>, token: JsonObject): boolean {
  return Object.entries(claims).every(([name, pattern]) => {
    const said = Object.hasOwn(token, name) ? textOf(token[name]) : null;
    if (said === null) return false;
    return pattern.endsWith('*') ? said.startsWith(pattern.slice(0, -1)) : said === pattern;
  });
}

/** The text of a claim that is compared. Null for lists and objects, which never match. */
function textOf(claim: Json | undefined): string | null {
  if (typeof claim === 'string') return claim;
  return typeof claim === 'number' || typeof claim === 'boolean' ? String(claim) : null;
}

function noTrust(message: string): Outcome<never> {
  return refuse('UNAUTHENTICATED', message);
}

/** Long enough for one command, which exchanges again for the next one. */
const keyLifetimeMs = 15 * 60 * 1000;

/** Five and a half a second for the lifetime of a key. */
const liveKeysLimit = 5_000;

interface ExchangeFacts {
  /** As it is under its lock. */
  readonly trust: Trust;
  readonly isUsed: boolean;
  /** The keys of the trust that have not expired. */
  readonly liveKeys: number;
}

export function decideExchange(
  { trust, isUsed, liveKeys }: ExchangeFacts,
  { token, secret }: ExchangeToken,
  { actor, at }: By,
): Outcome<Decided<ApiKey>> {
  if (isUsed && !trust.reusable) {
    return noTrust(
      'This token was exchanged before. Request another one, or make the trust reusable if the issuer gives one token for a whole job.',
    );
  }
  if (liveKeys >= liveKeysLimit) {
    return refuse(
      'RATE_LIMITED',
      `${trust.name} has ${liveKeysLimit} keys that have not expired. Each lasts 15 minutes; try again later.`,
    );
  }
  const apiKey: ApiKey = {
    id: actor.id,
    name: actor.name,
    teamId: trust.teamId,
    userId: null,
    trustId: trust.id,
    scopes: trust.scopes,
    teamIds: [trust.teamId],
    allTeams: false,
    prefix: secret.prefix,
    createdAt: at,
    expiresAt: new Date(Date.parse(at) + keyLifetimeMs).toISOString(),
    lastUsedAt: null,
    revokedAt: null,
  };
  const { issuer, claims, digest, endsAt } = token;
  const told = { trust_name: trust.name, issuer, claims: claimsOnRecord(trust, claims) };
  const events = [apiKeyEvent('api_key.created', apiKey, told)] as const;
  return accept({
    writes: [
      {
        kind: 'insert_api_key',
        apiKey,
        digest: secret.digest,
        ...(!isUsed && { usedToken: { digest, endsAt } }),
        events,
      },
    ],
    answer: apiKey,
  });
}

const nameLimit = 200;

/** What the key is called: who the token is about. */
export function nameOfKey({ issuer, claims }: CheckedToken): string {
  return storable(subjectOf(claims) ?? issuer, nameLimit);
}

/** Claims that lead to the job, beside those that the trust compares. */
const claimsOfJob = [
  ...['sub', 'jti', 'repository', 'ref', 'sha', 'workflow_ref', 'run_id', 'run_attempt', 'actor'],
  ...['project_path', 'pipeline_id', 'pipeline_source', 'job_id', 'user_login', 'environment'],
];

const valueLimit = 500;

function claimsOnRecord(trust: Trust, claims: JsonObject): JsonObject {
  const names = new Set([...Object.keys(trust.claims), ...claimsOfJob]);
  const said = [...names].flatMap((name) => {
    const text = Object.hasOwn(claims, name) ? textOf(claims[name]) : null;
    return text === null ? [] : [[name, storable(text)] as const];
  });
  return Object.fromEntries(said);
}

function subjectOf({ sub }: JsonObject): string | null {
  const text = textOf(sub);
  return text === null || text === '' ? null : storable(text);
}

/** A database keeps neither NUL nor half of a surrogate pair. */
function storable(text: string, limit = valueLimit): string {
  return text.slice(0, limit).replaceAll('\0', '').toWellFormed();
}
