// The whole page: the session, then the frame, then the view of the address.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { withoutBasePath } from './base-path.ts';
import { LiveProvider } from './data/live.tsx';
import { CacheContext } from './data/use-answer.ts';
import { Announcer } from './parts/announcer.tsx';
import { CrashGuard } from './parts/crash-guard.tsx';
import { NoSuchPage, ReachBanner } from './parts/states.tsx';
import { findPlace } from './places.tsx';
import { usePlace } from './router.tsx';
import { dropSession, signOut } from './session/auth.ts';
import { TeamProvider, ViewerProvider } from './session/session-context.tsx';
import { type Begun, beginVisit, type Visit, visitOf } from './session/visit.ts';
import { Sidebar } from './sidebar.tsx';
import { SignIn } from './views/people/sign-in.tsx';
import { words } from './words.ts';

type Presence =
  | { readonly kind: 'resuming'; readonly isAway: boolean }
  | { readonly kind: 'absent'; readonly hasEnded: boolean }
  | { readonly kind: 'here'; readonly visit: Visit };

/** The delay before the page asks again who is signed in, after a failure. */
const resumeAgainMs = 2_000;

export function App({
  visit,
  known,
}: {
  readonly visit: Promise<Begun>;
  /** What the visit is, if that is known before the page is drawn. */
  readonly known: Begun | undefined;
}) {
  const [presence, setPresence] = useState(() => presenceIn(known));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const resume = async (asked: Promise<Begun>) => {
      const begun = await asked;
      setPresence(presenceIn(begun));
      if (begun === 'away') timer = setTimeout(() => resume(beginAgain()), resumeAgainMs);
    };
    if (known === undefined || known === 'away') void resume(visit);
    return () => clearTimeout(timer);
  }, [visit, known]);
  switch (presence.kind) {
    case 'resuming':
      return <Resuming isAway={presence.isAway} />;
    case 'absent':
      return (
        <SignIn
          hasEnded={presence.hasEnded}
          onSignedIn={(session) => setPresence({ kind: 'here', visit: visitOf(session) })}
        />
      );
    case 'here':
      return (
        <Inside
          visit={presence.visit}
          onLeft={(hasEnded) => setPresence({ kind: 'absent', hasEnded })}
        />
      );
    default:
      return presence satisfies never;
  }
}

function beginAgain(): Promise<Begun> {
  return beginVisit(withoutBasePath(location.pathname)).visit;
}

function presenceIn(begun: Begun | undefined): Presence {
  if (begun === undefined) return { kind: 'resuming', isAway: false };
  if (begun === 'away') return { kind: 'resuming', isAway: true };
  return begun === null ? { kind: 'absent', hasEnded: false } : { kind: 'here', visit: begun };
}

function Resuming({ isAway }: { readonly isAway: boolean }) {
  return (
    <main className="resuming">
      <h1 className="hidden">{words.product}</h1>
      <p role="status">{isAway ? words.states.unreachable : words.session.resuming}</p>
    </main>
  );
}

function Inside({
  visit,
  onLeft,
}: {
  readonly visit: Visit;
  readonly onLeft: (hasEnded: boolean) => void;
}) {
  const { session, cache } = visit;
  const leave = useRef(onLeft);
  leave.current = onLeft;
  const isLeaving = useRef(false);
  const onSignedOut = useCallback(() => {
    // The server sends no event about the end of this session, because the user signed out here.
    if (isLeaving.current) return;
    dropSession();
    leave.current(true);
  }, []);
  useEffect(() => {
    cache.onSignedOut(onSignedOut);
    return cache.stop;
  }, [cache, onSignedOut]);
  const signOutHere = useCallback(() => {
    isLeaving.current = true;
    void signOut(session)
      .then((url) => url !== null && location.assign(url))
      .finally(() => leave.current(false));
  }, [session]);
  const viewer = useMemo(() => ({ session, signOut: signOutHere }), [session, signOutHere]);
  return (
    <CacheContext value={cache}>
      <ViewerProvider value={viewer}>
        <LiveProvider visit={visit} onSignedOut={onSignedOut}>
          <TeamProvider>
            <Frame />
          </TeamProvider>
        </LiveProvider>
      </ViewerProvider>
    </CacheContext>
  );
}

function Frame() {
  const { path } = usePlace();
  const place = findPlace(path);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // After a change of view, keyboard and screen reader continue at its beginning.
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {words.skipToContent}
      </a>
      <Sidebar />
      <main id="content" ref={main} tabIndex={-1}>
        <ReachBanner />
        <PrintedAddress />
        <CrashGuard key={path}>
          {place === null ? <NoSuchPage /> : <place.View params={place.params} />}
        </CrashGuard>
      </main>
      <Announcer />
    </div>
  );
}

/** Leads from paper back to the page. */
function PrintedAddress() {
  usePlace();
  return <p className="print-only muted">{location.href}</p>;
}
