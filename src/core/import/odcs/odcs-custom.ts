// Reads facts that the standard has no field for from custom properties and the team: mode,
// consumers, owner, environment.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type DeclaredConsumer, type ImportProblem, itemProblem } from '../candidate.ts';
import { readMode, type StatedMode } from '../compatibility-mode.ts';
import { arrayAt, memberOf, objectAt, textAt } from '../read-json.ts';

interface Passport extends StatedMode {
  readonly environment?: string;
  readonly ownerTeamName?: string;
  readonly ownerUserEmail?: string;
  readonly consumers: readonly DeclaredConsumer[];
}

/** @example customValue(object, 'fqn') // 'db.public.orders' */
export function customValue(holder: JsonObject, property: string): Json | undefined {
  const entries = arrayAt(holder, 'customProperties') ?? [];
  const entry = entries.find((candidate) => textAt(candidate, 'property') === property);
  return memberOf(entry, 'value');
}

/** The object's own value takes precedence over the whole contract's. */
export function readPassport(
  object: JsonObject,
  contract: JsonObject,
  place: string,
  problems: ImportProblem[],
): Passport {
  const stated = (property: string) =>
    customValue(object, property) ?? customValue(contract, property);
  const text = (property: string) => {
    const value = stated(property);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const environment = text('environment');
  const ownerTeamName = text('ownerTeam') ?? textAt(objectAt(contract, 'team'), 'name');
  const ownerUserEmail = text('ownerUser') ?? ownerAmong(contract);
  const complain = (message: string) =>
    problems.push(itemProblem('INVALID_META', message, `${place}.customProperties`));
  const mode = readMode(stated('compatibilityMode'), `${place}.customProperties`, problems, '$');
  return {
    ...mode,
    consumers: readConsumers(stated('consumers'), complain),
    ...(environment === undefined ? {} : { environment }),
    ...(ownerTeamName === undefined ? {} : { ownerTeamName }),
    ...(ownerUserEmail === undefined ? {} : { ownerUserEmail }),
  };
}

/** Before 3.1 the team was only a list of its members. */
function ownerAmong(contract: JsonObject): string | undefined {
  const members = arrayAt(objectAt(contract, 'team'), 'members') ?? arrayAt(contract, 'team') ?? [];
  const owner = members.find((member) => /^(?:data )?owner$/i.test(textAt(member, 'role') ?? ''));
  const username = textAt(owner, 'username');
  return username?.includes('@') === true ? username : undefined;
}

/** Names of teams, or objects {team, purpose}. */
function readConsumers(
  value: Json | undefined,
  complain: (message: string) => void,
): readonly DeclaredConsumer[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    complain('consumers must be a list of {team, purpose}.');
    return [];
  }
  const byTeam = new Map<string, DeclaredConsumer>();
  for (const entry of value as readonly Json[]) {
    const stated = isJsonObject(entry) ? textAt(entry, 'team') : entry;
    const team = typeof stated === 'string' ? stated.trim() : '';
    const purpose = textAt(entry, 'purpose');
    if (team === '') complain('A consumer has no team and was skipped.');
    else if (!byTeam.has(team.toLowerCase())) {
      byTeam.set(team.toLowerCase(), { team, ...(purpose === undefined ? {} : { purpose }) });
    }
  }
  return [...byTeam.values()];
}
