// A job of a CI system or a pod without a key: its own token is exchanged for one, which lasts for
// minutes. docs/decisions/trusts.md says why.

import { readFile } from 'node:fs/promises';
import { type Client, createClient } from '../../../wire/client.ts';
import { CommandFailure, exitCode, wrongUsage } from '../../exit-code.ts';
import type { JobIdentity } from './connection.ts';

interface ExchangeDeps {
  /** The address of the registry. */
  readonly url: string;
  readonly identity: JobIdentity;
  /** Reaches the registry, and ends the command if it cannot. */
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  readonly mustAnswer: (result: Awaited<ReturnType<Client['exchangeToken']>>) => {
    readonly key?: string | undefined;
    readonly created_at: string;
    readonly expires_at: string | null;
  };
}

/** The key is exchanged again a minute before it ends: a check of a large table takes longer. */
const earlierMs = 60_000;

/** Sends every request with a key that was exchanged for the token of the job. */
export function fetchAsJob(deps: ExchangeDeps): typeof globalThis.fetch {
  const { url: baseUrl, fetch } = deps;
  const client = createClient({ baseUrl, fetch });
  let kept: { readonly key: Promise<string>; readonly untilMs: () => number } | null = null;
  const exchange = () => {
    let untilMs = Number.POSITIVE_INFINITY;
    const ask = async () => {
      const token = await findToken(deps);
      const body = { token, ...(deps.identity.trustId && { trust_id: deps.identity.trustId }) };
      const begunAt = performance.now();
      const made = deps.mustAnswer(await client.exchangeToken({ body }));
      // By the clock of the registry alone, which may differ from this one.
      const lastsMs = Date.parse(made.expires_at ?? '') - Date.parse(made.created_at);
      untilMs = begunAt + lastsMs - earlierMs;
      return made.key ?? '';
    };
    return { key: ask(), untilMs: () => untilMs };
  };
  return async (input, init = {}) => {
    if (kept === null || performance.now() >= kept.untilMs()) kept = exchange();
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${await kept.key}`);
    return fetch(input, { ...init, headers: Object.fromEntries(headers) });
  };
}

async function findToken({ identity, url, timeoutMs }: ExchangeDeps): Promise<string> {
  switch (identity.kind) {
    case 'token':
      return identity.token.trim();
    case 'file':
      return (
        await readFile(identity.path, 'utf8').catch((error: Error) => {
          throw wrongUsage(`CONCORDAT_ID_TOKEN_FILE cannot be read: ${error.message}.`);
        })
      ).trim();
    case 'github':
      return askGitHub(identity, identity.audience ?? url, timeoutMs);
    default:
      return identity satisfies never;
  }
}

async function askGitHub(
  { requestUrl, requestToken }: Extract<JobIdentity, { readonly kind: 'github' }>,
  audience: string,
  timeoutMs: number,
): Promise<string> {
  const failed = (reason: string) =>
    new CommandFailure(
      exitCode.registryNotReachable,
      `GitHub gave no token for this job: ${reason}. Try again.`,
    );
  const url = URL.parse(requestUrl);
  if (url === null) throw wrongUsage('ACTIONS_ID_TOKEN_REQUEST_URL is not an address.');
  url.searchParams.set('audience', audience);
  const response = await globalThis
    .fetch(url, {
      headers: { authorization: `Bearer ${requestToken}`, accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    .catch((error: Error) => {
      throw failed(error.message.replace(/\.$/, ''));
    });
  if (!response.ok) throw failed(`it answered ${response.status}`);
  const answer: unknown = await response.json().catch(() => null);
  const { value } = Object(answer);
  if (typeof value !== 'string') throw failed('its answer has no token');
  return value;
}
