#!/usr/bin/env node
// The edge of the process: the only file that reads arguments, environment and signals. It loads
// most code only when needed, so that small commands start fast.

import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import packageFile from '../package.json' with { type: 'json' };
import type { CommandLineIo, CommandMount, CommandRow, Environment } from './cli/command-line.ts';
import { type ExitCode, exitCode } from './cli/exit-code.ts';
import type { FirstAdmin } from './core/decide/people/commands.ts';
import type { Config } from './ops/config/config.ts';
import type { RunningServer } from './start/serve.ts';

const { version } = packageFile;

const mountServe: CommandMount = (command, { io, run }) => {
  command
    .description(
      'Settings come from the environment (docs/settings.md). Without DATABASE_URL an embedded\n' +
        'Postgres is started in DATA_DIR.',
    )
    .option(
      '--story',
      'fill an empty registry with demo data: four teams, a breaking change, and a table to check',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ concordat serve --story\n  $ DATABASE_URL=postgres://... PORT=9000 concordat serve',
    )
    .action((options: { story?: boolean }) =>
      run(async () => {
        const given = withFlags(io.env, options);
        const read = await configFrom(given, io.stderr);
        if (read === null) return exitCode.wrongUsage;
        const config = options.story ? await openStory(read) : read;
        // Heard before the start, so that Ctrl-C in the middle of it ends in order too.
        const stopped = new AbortController();
        const stopAsked = nextSignal();
        stopAsked.then(() => stopped.abort());
        const { start } = await import('./start/serve.ts');
        const server = await start(config, undefined, stopped.signal).catch((error: unknown) => {
          if (error === stopped.signal.reason) return null;
          throw error;
        });
        if (server === null) return exitCode.fine;
        const key = config.BOOTSTRAP_KEY;
        if (options.story && key !== undefined) {
          await tellStory(server, config, key, io);
          await keepForGuide(config, bootstrapKeyFile, key);
        }
        // Where JSON is asked for, every line is JSON: the log has the URL and the file of the password.
        if (config.LOG_FORMAT !== 'json') {
          io.stdout.write(welcome(server, config, options.story === true));
        }
        const signal = await stopAsked;
        if (config.LOG_FORMAT !== 'json') {
          io.stderr.write(`${signal}: finishing requests in progress.\n`);
        }
        // SIGTERM comes from an orchestrator with other replicas; after Ctrl-C, a person waits.
        if (signal === 'SIGTERM') await server.drain(drainMs);
        await server.stop();
        return exitCode.fine;
      }),
    );
};

const mountMigrate: CommandMount = (command, { io, run }) => {
  command
    .description(
      'Applies all pending migrations to the database at DATABASE_URL, in order. `serve` does this\n' +
        'too, unless MIGRATE is false. Concurrent migrations wait for each other. With\n' +
        'MIGRATE_DATABASE_URL, its role migrates and owns the tables, and the role of DATABASE_URL\n' +
        'gets the rights to serve them.',
    )
    .addHelpText('after', '\nExamples:\n  $ DATABASE_URL=postgres://... concordat migrate')
    .action((options: object) =>
      run(async () => {
        const config = await configFrom(withFlags(io.env, options), io.stderr);
        if (config === null) return exitCode.wrongUsage;
        if (config.DATABASE_URL === undefined) {
          io.stderr.write('DATABASE_URL is not set. Set it to the database to migrate.\n');
          return exitCode.wrongUsage;
        }
        const { migrate } = await import('./store/postgres/migrate.ts');
        const { readDatabaseUrl } = await import('./ops/postgres/connect.ts');
        const { parseDatabaseUrl } = await import('./ops/postgres/database-url.ts');
        const { DATABASE_URL: url, LISTEN_DATABASE_URL, MIGRATE_DATABASE_URL } = config;
        const owner = MIGRATE_DATABASE_URL ?? LISTEN_DATABASE_URL ?? url;
        const serviceRole = parseDatabaseUrl(await readDatabaseUrl(url)).user;
        const { applied, newest } = await migrate(owner, {
          serviceRole,
          mayArchive: config.AUDIT_ARCHIVE_AFTER_MONTHS !== undefined,
        });
        for (const name of applied) io.stdout.write(`applied ${name}\n`);
        io.stdout.write(`The database schema is at ${newest}.\n`);
        return exitCode.fine;
      }),
    );
};

