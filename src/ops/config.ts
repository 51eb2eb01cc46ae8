// Every setting of the program: read from the environment (or a flag of the same name), checked at
// the start, one clear message each. Nothing else reads the environment.

import { z } from 'zod';

const seconds = (fallback: number) => z.coerce.number().positive().default(fallback);
const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);
const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0', 'yes', 'no'])
    .transform((text) => text === 'true' || text === '1' || text === 'yes')
    .default(fallback);
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
  DATABASE_URL: {
    shape: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
      .optional(),
    describe: 'A Postgres 15 to 18. Absent: an embedded one is started in DATA_DIR.',
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
  ADMIN_EMAIL: { shape: z.email().optional(), describe: 'The first administrator of the page.' },
  ADMIN_PASSWORD: {
    shape: secret(),
    describe: "The first administrator's password.",
    secret: true,
  },
  CHECK_ROWS: {
    shape: flag(false),
    describe: 'Whether every row of Postgres is held against its shape; tests do.',
  },
  BODY_LIMIT_BYTES: {
    shape: count(4 * 1024 * 1024),
    describe: 'The largest body of a request, imports apart.',
  },
  IMPORT_LIMIT_BYTES: {
    shape: count(128 * 1024 * 1024),
    describe: 'The largest body of an import, unpacked.',
  },
  COMPARE_WORKERS: { shape: count(2), describe: 'Threads that compare schemas.' },
  COMPARE_STEP_BUDGET: {
    shape: count(400_000),
    describe: 'Steps a comparison may take before it is undecided, which counts as breaking.',
  },
  RATE_LIMIT_READ: { shape: count(6_000), describe: 'Reads a minute for each key.' },
  RATE_LIMIT_WRITE: { shape: count(600), describe: 'Writes a minute for each key.' },
  RATE_LIMIT_LOGIN: { shape: count(10), describe: 'Logins a minute for each account and address.' },
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
} as const satisfies Record<string, Setting>;

interface Setting {
  readonly shape: z.ZodType;
  readonly describe: string;
  readonly secret?: boolean;
}

export type SettingName = keyof typeof settings;
export type Config = { readonly [N in SettingName]: z.output<(typeof settings)[N]['shape']> };

export type ConfigRead =
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
    else problems.push(`${name} ${problemOf(parsed.error)}. ${setting.describe}`);
  }
  if (read.ADMIN_PASSWORD !== undefined && read.ADMIN_EMAIL === undefined) {
    problems.push('ADMIN_EMAIL must be set beside ADMIN_PASSWORD.');
  }
  // Each member was parsed by the shape of its own name just above.
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: read as Config };
}

/** The effective settings as `NAME=value` lines, secrets hidden. */
export function describeConfig(config: Config): string[] {
  return Object.entries(settings).map(([name, setting]) => {
    const value = config[name as SettingName];
    if (value === undefined) return `${name} is not set`;
    return `${name}=${'secret' in setting && setting.secret ? '(hidden)' : String(value)}`;
  });
}

function problemOf(error: z.ZodError): string {
  return error.issues
    .map((issue) => issue.message.replace(/^Invalid input: /, 'is wrong: '))
    .join(', ');
}
