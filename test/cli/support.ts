import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const main = resolve(import.meta.dirname, '../../src/main.ts');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real program. */
export function run(
  args: readonly string[],
  input: string | Uint8Array = '',
  how: { readonly closesAfterFirstChunk?: boolean } = {},
): Promise<Ran> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
    const out: Uint8Array[] = [];
    const errors: Uint8Array[] = [];
    child.stdout.on('data', (chunk: Uint8Array) => {
      out.push(chunk);
      if (how.closesAfterFirstChunk) child.stdout.destroy();
    });
    child.stderr.on('data', (chunk: Uint8Array) => errors.push(chunk));
    child.on('error', failed);
    // A program that has read enough closes its end early.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', (code) => {
      done({
        code,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(errors).toString(),
      });
    });
  });
}

export interface Folder {
  /** Writes a file and answers its path. */
  readonly file: (name: string, content: unknown) => Promise<string>;
  readonly path: string;
  readonly remove: () => Promise<void>;
}

export async function makeFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'concordat-cli-'));
  return {
    path,
    file: async (name, content) => {
      const target = join(path, name);
      await writeFile(target, typeof content === 'string' ? content : JSON.stringify(content));
      return target;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