const mountSecrets: CommandMount = (command, { io, run }) => {
  command
    .description(
      'Changes how the database stores the URLs and secrets of webhooks. Stop the replicas first, except\n' +
        'for encrypt.\n\n' +
        '  encrypt  encrypts them with the first SECRET_KEY, after which the other keys are not needed\n' +
        '  decrypt  stores them in plain text, for a release that does not know SECRET_KEY\n' +
        '  replace  gives webhooks whose key is lost a new random secret; set URL and secret again',
    )
    .argument('<act>', 'encrypt, decrypt or replace')
    .addHelpText(
      'after',
      '\nExamples:\n  $ SECRET_KEY=$NEW_KEY,$OLD_KEY DATABASE_URL=postgres://... concordat secrets encrypt',
    )
    .action((asked: string, options: object) =>
      run(async () => {
        const { changeSecrets, secretActs } = await import('./start/secrets.ts');
        const act = secretActs.find((each) => each === asked);
        if (act === undefined) {
          io.stderr.write(`Unknown act "${asked}". Use ${secretActs.join(', ')}.\n`);
          return exitCode.wrongUsage;
        }
        const config = await configFrom(withFlags(io.env, options), io.stderr);
        if (config === null) return exitCode.wrongUsage;
        io.stdout.write(`${await changeSecrets(config, act)}\n`);
        return exitCode.fine;
      }),
    );
};

const mountBus: CommandMount = (command, { io, run }) => {
  command
    .description(
      'Sends the events of the audit trail to the topic of EVENT_BUS_URL again, from a moment on. It\n' +
        'needs no stop: the replica that sends begins there within seconds. Receivers get these events\n' +
        'twice, with the same ids.',
    )
    .argument('<act>', 'rewind')
    .requiredOption('--since <time>', 'as 2026-11-30T08:00:00Z')
    .addHelpText(
      'after',
      '\nExamples:\n  $ DATABASE_URL=postgres://... EVENT_BUS_URL=kafka://... concordat bus rewind --since 2026-11-30T08:00:00Z',
    )
    .action((asked: string, { since, ...options }: { readonly since: string }) =>
      run(async () => {
        const moment = new Date(since);
        if (asked !== 'rewind' || Number.isNaN(moment.getTime())) {
          io.stderr.write(
            asked === 'rewind'
              ? `--since ${since} is no time. Write it as 2026-11-30T08:00:00Z.\n`
              : `Unknown act "${asked}". Use rewind.\n`,
          );
          return exitCode.wrongUsage;
        }
        const config = await configFrom(withFlags(io.env, options), io.stderr);
        if (config === null) return exitCode.wrongUsage;
        const { rewindBus } = await import('./start/event-bus.ts');
        io.stdout.write(`${await rewindBus(config, moment)}\n`);
        return exitCode.fine;
      }),
    );
};

const mountConfig: CommandMount = (command, { io, run }) => {
  command
    .description(
      'Prints every effective setting, with secrets hidden. Invalid settings are reported together, and\n' +
        'the exit code is 2.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ PORT=9000 concordat config\n  $ concordat config --port 9000',
    )
    .action((options: object) =>
      run(async () => {
        const config = await configFrom(withFlags(io.env, options), io.stderr);
        if (config === null) return exitCode.wrongUsage;
        const { describeConfig } = await import('./ops/config/config.ts');
        io.stdout.write(`${describeConfig(config).join('\n')}\n`);
        return exitCode.fine;
      }),
    );
};

const mountCrds: CommandMount = (command, { io, run }) => {
  command
    .description(
      'Prints the CustomResourceDefinitions of this version as YAML. With --json-schema, prints the kinds\n' +
        'as a JSON Schema instead: editors complete and check manifests with it.',
    )
    .option('--json-schema', 'print a JSON Schema of manifests for editors')
    .addHelpText(
      'after',
      '\nExamples:\n  $ concordat crds | kubectl apply --server-side -f -\n' +
        '  $ concordat crds --json-schema > .concordat.schema.json\n\n' +
        'In the first line of a manifest:\n  # yaml-language-server: $schema=../.concordat.schema.json',
    )
    .action((options: { jsonSchema?: boolean }) =>
      run(async () => {
        if (options.jsonSchema === true) {
          const { editorSchema } = await import('./controller/crd/editor-schema.ts');
          io.stdout.write(`${JSON.stringify(editorSchema(), null, 2)}\n`);
          return exitCode.fine;
        }
        const { definitionsYaml } = await import('./controller/crd/kinds.ts');
        io.stdout.write(definitionsYaml());
        return exitCode.fine;
      }),
    );
};

