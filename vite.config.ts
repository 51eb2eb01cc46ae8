// The page's build: from src/web to dist/web, every asset hashed, nothing inline, so that a
// Content-Security-Policy of `default-src 'self'` serves it as it is.

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const root = import.meta.dirname;
const routeTable = resolve(root, 'src/wire/routes.ts');

export default defineConfig({
  root: resolve(root, 'src/web'),
  // Relative: the server says below which path the page is.
  base: './',
  publicDir: resolve(root, 'src/web/public'),
  plugins: [plainRouteTable(), earlyPage()],
  build: {
    outDir: resolve(root, 'dist/web'),
    emptyOutDir: true,
    // Not `assets`: that is what the registry's own pages are about.
    assetsDir: 'static',
    assetsInlineLimit: 0,
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: firstLoadName, debugName: 'first load' }] } },
    },
  },
  // The worker of imports speaks to the registry by the same table.
  worker: { format: 'es', plugins: () => [plainRouteTable()] },
});

/**
 * What the first load needs, in two files: what asks first, and what draws. Each file more is a request
 * before the first view. Pages of another release know the first by its name (`crash-guard.tsx`).
 */
function firstLoadName(moduleId: string, graph: ModuleGraph): string | null {
  firstLoad ??= {
    index: reachedFrom(resolve(root, 'src/web/main.ts'), graph),
    page: reachedFrom(resolve(root, 'src/web/page.tsx'), graph),
  };
  if (firstLoad.index.has(moduleId)) return 'index';
  return firstLoad.page.has(moduleId) ? 'page' : null;
}

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

let firstLoad: Readonly<Record<'index' | 'page', ReadonlySet<string>>> | undefined;

/** All that a module imports, but not what it imports later. */
function reachedFrom(entry: string, graph: ModuleGraph): ReadonlySet<string> {
  const reached = new Set([entry]);
  for (const id of reached) {
    for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) reached.add(imported);
  }
  return reached;
}

/** Names the script that draws in the document, so that it is loaded beside the one that asks. */
function earlyPage(): Plugin {
  return {
    name: 'early-page',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.values(bundle).flatMap((file) => {
          if (file.type !== 'chunk' || file.name !== 'page') return [];
          // The document names the first script already.
          const also = file.imports.filter((name) => bundle[name]?.name !== 'index');
          return [file.fileName, ...also].map((name) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `./${name}` },
            injectTo: 'head' as const,
          }));
        }),
    },
  };
}

/**
 * The client needs the method and the path of a route, not the shapes that validate on the server.
 * The table is read here and written out as plain data: the page carries no validator, and the
 * validator's probe for `new Function` never meets the page's policy.
 */
function plainRouteTable(): Plugin {
  return {
    name: 'plain-route-table',
    enforce: 'pre',
    async load(id) {
      if (id.split('?')[0] !== routeTable) return null;
      const { routes } = (await import(pathToFileURL(routeTable).href)) as {
        routes: Record<string, FullRoute>;
      };
      const plain = Object.entries(routes).map(([name, row]) => [name, plainRoute(row)]);
      return `export const routes = ${JSON.stringify(Object.fromEntries(plain))};`;
    },
  };
}

interface FullRoute {
  readonly method: string;
  readonly path: string;
  readonly answers: Readonly<
    Record<string, { readonly body: unknown; readonly contentType: string }>
  >;
}

function plainRoute({ method, path, answers }: FullRoute) {
  const plain = Object.entries(answers).map(([status, answer]) => [
    status,
    { body: answer.body === null ? null : {}, contentType: answer.contentType },
  ]);
  return { method, path, answers: Object.fromEntries(plain) };
}
