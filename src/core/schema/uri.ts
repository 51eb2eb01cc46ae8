// Resolves a URI reference against another (RFC 3986, section 5.2), including relative bases: a
// schema without an absolute `$id` may still name its parts by relative ones. The result is
// normalized (section 6.2): some validators take equivalent ids for one.

interface UriParts {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  readonly path: string;
  readonly query: string | undefined;
}

/** @example resolveUri('https://a/b/c.json', '../d.json') // 'https://a/d.json' */
export function resolveUri(base: string, reference: string): string {
  if (reference === '') return base;
  const target = splitUri(reference);
  if (target.scheme !== undefined) return joinUri({ ...target, path: withoutDots(target.path) });
  const from = splitUri(base);
  if (target.authority !== undefined) {
    return joinUri({ ...target, scheme: from.scheme, path: withoutDots(target.path) });
  }
  if (target.path === '') {
    return joinUri({ ...from, query: target.query ?? from.query });
  }
  const path = target.path.startsWith('/') ? target.path : mergePaths(from, target.path);
  return joinUri({ ...from, path: withoutDots(path), query: target.query });
}

/** @example splitFragment('a.json#/x') // ['a.json', '/x']; without '#': ['a.json', ''] */
export function splitFragment(uri: string): [string, string] {
  const hash = uri.indexOf('#');
  return hash < 0 ? [uri, ''] : [uri.slice(0, hash), uri.slice(hash + 1)];
}

export function isAbsoluteUri(uri: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri);
}

function splitUri(uri: string): UriParts {
  const match = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?]*))?([^?]*)(?:\?(.*))?$/s.exec(uri);
  return {
    scheme: match?.[1],
    authority: match?.[2],
    path: match?.[3] ?? '',
    query: match?.[4],
  };
}

function joinUri(parts: UriParts): string {
  const scheme = parts.scheme?.toLowerCase();
  const port = scheme === undefined ? undefined : defaultPorts.get(scheme);
  const authority = parts.authority === undefined ? '' : `//${normalHost(parts.authority, port)}`;
  const path = authority !== '' && port !== undefined && parts.path === '' ? '/' : parts.path;
  const query = parts.query === undefined ? '' : `?${parts.query}`;
  const start = scheme === undefined ? '' : `${scheme}:`;
  return `${start}${authority}${withNormalEscapes(`${path}${query}`)}`;
}

const defaultPorts: ReadonlyMap<string, string> = new Map([
  ['http', '80'],
  ['https', '443'],
]);

function normalHost(authority: string, port: string | undefined): string {
  const start = authority.lastIndexOf('@') + 1;
  const host = withNormalEscapes(authority.slice(start)).toLowerCase();
  const isDefault = host.endsWith(':') || (port !== undefined && host.endsWith(`:${port}`));
  return authority.slice(0, start) + (isDefault ? host.slice(0, host.lastIndexOf(':')) : host);
}

/** Only what must be escaped is, and in capitals. */
function withNormalEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%[0-9A-Fa-f]{2}/g, (code) => {
    const char = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : code.toUpperCase();
  });
}

function mergePaths(base: UriParts, path: string): string {
  if (base.authority !== undefined && base.path === '') return `/${path}`;
  return base.path.slice(0, base.path.lastIndexOf('/') + 1) + path;
}

function withoutDots(path: string): string {
  if (!path.includes('.')) return path;
  const segments = path.split('/');
  const kept: string[] = [];
  segments.forEach((segment, index) => {
    const isLast = index === segments.length - 1;
    if (segment === '..') {
      if (kept.length > 1 || (kept.length === 1 && kept[0] !== '')) kept.pop();
      if (isLast) kept.push('');
    } else if (segment === '.') {
      if (isLast) kept.push('');
    } else {
      kept.push(segment);
    }
  });
  return kept.join('/');
}
