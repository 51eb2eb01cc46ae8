// The states that every view has besides its content: loading, empty, refused, forbidden, broken.

import { type ReactNode, useSyncExternalStore } from 'react';
import type { Answer } from '../data/cache.ts';
import type { Refusal } from '../data/shapes.ts';
import { useCache } from '../data/use-answer.ts';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { words } from '../words.ts';
import { Icon, type IconName } from './icon.tsx';

/** Shows the answer, or why there is none. */
export function Await<T>({
  answer,
  isWholePage = false,
  more,
  children,
}: {
  readonly answer: Answer<T>;
  /** The refusal fills the whole page, with its own title. */
  readonly isWholePage?: boolean;
  /** Stands below a refusal. */
  readonly more?: ReactNode;
  readonly children: (body: T) => ReactNode;
}) {
  switch (answer.kind) {
    case 'loading':
      return <Loading />;
    case 'refused':
      return (
        <Refused status={answer.status} refusal={answer.refusal} isWholePage={isWholePage}>
          {more}
        </Refused>
      );
    case 'ready':
      return children(answer.body);
    default:
      return answer satisfies never;
  }
}

/** Its style delays it, so that fast answers do not flicker. */
export function Loading() {
  return (
    <div className="loading" role="status">
      <span className="loading-bar" aria-hidden="true" />
      <span className="loading-text">{words.states.loading}</span>
    </div>
  );
}

export function Empty({
  title,
  children,
  icon = 'info',
  isWholePage = false,
}: {
  readonly title: string;
  readonly isWholePage?: boolean;
  readonly children?: ReactNode;
  readonly icon?: IconName;
}) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <EmptyTitle title={title} isWholePage={isWholePage} />
      {children !== undefined && <div className="empty-more">{children}</div>}
    </div>
  );
}

export function EmptyTitle({ title, isWholePage }: { title: string; isWholePage: boolean }) {
  return isWholePage ? (
    <h1 className="empty-title">{title}</h1>
  ) : (
    <p className="empty-title">{title}</p>
  );
}

function Refused({
  status,
  refusal,
  isWholePage,
  children,
}: {
  readonly status: number;
  readonly refusal: Refusal;
  readonly isWholePage: boolean;
  readonly children: ReactNode;
}) {
  const cache = useCache();
  const title =
    status === 403
      ? words.states.forbiddenTitle
      : status === 404
        ? words.states.notFoundTitle
        : words.states.refusedTitle;
  return (
    <div className="empty" role="alert">
      <Icon name={status === 403 ? 'key' : 'alert'} />
      <EmptyTitle title={title} isWholePage={isWholePage} />
      <div className="empty-more">
        <p>{refusal.message}</p>
        {status === 403 && <p>{words.states.forbiddenHint}</p>}
        {status === 404 && <p>{words.states.notFoundHint}</p>}
        {children}
        {isWholePage && (
          <Link to={paths.home} className="button">
            {words.states.goHome}
          </Link>
        )}
        {status !== 403 && status !== 404 && (
          <button type="button" className="button" onClick={cache.refresh}>
            {words.states.tryAgain}
          </button>
        )}
      </div>
    </div>
  );
}

/** The page's own words, or else the registry's message. */
export function messageOf({ code, message }: Pick<Refusal, 'code' | 'message'>): string {
  return words.states.refusals[code] ?? message;
}

/** Shows a refused action with its message. */
export function RefusalNote({ refusal }: { readonly refusal: Refusal | null }) {
  if (refusal === null) return null;
  const problems = Array.isArray(refusal.errors) ? refusal.errors : [];
  return (
    <div className="note note-bad" role="alert">
      <Icon name="alert" />
      <div>
        <p>{messageOf(refusal)}</p>
        {problems.length > 1 && (
          <ul>
            {problems.slice(0, 10).map((problem: { field: string; message: string }) => (
              <li key={`${problem.field} ${problem.message}`}>
                <code>{problem.field}</code> {problem.message}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

export function NoSuchPage() {
  return (
    <Empty title={words.states.notFoundTitle} isWholePage>
      <p>{words.states.noSuchPage}</p>
      <Link to="/" className="button">
        {words.states.goHome}
      </Link>
    </Empty>
  );
}

export function ReachBanner() {
  const cache = useCache();
  const isReachable = useSyncExternalStore(cache.watchReach, cache.isReachable);
  return (
    <div role="status">
      {!isReachable && (
        <p className="banner">
          <Icon name="alert" />
          {words.states.away}
        </p>
      )}
    </div>
  );
}
