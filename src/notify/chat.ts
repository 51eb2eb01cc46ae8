// Messages for incoming webhooks of Slack and Microsoft Teams.

import type { InWords } from './tell-in-words.ts';

/** Slack's limit of a block. */
const blockLimit = 3_000;

/** https://docs.slack.dev/reference/block-kit/blocks */
export function slackBody({ title, lines, link }: InWords): string {
  return JSON.stringify({
    text: escaped(title),
    blocks: [
      section(`*${escaped(title)}*`),
      ...textsOf(lines).map(section),
      ...(link === null ? [] : [section(`<${link.url}|${escaped(link.label)}>`)]),
    ],
    unfurl_links: false,
  });
}

/** The lines, in as few texts as their limit allows; a line fits into one even if all is escaped. */
function textsOf(lines: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const text = escaped(line).replace(/^- /, '• ');
    const last = texts.at(-1);
    const both = `${last}\n${text}`;
    if (last !== undefined && both.length <= blockLimit) texts[texts.length - 1] = both;
    else texts.push(text);
  }
  return texts;
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
export function teamsBody({ title, lines, link }: InWords): string {
  const block = (text: string, more: object = {}) => ({
    ...{ type: 'TextBlock', text: unformatted(text), wrap: true },
    ...more,
  });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      block(title, { weight: 'Bolder', size: 'Medium' }),
      ...lines.map((line) => block(line.replace(/^- /, '• '), { spacing: 'Small' })),
    ],
    ...(link !== null && {
      actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }],
    }),
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', content };
  const body = JSON.stringify({ type: 'message', attachments: [attachment] });
  if (Buffer.byteLength(body) <= cardLimitBytes) return body;
  // Without the last item of the list, as long as there is one: the page has all of it.
  const item = lines.findLastIndex((line) => line.startsWith('- ') && line !== cut);
  if (item === -1) return body;
  const rest = lines.filter((line, index) => index !== item && line !== cut);
  return teamsBody({ title, lines: rest.toSpliced(item, 0, cut), link });
}

const cut = '- and more';

/** A card reads its text as Markdown. */
function unformatted(text: string): string {
  return text.replace(/[\\`*_[\]()<>]/g, (sign) => `\\${sign}`);
}
