// Where the page continues after a sign-in: only ever a path of this server.

/** Cookies have 4 KB, and encryption takes a third of them. */
const limit = 1000;

const here = 'http://here.invalid';

/**
 * Returns the path that was asked for if it is one of this site, otherwise its root.
 *
 * @example returnPath('//evil.example', '') // '/'
 */
export function returnPath(asked: string | undefined, basePath: string): string {
  const home = `${basePath}/`;
  if (asked === undefined || asked.length > limit || !isPath(asked)) return home;
  const url = URL.parse(asked, here);
  if (url === null || url.origin !== here) return home;
  // Checked again, because dots and slashes may have become another path.
  const path = `${url.pathname}${url.search}${url.hash}`;
  return isPath(path) && path.startsWith(home) ? path : home;
}

/** A second slash would begin the name of a host, and browsers read a backslash as a slash. */
function isPath(text: string): boolean {
  return /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(text);
}