/**
 * Every setting is also a flag of the same name, except secrets, which a process list would show.
 * They are too many for a command's help: docs/settings.md lists them.
 */
async function withSettingFlags(mount: CommandMount): Promise<CommandMount> {
  const { settings } = await import('./ops/config/config.ts');
  const { Option } = await import('commander');
  return (command, context) => {
    mount(command, context);
    for (const [name, setting] of Object.entries(settings)) {
      if ('secret' in setting && setting.secret) continue;
      const flag = name.toLowerCase().replaceAll('_', '-');
      command.addOption(new Option(`--${flag} <value>`, setting.describe).hideHelp());
    }
    command.addHelpText(
      'after',
      '\nEvery setting of docs/settings.md is also a flag, such as --port 9000.',
    );
  };
}

/** Flags override environment variables. */
function withFlags(environment: Environment, options: object): Environment {
  const flags = Object.entries(options).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' ? [[name.replace(/[A-Z]/g, '_$&').toUpperCase(), value]] : [],
  );
  return { ...environment, ...Object.fromEntries(flags) };
}

/** Null if a setting is invalid; each problem was printed to `stderr` with what to do. */
async function configFrom(
  environment: Environment,
  stderr: { write(text: string): unknown },
): Promise<Config | null> {
  const { readConfig } = await import('./ops/config/config.ts');
  const read = readConfig(environment);
  const { findMissingFiles } = await import('./ops/config/missing-files.ts');
  let problems = read.ok ? await findMissingFiles(read.config) : read.problems;
  if (read.ok && problems.length === 0) {
    const { findSourceProblems } = await import('./start/source-settings.ts');
    problems = await findSourceProblems(read.config);
  }
  if (read.ok && problems.length === 0) return read.config;
  for (const problem of problems) stderr.write(`${problem}\n`);
  return null;
}

/** The key of the demo, kept beside its data: the commands of the guide read it from there. */
async function openStory(config: Config): Promise<Config> {
  const { mustTakeDataFolder } = await import('./ops/data-folder.ts');
  await mustTakeDataFolder(config.DATA_DIR);
  const kept = await readFile(join(config.DATA_DIR, bootstrapKeyFile), 'utf8').catch(() => '');
  const made = () => `bootstrap_${randomBytes(18).toString('base64url')}`;
  return { ...config, BOOTSTRAP_KEY: config.BOOTSTRAP_KEY ?? (kept.trim() || made()) };
}

/** Demo data; with the embedded Postgres also a table that does not match its contract. */
async function tellStory(
  { url, embeddedUrl }: RunningServer,
  config: Config,
  key: string,
  io: CommandLineIo,
): Promise<void> {
  const { createStory } = await import('./cli/story/create-story.ts');
  const { createClient } = await import('./wire/client.ts');
  const created = await createStory(createClient({ baseUrl: url, key }));
  if (embeddedUrl === undefined) return;
  const { storySourceOf } = await import('./cli/story/story-table.ts');
  const source = storySourceOf(embeddedUrl);
  if (created !== null) {
    const { checkStory } = await import('./cli/story/check-story.ts');
    await checkStory({ postgres: embeddedUrl, source, registry: url, key }, io);
  }
  // Its port is another one at each start.
  await keepForGuide(config, 'story-source', source);
}

async function keepForGuide({ DATA_DIR }: Config, name: string, text: string): Promise<void> {
  await mkdir(DATA_DIR, { recursive: true });
  await writeFile(join(DATA_DIR, name), `${text}\n`, { mode: 0o600 });
}

const bootstrapKeyFile = 'bootstrap-key';

/** Clients that send something every few seconds have been told by then. */
const drainMs = 3_000;

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, done);
  });
}

