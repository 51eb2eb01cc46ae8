// Reads the file of providers, and opens the ways to sign in.

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import type { SecretCipher } from '../core/secret-cipher.ts';
import { type CheckToken, openTokenCheck } from '../http/sign-in/check-token.ts';
import { openSignIn, type SignIn } from '../http/sign-in/sign-in.ts';
import { openAddressGuard } from '../notify/address-guard.ts';
import { openGet } from '../notify/guarded-get.ts';
import type { Config } from '../ops/config/config.ts';
import { type ProviderSettings, readProviders } from '../ops/config/sign-in-providers.ts';
import type { Log } from '../ops/observe/log.ts';

class ProvidersProblem extends Error {
  override name = 'ProvidersProblem';
}

interface OpenedBy {
  /** Null where secrets are stored in plain text. */
  readonly cipher: SecretCipher | null;
  readonly ownUrl: () => string;
}

export async function startSignIn(config: Config, opened: OpenedBy): Promise<SignIn> {
  const file = config.OIDC_PROVIDERS_FILE;
  const providers = file === undefined ? [] : await loadProviders(file, config);
  if (providers.length > 0 && opened.cipher === null) {
    throw new ProvidersProblem(
      'OIDC_PROVIDERS_FILE is set without SECRET_KEY, which encrypts what a browser keeps while it is at a provider. Set SECRET_KEY to a random key, such as the output of openssl rand -base64 32.',
    );
  }
  return openSignIn({
    ...opened,
    providers,
    passwords: config.PASSWORD_SIGN_IN,
    basePath: config.BASE_PATH,
    clock: Date.now,
  });
}

/** The issuers of trusts are named by administrators, not by operators: so their addresses are guarded. */
export function startTokenCheck(config: Config, log: Pick<Log, 'warn'>): CheckToken {
  const get = openGet({
    guard: openAddressGuard(config.ISSUER_ALLOWED_NETWORKS, 'ISSUER_ALLOWED_NETWORKS'),
    timeoutMs: config.OIDC_TIMEOUT_SECONDS * 1000,
  });
  const clockToleranceSeconds = config.OIDC_CLOCK_TOLERANCE_SECONDS;
  const onAway = (reason: string) => log.warn({ reason }, 'the issuer of a token is away');
  return openTokenCheck({ get, onAway, clockToleranceSeconds, clock: Date.now });
}

async function loadProviders(file: string, config: Config) {
  const problem = (told: string) => new ProvidersProblem(`OIDC_PROVIDERS_FILE ${file}: ${told}`);
  const text = await readFile(file, 'utf8').catch((error) => {
    throw problem(`It cannot be read: ${(error as Error).message}`);
  });
  const parsed = parseYaml(text);
  if (!parsed.ok) throw problem(`It cannot be read as YAML: ${parsed.told}.`);
  const read = readProviders(parsed.content);
  if (!read.ok) throw problem(read.problems.join(' '));
  return Promise.all(
    read.providers.map(async (one) => ({
      name: one.name,
      title: one.title ?? one.name,
      issuer: one.issuer,
      clientId: one.client_id,
      clientSecret: await readSecret(one, file).catch((error) => {
        throw problem(
          `The client secret of ${one.name} cannot be read: ${(error as Error).message}`,
        );
      }),
      scopes: one.scopes,
      groupsClaim: one.groups_claim,
      table: { rows: one.groups, defaultRole: one.default_role ?? null },
      linksVerifiedEmail: one.link_verified_email,
      scim: one.scim ?? null,
      externalIdClaim: one.external_id_claim,
      timeoutSeconds: config.OIDC_TIMEOUT_SECONDS,
      clockToleranceSeconds: config.OIDC_CLOCK_TOLERANCE_SECONDS,
    })),
  );
}

type YamlParsed =
  | { readonly ok: true; readonly content: unknown }
  | { readonly ok: false; readonly told: string };

/** The parser's own messages show the line, which may be the one with the secret. */
function parseYaml(text: string): YamlParsed {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [first] = [...document.errors, ...document.warnings];
  if (first !== undefined) {
    return { ok: false, told: `${first.code} in line ${lineCounter.linePos(first.pos[0]).line}` };
  }
  try {
    return { ok: true, content: document.toJS() };
  } catch {
    return { ok: false, told: 'it has a * without quotes, which is an alias of nothing' };
  }
}

/** A relative path starts at the folder of the file that names it. */
async function readSecret(
  { client_secret, client_secret_file }: ProviderSettings,
  file: string,
): Promise<string | null> {
  if (client_secret_file === undefined) return client_secret ?? null;
  return (await readFile(resolve(dirname(file), client_secret_file), 'utf8')).trim();
}
