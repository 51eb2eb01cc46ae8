// Every setting of the program: read from the environment (or a flag of the same name), checked at
// the start, one clear message each. Nothing else reads the environment.

import { z } from 'zod';
import { isNetwork } from './network.ts';
import { settingProblem } from './setting-problem.ts';

const seconds = (fallback: number) => z.coerce.number().positive().default(fallback);
const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);
const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0', 'yes', 'no'])
    .transform((text) => text === 'true' || text === '1' || text === 'yes')
    .default(fallback);
const list = () =>
  z
    .string()
    .default('')
    .transform((text) => text.split(',').map((name) => name.trim()))
    .transform((names) => names.filter((name) => name !== ''));
const networks = () =>
  z
    .string()
    .default('')
    .transform((text) => text.split(/[\s,]+/).filter((network) => network !== ''))
    .refine((found) => found.every(isNetwork), 'must be addresses or networks');
/** `a=b,c=d` */
const isPairs = (text: string | undefined) =>
  text === undefined || text.split(',').every((pair) => pair.indexOf('=') > 0);
/** No segment begins with a dot, and none needs to be encoded. */
const basePathPattern = /^(?:\/[\w~-][\w.~-]*)+$/;
const secret = () => z.string().min(1).optional();

/** The settings, in the order in which `concordat config` and docs/settings.md list them. */
export const settings = {
  PORT: {
    shape: z.coerce.number().int().min(0).max(65535).default(8080),
    describe: 'The port to serve on; 0 takes a free one.',
  },
  HOST: { shape: z.string().min(1).default('0.0.0.0'), describe: 'The address to listen on.' },
  BASE_URL: {
    shape: z.url().optional(),
    describe: 'How people reach the server, for links; behind TLS it starts with https.',
  },
  BASE_PATH: {
    shape: z
      .string()
      .regex(
        basePathPattern,
        'must begin with / and not end with it, as /contracts or /data/contracts',
      )
      .default(''),
    describe:
      'The path below which everything is served, for a proxy that passes it on; absent: the root.',
  },
  DATABASE_URL: {
    shape: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
      .optional(),
    describe:
      'A Postgres 15 to 18, with TLS as libpq means it: sslmode, sslrootcert, sslcert, sslkey. Absent: an embedded one is started in DATA_DIR.',
    secret: true,
  },
  DATABASE_POOL_SIZE: { shape: count(10), describe: 'Connections to Postgres, at most.' },
  DATA_DIR: {
    shape: z.string().min(1).default('.concordat'),
    describe: 'Where the embedded Postgres keeps its data.',
  },
  MIGRATE: {
    shape: flag(true),
    describe: 'Whether to bring the database up to date at the start.',
  },
  BOOTSTRAP_KEY: {
    shape: z.string().min(16, 'must have 16 characters or more').optional(),
    describe: 'An administrator key for the first steps; works as long as it is set.',
    secret: true,
  },
  BOOTSTRAP_KEY_DISABLED_AFTER_SETUP: {
    shape: flag(false),
    describe:
      'Whether BOOTSTRAP_KEY is refused while an administrator exists who can sign in; otherwise each start warns of it.',
  },
  API_KEY_MAX_DAYS: {
    shape: z.coerce.number().int().min(0).max(36_500).default(365),
    describe: 'Days that a new API key works at most, and where it names no end; 0 for no limit.',
  },
  ADMIN_EMAIL: { shape: z.email().optional(), describe: 'The first administrator of the page.' },
  ADMIN_PASSWORD: {
    shape: secret(),
    describe: "The first administrator's password.",
    secret: true,
  },
  AUDIT_KEY: {
    shape: z.string().min(32, 'must have 32 characters or more').optional(),
    describe:
      'Authenticates the heads of the audit trail; kept away from the database. Absent: heads are not authenticated.',
    secret: true,
  },
  CHECK_ROWS: {
    shape: flag(false),
    describe: 'Whether every row of Postgres is held against its shape; tests do.',
  },
  BODY_LIMIT_BYTES: {
    shape: count(4 * 1024 * 1024),
    describe: 'The largest body of a request that holds a schema; others take 512 KiB at most.',
  },
  IMPORT_LIMIT_BYTES: {
    shape: count(128 * 1024 * 1024),
    describe: 'The largest body of an import, unpacked.',
  },
  IMPORT_WORKERS: {
    shape: count(2),
    describe:
      'Imports that are read and written at the same time, each with two connections of its own; others wait.',
  },
  META_ALIASES: {
    shape: list(),
    describe: 'Further names of the block svc in the meta of dbt models, with commas between.',
  },
  NULLABLE_COLUMNS: {
    shape: flag(false),
    describe: "Whether a dbt column's schema takes null unless something says that it never is.",
  },
  INTEGER_AT_SCALE_0: {
    shape: flag(false),
    describe: 'Whether a dbt column of numeric(38,0) and its kin is an integer.',
  },
  NOT_NULL_AS_REQUIRED: {
    shape: flag(false),
    describe: "Whether dbt's not_null makes a column required by the schema.",
  },
  OPENAPI_AUTO_PUBLISH: {
    shape: flag(true),
    describe: 'Whether an OpenAPI import publishes contracts where it does not say.',
  },
  COMPARE_WORKERS: { shape: count(2), describe: 'Threads that compare schemas.' },
  COMPARE_STEP_BUDGET: {
    shape: count(400_000),
    describe: 'Steps a comparison may take before it is undecided, which counts as breaking.',
  },
  RATE_LIMIT_READ: { shape: count(6_000), describe: 'Reads a minute for each key.' },
  RATE_LIMIT_WRITE: { shape: count(600), describe: 'Writes a minute for each key.' },
  RATE_LIMIT_LOGIN: {
    shape: count(10),
    describe:
      'Logins that may fail a minute for each account from one address; over all accounts, ten times as many from one address.',
  },
  RATE_LIMIT_STRANGER: {
    shape: count(600),
    describe:
      'Requests a minute for each address without a key or session that works; more are 429 in place of 401.',
  },
  WEBHOOK_ALLOWED_NETWORKS: {
    shape: networks(),
    describe:
      'Private addresses or networks (10.0.0.0/8) that webhooks may reach all the same, with commas.',
  },
  WEBHOOK_TIMEOUT_SECONDS: {
    shape: seconds(10),
    describe: 'How long one attempt at a delivery may take.',
  },
  WEBHOOK_RETRY_SECONDS: {
    shape: seconds(5),
    describe: 'The first wait after an attempt that failed; each later one is twice as long.',
  },
  WEBHOOK_RETRY_FOR_SECONDS: {
    shape: seconds(24 * 60 * 60),
    describe: 'For how long a delivery is tried before it is parked; waits are an hour at most.',
  },
  EVENT_STREAMS: { shape: count(500), describe: 'Streams of events that are open at once.' },
  EVENT_STREAMS_PER_KEY: { shape: count(10), describe: 'Of those, of one key or user.' },
  EVENT_STREAM_HEARTBEAT_SECONDS: {
    shape: seconds(15),
    describe: 'How often a stream says that it is alive, and whether its key still works.',
  },
  CONTRACTS_DIR: {
    shape: z.string().min(1).optional(),
    describe: 'A folder of manifests to reconcile; its first folders are the namespaces.',
  },
  CONTRACTS_NAME: {
    shape: z
      .string()
      .regex(/^[\w./-]{1,200}$/, 'must be letters, digits, _, -, . and /')
      .optional(),
    describe: 'What that folder is called, also once it is moved; absent: its path.',
  },
  GIT_URL: {
    shape: z.string().min(1).optional(),
    describe: 'A repository of manifests to reconcile: https, ssh or file.',
  },
  GIT_REF: { shape: z.string().min(1).default('HEAD'), describe: 'Its branch, tag or commit.' },
  GIT_PATH: {
    shape: z.string().optional(),
    describe: 'The folder in it whose first folders are the namespaces; absent: the root.',
  },
  GIT_INTERVAL_SECONDS: { shape: seconds(60), describe: 'How often it is fetched.' },
  GIT_TIMEOUT_SECONDS: { shape: seconds(60), describe: 'How long one fetch may take.' },
  GIT_USERNAME: { shape: z.string().min(1).optional(), describe: 'Who reads it over https.' },
  GIT_PASSWORD: { shape: secret(), describe: 'The password, or a token.', secret: true },
  GIT_PASSWORD_FILE: {
    shape: z.string().min(1).optional(),
    describe: 'A file that holds it, read before every fetch; it wins.',
  },
  GIT_SSH_KEY_FILE: {
    shape: z.string().min(1).optional(),
    describe: 'The private key that reads it over ssh.',
  },
  GIT_SSH_KNOWN_HOSTS_FILE: {
    shape: z.string().min(1).optional(),
    describe: 'The hosts whose keys are known; no other is spoken to.',
  },
  KUBERNETES: {
    shape: z.enum(['off', 'in-cluster', 'kubeconfig']).default('off'),
    describe: 'Whether the objects of a cluster are reconciled, and how it is found.',
  },
  KUBECONFIG: {
    shape: z.string().min(1).optional(),
    describe: 'With KUBERNETES=kubeconfig: the file; absent: where kubectl looks.',
  },
  KUBERNETES_CONTEXT: {
    shape: z.string().min(1).optional(),
    describe: 'The context in it; absent: its current one.',
  },
  LEASE_NAMESPACE: {
    shape: z.string().min(1).default('concordat'),
    describe: 'The namespace of the Lease by which replicas agree who reconciles the cluster.',
  },
  LEASE_NAME: {
    shape: z.string().min(1).default('concordat'),
    describe: 'The name of that Lease.',
  },
  ADMISSION_PORT: {
    shape: z.coerce.number().int().min(0).max(65535).optional(),
    describe: 'The port of the admission webhook, with KUBERNETES; absent: there is none.',
  },
  ADMISSION_SERVICE: {
    shape: z.string().min(1).default('concordat-webhook'),
    describe: 'The Service in LEASE_NAMESPACE that the API server calls it by.',
  },
  ADMISSION_CONFIGURATION: {
    shape: z.string().min(1).default('concordat'),
    describe: 'The ValidatingWebhookConfiguration that is told whom to trust.',
  },
  ADMISSION_SECRET: {
    shape: z.string().min(1).default('concordat-webhook'),
    describe: 'The Secret in LEASE_NAMESPACE that its certificates are kept in.',
  },
  ADMISSION_CERTIFICATE_DIR: {
    shape: z.string().min(1).optional(),
    describe: 'A folder with tls.crt and tls.key that others keep fresh; absent: it makes its own.',
  },
  TEAM_MAPPING_FILE: {
    shape: z.string().min(1).optional(),
    describe: 'YAML: for which teams each namespace acts; it wins over the label.',
  },
  ALLOW_FORCE_FROM_RESOURCES: {
    shape: flag(false),
    describe:
      'Whether an object of the cluster may force a proposal; needs a policy that asks who. Not with FOUR_EYES.',
  },
  FOUR_EYES: {
    shape: flag(false),
    describe: 'Whether a force of a proposal waits for a second administrator.',
  },
  CONTROLLER_CONCURRENCY: { shape: count(4), describe: 'How many objects are reconciled at once.' },
  RESYNC_SECONDS: {
    shape: seconds(36_000),
    describe:
      'How often everything is looked at again, spread over that time; changes are told at once.',
  },
  TRUSTED_PROXIES: {
    shape: networks(),
    describe:
      'Proxies in front of the server, as addresses or networks (10.0.0.0/8), with commas: their X-Forwarded-For is believed.',
  },
  ARCHIVE_AFTER: {
    shape: z
      .string()
      .regex(/^[1-9]\d{0,4}[hd]$/, 'must be hours or days, as 36h or 90d')
      .transform((text) => Number.parseInt(text, 10) * (text.endsWith('d') ? 24 : 1) * 3_600_000)
      .optional(),
    describe:
      'How long a deprecated version that nobody pins is kept before it is archived, as 90d; absent: for ever.',
  },
  SHUTDOWN_GRACE_SECONDS: {
    shape: seconds(20),
    describe: 'How long requests under way may take to finish after SIGTERM.',
  },
  LOG_LEVEL: {
    shape: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    describe: 'What is logged.',
  },
  LOG_FORMAT: {
    shape: z.enum(['auto', 'json', 'pretty']).default('auto'),
    describe: 'JSON, or pretty; auto is pretty on a terminal.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    shape: z.url().optional(),
    describe:
      'Where traces are sent, by OTLP over HTTP; /v1/traces is put behind it. Absent: nothing is traced.',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    shape: z.url().optional(),
    describe: 'The same as a whole URL, to which nothing is added; it wins.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    shape: secret().refine(isPairs, 'must be name=value, with commas between'),
    describe: 'Headers that are sent with traces: name=value, with commas between.',
    secret: true,
  },
  OTEL_SERVICE_NAME: {
    shape: z.string().min(1).default('concordat'),
    describe: 'What this service is called in traces.',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    shape: z.string().optional().refine(isPairs, 'must be name=value, with commas between'),
    describe: 'What else is said of it in traces: name=value, with commas between.',
  },
  OTEL_TRACES_SAMPLER: {
    shape: z
      .enum([
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ])
      .default('parentbased_always_on'),
    describe: 'Which traces are sent; parentbased ones go by what the caller decided.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    shape: z.coerce.number().min(0).max(1).default(1),
    describe: 'The share of traces that traceidratio sends: 0.1 is a tenth.',
  },
  OTEL_SDK_DISABLED: {
    shape: flag(false),
    describe: 'Switches traces off, whatever the others say.',
  },
} as const satisfies Record<string, Setting>;

