// How people sign in here: with passwords, with providers, or with both.

import {
  findPlace,
  type GroupTable,
  type Place,
  type ProviderClaims,
  type Provisioning,
} from '../../core/decide/people/sign-in.ts';
import type { SecretCipher } from '../../core/secret-cipher.ts';
import { apiPrefix } from '../../wire/route.ts';
import { openBegun, sealBegun } from './begun.ts';
import type { ProviderLogout, ProviderOptions } from './provider.ts';
import { returnPath } from './return-path.ts';
import { SignInFailure } from './sign-in-failure.ts';

interface ProviderAndTable extends ProviderOptions {
  readonly title: string;
  readonly table: GroupTable;
  /** Whether a verified address links an identity to the user who has that address. */
  readonly linksVerifiedEmail: boolean;
  /** What the provider keeps by SCIM; null for nothing. */
  readonly scim: 'users' | 'groups' | null;
}

interface SignInDeps {
  readonly passwords: boolean;
  readonly providers: readonly ProviderAndTable[];
  /** Null only without providers. */
  readonly cipher: SecretCipher | null;
  /** The address of this server with its path prefix, and without a slash at its end. */
  readonly ownUrl: () => string;
  readonly basePath: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

interface Finished {
  readonly claims: ProviderClaims;
  readonly place: Place;
  readonly linksVerifiedEmail: boolean;
  /** Null if this provider keeps nobody by SCIM. */
  readonly provisioning: Provisioning | null;
  readonly returnTo: string;
}

/** The functions throw a `SignInFailure` if the provider is away, or its answer is not accepted. */
export interface SignIn {
  readonly passwords: boolean;
  /** The path prefix of the page. */
  readonly basePath: string;
  readonly providers: readonly { readonly name: string; readonly title: string }[];
  /** Where the browser goes, and the cookie that it keeps; null if there is no such provider. */
  readonly begin: (
    provider: string,
    returnTo: string | undefined,
  ) => Promise<{ readonly location: string; readonly sealed: string } | null>;
  readonly finish: (answer: {
    readonly provider: string;
    /** The query with which the browser came back. */
    readonly search: string;
    readonly sealed: string | null;
  }) => Promise<Finished>;
  /** Null if there is no such provider. */
  readonly readLogout: (provider: string, token: string) => Promise<ProviderLogout | null>;
  /** The provider that keeps people by SCIM; null if none does. */
  readonly provisioning: Provisioning | null;
  readonly ownUrl: () => string;
  /** Where the browser signs out of the provider too; null if that is not possible. */
  readonly endSession: (provider: string) => Promise<string | null>;
}

export async function openSignIn(deps: SignInDeps): Promise<SignIn> {
  const { cipher, clock, basePath } = deps;
  const byName = await openProviders(deps.providers);
  const keeper = deps.providers.find(({ scim }) => scim !== null);
  const provisioning = keeper === undefined ? null : provisioningOf(keeper);
  const redirectUri = (name: string) => `${deps.ownUrl()}${apiPrefix}/auth/oidc/${name}/callback`;
  return {
    passwords: deps.passwords,
    basePath,
    provisioning,
    ownUrl: deps.ownUrl,
    providers: deps.providers.map(({ name, title }) => ({ name, title })),
    begin: async (name, asked) => {
      const chosen = byName.get(name);
      if (chosen === undefined || cipher === null) return null;
      const { url, begun } = await chosen.provider.begin(redirectUri(name));
      const returnTo = returnPath(asked, basePath);
      const kept = { ...begun, provider: name, returnTo, at: clock() };
      return { location: url.href, sealed: sealBegun(cipher, kept) };
    },
    finish: async ({ provider: name, search, sealed }) => {
      const chosen = byName.get(name);
      const begun = cipher === null ? null : openBegun(cipher, sealed, clock());
      // Another provider may have sent the browser here, with a code that is not ours.
      if (chosen === undefined || begun === null || begun.provider !== name) {
        throw new SignInFailure('expired', 'This browser did not begin a sign-in here.');
      }
      // Of a sign-in that began earlier in this browser, or made up by another page.
      if (new URLSearchParams(search).get('state') !== begun.state) {
        throw new SignInFailure('expired', 'This is no answer to the last sign-in that began.');
      }
      const callback = new URL(`${redirectUri(name)}?${search}`);
      const claims = await chosen.provider.finish(callback, begun);
      return {
        claims,
        place: findPlace(chosen.table, claims.groups),
        linksVerifiedEmail: chosen.linksVerifiedEmail,
        provisioning: provisioning?.provider === name ? provisioning : null,
        returnTo: begun.returnTo,
      };
    },
    readLogout: async (name, token) =>
      (await byName.get(name)?.provider.readLogout(token, clock())) ?? null,
    endSession: async (name) => {
      const chosen = byName.get(name);
      const url = await chosen?.provider.endSession(`${deps.ownUrl()}/`);
      return url?.href ?? null;
    },
  };
}

/** External ids of another claim than the subject are not mixed up with subjects: no issuer has a `#`. */
function provisioningOf(keeper: ProviderAndTable): Provisioning {
  const { name, issuer, externalIdClaim, table, scim } = keeper;
  return {
    provider: name,
    issuer: externalIdClaim === 'sub' ? issuer : `${issuer}#${externalIdClaim}`,
    table: scim === 'groups' ? table : { ...table, rows: [] },
  };
}

/** Loads the library only if there is a provider. */
async function openProviders(providers: readonly ProviderAndTable[]) {
  if (providers.length === 0) return new Map<string, never>();
  const { openProvider } = await import('./provider.ts');
  return new Map(providers.map((one) => [one.name, { ...one, provider: openProvider(one) }]));
}
