// The current address: its path selects the view, its query holds the filters. Both can be linked.

import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react';
import { percentDecoded } from '../core/value/pointer-token.ts';
import { basePath, withoutBasePath } from './base-path.ts';

interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

let here = readPlace();
const watchers = new Set<() => void>();

/** Follows the browser's back and forward buttons. */
export function followHistory(): void {
  window.addEventListener('popstate', arrive);
}

export function usePlace(): Place {
  return useSyncExternalStore(watch, () => here);
}

export function navigate(to: string): void {
  if (basePath + to === location.pathname + location.search) return;
  history.pushState(null, '', basePath + to);
  arrive();
  window.scrollTo(0, 0);
}

/** For refinements in place (filters, a selected tab), which add no entry to the history. */
export function replace(to: string): void {
  history.replaceState(null, '', basePath + to);
  arrive();
}

/** Sets parameters of the query in place; empty ones are removed. */
export function refineQuery(changes: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  replace(withQuery(here.path, query));
}

export function withQuery(path: string, query: URLSearchParams): string {
  return query.size === 0 ? path : `${path}?${query}`;
}

/** A link within the page, followed without a reload; modifier keys open a new tab as usual. */
export function Link({
  to,
  onClick,
  ...rest
}: { readonly to: string } & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'>) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return <a href={basePath + to} onClick={follow} {...rest} />;
}

type Parameters = Readonly<Record<string, string>>;

/** The props of a view: the parts of its path. */
export interface ViewProps {
  readonly params: Parameters;
}

/**
 * Matches a path with a pattern; `null` if it does not match.
 *
 * @example matchPath('/assets/:id', '/assets/42') // { id: '42' }
 */
export function matchPath(pattern: string, path: string): Parameters | null {
  const wanted = pattern.split('/');
  const given = path.replace(/\/+$/, '').split('/');
  if (wanted.length !== given.length && !(pattern === '/' && path === '/')) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const text = given[index] ?? '';
    if (part.startsWith(':')) found[part.slice(1)] = percentDecoded(text);
    else if (part !== text) return null;
  }
  return found;
}

function readPlace(): Place {
  return { path: withoutBasePath(location.pathname), query: new URLSearchParams(location.search) };
}

function arrive(): void {
  here = readPlace();
  for (const tell of watchers) tell();
}

function watch(tell: () => void): () => void {
  watchers.add(tell);
  return () => watchers.delete(tell);
}
