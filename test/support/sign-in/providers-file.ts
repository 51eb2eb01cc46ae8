// The settings of a registry with these providers, in files as an operator writes them.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { stringify } from 'yaml';
import { openFolder } from '../open-folder.ts';

export const clientSecret = 'the secret of the client of the tests';

interface ProviderEntry {
  readonly name: string;
  readonly issuer: string;
  readonly [more: string]: unknown;
}

export async function providerSettings(
  providers: readonly ProviderEntry[],
): Promise<Readonly<Record<string, string>>> {
  const folder = await openFolder('concordat-providers-');
  afterAll(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'client-secret'), `${clientSecret}\n`);
  const file = join(folder, 'providers.yaml');
  const client = { client_id: 'concordat', client_secret_file: 'client-secret' };
  await writeFile(file, stringify({ providers: providers.map((one) => ({ ...client, ...one })) }));
  return { OIDC_PROVIDERS_FILE: file, SECRET_KEY: 'a secret key of the tests that is long enough' };
}