interface Setting {
  readonly shape: z.ZodType;
  readonly describe: string;
  readonly secret?: boolean;
}

type SettingName = keyof typeof settings;
export type Config = { readonly [N in SettingName]: z.output<(typeof settings)[N]['shape']> };

type ConfigRead =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads the settings. An empty variable counts as absent.
 *
 * @example readConfig({ PORT: '0' })
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): ConfigRead {
  const read: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, setting] of Object.entries(settings)) {
    const text = environment[name];
    const parsed = setting.shape.safeParse(text === '' ? undefined : text);
    if (parsed.success) read[name] = parsed.data;
    else problems.push(`${name} ${settingProblem(parsed.error)}. ${setting.describe}`);
  }
  if (read.ADMIN_PASSWORD !== undefined && read.ADMIN_EMAIL === undefined) {
    problems.push('ADMIN_EMAIL must be set beside ADMIN_PASSWORD.');
  }
  const path = read.BASE_URL === undefined ? '' : pathOf(String(read.BASE_URL));
  if (path !== '' && path !== read.BASE_PATH) {
    problems.push(`BASE_URL has the path ${path}. Leave it out there, and set BASE_PATH=${path}.`);
  }
  // Each member was parsed by the shape of its own name just above.
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: read as Config };
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '');
}

/** The effective settings as `NAME=value` lines, secrets hidden. */
export function describeConfig(config: Config): string[] {
  return Object.entries(settings).map(([name, setting]) => {
    const value = config[name as SettingName];
    if (value === undefined) return `${name} is not set`;
    return `${name}=${'secret' in setting && setting.secret ? '(hidden)' : String(value)}`;
  });
}

/** Where people reach the server that listens on a port. */
export function addressOf({ BASE_URL, BASE_PATH }: Config, port: number): string {
  return (
    (BASE_URL === undefined ? `http://localhost:${port}` : new URL(BASE_URL).origin) + BASE_PATH
  );
}

/** Where traces go; null where nothing is traced. */
export function tracesUrlOf(config: Config): string | null {
  if (config.OTEL_SDK_DISABLED) return null;
  const whole = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (whole !== undefined) return whole;
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  return base === undefined ? null : `${base.replace(/\/$/, '')}/v1/traces`;
}

/**
 * Values may be percent-encoded, as the standard says.
 *
 * @example pairsOf('team=data,region=eu%2Dwest') // { team: 'data', region: 'eu-west' }
 */
export function pairsOf(text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined) return {};
  const pairs = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const;
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
