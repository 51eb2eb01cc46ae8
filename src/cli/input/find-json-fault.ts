// Finds the position at which a text stops being valid JSON, which the parser reports only for some
// texts.

const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON's strings may not hold them.
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true\b|false\b|null\b))/y;

/** What may come next: a value, a key, a colon, a separator after a member, or the end. */
type Expected = 'value' | 'first_item' | 'key' | 'first_key' | 'colon' | 'next' | 'end';

/** @example findJsonFault('{"a": [1,}') // 9 */
export function findJsonFault(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  for (let at = 0; ; ) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) return skipSpace(text, at);
    const [, punctuation, string, literal] = match;
    const start = token.lastIndex - (punctuation ?? string ?? literal ?? '').length;
    const after = follow(
      expected,
      punctuation ?? (string === undefined ? 'literal' : 'string'),
      open,
    );
    if (after === null) return start;
    expected = after;
    at = token.lastIndex;
  }
}

function follow(expected: Expected, found: string, open: ('{' | '[')[]): Expected | null {
  const isValue = expected === 'value' || expected === 'first_item';
  const closed = (): Expected => {
    open.pop();
    return open.length === 0 ? 'end' : 'next';
  };
  switch (found) {
    case '{':
    case '[':
      if (!isValue) return null;
      open.push(found);
      return found === '{' ? 'first_key' : 'first_item';
    case '}':
      return open.at(-1) === '{' && (expected === 'first_key' || expected === 'next')
        ? closed()
        : null;
    case ']':
      return open.at(-1) === '[' && (expected === 'first_item' || expected === 'next')
        ? closed()
        : null;
    case ',':
      if (expected !== 'next') return null;
      return open.at(-1) === '{' ? 'key' : 'value';
    case ':':
      return expected === 'colon' ? 'value' : null;
    case 'string':
      if (expected === 'key' || expected === 'first_key') return 'colon';
      break;
    default:
      break;
  }
  if (!isValue) return null;
  return open.length === 0 ? 'end' : 'next';
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at++;
  return at;
}
