// Which registry a command speaks to, and with which key. It loads nothing, so it can be asked first.

import type { Environment } from '../../command-line.ts';
import { wrongUsage } from '../../exit-code.ts';
import type { RegistryOptions } from '../../options.ts';

interface Connection {
  /** Without a trailing slash. */
  readonly url: string;
  /** A key, or the identity of a job whose token is exchanged for one. */
  readonly credential: string | JobIdentity;
}

/** What says which job or pod this is. */
export type JobIdentity = { readonly trustId: string | undefined } & (
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'github';
      readonly requestUrl: string;
      readonly requestToken: string;
      /** Absent for the address of the registry. */
      readonly audience: string | undefined;
    }
);

/** Ends the command if one of them is missing or wrong. */
export function readConnection(options: RegistryOptions, env: Environment): Connection {
  const credential = options.key ?? (env.CONCORDAT_KEY || findIdentity(env));
  if (credential === undefined) {
    const isGitHub = env.GITHUB_ACTIONS === 'true';
    throw wrongUsage(
      `No API key was given. Set CONCORDAT_KEY, or use --key.${isGitHub ? ' If a trust accepts this job, give it the permission "id-token: write" instead.' : ''}`,
    );
  }
  const url = addressOf(options.registry ?? (env.CONCORDAT_URL || undefined));
  if (typeof credential !== 'string') return { url, credential };
  if (!/^[\x21-\x7e]+$/.test(credential.trim())) {
    throw wrongUsage('The API key contains invalid characters. Check CONCORDAT_KEY or --key.');
  }
  return { url, credential: credential.trim() };
}

/** GitHub sets its variables for jobs with the permission to request a token. */
function findIdentity(env: Environment): JobIdentity | undefined {
  const trustId = env.CONCORDAT_TRUST || undefined;
  const { CONCORDAT_ID_TOKEN: token, CONCORDAT_ID_TOKEN_FILE: path } = env;
  if (token) return { kind: 'token', token, trustId };
  if (path) return { kind: 'file', path, trustId };
  const { ACTIONS_ID_TOKEN_REQUEST_URL: requestUrl, ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken } =
    env;
  if (!requestUrl || !requestToken) return undefined;
  const audience = env.CONCORDAT_AUDIENCE || undefined;
  return { kind: 'github', requestUrl, requestToken, audience, trustId };
}

function addressOf(text: string | undefined): string {
  if (text === undefined) {
    throw wrongUsage(
      'No registry was given. Use --registry https://registry.example.com, or set CONCORDAT_URL.',
    );
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw wrongUsage(
      `"${text}" is not a valid registry address. It must start with https:// or http://.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    // Omits the address, because its credentials are secret.
    throw wrongUsage(
      'The registry address must not contain a user or password. Set CONCORDAT_KEY instead.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw wrongUsage(
      `"${text}" is not a valid registry address. Remove everything from ? or # on.`,
    );
  }
  return text.replace(/\/+$/, '');
}
