// Teams that an object of a source declares. The object that creates a team holds it, and no other
// object changes it.

import type { Actor } from '../../actor.ts';
import { isManagedBy, type ManagedBy, managerText } from '../../asset.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import type { Team } from '../../team.ts';
import { counted } from '../../value/counted.ts';
import type { By, Decided, StartOver } from '../decided.ts';
import { teamEvent } from '../events.ts';
import type { TeamFacts } from '../facts.ts';
import type { DeclareTeam, ReleaseTeam } from './commands.ts';
import { decideTeamDeletion, type Left, ownedText } from './delete-team.ts';
import { decideTeam, decideTeamUpdate, type NamingFacts, type WantedTeam } from './team.ts';

/** The object that may declare this team; a refusal for every other actor, an administrator too. */
export function decideDeclaring(actor: Actor, slug: string): Outcome<ManagedBy> {
  if (actor.declares === slug && actor.manages !== undefined) return accept(actor.manages);
  return refuse('FORBIDDEN', `${actor.name} does not declare team ${slug}.`);
}

export function decideDeclaration(
  { namesake, slugHolders: [held] }: NamingFacts,
  wanted: WantedTeam,
  command: DeclareTeam,
  { managedBy, by }: { readonly managedBy: ManagedBy; readonly by: By },
): Outcome<Decided<Team>> {
  if (held === undefined) {
    return decideTeam({ namesake, slugHolders: [] }, wanted, by, managedBy);
  }
  if (!isManagedBy(held, managedBy)) return heldElsewhere(held, managedBy);
  const { name = held.name } = command;
  const update = { teamId: held.id, name, metadata: command.metadata };
  return decideTeamUpdate({ team: held, namesake }, name, update, by);
}

/** How a team is let go, and what happens to it then. */
export function decideRelease(
  facts: TeamFacts,
  { isDeleted }: ReleaseTeam,
  by: By,
): Outcome<Decided<Left>> | StartOver {
  const { team } = facts;
  const owned = ownedText(facts);
  if (!isDeleted) {
    const released = { ...team, managedBy: null, updatedAt: by.at };
    const told = { from: { managed_by: managerText(team.managedBy) }, to: { managed_by: null } };
    const event = teamEvent('team.updated', released, told);
    return accept({
      writes: [{ kind: 'update_team', team: released, events: [event] }],
      answer: { deleted: true, left: [] },
    });
  }
  if (owned !== null) {
    return refuse(
      'TEAM_HAS_ASSETS',
      `Team ${team.slug} owns ${owned}. Give them to another team, or set spec.deletionPolicy to Retain.`,
    );
  }
  const { registrations } = facts;
  if (registrations.length > 0) {
    const [{ assetFqn } = { assetFqn: '' }] = registrations;
    return refuse(
      'TEAM_HAS_ASSETS',
      `Team ${team.slug} is registered as a consumer of ${counted(registrations.length, 'asset')}, such as ${assetFqn}. It is deleted once these registrations are. To keep the team, set spec.deletionPolicy to Retain.`,
    );
  }
  return decideTeamDeletion({ ...facts, heir: null }, { teamId: team.id }, by);
}

function heldElsewhere(
  { id, slug, managedBy }: Team,
  { source, reference }: ManagedBy,
): Outcome<never> {
  const handedOver = `an administrator hands it over through the API, to ${managerText({ source, reference })}`;
  if (managedBy !== null) {
    return refuse(
      'TEAM_EXISTS',
      `Team ${slug} is managed by ${managerText(managedBy)}. This object goes on once it is let go there. If that source is gone for good, ${handedOver}, with override.`,
      { details: { team_id: id } },
    );
  }
  return refuse(
    'TEAM_MANAGED_ELSEWHERE',
    `Team ${slug} was made by people. This object goes on once ${handedOver}.`,
    { details: { team_id: id } },
  );
}
