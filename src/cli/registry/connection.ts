// Which registry a command speaks to, and with which key. It loads nothing, so it can be asked first.

import type { Environment } from '../command-line.ts';
import { wrongUsage } from '../exit-code.ts';
import type { RegistryOptions } from '../options.ts';

interface Connection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string;
}

/** Ends the command if one of them is missing or wrong. */
export function readConnection(options: RegistryOptions, env: Environment): Connection {
  const key = options.key ?? (env.CONCORDAT_KEY || undefined);
  if (key === undefined) {
    throw wrongUsage('No API key was given. Set CONCORDAT_KEY, or use --key.');
  }
  if (!/^[\x21-\x7e]+$/.test(key.trim())) {
    throw wrongUsage('The API key contains invalid characters. Check CONCORDAT_KEY or --key.');
  }
  return { url: addressOf(options.registry ?? (env.CONCORDAT_URL || undefined)), key: key.trim() };
}

function addressOf(text: string | undefined): string {
  if (text === undefined) {
    throw wrongUsage(
      'No registry was given. Use --registry https://registry.example.com, or set CONCORDAT_URL.',
    );
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw wrongUsage(
      `"${text}" is not a valid registry address. It must start with https:// or http://.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    // Omits the address, because its credentials are secret.
    throw wrongUsage(
      'The registry address must not contain a user or password. Set CONCORDAT_KEY instead.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw wrongUsage(
      `"${text}" is not a valid registry address. Remove everything from ? or # on.`,
    );
  }
  return text.replace(/\/+$/, '');
}
