// Renders the part of Markdown that our own pages use as HTML: headings, paragraphs, lists of one
// level, tables, fenced code, and within a line code, links, strong and emphasized words. Unknown
// markup stays text. HTML in a page is escaped.

interface Rendered {
  readonly title: string;
  readonly html: string;
}

/**
 * `resolve` returns the address of a link; null for a link without a target, which is rendered as
 * text.
 */
export function renderMarkdown(text: string, resolve: (target: string) => string | null): Rendered {
  const lines = text.replaceAll(/<!--[\s\S]*?-->\n?/g, '').split('\n');
  const html: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const block = blocks.find(({ starts }) => starts.test(lines[at] ?? '')) ?? paragraph;
    const end = block.end(lines, at);
    html.push(block.render(lines.slice(at, end), (line) => renderInline(line, resolve)));
    at = end;
  }
  const heading = lines.find((line) => line.startsWith('# ')) ?? '# ';
  return { title: heading.slice(2), html: html.filter(Boolean).join('\n') };
}

type Inline = (text: string) => string;

interface Block {
  readonly starts: RegExp;
  /** The index of the first line after the block. */
  readonly end: (lines: readonly string[], start: number) => number;
  readonly render: (lines: readonly string[], inline: Inline) => string;
}

const item = /^(?:[-*]|\d+\.) +/;

/** One row per kind of block; the first match wins. */
const blocks: readonly Block[] = [
  { starts: /^\s*$/, end: (_lines, start) => start + 1, render: () => '' },
  { starts: /^```/, end: endOfFence, render: renderFence },
  { starts: /^#{1,4} /, end: (_lines, start) => start + 1, render: renderHeading },
  { starts: /^\|/, end: (lines, start) => endWhile(lines, start, /^\|/), render: renderTable },
  { starts: item, end: endOfList, render: renderList },
];

const paragraph: Block = {
  starts: /./,
  end: (lines, start) => {
    const rest = lines.slice(start + 1);
    const next = rest.findIndex((line) => blocks.some(({ starts }) => starts.test(line)));
    return next === -1 ? lines.length : start + 1 + next;
  },
  render: (lines, inline) => `<p>${inline(lines.join('\n'))}</p>`,
};

function endWhile(lines: readonly string[], start: number, fits: RegExp): number {
  const length = lines.slice(start).findIndex((line) => !fits.test(line));
  return length === -1 ? lines.length : start + length;
}

function endOfFence(lines: readonly string[], start: number): number {
  const closing = lines.indexOf('```', start + 1);
  return closing === -1 ? lines.length : closing + 1;
}

function renderFence([opening = '', ...lines]: readonly string[]): string {
  const language = /^```([\w-]*)/.exec(opening)?.[1] ?? '';
  const code = lines.at(-1) === '```' ? lines.slice(0, -1) : lines;
  const named = language === '' ? '' : ` data-language="${language}"`;
  // The block scrolls sideways, so it must be reachable by keyboard.
  return `<pre tabindex="0"${named}><code>${escapeHtml(code.join('\n'))}\n</code></pre>`;
}

function renderHeading([line = '']: readonly string[], inline: Inline): string {
  const level = line.indexOf(' ');
  const text = line.slice(level + 1);
  return `<h${level} id="${toAnchor(text)}">${inline(text)}</h${level}>`;
}

/**
 * Makes the same anchors as common Markdown viewers.
 *
 * @example toAnchor('What is `full`?') // 'what-is-full'
 */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function renderTable([head = '', , ...rows]: readonly string[], inline: Inline): string {
  const row = (line: string, toCell: (text: string) => string) =>
    `<tr>${cellsOf(line).map(toCell).join('')}</tr>`;
  const plain = (text: string) => `<td>${inline(text)}</td>`;
  // The top left corner of a table with row names is empty, so it is not a heading.
  const heading = (text: string) =>
    text === '' ? '<td></td>' : `<th scope="col">${inline(text)}</th>`;
  const body = rows.map((line) => row(line, plain)).join('\n');
  return [
    '<div class="wide" tabindex="0"><table>',
    `<thead>${row(head, heading)}</thead>`,
    `<tbody>${body}</tbody></table></div>`,
  ].join('\n');
}

/** An escaped bar is text, even within code. */
function cellsOf(line: string): readonly string[] {
  const cells = line
    .trim()
    .split(/(?<!\\)\|/)
    .slice(1, -1);
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Includes items, their continuation lines, and empty lines between items. */
function endOfList(lines: readonly string[], start: number): number {
  let at = start + 1;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const next = lines[at + 1] ?? '';
    if (line.trim() === '' ? !item.test(next) : !item.test(line) && !/^ {2}/.test(line)) break;
  }
  return at;
}

function renderList(lines: readonly string[], inline: Inline): string {
  const items: string[] = [];
  for (const line of lines.filter((one) => one.trim() !== '')) {
    if (item.test(line)) items.push(line.replace(item, ''));
    else items.push(`${items.pop() ?? ''}\n${line.trim()}`);
  }
  const tag = /^\d/.test(lines[0] ?? '') ? 'ol' : 'ul';
  return `<${tag}>\n${items.map((text) => `<li>${inline(text)}</li>`).join('\n')}\n</${tag}>`;
}

// Code comes first, because markup within code is text.
const inlinePattern =
  /(?<ticks>`+)(?<code>.+?)\k<ticks>|\[(?<label>(?:[^\]`]|`[^`]*`)+)\]\((?<target>[^()\s]+)\)|\*\*(?<strong>.+?)\*\*|(?<![\w*])\*(?<weak>[^*\s][^*]*?)\*(?![\w*])/gs;

function renderInline(text: string, resolve: (target: string) => string | null): string {
  let html = '';
  let at = 0;
  for (const match of text.matchAll(inlinePattern)) {
    html += escapeHtml(text.slice(at, match.index));
    html += renderMatch(match.groups ?? {}, resolve);
    at = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(at));
}

function renderMatch(
  { code, label, target, strong, weak }: Readonly<Record<string, string | undefined>>,
  resolve: (target: string) => string | null,
): string {
  if (code !== undefined) return `<code>${escapeHtml(code)}</code>`;
  if (strong !== undefined) return `<strong>${renderInline(strong, resolve)}</strong>`;
  if (weak !== undefined) return `<em>${renderInline(weak, resolve)}</em>`;
  const href = resolve(target ?? '');
  const inside = renderInline(label ?? '', () => null);
  return href === null ? inside : `<a href="${escapeHtml(href)}">${inside}</a>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
