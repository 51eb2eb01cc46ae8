// Lists with their filters that somebody gave a name. Those of a user are in the registry; those of a key, which
// belongs to nobody, are in this browser.

import { useEffect, useSyncExternalStore } from 'react';
import { maxSavedViews, type SavedView } from '../../core/user.ts';
import { isJsonObject, parseJson } from '../../core/value/json.ts';
import { announce } from '../parts/announcer.tsx';
import { useViewer } from '../session/session-context.tsx';
import { send } from './cache.ts';
import type { CallTo, Refusal } from './shapes.ts';
import { useAct, useAnswer, useCache } from './use-answer.ts';

type Change = Exclude<CallTo<'changeSavedViews'>['body'], undefined>;

interface SavedViews {
  readonly views: readonly SavedView[];
  /** Says so when it is done; resolves to whether it was. */
  readonly change: (change: Change, said: string) => Promise<boolean>;
  readonly isRunning: boolean;
  readonly refusal: Refusal | null;
}

export function useSavedViews(): SavedViews {
  const { userId, name } = useViewer().session;
  const inBrowser = useSyncExternalStore(watch, () => viewsOf(name));
  const answer = useAnswer('listSavedViews', userId === null ? null : {});
  const ofUser = answer.kind === 'ready' ? answer.body.views : null;
  useTakeOver(userId, ofUser);
  const { run, isRunning, refusal } = useAct();
  const change: SavedViews['change'] = async (body, said) => {
    if (userId !== null) return (await run('changeSavedViews', { body }, said)) !== null;
    const { save = [], remove = [] } = body;
    const gone = new Set([...remove, ...save.map((view) => view.name)]);
    const others = viewsOf(name).filter((view) => !gone.has(view.name));
    write(name, [...others, ...save].slice(-maxSavedViews));
    announce(said);
    return true;
  };
  return { views: userId === null ? inBrowser : (ofUser ?? []), change, isRunning, refusal };
}

/** Users whose views were sent since the page was loaded. What was refused is sent again after the next loading. */
const sentFor = new Set<string>();

/** Sends the registry, once, what a release before this one kept in the browser for a user. */
function useTakeOver(userId: string | null, known: readonly SavedView[] | null): void {
  const cache = useCache();
  useEffect(() => {
    if (userId === null || known === null || sentFor.has(userId)) return;
    const kept = viewsOf(userId);
    if (kept.length === 0) return;
    sentFor.add(userId);
    const names = new Set(known.map(({ name }) => name));
    const unknown = kept
      .filter(
        (view) => !known.some((one) => one.name === view.name && one.address === view.address),
      )
      .map(({ name, address }) => ({ name: takeFree(name, names), address }));
    const save = unknown.slice(0, maxSavedViews - known.length);
    // First, so that no other tab sends them again.
    write(userId, unknown.slice(save.length));
    if (save.length === 0) return;
    const call = { body: { save } };
    void send(cache.client, { name: 'changeSavedViews', call }).then((sent) => {
      if (!sent.ok) write(userId, kept);
      return cache.refreshWhere(({ name }) => name === 'listSavedViews');
    });
  }, [cache, userId, known]);
}

/** @example takeFree('Mine', new Set(['Mine'])) // 'Mine (2)', which is then taken */
function takeFree(name: string, taken: Set<string>): string {
  let free = name;
  for (let next = 2; taken.has(free); next++) free = `${name.slice(0, 50)} (${next})`;
  taken.add(free);
  return free;
}

const watchers = new Set<() => void>();

/** A list is kept as long as its text stays, so that it can be compared. */
let read: { readonly text: string | null; readonly views: readonly SavedView[] } | null = null;

function write(person: string, views: readonly SavedView[]): void {
  try {
    const kept = views.map(({ name, address }) => ({ name, to: address }));
    localStorage.setItem(keyOf(person), JSON.stringify(kept));
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
    return isView ? [{ name, address: to }] : [];
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
