// The part of Markdown that our own pages are written in, to HTML: headings, paragraphs, lists of one
// level, tables, fenced code, and inside of a line code, links, strong and emphasised words. What it
// does not know stays the text that it is. Nothing of a page reaches the reader as HTML of its own.

interface Rendered {
  readonly title: string;
  readonly html: string;
}

/** `resolve` says where a link of the page leads; null where nobody can go there: it is text then. */
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
  /** The index of the first line that is not of the block any more. */
  readonly end: (lines: readonly string[], start: number) => number;
  readonly render: (lines: readonly string[], inline: Inline) => string;
}

const item = /^(?:[-*]|\d+\.) +/;

/** One row a kind of block; the first that fits wins. */
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
  // It scrolls sideways, so that it has to be reached by the keyboard.
  return `<pre tabindex="0"${named}><code>${escapeHtml(code.join('\n'))}\n</code></pre>`;
}

function renderHeading([line = '']: readonly string[], inline: Inline): string {
  const level = line.indexOf(' ');
  const text = line.slice(level + 1);
  return `<h${level} id="${toAnchor(text)}">${inline(text)}</h${level}>`;
}

/**
 * As the places that show Markdown make it.
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
  // The corner of a table whose rows have names is no heading of anything.
  const heading = (text: string) =>
    text === '' ? '<td></td>' : `<th scope="col">${inline(text)}</th>`;
  const body = rows.map((line) => row(line, plain)).join('\n');
  return [
    '<div class="wide" tabindex="0"><table>',
    `<thead>${row(head, heading)}</thead>`,
    `<tbody>${body}</tbody></table></div>`,
  ].join('\n');
}

/** A bar that is escaped is text, also where it stands in code. */
function cellsOf(line: string): readonly string[] {
  const cells = line
    .trim()
    .split(/(?<!\\)\|/)
    .slice(1, -1);
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Items, the lines that go on with them, and empty lines between items. */
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

// Code first: what stands in it is no markup.
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
