import { type ManagedBy, managerText } from '../../asset.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import { isSlug, slugLimit, slugOf, type Team } from '../../team.ts';
import type { JsonObject } from '../../value/json.ts';
import type { By, Decided } from '../decided.ts';
import { teamEvent } from '../events.ts';
import { checkMetadata, patchMetadata } from '../metadata.ts';
import { preconditionFailed } from '../not-found.ts';
import type { CreateTeam, UpdateTeam } from './commands.ts';

export interface WantedTeam {
  readonly name: string;
  /**
   * Candidates for the slug: the requested one, or several made from the name. The first free one
   * is used.
   */
  readonly slugs: readonly string[];
  readonly metadata: JsonObject;
}

/**
 * The limit for numbered slugs. Names with the same slug differ only in punctuation, which is rare.
 */
const numberLimit = 100;

export function readTeam(command: CreateTeam): Outcome<WantedTeam> {
  const name = checkTeamName(command.name);
  if (!name.ok) return name;
  const { slug } = command;
  if (slug !== undefined && !isSlug(slug)) {
    return refuse(
      'VALIDATION_ERROR',
      `"${slug}" is not a DNS label: up to ${slugLimit} lower-case letters, digits and inner hyphens.`,
      { field: 'slug' },
    );
  }
  const metadata = checkMetadata(command.metadata ?? {});
  if (!metadata.ok) return metadata;
  const slugs = slug === undefined ? slugsOf(name.value) : [slug];
  return accept({ name: name.value, slugs, metadata: metadata.value });
}

function slugsOf(name: string): readonly string[] {
  const made = slugOf(name) || 'team';
  return Array.from({ length: numberLimit }, (_, index) => {
    const suffix = index === 0 ? '' : `-${index + 1}`;
    return made.slice(0, slugLimit - suffix.length).replace(/-+$/, '') + suffix;
  });
}

export interface NamingFacts {
  /** Another team with the name. */
  readonly namesake: Team | null;
  /** The teams that have one of the slugs. */
  readonly slugHolders: readonly Team[];
}

export function decideTeam(
  { namesake, slugHolders }: NamingFacts,
  { name, slugs, metadata }: WantedTeam,
  { newId, at }: By,
  managedBy: ManagedBy | null = null,
): Outcome<Decided<Team>> {
  if (namesake !== null) return teamExists('name', namesake, name);
  const taken = new Map(slugHolders.map((team) => [team.slug, team]));
  const slug = slugs.find((each) => !taken.has(each));
  if (slug === undefined) return noSlug(slugs, slugHolders);
  const times = { createdAt: at, updatedAt: at, deletedAt: null };
  const team = { id: newId(), name, slug, metadata, managedBy, ...times };
  const managed = managedBy === null ? {} : { managed_by: managerText(managedBy) };
  const event = teamEvent('team.created', team, { metadata, ...managed });
  return accept({ writes: [{ kind: 'insert_team', team, events: [event] }], answer: team });
}

function noSlug(slugs: readonly string[], [holder]: readonly Team[]): Outcome<never> {
  const [first = ''] = slugs;
  if (slugs.length === 1 && holder !== undefined) return teamExists('slug', holder, first);
  return refuse('TEAM_EXISTS', `${numberLimit} teams have slugs like "${first}". Choose a slug.`, {
    field: 'slug',
  });
}

interface RestoringFacts extends NamingFacts {
  /** May be deleted. */
  readonly team: Team;
}

/** Brings back the team, not what ended with it: its keys, its trusts and its registrations. */
export function decideTeamRestoration(
  { team, namesake, slugHolders }: RestoringFacts,
  { at }: By,
): Outcome<Decided<Team>> {
  const { name, slug } = team;
  const [holder] = slugHolders;
  if (team.deletedAt === null) {
    return refuse('TEAM_EXISTS', `${name} is not deleted, so it cannot be restored.`, {
      details: { team_id: team.id },
    });
  }
  if (namesake !== null) return teamExists('name', namesake, name);
  if (holder !== undefined) return teamExists('slug', holder, slug);
  const restored = { ...team, managedBy: null, updatedAt: at, deletedAt: null };
  const event = teamEvent('team.restored', restored, { deleted_at: team.deletedAt });
  return accept({
    writes: [{ kind: 'update_team', team: restored, events: [event] }],
    answer: restored,
  });
}

interface RenamingFacts extends Pick<NamingFacts, 'namesake'> {
  readonly team: Team;
}

/** `name` is the new name as `checkTeamName` returned it. */
export function decideTeamUpdate(
  { team, namesake }: RenamingFacts,
  name: string,
  command: UpdateTeam,
  { at }: By,
): Outcome<Decided<Team>> {
  if (command.precondition?.(team) === false) return preconditionFailed();
  if (namesake !== null && namesake.id !== team.id) return teamExists('name', namesake, name);
  const metadata = patchMetadata(team.metadata, command.metadata);
  if (!metadata.ok) return metadata;
  const { managedBy = team.managedBy, reason } = command;
  const next = { name, metadata: metadata.value, managedBy };
  const told = (one: Pick<Team, 'name' | 'metadata' | 'managedBy'>) => ({
    name: one.name,
    metadata: one.metadata,
    ...(one.managedBy !== null || team.managedBy !== managedBy
      ? { managed_by: managerText(one.managedBy) }
      : {}),
  });
  const from = told(team);
  const to = told(next);
  if (JSON.stringify(from) === JSON.stringify(to)) return accept({ writes: [], answer: team });
  const updated = { ...team, ...next, updatedAt: at };
  const why = typeof reason === 'string' ? { reason: reason.trim() } : {};
  const event = teamEvent('team.updated', updated, { from, to, ...why });
  return accept({
    writes: [{ kind: 'update_team', team: updated, events: [event] }],
    answer: updated,
  });
}

const nameLimit = 200;

/** Control characters, and characters that change the direction of text. */
const unseenPattern = /[\p{Cc}\u200B\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/u;

/** Normalizes the name, so that two names that look alike are not two teams. */
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

function teamExists(field: 'name' | 'slug', { id }: Team, value: string): Outcome<never> {
  return refuse('TEAM_EXISTS', `A team with the ${field} "${value}" already exists (${id}).`, {
    field,
    details: { team_id: id },
  });
}
