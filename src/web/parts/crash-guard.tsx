// What is shown in place of a view that failed: a bug, or a part of the page that cannot be loaded
// because the browser is offline, a request failed, or an upgrade removed it.

import { Component, type ReactNode, useEffect, useState } from 'react';
import { basePath } from '../base-path.ts';
import { words } from '../words.ts';
import { Icon } from './icon.tsx';
import { EmptyTitle, Loading } from './states.tsx';

/** React can catch errors of a view only with a class. */
export class CrashGuard extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error ?? new Error('Unknown') };
  }

  override render() {
    const { error } = this.state;
    return error === null ? this.props.children : <Broken error={error} />;
  }
}

type Cause = keyof typeof words.states.broken;

function Broken({ error }: { readonly error: unknown }) {
  const [cause, setCause] = useState<Cause | null>(isLoadFailure(error) ? null : 'bug');
  useEffect(() => {
    if (!isLoadFailure(error)) return;
    const reload = () => location.reload();
    window.addEventListener('online', reload);
    void causeOfFailure().then((found) => {
      if (found === 'upgraded' && mayReload()) reload();
      else setCause(found);
    });
    return () => window.removeEventListener('online', reload);
  }, [error]);
  if (cause === null) return <Loading />;
  const { title, text } = words.states.broken[cause];
  return (
    <div className="empty" role="alert">
      <Icon name="alert" />
      <EmptyTitle title={title} isWholePage />
      <div className="empty-more">
        <p>{text}</p>
        {cause !== 'offline' && (
          <button type="button" className="button" onClick={() => location.reload()}>
            {cause === 'upgraded' ? words.states.reload : words.states.tryAgain}
          </button>
        )}
      </div>
    </div>
  );
}

/** The messages of browsers, and of the build for styles, about a part that did not load. */
function isLoadFailure(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return /dynamically imported module|Importing a module script|preload CSS/i.test(message);
}

const entryName = /index-[\w-]+\.js/;

/** Compares the page that is shown with the one that the registry has now. */
async function causeOfFailure(): Promise<Cause> {
  if (!navigator.onLine) return 'offline';
  try {
    const answer = await fetch(`${basePath}/`, {
      headers: { accept: 'text/html' },
      cache: 'no-store',
    });
    const now = entryName.exec(await answer.text())?.[0];
    const shown = entryName.exec(document.querySelector('script[src*="/index-"]')?.outerHTML ?? '');
    return now !== undefined && now !== shown?.[0] ? 'upgraded' : 'missing';
  } catch {
    return 'missing';
  }
}

const reloadedStore = 'concordat.reloaded';
/** A second failure within this time is not mended by another reload. */
const reloadAgainMs = 60_000;

/** Once, so that a page that stays broken does not reload for ever. */
function mayReload(): boolean {
  const last = Number(sessionStorage.getItem(reloadedStore) ?? 0);
  if (Date.now() - last < reloadAgainMs) return false;
  sessionStorage.setItem(reloadedStore, String(Date.now()));
  return true;
}
