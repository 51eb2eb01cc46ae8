// Messages for incoming webhooks of Slack and Microsoft Teams.

import type { InWords } from './tell-in-words.ts';

/** Slack's limit of a block. */
const blockLimit = 3_000;

/** https://docs.slack.dev/reference/block-kit/blocks */
export function slackBody({ title, lines, link }: InWords): string {
  const text = lines.map((line) => escaped(line).replace(/^- /, '• ')).join('\n');
  return JSON.stringify({
    text: escaped(title),
    blocks: [
      section(`*${escaped(title)}*`),
      ...(text === '' ? [] : [section(text)]),
      ...(link === null ? [] : [section(`<${link.url}|${escaped(link.label)}>`)]),
    ],
    unfurl_links: false,
  });
}

function section(text: string) {
  return { type: 'section', text: { type: 'mrkdwn', text: text.slice(0, blockLimit) } };
}

/** A name must not become a mention or a link. */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

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
  return JSON.stringify({ type: 'message', attachments: [attachment] });
}

/** A card reads its text as Markdown. */
function unformatted(text: string): string {
  return text.replace(/[\\`*_[\]()<>]/g, (sign) => `\\${sign}`);
}
