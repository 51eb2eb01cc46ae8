// Escapes text from users for each output format, so that it is shown and has no effect.

// Control characters, those that reorder or hide text, and halves of pairs.
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/gu;

/** Replaces characters that cannot be shown. */
const replacement = '\ufffd';

/** One line without invisible characters. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n\t]+/g, ' ').replace(invisible, replacement);
}

/**
 * Text between code spans of Markdown. The engine's sentences put names and values in backquotes,
 * which stay code; the rest formats nothing, links nowhere and mentions nobody.
 *
 * @example markdownText('`$.id`: gone, says @all') // '`$.id`: gone, says \\@<!-- -->all'
 */
export function markdownText(text: string): string {
  return oneLine(text)
    .split(/(`[^`]+`)/)
    .map((part, index) => (index % 2 === 1 ? markdownCode(part.slice(1, -1)) : plain(part)))
    .join('');
}

/**
 * Text as a code span, shown unchanged whatever it contains.
 *
 * @example markdownCode('a`b') // '`` a`b ``'
 */
export function markdownCode(text: string): string {
  const line = oneLine(text);
  if (line.trim() === '') return '` `';
  const runs = [...line.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = '`'.repeat(Math.max(0, ...runs) + 1);
  const isPadded = line.startsWith('`') || line.endsWith('`') || /^ .* $/.test(line);
  return isPadded ? `${fence} ${line} ${fence}` : `${fence}${line}${fence}`;
}

/**
 * GitHub resolves mentions after parsing, so a backslash does not prevent them, but a comment does.
 * GitLab runs a line that begins with a slash as an action of its own: `/close`.
 */
function plain(text: string): string {
  return text
    .replace(/[\\`*_{}[\]<>()#+|~$&@!%^=]/g, '\\$&')
    .replace(/\\[@#!~$%&](?=\S)/g, '$&<!-- -->')
    .replace(/:(?=\/\/|[A-Za-z])/g, '\\:')
    .replace(/www\./gi, (word) => `${word.slice(0, 3)}\\.`)
    .replace(/^\s*(?=\/)/, '$&\\');
}

/** The message of a workflow command. */
export function githubMessage(text: string): string {
  return visible(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** A property of a workflow command, which ends at a colon or a comma. */
export function githubProperty(text: string): string {
  return githubMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** Text or the value of an attribute in XML. */
export function xmlText(text: string): string {
  return visible(text).replace(/[&<>"'\r\n\t]/g, (character) => xmlEntities[character] ?? '');
}

const xmlEntities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** A plain SARIF message, in which `[text](address)` would become a link. */
export function sarifText(text: string): string {
  return visible(text).replaceAll('](', '] (');
}

/** Keeps line breaks; replaces characters that are invisible or not allowed in XML. */
export function visible(text: string): string {
  return text.replace(invisible, replacement);
}
