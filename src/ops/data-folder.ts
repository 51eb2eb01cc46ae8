// Which process keeps its files in DATA_DIR. A second server in the same folder would replace the
// key and the password of the first.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export class DataFolderTaken extends Error {
  override name = 'DataFolderTaken';
}

/**
 * Takes the folder for this process until `leaveDataFolder`. Returns null if this process has it now,
 * otherwise the id of the process that has it. A file that a killed process left is replaced.
 */
export async function takeDataFolder(folder: string): Promise<number | null> {
  const file = fileIn(folder);
  await mkdir(folder, { recursive: true });
  const own = `${process.pid} ${await startOf(process.pid)}`;
  for (;;) {
    const isTaken = await writeFile(file, `${own.trim()}\n`, { flag: 'wx' }).then(
      () => false,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        return true;
      },
    );
    if (!isTaken) return null;
    const { pid, started } = await holderOf(file);
    const now = await startOf(pid);
    const isReused = started !== '' && now !== '' && started !== now;
    if (isAlive(pid) && !isReused) return pid === process.pid ? null : pid;
    await rm(file, { force: true });
  }
}

export async function mustTakeDataFolder(folder: string): Promise<void> {
  const holder = await takeDataFolder(folder);
  if (holder === null) return;
  throw new DataFolderTaken(
    `Another server (process ${holder}) uses the folder ${folder}. Stop it, or give this one a port and a folder of its own, such as PORT=8081 DATA_DIR=.second. If that process is no Concordat, delete ${fileIn(folder)}.`,
  );
}

export async function leaveDataFolder(folder: string): Promise<void> {
  const file = fileIn(folder);
  if ((await holderOf(file)).pid === process.pid) await rm(file, { force: true });
}

/** Signal 0 does nothing to the process: it only tells whether there is one. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function fileIn(folder: string): string {
  return join(folder, 'server.pid');
}

interface Holder {
  readonly pid: number;
  /** When it started, from `startOf`; empty on systems without /proc. */
  readonly started: string;
}

async function holderOf(file: string): Promise<Holder> {
  const [pid = '', started = ''] = (await readFile(file, 'utf8').catch(() => '')).trim().split(' ');
  return { pid: Number.parseInt(pid, 10), started };
}

/**
 * When the process started, in ticks since Linux booted. It tells a killed server from a process that has its id
 * now, in a new container or after a crash of the machine. The id may even be that of a thread of this process.
 */
async function startOf(pid: number): Promise<string> {
  const facts = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The program's name stands before these fields in brackets, and may contain spaces and brackets.
  return facts.slice(facts.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
