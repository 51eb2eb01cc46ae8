// A server of NATS as it is published, with JetStream.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '../free-ports.ts';
import { openFolder } from '../open-folder.ts';
import { natsServer } from '../tools.ts';

interface NatsServer {
  readonly address: string;
  /** As a machine that fails; its data stays. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @param settings further lines of its file */
export async function startNats(settings = ''): Promise<NatsServer> {
  const folder = await openFolder('concordat-nats-');
  const [port = 0] = await freePorts(1);
  const file = join(folder, 'server.conf');
  const own = `listen: 127.0.0.1:${port}\njetstream { store_dir: ${JSON.stringify(folder)} }\n`;
  await writeFile(file, `${own}${settings}\n`);
  let server: ChildProcess;
  const start = async () => {
    server = spawn(natsServer(), ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    await untilReady(server);
  };
  const kill = async () => {
    server.kill('SIGKILL');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  };
  await start();
  return {
    address: `127.0.0.1:${port}`,
    kill,
    start,
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    if (server.stderr === null) throw new Error('The server has no log.');
    createInterface(server.stderr).on('line', (line) => {
      said.push(line);
      if (line.includes('Server is ready')) resolve();
    });
    server.once('exit', () => reject(new Error(`NATS ended:\n${said.join('\n')}`)));
  });
}
