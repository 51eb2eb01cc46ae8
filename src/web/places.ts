// Every address of the page and its view. A view other than Home is loaded when it is first opened.

import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { matchPath, type ViewProps } from './router.tsx';
import Home from './views/home.tsx';

interface LazyView {
  readonly load: () => Promise<unknown>;
  readonly View: ComponentType<ViewProps> | LazyExoticComponent<ComponentType<ViewProps>>;
}

interface PlaceRow {
  readonly pattern: string;
  readonly view: LazyView;
}

/** The first view of most visits, so it is part of what is loaded first. */
const home: LazyView = { load: async () => {}, View: Home };
const assets = later(() => import('./views/asset/assets.tsx'));
const asset = later(() => import('./views/asset/asset.tsx'));
const graph = later(() => import('./views/graph.tsx'));
const importView = later(() => import('./views/import/import.tsx'));
const proposals = later(() => import('./views/proposal/proposals.tsx'));
const proposal = later(() => import('./views/proposal/proposal.tsx'));
const audit = later(() => import('./views/audit/audit.tsx'));
const event = later(() => import('./views/audit/event.tsx'));
const teams = later(() => import('./views/people/teams.tsx'));
const keys = later(() => import('./views/people/keys.tsx'));
const trusts = later(() => import('./views/people/trusts.tsx'));
const users = later(() => import('./views/people/users.tsx'));
const operations = later(() => import('./views/operations/operations.tsx'));
const webhooks = later(() => import('./views/webhook/webhooks.tsx'));
const webhook = later(() => import('./views/webhook/webhook.tsx'));

const places: readonly PlaceRow[] = [
  { pattern: '/', view: home },
  { pattern: '/assets', view: assets },
  { pattern: '/assets/:id', view: asset },
  { pattern: '/assets/:id/:tab', view: asset },
  { pattern: '/import', view: importView },
  { pattern: '/graph', view: graph },
  { pattern: '/proposals', view: proposals },
  { pattern: '/proposals/:id', view: proposal },
  { pattern: '/audit', view: audit },
  { pattern: '/audit/:id', view: event },
  { pattern: '/teams', view: teams },
  { pattern: '/keys', view: keys },
  { pattern: '/trusts', view: trusts },
  { pattern: '/users', view: users },
  { pattern: '/operations', view: operations },
  { pattern: '/webhooks', view: webhooks },
  { pattern: '/webhooks/:id', view: webhook },
];

export function findPlace(path: string) {
  for (const { pattern, view } of places) {
    const params = matchPath(pattern, path);
    if (params !== null) return { ...view, params };
  }
  return null;
}

/** Starts to load the view of an address while the session is still being resumed. */
export function preloadPlace(path: string): void {
  // An error is shown when the view is drawn, which loads it again.
  findPlace(path)
    ?.load()
    .catch(() => {});
}

function later(load: () => Promise<{ default: ComponentType<ViewProps> }>): LazyView {
  return { load, View: lazy(load) };
}
