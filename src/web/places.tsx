// Every address of the page and its view. A view other than Home is loaded when it is first opened.

import type { ComponentType } from 'react';
import { type Later, later } from './later.tsx';
import { Loading } from './parts/states.tsx';
import { matchPath, type ViewProps } from './router.tsx';
import Home from './views/home.tsx';

interface PlaceRow {
  readonly pattern: string;
  readonly view: Later<ViewProps>;
}

/** The first view of most visits, so it is part of what is loaded first. */
const home: Later<ViewProps> = { load: async () => {}, View: Home };
const assets = view(() => import('./views/asset/assets.tsx'));
const asset = view(() => import('./views/asset/asset.tsx'));
const graph = view(() => import('./views/graph.tsx'));
const importView = view(() => import('./views/import/import.tsx'));
const proposals = view(() => import('./views/proposal/proposals.tsx'));
const proposal = view(() => import('./views/proposal/proposal.tsx'));
const audit = view(() => import('./views/audit/audit.tsx'));
const event = view(() => import('./views/audit/event.tsx'));
const teams = view(() => import('./views/people/teams.tsx'));
const services = view(() => import('./views/service/services.tsx'));
const service = view(() => import('./views/service/service.tsx'));
const keys = view(() => import('./views/people/keys.tsx'));
const trusts = view(() => import('./views/people/trusts.tsx'));
const users = view(() => import('./views/people/users.tsx'));
const ownNotifications = view(() => import('./views/people/own-notifications.tsx'));
const operations = view(() => import('./views/operations/operations.tsx'));
const webhooks = view(() => import('./views/webhook/webhooks.tsx'));
const webhook = view(() => import('./views/webhook/webhook.tsx'));

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
  { pattern: '/services', view: services },
  { pattern: '/services/:id', view: service },
  { pattern: '/keys', view: keys },
  { pattern: '/trusts', view: trusts },
  { pattern: '/users', view: users },
  { pattern: '/operations', view: operations },
  { pattern: '/notifications', view: ownNotifications },
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

function view(fetchScript: () => Promise<{ default: ComponentType<ViewProps> }>) {
  return later(fetchScript, <Loading />);
}
