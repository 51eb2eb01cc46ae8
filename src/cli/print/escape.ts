// Text that users wrote, made safe for each form of output: it is shown, and does nothing.

// Control characters, those that reorder or hide text, and halves of pairs.
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/gu;

/** In the place of what cannot be shown. */
const replacement = '\ufffd';

/** One line, with nothing in it that cannot be seen. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n\t]+/g, ' ').replace(invisible, replacement);
}

/**
 * Text between code spans of Markdown. Names and values stand in backquotes in the engine's
 * sentences, and stay code; the rest is text that formats nothing, links nowhere, mentions nobody.
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
 * Text as a code span: whatever is in it, it is shown as it is.
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

/** References are made after the rest is read, so a backslash does not stop them: a comment does. */
function plain(text: string): string {
  return text
    .replace(/[\\`*_{}[\]<>()#+|~$&@!%^=]/g, '\\$&')
    .replace(/\\[@#!~$%&](?=\S)/g, '$&<!-- -->')
    .replace(/:(?=\/\/|[A-Za-z])/g, '\\:')
    .replace(/www\./gi, (word) => `${word.slice(0, 3)}\\.`);
}

/** The message of a workflow command. */
export function githubMessage(text: string): string {
  return visible(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** A property of a workflow command, which ends at a colon or a comma. */
export function githubProperty(text: string): string {
  return githubMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** An attribute's value, or text, of XML. */
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

/** A plain message of SARIF, in which `[text](address)` would be a link. */
export function sarifText(text: string): string {
  return visible(text).replaceAll('](', '] (');
}

/** Lines stay; what cannot be seen, or XML cannot hold, is replaced. */
export function visible(text: string): string {
  return text.replace(invisible, replacement);
}
