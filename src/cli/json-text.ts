// Positions in the text of a JSON document.

const quote = 0x22;
const backslash = 0x5c;

/** The position after the string that starts at `start`; the end of the text if it is not closed. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === backslash) at++;
    else if (code === quote) return at + 1;
  }
  return text.length;
}

/** @example placeAt('{\n  "a": 1\n}', 4) // 'line 2, column 3' */
export function placeAt(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
