// The team that somebody looks at the registry for, kept in this browser.

import type { Session } from './auth.ts';

const teamStore = 'concordat.team';

/** The user's only team; a user with several teams, or none, chooses one. */
export function chosenTeam(session: Session): string | null {
  if (!mayChooseTeam(session)) return session.teamId;
  return localStorage.getItem(teamStore) ?? session.teamId;
}

export function mayChooseTeam({ teamId, role }: Session): boolean {
  return teamId === null || role === 'admin';
}

/** An empty id takes the choice back. */
export function keepTeam(teamId: string): void {
  if (teamId === '') localStorage.removeItem(teamStore);
  else localStorage.setItem(teamStore, teamId);
}
