// A certificate for localhost, which is its own authority.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LocalCertificate {
  readonly file: string;
  readonly keyFile: string;
  readonly text: string;
  readonly key: string;
}

export function makeCertificate(folder: string): LocalCertificate {
  const [file, keyFile] = [join(folder, 'authority.crt'), join(folder, 'authority.key')];
  const words = [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
    ...['-keyout', keyFile, '-out', file],
  ];
  execFileSync('openssl', words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const read = (path: string) => readFileSync(path, 'utf8').trim();
  return { file, keyFile, text: read(file), key: read(keyFile) };
}
