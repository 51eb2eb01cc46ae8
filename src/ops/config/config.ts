// Every setting of the program: read from the environment (or a flag of the same name) and checked
// at startup, with a clear message for each problem. Nothing else reads the environment.

import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { parseBusAddress } from '../../core/checks/bus-address.ts';
import { percentDecoded } from '../../core/value/pointer-token.ts';
import { parseObjectStore } from '../object-store.ts';
import { withHostParameters } from '../postgres/database-url.ts';
import { isDomain, smtpFrom, smtpUrl } from './mail-settings.ts';
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
/** An address without a scheme, such as collector:4318, is a URL of another scheme. */
const webUrl = () =>
  z.url({ protocol: /^https?$/, message: 'must be a URL that begins with http:// or https://' });
const databaseUrlPattern = /^postgres(ql)?:\/\//;
const databaseUrl = () =>
  z
    .string()
    .regex(databaseUrlPattern, 'must start with postgres://')
    .transform(withHostParameters)
    .optional();
const eventBusUrl = () =>
  z
    .string()
    .superRefine((text, context) => {
      const parsed = parseBusAddress(text);
      if (parsed.ok) return;
      context.addIssue({
        code: 'custom',
        message: `must name a Kafka topic or a subject of NATS. ${parsed.failure.message.replace(/\.$/, '')}`,
      });
    })
    .optional();
const secret = () => z.string().min(1).optional();

