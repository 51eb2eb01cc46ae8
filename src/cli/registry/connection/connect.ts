// Connects a command to a registry, through wire's client. Failures end the command with the right
// exit code and one sentence.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Client, createClient, type Refusal } from '../../../wire/client.ts';
import type { CommandLineIo } from '../../command-line.ts';
import { CommandFailure, type ExitCode, exitCode } from '../../exit-code.ts';
import type { RegistryOptions } from '../../options.ts';
import { useProxyOf } from '../../use-proxy.ts';
import { checkAnswers } from './check-answers.ts';
import { readConnection } from './connection.ts';
import { fetchAsJob } from './job-token.ts';

export interface Registry {
  readonly client: Client;
  /** Without a trailing slash. */
  readonly url: string;
}

export function connect(options: RegistryOptions, io: CommandLineIo): Registry {
  const { url, credential } = readConnection(options, io.env);
  useProxyOf(io.env);
  const timeoutMs = options.timeout * 1000;
  const reach = reachingFetch(url, timeoutMs);
  const sent =
    typeof credential === 'string'
      ? { fetch: reach, key: credential }
      : {
          fetch: fetchAsJob({
            ...{ url, identity: credential, fetch: reach, timeoutMs },
            // No hint about API keys: this caller has a token and no key.
            mustAnswer: (result) => mustAnswer(result, {}),
          }),
        };
  return { client: checkAnswers(createClient({ baseUrl: url, ...sent })), url };
}

const pack = promisify(gzip);

/**
 * Longer bodies are compressed, because manifests shrink to a tenth. Only imports accept compressed
 * bodies.
 */
const packFromLength = 64 * 1024;

function reachingFetch(url: string, timeoutMs: number): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const { body, headers } = init;
    const isPacked =
      typeof body === 'string' && body.length > packFromLength && String(input).includes('/sync/');
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    try {
      const response = await globalThis.fetch(input, {
        ...init,
        signal,
        ...(isPacked
          ? {
              body: await pack(body, { level: 1 }),
              headers: { ...Object.fromEntries(new Headers(headers)), 'content-encoding': 'gzip' },
            }
          : {}),
      });
      // A response that is cut off has not arrived either.
      const text = await response.text();
      const { status, headers: told } = response;
      const isEmpty = text === '' || status === 204 || status === 304;
      return new Response(isEmpty ? null : text, { status, headers: told });
    } catch (error) {
      const reason = timeout.aborted
        ? `no answer within ${timeoutMs / 1000} seconds (see --timeout)`
        : reasonOf(error);
      throw new CommandFailure(
        exitCode.registryNotReachable,
        `The registry at ${url} cannot be reached: ${reason}.`,
      );
    }
  };
}

/** The actual reason is at the end of the chain of causes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error.message.replace(/\.$/, '');
}

type Result =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly status: number; readonly refusal: Refusal };

/** Returns a successful response, or ends the command. */
export function mustAnswer<R extends Result>(
  result: R,
  hints = hintsByCode,
): Extract<R, { ok: true }>['body'] {
  if (result.ok) return result.body;
  throw refused(result.status, result.refusal, hints[result.refusal.code]);
}

function refused(status: number, refusal: Refusal, hint = ''): CommandFailure {
  const code = codeOf(status, refusal.code);
  return new CommandFailure(code, `${messageOf(refusal)}${hint} [${refusal.code}]`);
}

/** The message of the registry in the words of the command line; all problems where it found several. */
function messageOf({ message, field, errors }: Refusal): string {
  const problems = Array.isArray(errors) ? errors.filter(isProblem) : [];
  if (problems.length > 1) {
    return problems.map((each) => sentence(`${nameOf(each.field)} ${each.message}`)).join(' ');
  }
  const told = inFlags(message);
  if (told !== message || field === undefined) return told;
  const named = nameOf(field);
  if (named === field) return message.includes(field) ? message : `${message} (${field})`;
  // A field that is a usual word, too, is only one where it is quoted or stands for a place.
  const word = field.includes('_') ? `\\b${field}\\b` : `(?<=\\bin )${field}\\b(?! \\d)`;
  const renamed = message.replace(new RegExp(`"${field}"|${word}`), named);
  if (renamed !== message) return sentence(renamed);
  return named.startsWith('--') ? `${message} (${named})` : message;
}

/** @example inFlags('To replace it, send "supersede": true.') // 'To replace it, use --supersede.' */
function inFlags(message: string): string {
  return message.replace(
    /send "(\w+)": true|with (\w+)=true/g,
    (whole, inBody: string | undefined, inQuery: string) => {
      const field = inBody ?? inQuery;
      const named = nameOf(field);
      if (named === field) return whole;
      return `${inBody === undefined ? 'with' : 'use'} ${named}`;
    },
  );
}

function isProblem(value: unknown): value is { field: string; message: string } {
  const { field, message } = Object(value);
  return typeof field === 'string' && typeof message === 'string';
}

function nameOf(field: string): string {
  return options[field] ?? field;
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return whole.endsWith('.') ? whole : `${whole}.`;
}

/** Fields of the API that are an option or an argument; the others stand in the file that was sent. */
const options: Readonly<Record<string, string>> = {
  team_id: '--team',
  consumer_team_id: '--team',
  owner_team_id: '--owner',
  reassign_to: '--reassign-to',
  allow_self: '--own',
  allow_unmet: '--allow-unmet',
  supersede: '--supersede',
  force: '--force',
  override: '--override',
  'request.reason': '--reason',
  'request.contact': '--contact',
  'request.answer_by': '--answer-by',
  'request.migration': '--migration',
  'request.migrate_by': '--migrate-by',
  reason: '--reason',
  notes: '--notes',
  until: '--until',
  round: '--round',
  slug: '--slug',
  scopes: '--scopes',
  expires_at: '--expires',
  page_size: '--limit',
  status: '--status',
  compatibility_mode: '--mode',
  version: '--contract-version',
  commit: '--commit',
  environment: '--environment',
  fqn: 'the FQN',
  q: 'the search text',
  name: 'the name',
};

/** Exit codes for error codes that are more specific than the status. */
const codes: Readonly<Record<string, ExitCode>> = {
  BREAKING_CHANGE: exitCode.breaking,
  INVALID_JSON: exitCode.unreadableInput,
  PAYLOAD_TOO_LARGE: exitCode.unreadableInput,
  REQUEST_TIMEOUT: exitCode.registryNotReachable,
  RATE_LIMITED: exitCode.registryNotReachable,
  NOT_A_REGISTRY: exitCode.registryNotReachable,
};

/**
 * A request that cannot be accepted is an input failure. An object that does not exist, is not
 * allowed or conflicts is a usage failure. A failure of the registry counts as unreachable.
 */
function codeOf(status: number, code: string): ExitCode {
  const known = codes[code];
  if (known !== undefined) return known;
  if (status === 422) return exitCode.unreadableInput;
  return status >= 500 ? exitCode.registryNotReachable : exitCode.wrongUsage;
}

const hintsByCode: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: ' Check CONCORDAT_KEY (or --key).',
  PROPOSAL_NOT_FOUND: ' To list them: concordat proposal list.',
  PROPOSAL_NOT_READY: ' To see who has not: concordat proposal show.',
  ROUTE_NOT_FOUND: ' Check CONCORDAT_URL (or --registry).',
};
