import { expect, test } from 'vitest';
import { renderMarkdown, toAnchor } from '../../src/http/pages/guide/render-markdown.ts';

const render = (text: string) => renderMarkdown(text, (target) => `/at/${target}`).html;

test.each([
  ['# A title', '<h1 id="a-title">A title</h1>'],
  ['One line\nand one more.', '<p>One line\nand one more.</p>'],
  ['One.\n\nTwo.', '<p>One.</p>\n<p>Two.</p>'],
  ['Text\n- a list at once', '<p>Text</p>\n<ul>\n<li>a list at once</li>\n</ul>'],
  ['1. one\n2. two', '<ol>\n<li>one</li>\n<li>two</li>\n</ol>'],
  [
    '- one\n  goes on\n\n- two\n\nEnd.',
    '<ul>\n<li>one\ngoes on</li>\n<li>two</li>\n</ul>\n<p>End.</p>',
  ],
  ['`<b>` and `a*b*c`', '<p><code>&lt;b&gt;</code> and <code>a*b*c</code></p>'],
  ['``a ` b``', '<p><code>a ` b</code></p>'],
  [
    '**strong `code`** and *weak*',
    '<p><strong>strong <code>code</code></strong> and <em>weak</em></p>',
  ],
  ['2 * 3 * 4, snake_case_name', '<p>2 * 3 * 4, snake_case_name</p>'],
  ['[to `x`](a.md#b)', '<p><a href="/at/a.md#b">to <code>x</code></a></p>'],
  ['<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  ['before\n\n<!-- run -->\nafter', '<p>before</p>\n<p>after</p>'],
  [
    '```sh\n# no title\necho "<a>"\n```',
    '<pre tabindex="0" data-language="sh"><code># no title\necho &quot;&lt;a&gt;&quot;\n</code></pre>',
  ],
  ['```\nno end', '<pre tabindex="0"><code>no end\n</code></pre>'],
  [
    '| a | b |\n|---|---|\n| `x \\| y` | |',
    '<div class="wide" tabindex="0"><table>\n<thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>\n<tbody><tr><td><code>x | y</code></td><td></td></tr></tbody></table></div>',
  ],
  [
    '| | a |\n|---|---|\n| b | 1 |',
    '<div class="wide" tabindex="0"><table>\n<thead><tr><td></td><th scope="col">a</th></tr></thead>\n<tbody><tr><td>b</td><td>1</td></tr></tbody></table></div>',
  ],
])('%j', (text, html) => {
  expect(render(text)).toBe(html);
});

test('a link without a target is text, and a target cannot break out of its attribute', () => {
  expect(renderMarkdown('[a *b*](c.md)', () => null).html).toBe('<p>a <em>b</em></p>');
  expect(renderMarkdown('[a](b)', () => '"><script>').html).toBe(
    '<p><a href="&quot;&gt;&lt;script&gt;">a</a></p>',
  );
});

test('headings have the same anchors as in other viewers', () => {
  expect(toAnchor('What is `full`, and why?')).toBe('what-is-full-and-why');
  expect(renderMarkdown('# One\n## Two', String).title).toBe('One');
});
