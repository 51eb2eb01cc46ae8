// Where the server's paths begin. Every script of the page is served from `static` below it, so the
// address of this one says it, in a worker too.

const script = import.meta.url;

/** Empty where the server is at the root of its host. */
export const basePath = script.startsWith('http')
  ? new URL('..', script).pathname.replace(/\/$/, '')
  : '';

/** An address of the page without what its server's paths begin with: what views know. */
export function withoutBasePath(path: string): string {
  const rest = path.startsWith(basePath) ? path.slice(basePath.length) : path;
  return rest === '' ? '/' : rest;
}
