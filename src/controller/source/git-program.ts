// Runs `git` as a child process with a time limit. It cannot prompt, run hooks, follow submodules,
// or use a protocol other than that of the URL.

import { spawn } from 'node:child_process';
import type { GitAddress } from './git-address.ts';

export interface GitAccess {
  /** Basic authentication over HTTP; a token is given as the password. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Files with the private key and the known hosts, for SSH. */
  readonly sshKeyFile?: string | undefined;
  readonly sshKnownHostsFile?: string | undefined;
}

interface GitRun {
  /** The clone, or the folder to create it in. */
  readonly folder: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly input?: string;
}

/** Variables of this process that git needs, or that configure network access. */
export const passedVariables = [
  ...['PATH', 'TMPDIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO'],
  ...['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'ALL_PROXY'],
  ...['https_proxy', 'http_proxy', 'no_proxy', 'all_proxy'],
] as const;

interface GitOptions {
  readonly address: GitAddress;
  readonly access: () => Promise<GitAccess>;
  /** Only `passedVariables` of these reach the program. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export class GitError extends Error {
  override readonly name = 'GitError';
}

/** The manifests of 50,000 contracts are far smaller. */
const maxOutputBytes = 1024 * 1024 * 1024;
const maxErrorChars = 4_000;
/** git removes its locks when it is terminated; after this delay it is killed. */
const killAfterMs = 2_000;
/** A server that sends fewer bytes per second for this long is considered hung. */
const slow = { bytes: 1_000, seconds: 20 };

type Git = (run: GitRun) => Promise<Buffer>;

export function openGitProgram({ address, access, environment }: GitOptions): Git {
  return async ({ folder, args, timeoutMs, signal, input }) => {
    const given = await access();
    const child = spawn('git', [...configOf(address, given), `--git-dir=${folder}`, ...args], {
      env: environmentOf(environment, given),
      stdio: ['pipe', 'pipe', 'pipe'],
      // In its own process group, so that the helpers that git starts end with it.
      detached: true,
    });
    const output: Buffer[] = [];
    let outputBytes = 0;
    let said = '';
    let why: string | null = null;
    const end = (reason: string) => {
      if (why !== null) return;
      why = reason;
      killGroup(child.pid, 'SIGTERM');
      setTimeout(() => killGroup(child.pid, 'SIGKILL'), killAfterMs).unref();
    };
    const onAbort = () => end('it was stopped');
    const timer = setTimeout(() => end(`no end after ${timeoutMs / 1000} s`), timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    child.stdout.on('data', (chunk: Buffer) => {
      outputBytes += chunk.length;
      if (outputBytes > maxOutputBytes) end(`more than ${maxOutputBytes} bytes of output`);
      else output.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-maxErrorChars);
    });
    // git may end before it has read its input; its exit code says enough.
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    try {
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
      });
      if (why !== null) throw new GitError(why);
      if (code !== 0) throw new GitError(redact(lastWords(said, code), given));
      return Buffer.concat(output);
    } catch (error) {
      if (error instanceof GitError) throw error;
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      throw new GitError(isMissing ? 'the program git is not installed' : String(error));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  };
}

/** Settings that no configuration of the machine or the repository overrides. */
function configOf(address: GitAddress, access: GitAccess): readonly string[] {
  const config = [
    'protocol.allow=never',
    `protocol.${address.protocol}.allow=always`,
    'core.hooksPath=/dev/null',
    'submodule.recurse=false',
    'fetch.recurseSubmodules=false',
    'gc.auto=0',
    'maintenance.auto=false',
    `http.lowSpeedLimit=${slow.bytes}`,
    `http.lowSpeedTime=${slow.seconds}`,
    'credential.helper=',
  ];
  // For this host only, so that the password is not sent to the target of a redirect.
  if (access.password !== undefined && address.origin !== null) {
    config.push(`credential.${address.origin}.helper=${credentialHelper}`);
  }
  return config.flatMap((setting) => ['-c', setting]);
}

/**
 * Reads the credentials from the environment, because every user of a machine can see arguments.
 */
const credentialHelper =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$CONCORDAT_GIT_USERNAME" "$CONCORDAT_GIT_PASSWORD"; }; f';

function environmentOf(
  environment: GitOptions['environment'],
  access: GitAccess,
): Record<string, string> {
  const passed = passedVariables.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(passed),
    // Messages are parsed, and shown, in one language.
    LC_ALL: 'C',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS_REQUIRE: 'never',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_SSH_COMMAND: sshCommand(access),
    GIT_SSH_VARIANT: 'ssh',
    ...(access.password === undefined
      ? {}
      : {
          CONCORDAT_GIT_USERNAME: access.username ?? 'git',
          CONCORDAT_GIT_PASSWORD: access.password,
        }),
  };
}

function sshCommand({ sshKeyFile, sshKnownHostsFile }: GitAccess): string {
  const options = [
    ...['BatchMode=yes', 'StrictHostKeyChecking=yes', 'ConnectTimeout=20'],
    ...['ServerAliveInterval=10', 'ServerAliveCountMax=3', 'ForwardAgent=no'],
    ...(sshKnownHostsFile === undefined ? [] : [`UserKnownHostsFile=${sshKnownHostsFile}`]),
    ...(sshKeyFile === undefined ? [] : ['IdentitiesOnly=yes', `IdentityFile=${sshKeyFile}`]),
  ];
  return ['ssh', '-F', '/dev/null', ...options.flatMap((option) => ['-o', option])]
    .map(quote)
    .join(' ');
}

function quote(word: string): string {
  return /^[\w=./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has already ended.
  }
}

/** The last lines of git's output usually say why it failed. */
function lastWords(said: string, code: number | null): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^(fatal|error|remote): /, '').trim())
    .filter((line) => line !== '');
  return lines.slice(-3).join('; ') || `git ended with code ${code}`;
}

/** A server may echo the password. */
function redact(text: string, { password }: GitAccess): string {
  if (password === undefined || password === '') return text;
  return text.replaceAll(password, '***').replaceAll(encodeURIComponent(password), '***');
}