/** The settings, in the order in which `concordat config` and docs/settings.md list them. */
export const settings = {
  PORT: {
    shape: z.coerce.number().int().min(0).max(65535).default(8080),
    describe: 'The port to listen on; 0 picks a free port.',
  },
  HOST: { shape: z.string().min(1).default('0.0.0.0'), describe: 'The address to listen on.' },
  BASE_URL: {
    shape: webUrl().optional(),
    describe: 'The public URL of the server, used in links; behind TLS it starts with https.',
  },
  BASE_PATH: {
    shape: z
      .string()
      .regex(
        basePathPattern,
        'must begin with / and not end with it, as /contracts or /data/contracts',
      )
      .default(''),
    describe: 'The path prefix of all routes, for proxies that keep it; default: the root.',
  },
  DATABASE_URL: {
    shape: databaseUrl(),
    describe:
      'The URL of a Postgres 15 to 18, with the TLS parameters of libpq: sslmode, sslrootcert, sslcert, sslkey; or of several hosts with target_session_attrs=read-write, of which the one that accepts writes is used. Default: an embedded Postgres in DATA_DIR.',
    secret: true,
  },
  DATABASE_URL_FILE: {
    shape: z.string().min(1).optional(),
    describe:
      'A file with the value of DATABASE_URL, instead of it. It is watched: connections move to a changed address once Postgres accepts it, so a changed role or password needs no restart.',
  },
  MIGRATE_DATABASE_URL: {
    shape: databaseUrl(),
    describe:
      'The same database with the role that owns its tables, for migrations; the role of DATABASE_URL then only gets the rights to serve. Default: LISTEN_DATABASE_URL or DATABASE_URL.',
    secret: true,
  },
  LISTEN_DATABASE_URL: {
    shape: databaseUrl(),
    describe:
      'The address of Postgres itself, if DATABASE_URL leads to PgBouncer in transaction mode: each replica keeps one connection there for notifications.',
    secret: true,
  },
  LISTEN_DATABASE_URL_FILE: {
    shape: z.string().min(1).optional(),
    describe:
      'A file with the value of LISTEN_DATABASE_URL, instead of it, watched in the same way.',
  },
  DATABASE_READ_URLS: {
    shape: list().refine(
      (urls) => urls.every((url) => databaseUrlPattern.test(url)),
      'must be URLs that start with postgres://',
    ),
    describe:
      'The URLs of streaming replicas of the same Postgres, separated by commas, each of one server and without a pooler: lists, histories and graphs are read there. See docs/operations.md.',
    secret: true,
  },
  DATABASE_READ_URLS_FILE: {
    shape: z.string().min(1).optional(),
    describe:
      'A file with the value of DATABASE_READ_URLS, instead of it, watched like DATABASE_URL_FILE. Another number of replicas needs a restart.',
  },
  DATABASE_READ_LAG_SECONDS: {
    shape: seconds(5),
    describe: 'How long a replica of DATABASE_READ_URLS may be behind before it is left out.',
  },
  DATABASE_POOL_SIZE: {
    shape: count(10),
    describe: 'The maximum number of connections to Postgres, and to each of DATABASE_READ_URLS.',
  },
  DATA_DIR: {
    shape: z.string().min(1).default('.concordat'),
    describe: 'Where the embedded Postgres keeps its data.',
  },
  MIGRATE: {
    shape: flag(true),
    describe: 'Whether to migrate the database at startup.',
  },
  BOOTSTRAP_KEY: {
    shape: z.string().min(16, 'must have 16 characters or more').optional(),
    describe: 'An administrator API key for setup; valid as long as it is set.',
    secret: true,
  },
  BOOTSTRAP_KEY_DISABLED_AFTER_SETUP: {
    shape: flag(false),
    describe:
      'Whether to refuse BOOTSTRAP_KEY once an administrator can sign in; otherwise each start logs a warning.',
  },
  API_KEY_MAX_DAYS: {
    shape: z.coerce.number().int().min(0).max(36_500).default(365),
    describe: 'The maximum and default lifetime of a new API key in days; 0 for no limit.',
  },
  ADMIN_EMAIL: {
    shape: z.email().optional(),
    describe: 'The e-mail address of the first administrator.',
  },
  ADMIN_PASSWORD: {
    shape: secret(),
    describe: 'The password of the first administrator.',
    secret: true,
  },
  PASSWORD_SIGN_IN: {
    shape: flag(true),
    describe:
      'Whether people may sign in with e-mail and password; false needs OIDC_PROVIDERS_FILE.',
  },
  OIDC_PROVIDERS_FILE: {
    shape: z.string().min(1).optional(),
    describe:
      'A YAML file with the OpenID Connect providers that people sign in with, and what their groups mean; needs SECRET_KEY with DATABASE_URL. See docs/sign-in.md.',
  },
  OIDC_TIMEOUT_SECONDS: {
    shape: seconds(10),
    describe: 'The timeout of a request to a provider, or to the issuer of a trust.',
  },
  OIDC_CLOCK_TOLERANCE_SECONDS: {
    shape: z.coerce.number().int().min(0).max(600).default(30),
    describe: 'How far the clock of a provider, or of the issuer of a trust, may differ.',
  },
  ISSUER_ALLOWED_NETWORKS: {
    shape: networks(),
    describe:
      'Private addresses or networks (10.0.0.0/8) of issuers that trusts may name, such as your own GitLab, separated by commas.',
  },
  AUDIT_KEY: {
    shape: z.string().min(32, 'must have 32 characters or more').optional(),
    describe:
      'The key that authenticates checkpoints of the audit trail; store it outside the database. Default: checkpoints are not authenticated.',
    secret: true,
  },
  SECRET_KEY: {
    shape: list().refine(
      (keys) => keys.every((key) => key.length >= 32),
      'must be keys of 32 characters or more, separated by commas',
    ),
    describe:
      'The key that encrypts the secrets and URLs of webhooks in the database, and cookies of sign-ins with providers, such as the output of openssl rand -base64 32. To rotate it, put the new key first, and the old one after a comma. Default: a file beside the embedded Postgres; with DATABASE_URL, no encryption.',
    secret: true,
  },
  CHECK_ROWS: {
    shape: flag(false),
    describe: 'Whether to validate every row from Postgres; used by tests.',
  },
  BODY_LIMIT_BYTES: {
    shape: count(4 * 1024 * 1024),
    describe:
      'The largest request body that contains a schema; for other requests the limit is 512 KiB.',
  },
  IMPORT_LIMIT_BYTES: {
    shape: count(128 * 1024 * 1024),
    describe: 'The largest request body of an import, uncompressed.',
  },
  IMPORT_WORKERS: {
    shape: count(2),
    describe: 'The number of concurrent imports, each with two database connections; others wait.',
  },
  META_ALIASES: {
    shape: list(),
    describe: 'More names for the svc block in the meta of dbt models, separated by commas.',
  },
  NULLABLE_COLUMNS: {
    shape: flag(false),
    describe: 'Whether dbt columns are nullable unless they are declared not null.',
  },
  INTEGER_AT_SCALE_0: {
    shape: flag(false),
    describe: 'Whether dbt columns of numeric(38,0) and similar types are integers.',
  },
  NOT_NULL_AS_REQUIRED: {
    shape: flag(false),
    describe: 'Whether a not_null test of dbt makes the column required in the schema.',
  },
  OPENAPI_AUTO_PUBLISH: {
    shape: flag(true),
    describe: 'Whether OpenAPI imports publish contracts by default.',
  },
  COMPARE_WORKERS: { shape: count(2), describe: 'The number of threads that compare schemas.' },
  COMPARE_STEP_BUDGET: {
    shape: count(400_000),
    describe:
      'The maximum number of steps of a comparison; beyond it, the result is undecided and counts as breaking.',
  },
  RATE_LIMIT_READ: { shape: count(6_000), describe: 'Reads a minute for each key.' },
  RATE_LIMIT_WRITE: {
    shape: count(600),
    describe: 'Writes a minute for each key. Each item of a bulk counts.',
  },
  RATE_LIMIT_LOGIN: {
    shape: count(10),
    describe:
      'Failed logins a minute for each account and address; the limit for an address over all accounts is ten times as high.',
  },
  RATE_LIMIT_STRANGER: {
    shape: count(600),
    describe:
      'Requests a minute for each address without a valid key or session; beyond it, the status is 429 instead of 401.',
  },
  AGENT_TOOLS: {
    shape: z.enum(['off', 'read', 'write']).default('read'),
    describe:
      'Which routes agents may call as tools over the Model Context Protocol at /api/v1/mcp: none, those that only read, or all.',
  },
  EVENT_BUS_URL: {
    shape: eventBusUrl(),
    describe:
      'A Kafka topic or a subject of NATS JetStream that gets every event but those about people and keys, as CloudEvents: kafka://user:password@broker:9092,broker:9092/topic?tls=true&sasl=scram-sha-512, or nats://user:password@server:4222/subject?tls=true, with ca=, cert= and key= for files, and creds= for one of NATS. BASE_URL is the source of each event. Default: none.',
    secret: true,
  },
  OBJECT_STORE_URL: {
    shape: z
      .string()
      .refine(
        (text) => parseObjectStore(text) !== null,
        'must be https://KEY_ID:SECRET@host/bucket/prefix?region=REGION, with special characters of the secret escaped',
      )
      .optional(),
    describe:
      'A bucket of an object store that speaks S3, for old months of the audit trail: https://KEY_ID:SECRET@s3.eu-west-1.amazonaws.com/bucket/prefix?region=eu-west-1. Default: none.',
    secret: true,
  },
  AUDIT_ARCHIVE_AFTER_MONTHS: {
    shape: z.coerce.number().int().min(1).max(1_200).optional(),
    describe:
      'How many full months of the audit trail stay in Postgres; older ones are moved to OBJECT_STORE_URL. Default: all stay.',
  },
  WEBHOOK_ALLOWED_NETWORKS: {
    shape: networks(),
    describe:
      'Private addresses or networks (10.0.0.0/8) that webhooks may reach, separated by commas.',
  },
  SMTP_URL: {
    shape: smtpUrl(),
    describe:
      'The mail server for notifications by e-mail: smtps:// for TLS, smtp:// for STARTTLS, which is then required; ?tls=none for a relay on the same machine, ?ca=FILE for an authority of your own. Default: no e-mail is sent.',
    secret: true,
  },
  SMTP_FROM: {
    shape: smtpFrom(),
    describe: 'The sender of e-mails: contracts@example.com or Concordat <contracts@example.com>.',
  },
  SMTP_DOMAINS: {
    shape: list()
      .transform((names) => names.map((name) => name.toLowerCase()))
      .refine((names) => names.every(isDomain), 'must be domains such as example.com'),
    describe:
      'The domains of the addresses that teams may notify, separated by commas; default: all.',
  },
  WEBHOOK_TIMEOUT_SECONDS: {
    shape: seconds(10),
    describe: 'The timeout of a delivery attempt.',
  },
  WEBHOOK_RETRY_SECONDS: {
    shape: seconds(5),
    describe: 'The delay after the first failed attempt; it doubles after each attempt.',
  },
  WEBHOOK_RETRY_FOR_SECONDS: {
    shape: seconds(24 * 60 * 60),
    describe: 'How long a delivery is retried before it is parked; delays are at most an hour.',
  },
  EVENT_STREAMS: { shape: count(500), describe: 'The maximum number of open event streams.' },
  EVENT_STREAMS_PER_KEY: {
    shape: count(10),
    describe: 'The maximum number of open event streams for each key or user.',
  },
  EVENT_STREAM_HEARTBEAT_SECONDS: {
    shape: seconds(15),
    describe: 'How often a stream sends a heartbeat and checks its key.',
  },
  CONTRACTS_DIR: {
    shape: z.string().min(1).optional(),
    describe: 'A folder of manifests to reconcile; its top-level folders are the namespaces.',
  },
  CONTRACTS_NAME: {
    shape: z
      .string()
      .regex(/^[\w./-]{1,200}$/, 'must be letters, digits, _, -, . and /')
      .optional(),
    describe:
      'The name of CONTRACTS_DIR, which stays the same when the folder moves; default: its path.',
  },
  GIT_URL: {
    shape: z.string().min(1).optional(),
    describe: 'A repository of manifests to reconcile: https, ssh or file.',
  },
  GIT_REF: {
    shape: z.string().min(1).default('HEAD'),
    describe: 'The branch, tag or commit of GIT_URL.',
  },
  GIT_PATH: {
    shape: z.string().optional(),
    describe:
      'The folder in the repository whose top-level folders are the namespaces; default: the root.',
  },
  GIT_INTERVAL_SECONDS: { shape: seconds(60), describe: 'How often the repository is fetched.' },
  GIT_TIMEOUT_SECONDS: { shape: seconds(60), describe: 'The timeout of a fetch.' },
  GIT_USERNAME: { shape: z.string().min(1).optional(), describe: 'The user name for https.' },
  GIT_PASSWORD: { shape: secret(), describe: 'The password or token for https.', secret: true },
  GIT_PASSWORD_FILE: {
    shape: z.string().min(1).optional(),
    describe: 'A file with the password, read before every fetch; overrides GIT_PASSWORD.',
  },
  GIT_SSH_KEY_FILE: {
    shape: z.string().min(1).optional(),
    describe: 'The private key for ssh.',
  },
  GIT_SSH_KNOWN_HOSTS_FILE: {
    shape: z.string().min(1).optional(),
    describe: 'The known_hosts file for ssh; connections to other hosts are refused.',
  },
  KUBERNETES: {
    shape: z.enum(['off', 'in-cluster', 'kubeconfig']).default('off'),
    describe: 'Whether and how to connect to a cluster whose objects are reconciled.',
  },
  KUBECONFIG: {
    shape: z.string().min(1).optional(),
    describe: 'The kubeconfig file for KUBERNETES=kubeconfig; default: as for kubectl.',
  },
  KUBERNETES_CONTEXT: {
    shape: z.string().min(1).optional(),
    describe: 'The context of the kubeconfig; default: the current one.',
  },
  CLUSTER_NAME: {
    shape: z
      .string()
      .regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/)
      .optional(),
    describe:
      'The name of the cluster, unique in the registry: with it, a rebuilt cluster goes on with its contracts; default: the uid of kube-system.',
  },
  WATCH_NAMESPACES: {
    shape: list(),
    describe:
      'The namespaces whose objects are reconciled, separated by commas; default: all of the cluster.',
  },
  WATCH_NAMESPACE_SELECTOR: {
    shape: z.string().min(1).optional(),
    describe:
      'A label selector, such as contracts=yes,tier in (gold,silver): only objects in namespaces with such labels are reconciled. Not with WATCH_NAMESPACES.',
  },
  LEASE_NAMESPACE: {
    shape: z.string().min(1).default('concordat'),
    describe: 'The namespace of the Lease that elects the leader of the controller.',
  },
  LEASE_NAME: {
    shape: z.string().min(1).default('concordat'),
    describe: 'The name of that Lease.',
  },
  CHECK_IMAGE: {
    shape: z.string().min(1).optional(),
    describe:
      'The image of the Jobs of ContractChecks, with KUBERNETES; default: ContractChecks are not reconciled.',
  },
  CHECK_IMAGE_PULL_POLICY: {
    shape: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent'),
    describe: 'When a node fetches that image.',
  },
  CHECK_REGISTRY_URL: {
    shape: webUrl().optional(),
    describe: 'The URL at which those Jobs reach this registry; default: BASE_URL.',
  },
  ADMISSION_PORT: {
    shape: z.coerce.number().int().min(0).max(65535).optional(),
    describe: 'The port of the admission webhook, with KUBERNETES; default: no webhook.',
  },
  ADMISSION_SERVICE: {
    shape: z.string().min(1).default('concordat-webhook'),
    describe: 'The Service in LEASE_NAMESPACE of the admission webhook.',
  },
  ADMISSION_CONFIGURATION: {
    shape: z.string().min(1).default('concordat'),
    describe: 'The ValidatingWebhookConfiguration that gets the CA certificate of the webhook.',
  },
  ADMISSION_SECRET: {
    shape: z.string().min(1).default('concordat-webhook'),
    describe: 'The Secret in LEASE_NAMESPACE with the certificates of the webhook.',
  },
  ADMISSION_CERTIFICATE_DIR: {
    shape: z.string().min(1).optional(),
    describe:
      'A folder with tls.crt and tls.key that is renewed externally; default: the webhook issues its own.',
  },
  TEAM_MAPPING_FILE: {
    shape: z.string().min(1).optional(),
    describe: 'A YAML file with the teams of each namespace; overrides the label.',
  },
  ALLOW_FORCE_FROM_RESOURCES: {
    shape: flag(false),
    describe:
      'Whether objects in the cluster may force a proposal; needs an admission policy that restricts who may do so. Not with FOUR_EYES.',
  },
  FOUR_EYES: {
    shape: flag(false),
    describe: 'Whether forcing a proposal needs a second administrator.',
  },
  CONTROLLER_CONCURRENCY: {
    shape: count(4),
    describe: 'The number of objects that are reconciled concurrently.',
  },
  RESYNC_SECONDS: {
    shape: seconds(36_000),
    describe:
      'How often all objects are reconciled again, spread over that time; changes are reconciled immediately.',
  },
  TRUSTED_PROXIES: {
    shape: networks(),
    describe:
      'Trusted proxies, as addresses or networks (10.0.0.0/8), separated by commas; their X-Forwarded-For is used.',
  },
  ARCHIVE_AFTER: {
    shape: z
      .string()
      .regex(/^[1-9]\d{0,4}[hd]$/, 'must be hours or days, as 36h or 90d')
      .transform((text) => Number.parseInt(text, 10) * (text.endsWith('d') ? 24 : 1) * 3_600_000)
      .optional(),
    describe:
      'When to archive deprecated versions that no consumer pins, such as 90d; default: never.',
  },
  SHUTDOWN_GRACE_SECONDS: {
    shape: seconds(20),
    describe: 'How long running requests may take after SIGTERM.',
  },
  LOG_LEVEL: {
    shape: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    describe: 'The lowest level that is logged.',
  },
  LOG_FORMAT: {
    shape: z.enum(['auto', 'json', 'pretty']).default('auto'),
    describe: 'The log format; auto is pretty on a terminal and JSON otherwise.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    shape: webUrl().optional(),
    describe:
      'The base URL of the OTLP collector over HTTP; /v1/traces is appended. Default: no traces.',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    shape: webUrl().optional(),
    describe: 'The full URL for traces; overrides OTEL_EXPORTER_OTLP_ENDPOINT.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    shape: secret().refine(isPairs, 'must be name=value, with commas between'),
    describe: 'Headers for the collector: name=value, separated by commas.',
    secret: true,
  },
  OTEL_SERVICE_NAME: {
    shape: z.string().min(1).default('concordat'),
    describe: 'The name of this service in traces.',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    shape: z.string().optional().refine(isPairs, 'must be name=value, with commas between'),
    describe: 'More resource attributes of traces: name=value, separated by commas.',
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
    describe: 'The sampler of traces; parentbased samplers follow the decision of the caller.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    shape: z.coerce.number().min(0).max(1).default(1),
    describe: 'The ratio of traces for traceidratio: 0.1 is a tenth.',
  },
  OTEL_SDK_DISABLED: {
    shape: flag(false),
    describe: 'Disables traces, regardless of other settings.',
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
    else problems.push(problemOf(name, setting, text, parsed.error));
  }
  if (read.ADMIN_PASSWORD !== undefined && read.ADMIN_EMAIL === undefined) {
    problems.push('ADMIN_EMAIL must be set beside ADMIN_PASSWORD.');
  }
  for (const name of ['DATABASE_URL', 'LISTEN_DATABASE_URL']) {
    const file = read[`${name}_FILE`];
    if (file === undefined) continue;
    if (read[name] !== undefined) {
      problems.push(`${name} and ${name}_FILE are both set. Set one of them.`);
    }
    // Whoever opens a connection reads the file.
    read[name] = pathToFileURL(String(file)).href;
  }
  if (read.DATABASE_READ_URLS_FILE !== undefined && environment.DATABASE_READ_URLS) {
    problems.push('DATABASE_READ_URLS and DATABASE_READ_URLS_FILE are both set. Set one of them.');
  }
  if (!environment.SMTP_URL !== !environment.SMTP_FROM) {
    problems.push('SMTP_URL and SMTP_FROM belong together: set both, or none.');
  }
  if (read.AUDIT_ARCHIVE_AFTER_MONTHS !== undefined && read.OBJECT_STORE_URL === undefined) {
    problems.push(
      'AUDIT_ARCHIVE_AFTER_MONTHS is set without OBJECT_STORE_URL. Set where to move the months.',
    );
  }
  if (String(read.WATCH_NAMESPACES) !== '' && read.WATCH_NAMESPACE_SELECTOR !== undefined) {
    problems.push('WATCH_NAMESPACES and WATCH_NAMESPACE_SELECTOR are both set. Set one of them.');
  }
  if (read.PASSWORD_SIGN_IN === false && read.OIDC_PROVIDERS_FILE === undefined) {
    problems.push('PASSWORD_SIGN_IN is false without OIDC_PROVIDERS_FILE. Nobody could sign in.');
  }
  const path = read.BASE_URL === undefined ? '' : pathOf(String(read.BASE_URL));
  if (path !== '' && path !== read.BASE_PATH) {
    problems.push(`BASE_URL has the path ${path}. Leave it out there, and set BASE_PATH=${path}.`);
  }
  // The cast is safe: each member was parsed by the shape of its own name just above.
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: read as Config };
}

/** A secret is not repeated. */
function problemOf(name: string, setting: Setting, text = '', error: z.ZodError): string {
  const given = setting.secret === true ? name : `${name}=${text}`;
  return `${given} is invalid: it ${settingProblem(error)}. ${setting.describe}`;
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/+$/, '');
}

/** The effective settings as `NAME=value` lines, secrets hidden. */
export function describeConfig(config: Config): string[] {
  return Object.entries(settings).map(([name, setting]) => {
    const value = config[name as SettingName];
    const isSecret = 'secret' in setting && setting.secret;
    if (value === undefined || (isSecret && String(value) === '')) return `${name} is not set`;
    return `${name}=${isSecret ? '(hidden)' : String(value)}`;
  });
}

/** The address at which clients reach a server that listens on this port. */
export function addressOf({ BASE_URL, BASE_PATH }: Config, port: number): string {
  return (
    (BASE_URL === undefined ? `http://localhost:${port}` : new URL(BASE_URL).origin) + BASE_PATH
  );
}

/** The endpoint for traces; null if tracing is off. */
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
    return [pair.slice(0, at).trim(), percentDecoded(pair.slice(at + 1).trim())] as const;
  });
  return Object.fromEntries(pairs);
}
