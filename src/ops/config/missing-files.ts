// Settings that name a file or folder which does not exist.

import { access } from 'node:fs/promises';
import { parseBusAddress } from '../../core/checks/bus-address.ts';
import type { Config } from './config.ts';
import { authorityOf } from './mail-settings.ts';

const fileSettings = [
  'ADMISSION_CERTIFICATE_DIR',
  'DATABASE_URL_FILE',
  'LISTEN_DATABASE_URL_FILE',
  'DATABASE_READ_URLS_FILE',
  'GIT_PASSWORD_FILE',
  'GIT_SSH_KEY_FILE',
  'GIT_SSH_KNOWN_HOSTS_FILE',
  'KUBECONFIG',
  'OIDC_PROVIDERS_FILE',
  'TEAM_MAPPING_FILE',
] as const satisfies readonly (keyof Config)[];

/** One sentence for each file that cannot be found. */
export async function findMissingFiles(config: Config): Promise<readonly string[]> {
  const named = fileSettings.map((name) => [name, config[name]] as const);
  const authority = authorityOf(config.SMTP_URL) ?? undefined;
  const bus = parseBusAddress(config.EVENT_BUS_URL ?? '');
  const creds = bus.ok && bus.value.kind === 'nats' ? (bus.value.creds ?? undefined) : undefined;
  const ofBus = Object.entries({ ...((bus.ok && bus.value.tls) || {}), creds });
  const within = [
    ['The ca of SMTP_URL', authority] as const,
    ...ofBus.map(([name, path]) => [`The ${name} of EVENT_BUS_URL`, path] as const),
  ];
  const found = await Promise.all(
    [...named, ...within].map(async ([name, path]) => {
      // kubectl's own variable may list several files, of which some may be missing.
      if (path === undefined || (name === 'KUBECONFIG' && path.includes(':'))) return null;
      const isThere = await access(path).then(
        () => true,
        () => false,
      );
      return isThere ? null : `${name}=${path} does not exist or cannot be read. Correct the path.`;
    }),
  );
  return found.filter((problem) => problem !== null);
}
