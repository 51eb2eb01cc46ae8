// The user of the page, and the selected team.

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import type { Duty } from '../../core/actor.ts';
import type { Team } from '../data/shapes.ts';
import { useAnswer } from '../data/use-answer.ts';
import type { Session } from './auth.ts';
import { chosenTeam, keepTeam, mayChooseTeam } from './team-choice.ts';

interface Viewer {
  readonly session: Session;
  readonly signOut: () => void;
}

const ViewerContext = createContext<Viewer | null>(null);

export function ViewerProvider({ value, children }: { value: Viewer; children: ReactNode }) {
  return <ViewerContext value={value}>{children}</ViewerContext>;
}

export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === null) throw new Error('A view stands inside a session.');
  return viewer;
}

interface TeamChoice {
  readonly teamId: string | null;
  readonly choose: (teamId: string) => void;
}

const TeamContext = createContext<TeamChoice>({ teamId: null, choose: () => {} });

export function TeamProvider({ children }: { children: ReactNode }) {
  const { session } = useViewer();
  const [teamId, setTeamId] = useState(() => chosenTeam(session));
  const choose = useCallback(
    (chosen: string) => {
      keepTeam(chosen);
      setTeamId(chosenTeam(session));
    },
    [session],
  );
  const value = useMemo(() => ({ teamId, choose }), [teamId, choose]);
  return <TeamContext value={value}>{children}</TeamContext>;
}

export function useMayChooseTeam(): boolean {
  return mayChooseTeam(useViewer().session);
}

export function useTeamChoice(): TeamChoice {
  return useContext(TeamContext);
}

/** The selected team, once it is loaded; null if none is selected, or if it was deleted. */
export function useMyTeam(): Team | null {
  const { teamId } = useTeamChoice();
  const answer = useAnswer('getTeam', teamId === null ? null : { params: { team_id: teamId } });
  return answer.kind === 'ready' ? answer.body : null;
}

export function useIsAdmin(): boolean {
  return useViewer().session.role === 'admin';
}

/** Whether the viewer has a right of administrators, as one or by itself. */
export function useHasDuty(duty: Duty): boolean {
  return useViewer().session.duties.includes(duty);
}

/** Whether an administrator would answer for another team, which needs a reason. */
export function useIsForOther(): (teamId: string) => boolean {
  const { role, teams } = useViewer().session;
  return (teamId) => role === 'admin' && (teams === 'all' || !teams.includes(teamId));
}

export function useActsFor(): (teamId: string) => boolean {
  const { role, teams } = useViewer().session;
  return (teamId) => {
    if (role === 'admin') return true;
    return role === 'editor' && (teams === 'all' || teams.includes(teamId));
  };
}

/** Whether the user belongs to the team and may only read: then a page says so in place of a button. */
export function useOnlyReadsFor(): (teamId: string) => boolean {
  const { role, teams } = useViewer().session;
  return (teamId) => role === 'viewer' && (teams === 'all' || teams.includes(teamId));
}
