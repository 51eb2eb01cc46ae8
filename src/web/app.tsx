// The whole page: the session, then the frame, then the view of the address.

import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { createCache } from './data/cache.ts';
import { LiveProvider } from './data/live.tsx';
import { CacheContext } from './data/use-answer.ts';
import { Announcer } from './parts/announcer.tsx';
import { CrashGuard } from './parts/crash-guard.tsx';
import { Loading, NoSuchPage, ReachBanner } from './parts/states.tsx';
import { findPlace } from './places.ts';
import { usePlace } from './router.tsx';
import { dropSession, resumeSession, type Session, signOut } from './session/auth.ts';
import { TeamProvider, ViewerProvider } from './session/session-context.tsx';
import { Sidebar } from './sidebar.tsx';
import { SignIn } from './views/people/sign-in.tsx';
import { words } from './words.ts';

type Presence =
  | { readonly kind: 'resuming'; readonly isAway: boolean }
  | { readonly kind: 'absent'; readonly hasEnded: boolean }
  | { readonly kind: 'here'; readonly session: Session };

/** The delay before the page asks again who is signed in, after a failure. */
const resumeAgainMs = 2_000;

export function App({ resuming }: { readonly resuming: ReturnType<typeof resumeSession> }) {
  const [presence, setPresence] = useState<Presence>({ kind: 'resuming', isAway: false });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const resume = async (asked: ReturnType<typeof resumeSession>) => {
      const session = await asked;
      if (session === 'away') {
        setPresence({ kind: 'resuming', isAway: true });
        timer = setTimeout(() => resume(resumeSession()), resumeAgainMs);
        return;
      }
      setPresence(
        session === null ? { kind: 'absent', hasEnded: false } : { kind: 'here', session },
      );
    };
    void resume(resuming);
    return () => clearTimeout(timer);
  }, [resuming]);
  switch (presence.kind) {
    case 'resuming':
      return <Resuming isAway={presence.isAway} />;
    case 'absent':
      return (
        <SignIn
          hasEnded={presence.hasEnded}
          onSignedIn={(session) => setPresence({ kind: 'here', session })}
        />
      );
    case 'here':
      return (
        <Inside
          session={presence.session}
          onLeft={(hasEnded) => setPresence({ kind: 'absent', hasEnded })}
        />
      );
    default:
      return presence satisfies never;
  }
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
  session,
  onLeft,
}: {
  readonly session: Session;
  readonly onLeft: (hasEnded: boolean) => void;
}) {
  const leave = useRef(onLeft);
  leave.current = onLeft;
  const isLeaving = useRef(false);
  const onSignedOut = useCallback(() => {
    // The server sends no event about the end of this session, because the user signed out here.
    if (isLeaving.current) return;
    dropSession();
    leave.current(true);
  }, []);
  const cache = useMemo(
    () => createCache({ client: session.client, onSignedOut }),
    [session, onSignedOut],
  );
  useEffect(() => cache.stop, [cache]);
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
        <LiveProvider session={session} cache={cache} onSignedOut={onSignedOut}>
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
          <Suspense fallback={<Loading />}>
            {place === null ? <NoSuchPage /> : <place.View params={place.params} />}
          </Suspense>
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
