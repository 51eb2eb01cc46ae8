// Serves the page as `npm run build:web` left it in dist/web. Its files, a few hundred kilobytes,
// are read and compressed once and cached. Their names contain a digest of their content, so
// browsers keep them for good; only index.html is requested each time.

import { existsSync, readFileSync } from 'node:fs';
import { extname, join, normalize, sep } from 'node:path';
import express, { type Request, type Response, type Router } from 'express';
import { servePage } from '../routers.ts';
import { type PackedFile, packFile, sendPacked } from './packed-file.ts';
import { pageHeaders } from './page-headers.ts';

const pageFolder = join(import.meta.dirname, '../../../dist/web');

/** Allows nothing inline and nothing from other hosts; React sets styles through the DOM. */
const headers = pageHeaders(["default-src 'self'", "form-action 'self'"]);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A name that cannot leave the folder. */
const plainName = /^[\w-][\w.-]*$/;

const oneYear = 'public, max-age=31536000, immutable';

export function createPage(basePath: string, folder: string = pageFolder): Router {
  const router = express.Router();
  const files = new Map<string, PackedFile>();
  // Missing files are not cached: callers can invent any number of names.
  const fileAt = async (path: string) => {
    const file = files.get(path) ?? (await readPageFile(basePath, folder, path));
    if (file !== null) files.set(path, file);
    return file;
  };
  servePage(router, '/static/:name', async (request, response, next) => {
    const name = String(request.params.name);
    const file = plainName.test(name) ? await fileAt(join('static', name)) : null;
    if (file === null) next('route');
    else sendFile(request, response, file, oneYear);
  });
  servePage(router, '/mark.svg', async (request, response, next) => {
    const file = await fileAt('mark.svg');
    if (file === null) next('route');
    else sendFile(request, response, file, 'public, max-age=86400');
  });
  // Every other address that a browser opens is a view of the page, which does its own routing.
  router.use(async (request, response, next) => {
    if (!isOpenedByBrowser(request)) {
      next();
      return;
    }
    const file = await fileAt('index.html');
    if (file === null) sendNotBuilt(response);
    else sendFile(request, response, file, 'no-cache');
  });
  return router;
}

/** A program that mistypes an address gets the registry's own refusal, not a page. */
function isOpenedByBrowser(request: Request): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  return request.path === '/' || (request.headers.accept ?? '').includes('text/html');
}

async function readPageFile(
  basePath: string,
  folder: string,
  path: string,
): Promise<PackedFile | null> {
  const place = normalize(join(folder, path));
  const type = types[extname(place)];
  if (type === undefined || !place.startsWith(folder + sep) || !existsSync(place)) return null;
  const raw = path === 'index.html' ? readDocument(place, basePath) : readFileSync(place);
  return packFile(type, raw);
}

/** Makes the built, relative addresses absolute, so that they work at any depth. */
function readDocument(place: string, basePath: string): Buffer {
  const html = readFileSync(place, 'utf8');
  return Buffer.from(html.replaceAll(/ (src|href)="\.\//g, ` $1="${basePath}/`));
}

function sendFile(
  request: Request,
  response: Response,
  file: PackedFile,
  cacheControl: string,
): void {
  sendPacked(request, response, file, { ...headers, 'Cache-Control': cacheControl });
}

function sendNotBuilt(response: Response): void {
  response
    .set(headers)
    .status(503)
    .type('text/plain')
    .send(
      'The page has not been built: run `npm run build:web`. The API is documented at /docs.\n',
    );
}
