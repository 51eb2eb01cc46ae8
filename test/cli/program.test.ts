// The common parts of every command: help, completion, settings as flags, and terminals.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainProblem } from '../../src/ops/config/explain-problem.ts';
import { type Folder, makeFolder, run } from './support.ts';

const program = resolve(import.meta.dirname, '../../bin/concordat.js');
let folder: Folder;

beforeAll(async () => {
  folder = await makeFolder();
  await folder.file('old.json', { type: 'integer' });
  await folder.file('new.json', { type: 'string' });
});
afterAll(() => folder.remove());

async function commandNames(): Promise<readonly string[]> {
  const { stdout } = await run(['--help']);
  const [, commands = ''] = stdout.split('Commands:\n');
  return [...commands.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name = '']) => name);
}

test('explain says what a type of change means, lists all types, and refuses an unknown one', async () => {
  const removed = await run(['explain', 'property_removed']);
  expect(removed).toMatchObject({ code: 0, stderr: '' });
  expect(removed.stdout).toMatch(/^property_removed\n[\s\S]*\nBreaks: .*\nInstead: .*mark it/);
  expect((await run(['explain'])).stdout.split('\n')).toContain('freshness_relaxed');
  expect(await run(['explain', 'nothing'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'There is no type of change "nothing". Run `concordat explain` to list them.\n',
  });
});

describe('help', () => {
  test('lists every command, and each has an example', async () => {
    const names = (await commandNames()).filter((name) => name !== 'help');
    expect([...names].sort()).toEqual(
      [
        ...[
          'serve',
          'migrate',
          'diff',
          'contains',
          'impact',
          'check',
          'validate',
          'import',
          'ack',
          'publish',
          'search',
          'status',
          'story',
        ],
        ...['export', 'verify-audit', 'crds', 'config', 'completion', 'take-over', 'secrets'],
        'bus',
        ...['explain', 'changelog', 'can-i-deploy', 'needs', 'mcp'],
        ...['proposal', 'register', 'unregister', 'asset', 'service', 'team', 'key'],
      ].sort(),
    );
    for (const name of names) {
      const ran = await run([name, '--help']);
      expect(ran, name).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout, name).toMatch(new RegExp(`Examples:\\n[\\s\\S]*concordat ${name}`));
    }
  });

  test('a misspelt command gets a suggestion', async () => {
    const ran = await run(['dif']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('(Did you mean diff?)');
  });
});

describe('a number that cannot be meant is wrong usage, and no registry is asked', () => {
  test.each([
    ['search email --limit many', 'Use a whole number from 1 to 50.'],
    ['search email --limit 51', 'Use a whole number from 1 to 50.'],
    ['ack shop.public.orders --round 0', 'Use a whole number, at least 1.'],
  ])('%s', async (typed, said) => {
    const ran = await run([...typed.split(' '), '--registry', 'http://127.0.0.1:1']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(said);
  });
});

test.each([
  ['127.0.0.1:1', 'connect ECONNREFUSED 127.0.0.1:1'],
  // A name with several addresses.
  ['localhost:1', 'connect ECONNREFUSED '],
  ['nowhere.invalid', 'getaddrinfo '],
])('a database at %s that does not answer is told in a sentence', async (host, reason) => {
  const ran = await run(['migrate'], '', { env: { DATABASE_URL: `postgres://a@${host}/b` } });
  expect(ran).toMatchObject({ code: 3, stdout: '' });
  expect(ran.stderr).toMatch(
    /^Postgres does not answer: .+ Start it, or correct DATABASE_URL\.\n$/,
  );
  expect(ran.stderr).toContain(reason);
});

test('where something else does not answer, nothing is said of Postgres', async () => {
  const [refused] = await once(connect(1, '127.0.0.1'), 'error').catch((error) => [error]);
  expect(explainProblem(new TypeError('fetch failed', { cause: refused }))).toBe(
    'No answer: connect ECONNREFUSED 127.0.0.1:1. Check the address, and whether something listens there.',
  );
});

test('an address whose name is unknown is told with the settings that may have it', async () => {
  const server = createServer().listen(0, 'nowhere.invalid');
  const [unknown] = await once(server, 'listening').catch((error) => [error]);
  expect(explainProblem(unknown)).toMatch(
    /^No such host: getaddrinfo .+ nowhere\.invalid\. Correct the setting that names it, such as HOST or DATABASE_URL\.$/,
  );
});

describe('settings are also flags', () => {
  test('flags override environment variables, and are checked in the same way', async () => {
    const set = await run(['config', '--port', '9001'], '', { env: { PORT: '9000' } });
    expect(set.stdout).toMatch(/^PORT=9001$/m);
    const wrong = await run(['config', '--port', 'many']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('PORT=many is invalid: it must be a whole number');
  });

  test.each([
    [
      { TEAM_MAPPING_FILE: '/nowhere/teams.yaml' },
      'TEAM_MAPPING_FILE=/nowhere/teams.yaml does not exist or cannot be read. Correct the path.',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318 is invalid: it must be a URL that begins with http:// or https://.',
    ],
  ])('what cannot work is refused before a start: %o', async (env, said) => {
    const ran = await run(['config'], '', { env });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(said);
  });

  test('a secret has no flag', async () => {
    const ran = await run(['config', '--database-url', 'postgres://x']);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('completion', () => {
  async function complete(...words: string[]): Promise<readonly string[]> {
    const { stdout: script } = await run(['completion', 'bash']);
    const line = ['concordat', ...words].map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _concordat; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return new Promise((done) => {
      const child = spawn('bash', ['--norc', '-c', `${script}\n${ask}`]);
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += chunk;
      });
      child.on('close', () => done(output.split('\n').filter((word) => word !== '')));
    });
  }

  test('bash: commands, options, and the choices of an option', async () => {
    expect(await complete('ver')).toEqual(['verify-audit']);
    expect(await complete('')).toEqual([...(await commandNames()), '--help', '--version']);
    expect(await complete('diff', '--fo')).toEqual(['--format']);
    expect(await complete('diff', '--format', 'sa')).toEqual(['sarif']);
    expect(await complete('ack', 'x', '--response', '')).toEqual([
      'approved',
      'migrating',
      'blocked',
    ]);
    expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    // The shell itself completes files.
    expect(await complete('diff', 'o')).toEqual([]);
  });

  test.each(['zsh', 'fish'])('%s knows every command and option', async (shell) => {
    const { code, stdout } = await run(['completion', shell]);
    expect(code).toBe(0);
    const names = (await commandNames()).filter((name) => name !== 'help');
    for (const name of names) expect(stdout).toContain(name);
    const option = shell === 'zsh' ? '--against[' : '-l against ';
    expect(stdout).toContain(option);
  });

  test('another shell is wrong usage: 2', async () => {
    expect((await run(['completion', 'csh'])).code).toBe(2);
  });
});

describe('a terminal', () => {
  /** Runs the program in a terminal, using util-linux. */
  function inTerminal(env: Readonly<Record<string, string>>): Promise<string> {
    const command = `'${process.execPath}' '${program}' diff old.json new.json`;
    return new Promise((done) => {
      const child = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
        cwd: folder.path,
        env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += chunk;
      });
      child.on('close', () => done(output));
    });
  }

  test('gets colours, unless NO_COLOR is set or it does not support them', async () => {
    expect(await inTerminal({})).toContain('\u001b[31mBreaking under backward');
    expect(await inTerminal({ NO_COLOR: '1' })).not.toContain('\u001b');
    expect(await inTerminal({ TERM: 'dumb' })).not.toContain('\u001b');
  });
});

describe('the exit code reports the result, even if the output cannot be written', () => {
  /** Runs a shell that returns the program's exit code, not that of the reader of its output. */
  function shell(line: string): Promise<{ readonly code: number | null; readonly said: string }> {
    const concordat = `'${process.execPath}' '${program}'`;
    return new Promise((done) => {
      const child = spawn('bash', ['-c', line.replace(/^concordat /, `${concordat} `)], {
        cwd: folder.path,
        env: { PATH: process.env.PATH },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += chunk;
      });
      child.on('close', (code) => done({ code, said }));
    });
  }

  beforeAll(async () => {
    const wide = (type: string) => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 2_000 }, (_, at) => [`field_${at}`, { type }]),
      ),
    });
    await folder.file('wide-old.json', wide('integer'));
    await folder.file('wide-new.json', wide('string'));
  });

  test.each(['text', 'json', 'markdown', 'github', 'gitlab', 'sarif', 'junit'])(
    'a break stays a break if the reader of %s stops early',
    async (format) => {
      const line = `concordat diff --format ${format} wide-old.json wide-new.json | head -c 9; exit \${PIPESTATUS[0]}`;
      expect(await shell(line)).toEqual({ code: 1, said: '' });
    },
  );

  test('output that cannot be written is not a break: 2', async () => {
    const said = 'The output cannot be written: ENOSPC: no space left on device, write\n';
    for (const line of ['diff old.json old.json', 'diff old.json new.json', 'diff --help']) {
      expect(await shell(`concordat ${line} > /dev/full`), line).toEqual({ code: 2, said });
    }
    // If the message cannot be written, the exit code still reports the failure.
    expect((await shell('concordat diff old.json gone.json 2> /dev/full')).code).toBe(3);
  });

  test('output of another program is read like a file', async () => {
    const line = 'concordat diff <(cat old.json) <(cat new.json)';
    expect(await shell(line)).toEqual({ code: 1, said: '' });
  });

  test('a Node that is too old is reported, and is not a break: 2', async () => {
    const old = 'Object.defineProperty(process, "versions", { value: { node: "20.11.1" } })';
    const line = `'${process.execPath}' --import 'data:text/javascript,${old}' '${program}' diff old.json new.json`;
    expect(await shell(line)).toEqual({
      code: 2,
      said:
        'concordat needs Node 24 or newer, and this is Node 20.11.1. ' +
        'Install Node 24, or run bin/concordat of a checkout: it uses the Node that make installed.\n',
    });
  });

  test('a crash of the program is not a break: 3', async () => {
    // A fault while the command waits for its output to be written.
    const fault = 'setImmediate(() => { throw new Error("out of the blue") })';
    const hook = `process.stdout.write = () => { ${fault} }`;
    const line = `'${process.execPath}' --import 'data:text/javascript,${hook}' '${program}' diff old.json new.json`;
    const ran = await shell(line);
    expect(ran.code).toBe(3);
    expect(ran.said).toContain('out of the blue');
  });
});
