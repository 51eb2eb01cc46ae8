// The sidebar: navigation, the selected team, and signing out.

import { useCallback, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { basePath } from './base-path.ts';
import { inboxOf } from './data/first-questions.ts';
import { useAnswer } from './data/use-answer.ts';
import { later, onIntent } from './later.tsx';
import { TeamSelect } from './parts/form/team-select.tsx';
import { ThemeField } from './parts/form/theme.tsx';
import { Icon, type IconName } from './parts/icon.tsx';
import { paths } from './paths.ts';
import { preloadPlace } from './places.tsx';
import { Link, usePlace } from './router.tsx';
import {
  useHasDuty,
  useIsAdmin,
  useMayChooseTeam,
  useMyTeam,
  useTeamChoice,
  useViewer,
} from './session/session-context.tsx';
import type { PaletteAction } from './views/palette.tsx';
import { words } from './words.ts';

interface Goal {
  readonly to: string;
  readonly icon: IconName;
  readonly label: string;
}

const goals: readonly Goal[] = [
  { to: paths.home, icon: 'home', label: words.nav.home },
  { to: paths.assets, icon: 'box', label: words.nav.assets },
  { to: paths.services, icon: 'layers', label: words.nav.services },
  { to: paths.graph, icon: 'graph', label: words.nav.graph },
  { to: paths.proposals, icon: 'inbox', label: words.nav.proposals },
  { to: paths.import, icon: 'upload', label: words.nav.import },
  { to: paths.audit, icon: 'list', label: words.nav.audit },
  { to: paths.teams, icon: 'people', label: words.nav.teams },
];

const notifications: Goal = { to: paths.webhooks, icon: 'bell', label: words.nav.webhooks };

const letters: Goal = {
  ...{ to: paths.ownNotifications, icon: 'bell', label: words.nav.ownNotifications },
};

const peopleGoals: readonly Goal[] = [
  { to: paths.users, icon: 'person', label: words.nav.users },
  { to: paths.keys, icon: 'key', label: words.nav.keys },
];

const adminGoals: readonly Goal[] = [
  ...peopleGoals,
  { to: paths.trusts, icon: 'swap', label: words.nav.trusts },
  notifications,
  { to: paths.operations, icon: 'pulse', label: words.nav.operations },
];

export function Sidebar() {
  const isAdmin = useIsAdmin();
  const managesPeople = useHasDuty('manage_people');
  const { path } = usePlace();
  const { session, signOut } = useViewer();
  const own = session.role === 'editor' ? [...goals, notifications] : goals;
  const administration = isAdmin ? adminGoals : managesPeople ? peopleGoals : [];
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  return (
    <header className={`side ${isOpen ? 'side-open' : ''}`}>
      <div className="side-top">
        <Link to={paths.home} className="brand">
          <img src={`${basePath}/mark.svg`} alt="" width="24" height="24" />
          {words.product}
        </Link>
        <button
          type="button"
          className="button button-quiet side-menu"
          aria-expanded={isOpen}
          aria-controls="side-body"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'cross' : 'menu'} />
          {words.nav.menu}
        </button>
      </div>
      <div className="side-body" id="side-body">
        <div>
          <Finder
            goals={[
              ...(isAdmin ? [...goals, ...adminGoals] : [...own, ...administration]),
              ...(session.way === 'account' ? [letters] : []),
            ]}
            onSignOut={signOut}
          />
          <nav aria-label={words.nav.label}>
            <Goals goals={own} path={path} />
            {administration.length > 0 && (
              <>
                <p className="side-title">{words.nav.administration}</p>
                <Goals goals={administration} path={path} />
              </>
            )}
          </nav>
        </div>
        <div className="side-foot">
          <TeamField />
          <ThemeField />
          <p className="side-person">
            <span>
              {session.name}
              <span className="muted"> · {words.session.roles[session.role]}</span>
            </span>
            <button type="button" className="button button-quiet" onClick={signOut}>
              <Icon name="out" />
              {words.session.signOut}
            </button>
          </p>
          {session.way === 'account' && (
            <Link className="side-docs" to={paths.ownNotifications}>
              {words.nav.ownNotifications}
            </Link>
          )}
          <button type="button" className="link-button side-docs" onClick={askForKeys}>
            {words.shortcuts.title} <kbd>?</kbd>
          </button>
          <a className="side-docs" href={`${basePath}/docs/guide`}>
            {words.nav.guide}
          </a>
          <a className="side-docs" href={`${basePath}/docs`}>
            {words.nav.apiDocs}
          </a>
        </div>
      </div>
    </header>
  );
}

const { View: Palette, load: loadPalette } = later(() => import('./views/palette.tsx'), null);

const { View: Shortcuts } = later(() => import('./views/shortcuts.tsx'), null);

