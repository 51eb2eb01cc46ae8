// A server of S3's protocol by other people, as it is published, on a folder.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openFolder } from '../open-folder.ts';
import { s3ServerClasses } from '../tools.ts';

interface S3Server {
  /** For OBJECT_STORE_URL. */
  readonly url: string;
  /** The objects, as files. */
  readonly folder: string;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const javaOptions = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

const keyId = 'tester';
const secret = 'a/secret+of the tests';

export async function startS3Server(): Promise<S3Server> {
  const folder = await openFolder('concordat-objects-');
  const bucket = join(folder, 'bucket');
  await mkdir(bucket);
  const settings = join(folder, 's3.properties');
  await writeFile(
    settings,
    [
      's3proxy.endpoint=http://127.0.0.1:0',
      's3proxy.authorization=aws-v2-or-v4',
      `s3proxy.identity=${keyId}`,
      `s3proxy.credential=${secret}`,
      'jclouds.provider=filesystem-nio2',
      'jclouds.identity=any',
      'jclouds.credential=any',
      `jclouds.filesystem.basedir=${folder}`,
    ].join('\n'),
  );
  const server = spawn(
    'java',
    [
      ...javaOptions,
      '-cp',
      join(s3ServerClasses(), '*'),
      'org.gaul.s3proxy.Main',
      '--properties',
      settings,
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let port = '';
  for await (const line of createInterface(server.stdout)) {
    port = /Started ServerConnector.*127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? '';
    if (port !== '') break;
  }
  // What it says from now on is of no interest, and must not fill the pipe.
  server.stdout.resume();
  const kill = async () => {
    server.kill('SIGKILL');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  };
  const login = [keyId, secret].map(encodeURIComponent).join(':');
  return {
    url: `http://${login}@127.0.0.1:${port}/bucket/of/trail?region=eu-west-1`,
    folder: join(bucket, 'of/trail'),
    kill,
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
