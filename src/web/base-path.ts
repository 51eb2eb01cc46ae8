// The path that the server's addresses start with. Every script is served from `static` below it,
// so the address of this script contains it, also in a worker.

const script = import.meta.url;

/** Empty if the server is at the root of its host. */
export const basePath = script.startsWith('http')
  ? new URL('..', script).pathname.replace(/\/$/, '')
  : '';

/** An address of the page without that path, as views use it. */
export function withoutBasePath(path: string): string {
  const rest = path.startsWith(basePath) ? path.slice(basePath.length) : path;
  return rest === '' ? '/' : rest;
}