function welcome(server: RunningServer, config: Config, hasStory: boolean): string {
  const { url, firstAdmin, passwordFile: file } = server;
  const lines = ['', `  Concordat ${version} serves on ${url}`, ''];
  lines.push(`  API documentation   ${url}/docs`);
  if (firstAdmin !== undefined) lines.push(...loginLines(firstAdmin, config, { hasStory, file }));
  if (config.BOOTSTRAP_KEY !== undefined && hasStory) {
    const file = join(config.DATA_DIR, bootstrapKeyFile);
    lines.push(`  Bootstrap key       ${config.BOOTSTRAP_KEY} (kept in ${file})`);
  }
  if (config.DATABASE_URL === undefined) lines.push(`  Data                ${config.DATA_DIR}`);
  if (config.CONTRACTS_DIR !== undefined) {
    lines.push(`  Contracts           ${config.CONTRACTS_DIR} (edit a file: it is reconciled)`);
  }
  if (hasStory) lines.push('', '  Next: "A first change" in README.md, in a second terminal.');
  return `${lines.join('\n')}\n\n`;
}

/** The story shows a generated password, as it shows its key; a real registry names the file. */
function loginLines(
  { email, password }: FirstAdmin,
  config: Config,
  { hasStory, file }: { readonly hasStory: boolean; readonly file: string },
): readonly string[] {
  const lines = [`  Sign in as          ${email}`];
  if (password !== undefined) {
    lines.push(`  Password            ${hasStory ? password : `in ${file}`}`);
    if (hasStory) lines.push(`                      (also in ${file})`);
  } else if (config.ADMIN_PASSWORD === undefined) {
    lines.push(`  Password            was written to ${file} at the first start`);
  }
  return lines;
}

const ownCommands: readonly CommandRow[] = [
  {
    name: 'serve',
    summary: 'serve the API, the documentation and the web page',
    load: () => withSettingFlags(mountServe),
  },
  {
    name: 'verify-audit',
    summary: 'verify that the audit trail is intact',
    load: async () => {
      const { mountVerifyAudit } = await import('./cli/registry/mount-verify-audit.ts');
      const { auditAuthenticator } = await import('./ops/audit-key.ts');
      return mountVerifyAudit(auditAuthenticator);
    },
  },
  {
    name: 'migrate',
    summary: 'bring the database at DATABASE_URL up to date',
    load: () => withSettingFlags(mountMigrate),
  },
  {
    name: 'secrets',
    summary: 'encrypt, decrypt or replace the secrets in the database',
    load: () => withSettingFlags(mountSecrets),
  },
  {
    name: 'bus',
    summary: 'send events to the bus again, from a moment on',
    load: () => withSettingFlags(mountBus),
  },
  {
    name: 'config',
    summary: 'print the effective settings, secrets hidden',
    load: () => withSettingFlags(mountConfig),
  },
  {
    name: 'crds',
    summary: 'print the CustomResourceDefinitions, ready for kubectl apply -f -',
    load: async () => mountCrds,
  },
];

/** Every command of the program. */
export async function allCommands(): Promise<readonly CommandRow[]> {
  const { commands } = await import('./cli/commands.ts');
  return [...commands, ...ownCommands];
}

if (import.meta.main) {
  // bin/concordat.js enables it before it loads this file, which halves the startup time.
  enableCompileCache();
  await runMain();
}

/** Runs the command line of this process, and ends the process. */
export async function runMain(): Promise<void> {
  const { argv, env, stdin, stdout, stderr } = process;
  process.exitCode = await runProgram(argv.slice(2), { stdin, stdout, stderr, env, version });
  // A resource that a library left open must not keep a finished command alive.
  await Promise.race([drained(), delay(1_000)]);
  process.exit();
}

/** Runs one command line and returns its exit code. An error of the program itself is printed, and has a code too. */
export async function runProgram(argv: readonly string[], io: CommandLineIo): Promise<ExitCode> {
  const { runCommandLine } = await import('./cli/command-line.ts');
  const { explainProblem } = await import('./ops/config/explain-problem.ts');
  return runCommandLine(argv, io, await allCommands()).catch((error: unknown) => {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    io.stderr.write(`${explainProblem(error) ?? stack}\n`);
    return exitCode.unreadableInput;
  });
}

function drained(): Promise<unknown> {
  return Promise.all(
    [process.stdout, process.stderr].map(
      (stream) =>
        new Promise((done) =>
          stream.writableLength === 0 ? done(null) : stream.once('drain', done),
        ),
    ),
  );
}
