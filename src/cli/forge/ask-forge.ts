// Sends one request to a forge, and says whether its failure is worth another try.

import { printable } from '../output.ts';
import type { Conversation } from './forge.ts';

/** The forge refused the request or could not be reached. */
export class ForgeFailure extends Error {
  /** The time until another try may help; null if none will. */
  readonly retryMs: number | null;
  readonly status: number | null;

  constructor(reason: string, how: { readonly retryMs: number | null; readonly status?: number }) {
    super(reason);
    this.retryMs = how.retryMs;
    this.status = how.status ?? null;
  }
}

interface Sent {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly body?: { readonly body: string };
}

interface ForgeAnswer {
  readonly value: unknown;
  readonly hasNextPage: boolean;
}

export async function askForge(
  { forge, headers, token }: Conversation,
  url: string,
  { method = 'GET', body }: Sent,
  timeoutMs: number,
): Promise<ForgeAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const reach = async () => {
    const response = await globalThis.fetch(url, {
      method,
      redirect: 'error',
      signal: timeout,
      headers: {
        'user-agent': 'concordat',
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { response, text: await response.text() };
  };
  const { response, text } = await reach().catch((error: Error) => {
    const reason = timeout.aborted
      ? `it did not answer within ${timeoutMs / 1000} seconds`
      : `it cannot be reached (${reasonOf(error)})`;
    throw new ForgeFailure(`${forge}: ${reason}`, { retryMs: 0 });
  });
  const value = parsed(text);
  if (response.ok && (value !== undefined || response.status === 204)) {
    return { value, hasNextPage: /;\s*rel="?next"?/.test(response.headers.get('link') ?? '') };
  }
  const { status } = response;
  if (response.ok) throw new ForgeFailure(`${forge}: its answer is no JSON`, { retryMs: 0 });
  // The message of a forge may repeat the token.
  const said = printable(messageOf(value).replaceAll(token, '***').slice(0, maxMessageLength));
  const reason = `${forge} answered ${status}${said === '' ? '' : ` (${said})`}`;
  throw new ForgeFailure(reason, { status, retryMs: retryOf(status, response.headers) });
}

const maxMessageLength = 200;

function reasonOf(error: Error): string {
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message.replace(/\.$/, '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(value: unknown): string {
  const { message } = Object(value);
  if (message === undefined) return '';
  return typeof message === 'string' ? message : JSON.stringify(message);
}

/** GitHub also answers 403 to too many requests, with the time to wait. */
function retryOf(status: number, headers: Headers): number | null {
  const asked = headers.get('retry-after');
  const isLater = status === 429 || status >= 500 || (status === 403 && asked !== null);
  if (!isLater) return null;
  if (asked === null) return 0;
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
