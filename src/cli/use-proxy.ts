// The proxy of the environment, for every request of a command.

import http from 'node:http';
import type { Environment } from './command-line.ts';
import { wrongUsage } from './exit-code.ts';

/**
 * Reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY in upper or lower case, like other programs in a
 * pipeline.
 */
export function useProxyOf(env: Environment): void {
  const proxies = Object.entries(env).flatMap(([name, value]) =>
    proxyVariable.test(name) && value ? [[name, withScheme(value)] as const] : [],
  );
  // The first versions of Node 24 cannot do it.
  if (proxies.length === 0 || typeof http.setGlobalProxyFromEnv !== 'function') return;
  try {
    http.setGlobalProxyFromEnv({ ...env, ...Object.fromEntries(proxies) });
  } catch {
    const names = proxies.map(([name]) => name).join(', ');
    throw wrongUsage(
      `The proxy address in ${names} is invalid. Use an address such as http://proxy.example.com:3128.`,
    );
  }
}

const proxyVariable = /^https?_proxy$/i;

/** Other programs also accept `proxy.example.com:3128`. */
function withScheme(address: string): string {
  return address.includes('://') ? address : `http://${address}`;
}
