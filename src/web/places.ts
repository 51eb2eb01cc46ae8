// Every address of the page and the view behind it. A view is loaded when it is first opened.

import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { matchPath, type ViewProps } from './router.tsx';

interface PlaceRow {
  readonly pattern: string;
  readonly view: LazyExoticComponent<ComponentType<ViewProps>>;
}

const home = lazy(() => import('./views/home.tsx'));
const assets = lazy(() => import('./views/assets.tsx'));
const asset = lazy(() => import('./views/asset.tsx'));
const graph = lazy(() => import('./views/graph.tsx'));
const importView = lazy(() => import('./views/import.tsx'));
const proposals = lazy(() => import('./views/proposals.tsx'));
const proposal = lazy(() => import('./views/proposal.tsx'));
const audit = lazy(() => import('./views/audit.tsx'));
const event = lazy(() => import('./views/event.tsx'));
const teams = lazy(() => import('./views/teams.tsx'));
const keys = lazy(() => import('./views/keys.tsx'));
const users = lazy(() => import('./views/users.tsx'));
const webhooks = lazy(() => import('./views/webhooks.tsx'));
const webhook = lazy(() => import('./views/webhook.tsx'));

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
  { pattern: '/users', view: users },
  { pattern: '/webhooks', view: webhooks },
  { pattern: '/webhooks/:id', view: webhook },
];

export function findPlace(path: string) {
  for (const { pattern, view } of places) {
    const params = matchPath(pattern, path);
    if (params !== null) return { View: view, params };
  }
  return null;
}
