#!/usr/bin/env node
// The edge of the process: the only file that reads arguments, environment and signals. What it
// does not need at once it loads late, so that a small command starts fast.

import { randomBytes } from 'node:crypto';
import { enableCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import packageFile from '../package.json' with { type: 'json' };
import { type CommandMount, runCommandLine } from './cli/command-line.ts';
import { exitCode } from './cli/exit-code.ts';
import type { Config } from './ops/config.ts';
import type { FirstAdmin } from './registry/user-commands.ts';
import type { RunningServer } from './start.ts';

const { version } = packageFile;

const mountServe: CommandMount = (program, { io, run }) => {
  program
    .command('serve')
    .summary('serve the API, the documentation and the page')
    .description(
      'Settings come from the environment (docs/settings.md). Without DATABASE_URL an embedded\n' +
        'Postgres is started in DATA_DIR.',
    )
    .option('--story', 'give an empty registry three teams and a breaking change to look at')
    .action((options: { story?: boolean }) =>
      run(async () => {
        const environment = options.story ? withBootstrapKey(process.env) : process.env;
        const config = await configFrom(environment, io.stderr);
        if (config === null) return exitCode.wrongUsage;
        // Heard before the start, so that Ctrl-C in the middle of it ends in order too.
        const stopAsked = nextSignal();
        const { start } = await import('./start.ts');
        const server = await start(config);
        const { tellStory } = await import('./cli/story.ts');
        const { createClient } = await import('./wire/client.ts');
        const key = config.BOOTSTRAP_KEY;
        if (options.story && key !== undefined) {
          await tellStory(createClient({ baseUrl: server.url, key }));
        }
        io.stdout.write(welcome(server, config, options.story === true));
        const signal = await stopAsked;
        io.stderr.write(`${signal}: finishing what is under way.\n`);
        await server.stop();
        return exitCode.fine;
      }),
    );
};

const mountMigrate: CommandMount = (program, { io, run }) => {
  program
    .command('migrate')
    .summary('bring the database at DATABASE_URL up to date')
    .action(() =>
      run(async () => {
        const config = await configFrom(process.env, io.stderr);
        if (config === null) return exitCode.wrongUsage;
        if (config.DATABASE_URL === undefined) {
          io.stderr.write('DATABASE_URL is not set: there is no database to migrate.\n');
          return exitCode.wrongUsage;
        }
        const { migrate } = await import('./store/migrate.ts');
        const { applied, newest } = await migrate(config.DATABASE_URL);
        for (const name of applied) io.stdout.write(`applied ${name}\n`);
        io.stdout.write(`The database is at ${newest}.\n`);
        return exitCode.fine;
      }),
    );
};

const mountConfig: CommandMount = (program, { io, run }) => {
  program
    .command('config')
    .summary('print the effective settings, secrets hidden')
    .action(() =>
      run(async () => {
        const config = await configFrom(process.env, io.stderr);
        if (config === null) return exitCode.wrongUsage;
        const { describeConfig } = await import('./ops/config.ts');
        io.stdout.write(`${describeConfig(config).join('\n')}\n`);
        return exitCode.fine;
      }),
    );
};

const mountCrds: CommandMount = (program, { io, run }) => {
  program
    .command('crds')
    .summary('print the CustomResourceDefinitions, ready for kubectl apply -f -')
    .action(() =>
      run(async () => {
        const { definitionsYaml } = await import('./controller/crd/kinds.ts');
        io.stdout.write(definitionsYaml());
        return exitCode.fine;
      }),
    );
};

interface Environment {
  readonly [name: string]: string | undefined;
}

/** Null where a setting is wrong; each was told on `stderr` with what to do. */
async function configFrom(
  environment: Environment,
  stderr: { write(text: string): unknown },
): Promise<Config | null> {
  const { readConfig } = await import('./ops/config.ts');
  const read = readConfig(environment);
  if (read.ok) return read.config;
  for (const problem of read.problems) stderr.write(`${problem}\n`);
  return null;
}

function withBootstrapKey(environment: Environment): Environment {
  if (environment.BOOTSTRAP_KEY) return environment;
  return { ...environment, BOOTSTRAP_KEY: `bootstrap_${randomBytes(18).toString('base64url')}` };
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, done);
  });
}

function welcome(server: RunningServer, config: Config, hasStory: boolean): string {
  const { url, firstAdmin } = server;
  const lines = ['', `  Concordat ${version} serves on ${url}`, ''];
  lines.push(`  API documentation   ${url}/docs`);
  if (firstAdmin !== undefined) lines.push(...loginLines(firstAdmin, config));
  if (config.BOOTSTRAP_KEY !== undefined && hasStory) {
    lines.push(`  Bootstrap key       ${config.BOOTSTRAP_KEY}`);
  }
  if (config.DATABASE_URL === undefined) lines.push(`  Data                ${config.DATA_DIR}`);
  if (hasStory) lines.push('', '  Next: the curl lines of README.md, with this key as KEY.');
  return `${lines.join('\n')}\n\n`;
}

/** A password that was made is shown this once; one that was set is not shown at all. */
function loginLines({ email, password }: FirstAdmin, config: Config): readonly string[] {
  const lines = [`  Sign in as          ${email}`];
  if (password !== undefined) {
    lines.push(`  Password            ${password}`, '                      (shown this once)');
  } else if (config.ADMIN_PASSWORD === undefined) {
    lines.push('  Password            was printed at the first start');
  }
  return lines;
}

if (import.meta.main) {
  // Halves the start of a small command from the second time on.
  enableCompileCache();
  const { argv, env, stdin, stdout, stderr } = process;
  const mounts = [mountServe, mountMigrate, mountConfig, mountCrds];
  const io = { stdin, stdout, stderr, env: { NO_COLOR: env.NO_COLOR }, version };
  process.exitCode = await runCommandLine(argv.slice(2), io, mounts).catch((error: unknown) => {
    stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return exitCode.unreadableInput;
  });
  // What a library left open must not keep a command that has ended alive.
  await Promise.race([drained(), delay(1_000)]);
  process.exit();
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
