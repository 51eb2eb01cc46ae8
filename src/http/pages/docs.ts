// The documentation pages, from installed packages: nothing is loaded from another host.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import { servePage } from '../routers.ts';
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
  return { getDocs: page(swaggerPage(basePath)), getRedoc: page(redocPage(basePath)) };
}

/** The files that the two pages load. */
export function createDocs(basePath: string): Router {
  const router = express.Router();
  servePage(router, '/docs/start.js', script(swaggerStart(basePath)));
  servePage(router, '/redoc/start.js', script(redocStart(basePath)));
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    servePage(router, `/docs/${file}`, asset(join(swaggerFolder, file)));
  }
  const redoc = asset(join(redocFolder, 'redoc.standalone.js'), local);
  servePage(router, '/redoc/redoc.standalone.js', redoc);
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
  let content: string | null = null;
  return (_request, response) => {
    content ??= change(readFileSync(path, 'utf8'));
    response
      .set(headers)
      .type(path.endsWith('.css') ? 'css' : 'js')
      .send(content);
  };
}

function swaggerPage(basePath: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Concordat API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${basePath}/docs/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="${basePath}/docs/swagger-ui-bundle.js"></script>
<script src="${basePath}/docs/start.js"></script>
</body>
</html>
`;
}

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

function redocPage(basePath: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Concordat API</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="docs"></div>
<script src="${basePath}/redoc/redoc.standalone.js"></script>
<script src="${basePath}/redoc/start.js"></script>
</body>
</html>
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
