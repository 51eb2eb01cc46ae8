// Real repositories for tests, and a real HTTP server for them: git's own, as a CGI program.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Ignores the machine's own settings, and sets names for commits. */
const environment = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.org' },
  ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.org' },
};

export interface TestRepository {
  readonly folder: string;
  /** Its `file://` URL. */
  readonly url: string;
  /** Writes files, or deletes those with null, and commits; returns the commit. */
  readonly commit: (files: Readonly<Record<string, string | Uint8Array | null>>) => Promise<string>;
  readonly git: (...args: string[]) => Promise<string>;
  readonly remove: () => Promise<void>;
}

export async function makeRepository(): Promise<TestRepository> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-repository-'));
  const git = async (...args: string[]) => {
    const { stdout } = await run('git', args, { cwd: folder, env: environment });
    return stdout.trim();
  };
  await git('init', '--quiet', '--initial-branch=main');
  return {
    folder,
    url: `file://${folder}`,
    git,
    commit: async (files) => {
      for (const [path, content] of Object.entries(files)) {
        const at = join(folder, path);
        if (content === null) await rm(at, { recursive: true });
        else await mkdir(dirname(at), { recursive: true }).then(() => writeFile(at, content));
      }
      await git('add', '--all');
      await git('commit', '--quiet', '--allow-empty', '--message=change');
      return git('rev-parse', 'HEAD');
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface GitServer {
  readonly url: string;
  /** The Authorization headers of requests, in order. */
  readonly authorizations: readonly (string | undefined)[];
  /** Handles requests from now on; null serves them normally. */
  answerWith(answer: ((request: IncomingMessage, response: ServerResponse) => void) | null): void;
  /** Allows only this `user:password`; null allows everybody. */
  allowOnly(credentials: string | null): void;
  close(): Promise<void>;
}

/** With a certificate, which is for `localhost`, it uses https. */
export async function serveRepository(
  { folder }: TestRepository,
  certified?: { readonly key: string; readonly certificate: string },
): Promise<GitServer> {
  const authorizations: (string | undefined)[] = [];
  let answer: Parameters<GitServer['answerWith']>[0] = null;
  let allowed: string | null = null;
  const listener: RequestListener = (request, response) => {
    const { authorization } = request.headers;
    authorizations.push(authorization);
    if (answer !== null) return answer(request, response);
    if (allowed !== null && authorization !== `Basic ${btoa(allowed)}`) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('no');
      return;
    }
    serveByGit(folder, request, response);
  };
  const server =
    certified === undefined
      ? createServer(listener)
      : createSecureServer({ key: certified.key, cert: certified.certificate }, listener);
  const host = certified === undefined ? 'http://127.0.0.1' : 'https://localhost';
  return {
    url: `${host}:${await listen(server)}/.git`,
    authorizations,
    answerWith: (given) => {
      answer = given;
    },
    allowOnly: (credentials) => {
      allowed = credentials;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function serveByGit(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://git');
  const child = spawn('git', ['http-backend'], {
    env: {
      ...environment,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => {});
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    const headers = output.toString('latin1', 0, end).split('\r\n');
    for (const line of headers) {
      const [name = '', value = ''] = line.split(': ');
      if (name.toLowerCase() === 'status') response.statusCode = Number(value.slice(0, 3));
      else response.setHeader(name, value);
    }
    response.end(output.subarray(end + 4));
  });
}