/** Opens the palette and the list of keys, by their buttons or their keys. */
function Finder({
  goals: views,
  onSignOut,
}: {
  readonly goals: readonly Goal[];
  readonly onSignOut: () => void;
}) {
  const [opened, setOpened] = useState<{ readonly dialog: Finding; readonly at: number } | null>(
    null,
  );
  const open = useCallback((dialog: Finding) => setOpened({ dialog, at: performance.now() }), []);
  const actions = useActions(() => open('keys'), onSignOut);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const asked = askedBy(event);
      // A dialog that is open keeps the keyboard.
      if (asked === null || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      open(asked);
    };
    const ask = () => open('keys');
    window.addEventListener('keydown', press);
    window.addEventListener(keysAsked, ask);
    return () => {
      window.removeEventListener('keydown', press);
      window.removeEventListener(keysAsked, ask);
    };
  }, [open]);
  // A dialog tells that it closed a moment later. Another one may be open by then, which stays.
  const close = () => setOpened((now) => (now === opened ? null : now));
  return (
    <>
      <button
        type="button"
        className="button side-find"
        {...onIntent(loadPalette)}
        onClick={() => open('palette')}
      >
        {words.palette.open} <kbd>{words.palette.shortcut}</kbd>
      </button>
      {/* Outside of the menu, which a telephone hides with everything in it. */}
      {createPortal(
        <>
          {opened?.dialog === 'palette' && (
            <Palette key={opened.at} views={views} actions={actions} onClose={close} />
          )}
          {opened?.dialog === 'keys' && <Shortcuts key={opened.at} onClose={close} />}
        </>,
        document.body,
      )}
    </>
  );
}

type Finding = 'palette' | 'keys';

const keysAsked = 'concordat-keys';

function askForKeys(): void {
  window.dispatchEvent(new Event(keysAsked));
}

function askedBy({ key, target, ctrlKey, metaKey }: KeyboardEvent): Finding | null {
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') return 'palette';
  const isTyping =
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'));
  return key === '?' && !isTyping ? 'keys' : null;
}

/** What the viewer can do from anywhere. The registry checks it, too. */
function useActions(onKeys: () => void, onSignOut: () => void): readonly PaletteAction[] {
  const isAdmin = useIsAdmin();
  const managesPeople = useHasDuty('manage_people');
  const { role } = useViewer().session;
  const { path } = usePlace();
  const [, , assetId] = path.startsWith(`${paths.assets}/`) ? path.split('/') : [];
  const { create } = paths;
  return [
    ...(assetId === undefined
      ? []
      : [
          {
            to: paths.asset(assetId, 'try'),
            icon: 'flask',
            label: words.palette.actions.changeHere,
          } as const,
        ]),
    ...(role === 'viewer'
      ? []
      : ([
          { to: create(paths.assets), icon: 'plus', label: words.assets.create },
          { to: create(paths.services), icon: 'plus', label: words.services.create },
          { to: paths.import, icon: 'upload', label: words.palette.actions.import },
          { to: create(paths.webhooks), icon: 'plus', label: words.webhooks.create },
        ] as const)),
    ...(managesPeople
      ? ([
          { to: create(paths.teams), icon: 'plus', label: words.teams.create },
          { to: create(paths.users), icon: 'plus', label: words.users.create },
          { to: create(paths.keys), icon: 'plus', label: words.keys.create },
        ] as const)
      : []),
    ...(isAdmin
      ? [{ to: create(paths.trusts), icon: 'plus', label: words.trusts.create } as const]
      : []),
    { run: onKeys, icon: 'info', label: words.shortcuts.title },
    { run: onSignOut, icon: 'out', label: words.session.signOut },
  ];
}

function Goals({ goals: shown, path }: { readonly goals: readonly Goal[]; readonly path: string }) {
  return (
    <ul>
      {shown.map(({ to, icon, label }) => (
        <li key={to}>
          <Link
            to={to}
            className="goal"
            {...onIntent(() => preloadPlace(to))}
            aria-current={
              path === to || (to !== '/' && path.startsWith(`${to}/`)) ? 'page' : undefined
            }
          >
            <Icon name={icon} />
            {label}
            {to === paths.proposals && <ToAnswer />}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** How many proposals the reader can answer for the chosen team. */
function ToAnswer() {
  const { teamId } = useTeamChoice();
  const mayAnswer = useViewer().session.role !== 'viewer';
  const call = teamId === null || !mayAnswer ? null : inboxOf(teamId);
  const answer = useAnswer('listProposals', call);
  if (answer.kind !== 'ready') return null;
  const { results, total = results.length } = answer.body;
  if (total === 0) return null;
  return (
    <span className="goal-count">
      {total.toLocaleString('en')}
      <span className="hidden"> {words.nav.toAnswer}</span>
    </span>
  );
}

/** A user with a single team has nothing to choose. */
function TeamField() {
  const { teamId, choose } = useTeamChoice();
  const team = useMyTeam();
  if (!useMayChooseTeam()) {
    return team === null ? null : <p className="muted">{words.team.fixed(team.name)}</p>;
  }
  return (
    <TeamSelect
      label={words.team.label}
      value={teamId ?? ''}
      onTeam={choose}
      before={[{ value: '', label: words.team.none }]}
    />
  );
}
