import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The folder of a published Go module's files, fetched by `go` if it is missing: the source of
 * custom resource definitions as published. Throws if there is no `go`.
 */
export async function publishedModule(name: string, version: string): Promise<string> {
  const GOMODCACHE = join(homedir(), '.cache', 'concordat', 'modules');
  const { stdout } = await run('go', ['mod', 'download', '-json', `${name}@${version}`], {
    env: { ...process.env, GOMODCACHE, GOFLAGS: '-modcacherw' },
  });
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}
