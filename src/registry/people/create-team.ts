import { decideAccess } from '../../core/decide/access.ts';
import { teamEvent } from '../../core/decide/events.ts';
import { checkMetadata } from '../../core/decide/metadata.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { isSlug, slugLimit, slugOf, type Team } from '../../core/team.ts';
import type { CreateTeam, Verb } from '../commands.ts';
import type { Transaction } from '../transaction.ts';

export const createTeam: Verb<CreateTeam, Team> = async (ports, context, command) => {
  const access = decideAccess(context.actor, 'manage_teams', null);
  if (!access.ok) return access;
  const name = checkTeamName(command.name);
  if (!name.ok) return name;
  if (command.slug !== undefined && !isSlug(command.slug)) {
    return refuse(
      'VALIDATION_ERROR',
      `"${command.slug}" is not a DNS label: up to ${slugLimit} lower-case letters, digits and inner hyphens.`,
      { field: 'slug' },
    );
  }
  const metadata = checkMetadata(command.metadata ?? {});
  if (!metadata.ok) return metadata;
  return ports.transact(context, async (transaction) => {
    await transaction.lockTeamNames();
    const namesake = await transaction.findTeamByName(name.value);
    if (namesake !== null) return teamExists('name', name.value, namesake.id);
    const slug = await freeSlug(transaction, command.slug, name.value);
    if (!slug.ok) return slug;
    const at = transaction.now();
    const team: Team = {
      id: context.newId(),
      name: name.value,
      slug: slug.value,
      metadata: metadata.value,
      createdAt: at,
      updatedAt: at,
      deletedAt: null,
    };
    const event = teamEvent('team.created', team, { metadata: team.metadata });
    await transaction.apply([{ kind: 'insert_team', team, events: [event] }]);
    return accept(team);
  });
};

const nameLimit = 200;

/** Controls, and what turns the direction of the text around it. */
const unseenPattern = /[\p{Cc}\u200B\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/u;

/** Kept in one normal form, so that two names that look alike are not two teams. */
export function checkTeamName(name: string): Outcome<string> {
  const trimmed = name.normalize('NFC').trim();
  if (unseenPattern.test(trimmed)) {
    return refuse(
      'VALIDATION_ERROR',
      'The team name contains an invisible character, such as a line break or a change of writing direction. Remove it.',
      { field: 'name' },
    );
  }
  if (trimmed !== '' && trimmed.length <= nameLimit) return accept(trimmed);
  return refuse('VALIDATION_ERROR', `A team name must have 1 to ${nameLimit} characters.`, {
    field: 'name',
  });
}

export function teamExists(field: 'name' | 'slug', value: string, id: string): Outcome<never> {
  return refuse('TEAM_EXISTS', `A team with the ${field} "${value}" already exists (${id}).`, {
    field,
    details: { team_id: id },
  });
}

/** A slug that was asked for is given or refused; one made from the name finds a free number. */
async function freeSlug(
  transaction: Transaction,
  asked: string | undefined,
  name: string,
): Promise<Outcome<string>> {
  if (asked !== undefined) {
    const holder = await transaction.findTeamBySlug(asked);
    return holder === null ? accept(asked) : teamExists('slug', asked, holder.id);
  }
  const made = slugOf(name) || 'team';
  for (let number = 1; number <= numberLimit; number++) {
    const suffix = number === 1 ? '' : `-${number}`;
    const slug = made.slice(0, slugLimit - suffix.length).replace(/-+$/, '') + suffix;
    if ((await transaction.findTeamBySlug(slug)) === null) return accept(slug);
  }
  return refuse('TEAM_EXISTS', `${numberLimit} teams have slugs like "${made}". Choose a slug.`, {
    field: 'slug',
  });
}

/** Different names come to one slug only by their signs: few do. */
const numberLimit = 100;
