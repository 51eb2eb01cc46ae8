// The guide at /docs/guide: the files of `docs`, rendered on first request and cached. It has no
// script, and its only style sheet is served here.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import { servePage } from '../../routers.ts';
import { pageHeaders } from '../page-headers.ts';
import { addressOf, type GuidePage, pages, resolveLink, type Section, sections } from './pages.ts';
import { escapeHtml, renderMarkdown } from './render-markdown.ts';
import { guideStyle } from './style.ts';

const docsFolder = join(import.meta.dirname, '../../../../docs');

const headers = pageHeaders([
  "default-src 'none'",
  "form-action 'none'",
  "style-src 'self'",
  'img-src data:',
]);

export function createGuide(basePath: string, folder: string = docsFolder): Router {
  const router = express.Router();
  const styled: RequestHandler = (_request, response) => {
    response.set(headers).type('css').send(guideStyle);
  };
  servePage(router, '/docs/guide/style.css', styled);
  for (const page of pages) {
    const address = addressOf(page);
    servePage(router, address, showPage(basePath, folder, page));
    // Also under its file name, which links in alerts and in a checkout use.
    servePage(router, `/docs/guide/${page.file.replace(/^guide\//, '')}`, (_request, response) => {
      response.set(headers).redirect(308, basePath + address);
    });
  }
  return router;
}

function showPage(basePath: string, folder: string, page: GuidePage): RequestHandler {
  let html: string | null = null;
  return (_request, response) => {
    html ??= toHtml(basePath, page, readFileSync(join(folder, page.file), 'utf8'));
    response.set(headers).type('html').send(html);
  };
}

function toHtml(basePath: string, page: GuidePage, text: string): string {
  const { title, html } = renderMarkdown(text, (target) => {
    const link = resolveLink(page.file, target);
    return link?.startsWith('/') === true ? basePath + link : link;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Concordat</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${basePath}/docs/guide/style.css">
</head>
<body>
<a class="skip" href="#page">Skip to the page</a>
<nav aria-label="Guide">
<a class="home" href="${basePath}/">Concordat</a>
${sections.map((section) => toMenu(basePath, section, page)).join('\n')}
<h2>API</h2>
<ul><li><a href="${basePath}/docs">Try it (Swagger UI)</a></li><li><a href="${basePath}/redoc">Read it (Redoc)</a></li></ul>
</nav>
<main id="page" tabindex="-1">
${html}
</main>
</body>
</html>
`;
}

function toMenu(basePath: string, { name, pages: listed }: Section, current: GuidePage): string {
  const shown = listed.filter((page) => page.isDetail === undefined || page === current);
  const items = shown.map((page) => {
    const here = page === current ? ' aria-current="page"' : '';
    return `<li><a href="${basePath}${addressOf(page)}"${here}>${escapeHtml(page.name)}</a></li>`;
  });
  return `<h2>${escapeHtml(name)}</h2>\n<ul>${items.join('')}</ul>`;
}
