// The file of OIDC_PROVIDERS_FILE: who people may sign in with, and what their groups mean here.

import { z } from 'zod';
import { userDuties } from '../../core/user.ts';
import { settingProblem } from './setting-problem.ts';

const isLoopback = ({ hostname }: URL) =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

/** Without TLS, anybody on the way could answer in place of the provider. */
const issuer = z.url({ protocol: /^https?$/, message: 'must be a URL' }).refine((text) => {
  const url = URL.parse(text);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return false;
  return url.protocol === 'https:' || isLoopback(url);
}, 'must be an https:// URL without a query');

const role = z.enum(['admin', 'editor', 'viewer']);
const line = () => z.string().trim().min(1).max(200);

const groupRow = z
  .strictObject({
    group: line(),
    team: line().optional(),
    role: role.optional(),
    duties: z.array(z.enum(userDuties)).min(1).optional(),
  })
  .refine(
    ({ team, role: given, duties }) => [team, given, duties].some((one) => one !== undefined),
    'must name a team, a role, duties, or several of these',
  )
  .transform(({ group, team, role: given, duties = [] }) => ({
    group,
    team: team ?? null,
    role: given ?? (team === undefined ? null : ('editor' as const)),
    duties,
  }));

const provider = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, 'must be letters a-z, digits and hyphens'),
    title: line().optional(),
    issuer,
    client_id: line(),
    client_secret: z.string().min(1).optional(),
    client_secret_file: z.string().min(1).optional(),
    scopes: z.array(line()).default(['openid', 'email', 'profile']),
    groups_claim: line().default('groups'),
    groups: z.array(groupRow).max(1000).default([]),
    default_role: role.optional(),
    link_verified_email: z.boolean().default(false),
    scim: z.enum(['users', 'groups']).optional(),
    external_id_claim: line().default('sub'),
  })
  .refine(({ scopes }) => scopes.includes('openid'), 'must have openid among its scopes')
  .refine(
    (one) => one.client_secret === undefined || one.client_secret_file === undefined,
    'must have client_secret or client_secret_file, not both',
  )
  .refine(
    (one) => one.groups.length > 0 || one.default_role !== undefined,
    'must have groups or a default_role: otherwise nobody could sign in',
  );

const file = z
  .strictObject({ providers: z.array(provider).min(1).max(20) })
  .refine(
    ({ providers }) => new Set(providers.map(({ name }) => name)).size === providers.length,
    'must name each provider differently',
  )
  .refine(
    ({ providers }) => providers.filter(({ scim }) => scim !== undefined).length <= 1,
    'must have scim for one provider at most',
  );

export type ProviderSettings = z.output<typeof provider>;

type ProvidersRead =
  | { readonly ok: true; readonly providers: readonly ProviderSettings[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Checks the parsed file. A secret is never repeated. */
export function readProviders(content: unknown): ProvidersRead {
  const parsed = file.safeParse(content);
  if (parsed.success) return { ok: true, providers: parsed.data.providers };
  const problems = parsed.error.issues.map((issue) => {
    const place = issue.path.join('.');
    const told = settingProblem(new z.ZodError([issue]));
    return place === '' ? `The file ${told}.` : `${place} is invalid: it ${told}.`;
  });
  return { ok: false, problems };
}
