// The documentation pages, from installed packages: nothing is loaded from another host.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import { servePage } from '../routers.ts';
import { type PackedFile, packFile, sendPacked } from './packed-file.ts';
import { pageHeaders } from './page-headers.ts';

const require = createRequire(import.meta.url);

const swaggerFolder = dirname(require.resolve('swagger-ui-dist/package.json'));
const redocFolder = join(dirname(require.resolve('redoc/package.json')), 'bundles');

/** The permissions that the two pages need: their own inline styles, and images from the bundle. */
const headers = pageHeaders([
  "default-src 'none'",
  "form-action 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
]);

/** The documentation pages, by the names of their routes. */
export function docPages(basePath: string) {
  return { getDocs: page(toHtml(basePath, swagger)), getRedoc: page(toHtml(basePath, redoc)) };
}

/** The files that the two pages load. */
export function createDocs(basePath: string): Router {
  const router = express.Router();
  servePage(router, '/docs/start.js', script(swaggerStart(basePath)));
  servePage(router, '/redoc/start.js', script(redocStart(basePath)));
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    servePage(router, `/docs/${file}`, asset(join(swaggerFolder, file)));
  }
  const bundle = asset(join(redocFolder, 'redoc.standalone.js'), local);
  servePage(router, '/redoc/redoc.standalone.js', bundle);
  return router;
}

function page(html: string): RequestHandler {
  return (_request, response) => {
    response.set(headers).type('html').send(html);
  };
}

function script(text: string): RequestHandler {
  return (_request, response) => {
    response.set(headers).type('js').send(text);
  };
}

/** Removes Redoc's badge, which would load its picture from another host. */
function local(text: string): string {
  return text.replaceAll(/https:\/\/cdn\.redoc\.ly\/[\w./-]+/g, 'data:,');
}

function asset(path: string, change = (text: string) => text): RequestHandler {
  const type = path.endsWith('.css') ? 'text/css' : 'text/javascript';
  let file: Promise<PackedFile> | null = null;
  return async (request, response) => {
    file ??= packFile(`${type}; charset=utf-8`, Buffer.from(change(readFileSync(path, 'utf8'))));
    sendPacked(request, response, await file, headers);
  };
}

interface Loaded {
  readonly address: string;
  readonly scripts: readonly string[];
  readonly style?: string;
}

const swagger: Loaded = {
  address: '/docs',
  scripts: ['/docs/swagger-ui-bundle.js', '/docs/start.js'],
  style: '/docs/swagger-ui.css',
};

const redoc: Loaded = {
  address: '/redoc',
  scripts: ['/redoc/redoc.standalone.js', '/redoc/start.js'],
};

const links = [
  ['/docs/guide', 'Guide'],
  ['/docs', 'Try the API'],
  ['/redoc', 'Read the API'],
] as const;

/** With the head of the product, which leads back. */
function toHtml(basePath: string, { address, scripts, style }: Loaded): string {
  const listed = links.map(([to, name]) => {
    const here = to === address ? ' aria-current="page"' : '';
    return `<a href="${basePath}${to}"${here}>${name}</a>`;
  });
  const sheet = style === undefined ? '' : `<link rel="stylesheet" href="${basePath}${style}">\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Concordat API</title>
<link rel="icon" href="${basePath}/mark.svg">
${sheet}<style>${headStyle}</style>
</head>
<body>
<header class="product">
<a class="product-home" href="${basePath}/"><img src="${basePath}/mark.svg" alt="" width="24" height="24">Concordat</a>
<nav aria-label="Documentation">${listed.join('')}</nav>
</header>
<div id="docs"></div>
${scripts.map((path) => `<script src="${basePath}${path}"></script>`).join('\n')}
</body>
</html>
`;
}

const headStyle = `
body { margin: 0; }
.product { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 2rem; padding: 0.75rem 1.25rem;
  background: #fff; border-bottom: 1px solid #d0d7de; font: 1rem/1.5 system-ui, sans-serif; }
.product a { color: #12594d; text-decoration: none; }
.product a:hover, .product a:focus-visible { text-decoration: underline; }
.product .product-home { display: inline-flex; align-items: center; gap: 0.5rem; font-weight: 700; color: #1b1f24; }
.product nav { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; }
.product a[aria-current] { font-weight: 700; color: #1b1f24; }
`;

function swaggerStart(basePath: string): string {
  return `SwaggerUIBundle({
  url: '${basePath}/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;
}

function redocStart(basePath: string): string {
  return `Redoc.init(
  '${basePath}/openapi.json',
  { disableSearch: false, hideLogo: true, theme: { typography: { fontFamily: 'sans-serif' } } },
  document.getElementById('docs'),
);
`;
}
