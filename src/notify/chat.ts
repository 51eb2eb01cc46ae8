// Messages for incoming webhooks of Slack and Microsoft Teams.

import type { InWords } from './tell-in-words.ts';

/** Slack's limit of a block. */
const blockLimit = 3_000;

/** https://docs.slack.dev/reference/block-kit/blocks */
export function slackBody(words: InWords): string {
  const { title, parts } = words;
  return JSON.stringify({
    text: escaped(title),
    blocks: parts.length === 0 ? blocksOf(words) : [heading(title), ...parts.map(shortBlock)],
    unfurl_links: false,
  });
}

function blocksOf({ title, lines, link }: InWords) {
  return [
    heading(title),
    ...textsOf(lines).map(section),
    ...(link === null ? [] : [section(slackLink(link))]),
  ];
}

/** One of many: as many of its lines as fit into one block, and the link. */
function shortBlock({ title, lines, link }: InWords) {
  const ends = [`*${escaped(title)}*`, ...(link === null ? [] : [slackLink(link)])];
  const taken = fitting(
    lines.map(slackLine),
    blockLimit - ends.join('\n').length,
    (text) => text.length + 1,
  );
  return section(ends.toSpliced(1, 0, ...taken).join('\n'));
}

/** The first of them that are together no longer than the limit. */
function fitting<Item>(items: readonly Item[], limit: number, lengthOf: (item: Item) => number) {
  let left = limit;
  const end = items.findIndex((item) => {
    left -= lengthOf(item);
    return left < 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

function heading(title: string) {
  return section(`*${escaped(title)}*`);
}

function slackLink({ url, label }: NonNullable<InWords['link']>): string {
  return `<${url}|${escaped(label)}>`;
}

/** The lines, in as few texts as their limit allows; a line fits into one even if all is escaped. */
function textsOf(lines: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const text = slackLine(line);
    const last = texts.at(-1);
    const both = `${last}\n${text}`;
    if (last !== undefined && both.length <= blockLimit) texts[texts.length - 1] = both;
    else texts.push(text);
  }
  return texts;
}

function slackLine(line: string): string {
  return escaped(line).replace(/^- /, '• ');
}

/** `verbatim`: what looks like an address or a mention becomes none. */
function section(text: string) {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}

/** A name must not become a mention or a link. */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** 28 KB, and less than that of what people wrote. */
const cardLimitBytes = 26_000;

/** An adaptive card, as the workflows of Microsoft Teams take it. */
export function teamsBody(words: InWords): string {
  const { title, lines, link, parts } = words;
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      cardTitle(title),
      ...(parts.length === 0 ? lines.map(cardLine) : parts.flatMap(partOf(parts.length))),
    ],
    ...(link !== null && { actions: [cardLink(link)] }),
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', content };
  const body = JSON.stringify({ type: 'message', attachments: [attachment] });
  if (Buffer.byteLength(body) <= cardLimitBytes) return body;
  // Without the last item of the list, as long as there is one: the page has all of it.
  const item = lines.findLastIndex((line) => line.startsWith('- ') && line !== cut);
  if (item === -1 || parts.length > 0) return body;
  const rest = lines.filter((line, index) => index !== item && line !== cut);
  return teamsBody({ ...words, lines: rest.toSpliced(item, 0, cut) });
}

const cardTitleLimit = 200;

/** One of many: its title and link, and as many of its lines as its share of the card takes. */
function partOf(count: number): (part: InWords) => readonly object[] {
  return ({ title, lines, link }) => {
    const ends: readonly object[] = [
      cardTitle(title.slice(0, cardTitleLimit)),
      ...(link === null ? [] : [{ type: 'ActionSet', actions: [cardLink(link)] }]),
    ];
    const sizeOf = (item: object) => Buffer.byteLength(JSON.stringify(item)) + 1;
    const left = ends.reduce((rest, item) => rest - sizeOf(item), cardLimitBytes / (count + 1));
    return ends.toSpliced(1, 0, ...fitting(lines.map(cardLine), left, sizeOf));
  };
}

function cardTitle(title: string) {
  return { ...cardText(title), weight: 'Bolder', size: 'Medium' };
}

function cardLine(line: string) {
  return { ...cardText(line.replace(/^- /, '• ')), spacing: 'Small' };
}

function cardText(text: string) {
  return { type: 'TextBlock', text: unformatted(text), wrap: true };
}

function cardLink({ label, url }: NonNullable<InWords['link']>) {
  return { type: 'Action.OpenUrl', title: label, url };
}

const cut = '- and more';

/** A card reads its text as Markdown. */
function unformatted(text: string): string {
  return text.replace(/[\\`*_[\]()<>]/g, (sign) => `\\${sign}`);
}
