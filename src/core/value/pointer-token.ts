// The tokens of JSON Pointers (RFC 6901), also as parts of a URI.

/** @example writePointerToken('a/b~c') // 'a~1b~0c' */
export function writePointerToken(name: string): string {
  // Nearly no name has one of them.
  if (!name.includes('~') && !name.includes('/')) return name;
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** @example readPointerToken('a~1b~0c') // 'a/b~c' */
export function readPointerToken(token: string): string {
  return token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token;
}

/**
 * A token within the fragment of a URI. Half a surrogate pair is replaced, because neither a URI nor the
 * database can hold it.
 *
 * @example writeUriToken('a/b c#') // 'a~1b%20c%23'
 */
export function writeUriToken(name: string): string {
  return encodeURI(writePointerToken(name.toWellFormed())).replaceAll('#', '%23');
}

/**
 * Decodes percent-encoding. Returns text as it is if its encoding is invalid.
 *
 * @example percentDecoded('a%20b') // 'a b'
 * @example percentDecoded('100%') // '100%'
 */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
