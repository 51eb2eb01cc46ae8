// Text from users is shown unchanged and has no effect, whatever it contains.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { printable } from '../../src/cli/output.ts';
import {
  githubMessage,
  githubProperty,
  markdownCode,
  markdownText,
  oneLine,
  visible,
  xmlText,
} from '../../src/cli/print/escape.ts';
import { npmPackage } from '../support/tools.ts';

interface Marked {
  readonly parse: (text: string, options: { readonly gfm: boolean }) => string;
}

interface XmlParser {
  readonly parseFromString: (
    text: string,
    type: string,
  ) => { readonly documentElement: XmlElement | null };
}
interface XmlElement {
  readonly textContent: string | null;
  readonly getAttribute: (name: string) => string | null;
}

let marked: Marked;
let xml: XmlParser;

beforeAll(async () => {
  const markedHome = npmPackage('marked', '18.2.1');
  marked = (await import(pathToFileURL(join(markedHome, 'lib/marked.esm.js')).href)).marked;
  const xmlHome = npmPackage('@xmldom/xmldom', '0.9.12');
  const { DOMParser } = await import(pathToFileURL(join(xmlHome, 'lib/index.js')).href);
  const onError = (level: string, message: string) => {
    // The replacement character is intended where a character cannot be shown.
    if (level !== 'warning') throw new Error(`${level}: ${message}`);
  };
  xml = new DOMParser({ onError });
});

/** Arbitrary texts, and texts full of special characters. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        ...'`*_[]()<>#+-.!|~$&@:%^=\\{}"\'/;,\n\r\t 0aB'.split(''),
        ...['```', '](', '<!--', '-->', '<b>', '</summary>', 'http://x.y', 'www.x.y', 'a@b.co'],
        ...[
          '@team',
          '#12',
          '!34',
          '&#64;',
          '&amp;',
          ':smile:',
          '::error::',
          '##[',
          '/close',
          '%0A',
          '\u001b[31m',
        ],
        ...['\u0000', '\u202e', '\ud800', '\ufffe', ']]>', '[x]: http://x', '- ', '> ', '1. '],
      ),
      { maxLength: 24 },
    )
    .map((parts) => parts.join('')),
);

/** The tags in rendered Markdown. */
function tagsOf(html: string): ReadonlySet<string> {
  const bare = html.replaceAll('<!-- -->', '');
  return new Set([...bare.matchAll(/<\/?([a-zA-Z!][\w-]*)/g)].map(([, name = '']) => name));
}

function textOf(html: string): string {
  return html
    .replaceAll('<!-- -->', '')
    .replace(/<[^>]*>/g, '')
    .replace(entity, (found) => entities[found] ?? found);
}

const entity = /&(lt|gt|quot|amp|#39);/g;

function decoded(html: string): string {
  return html.replace(entity, (found) => entities[found] ?? found);
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** Markdown trims whitespace, which is not part of the text. */
const squeezed = (text: string) => text.replace(/\s+/g, '');

describe('Markdown', () => {
  test('text stays text: only code tags, no links, no mentions', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const html = marked.parse(`- says ${markdownText(text)}`, { gfm: true });
        const known = ['ul', 'li', 'code'];
        expect([...tagsOf(html)].filter((name) => !known.includes(name))).toEqual([]);
        // GitLab runs what a line begins with as an action.
        expect(markdownText(text)).not.toMatch(/^\s*\//);
        const outsideCode = decoded(html.replace(/<code>[^<]*<\/code>/g, ''));
        // Mentions are resolved in the finished page, and a comment prevents them.
        expect(outsideCode).not.toMatch(/[@#][\w-]|(?<!<)![\w-]/);
        const shown = squeezed(textOf(html).replaceAll('`', ''));
        expect(shown).toBe(squeezed(`says ${oneLine(text)}`.replaceAll('`', '')));
      }),
      { numRuns: 5000 },
    );
  });

  test('a code span shows its whole text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const html = marked.parse(`- ${markdownCode(text)} end`, { gfm: true });
        expect([...tagsOf(html)].sort()).toEqual(['code', 'li', 'ul']);
        const code = /<code>([\s\S]*)<\/code> end/.exec(html)?.[1] ?? 'none';
        expect(squeezed(textOf(code))).toBe(squeezed(oneLine(text)));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('Workflow commands', () => {
  test('a message is one line, and is parsed back unchanged', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const message = githubMessage(text);
        expect(message).not.toMatch(/[\r\n]/);
        const back = message.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
        expect(back).toBe(visible(text));
        const property = githubProperty(text);
        expect(property).not.toMatch(/[\r\n:,]/);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('XML', () => {
  test('an attribute and a text are parsed back unchanged', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const document = `<a b="${xmlText(text)}">${xmlText(text)}</a>`;
        const element = xml.parseFromString(document, 'text/xml').documentElement;
        expect(element?.getAttribute('b')).toBe(visible(text));
        expect(element?.textContent).toBe(visible(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('A terminal', () => {
  test('is not controlled by text, and a text stays on one line', () => {
    fc.assert(
      fc.property(texts, (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
        expect(printable(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/);
        // GitHub runs both as commands, wherever a line of a job's log has them.
        expect(printable(text)).not.toMatch(/^\s*::|##\[/);
      }),
      { numRuns: 2000 },
    );
  });
});
