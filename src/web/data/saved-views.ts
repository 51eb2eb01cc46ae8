// Lists with their filters that somebody gave a name, kept in this browser for each person.

import { useSyncExternalStore } from 'react';
import { isJsonObject, parseJson } from '../../core/value/json.ts';

interface SavedView {
  readonly name: string;
  /** The address, with its filters. */
  readonly to: string;
}

/** More would not be found again. */
const savedViewsLimit = 50;

const watchers = new Set<() => void>();

/** A list is kept as long as its text stays, so that it can be compared. */
let read: { readonly text: string | null; readonly views: readonly SavedView[] } | null = null;

export function useSavedViews(person: string): readonly SavedView[] {
  return useSyncExternalStore(watch, () => viewsOf(person));
}

/** Replaces a view of the same name. */
export function saveView(person: string, view: SavedView): void {
  const others = viewsOf(person).filter(({ name }) => name !== view.name);
  write(person, [...others, view].slice(-savedViewsLimit));
}

export function dropView(person: string, dropped: string): void {
  write(
    person,
    viewsOf(person).filter(({ name }) => name !== dropped),
  );
}

function write(person: string, views: readonly SavedView[]): void {
  try {
    localStorage.setItem(keyOf(person), JSON.stringify(views));
  } catch {
    // The browser's room is full; the view is not kept.
  }
  for (const tell of watchers) tell();
}

function viewsOf(person: string): readonly SavedView[] {
  const text = localStorage.getItem(keyOf(person));
  if (read === null || read.text !== text) read = { text, views: parseViews(text) };
  return read.views;
}

function parseViews(text: string | null): readonly SavedView[] {
  const parsed = text === null ? null : parseJson(text);
  if (parsed?.ok !== true || !Array.isArray(parsed.value)) return [];
  return parsed.value.flatMap((view) => {
    if (!isJsonObject(view)) return [];
    const { name, to } = view;
    // Only addresses of this page, whoever wrote the text.
    const isView = typeof name === 'string' && typeof to === 'string' && /^\/(?!\/)/.test(to);
    return isView ? [{ name, to }] : [];
  });
}

function keyOf(person: string): string {
  return `concordat.views.${person}`;
}

function watch(tell: () => void): () => void {
  watchers.add(tell);
  addEventListener('storage', tell);
  return () => {
    watchers.delete(tell);
    removeEventListener('storage', tell);
  };
}
