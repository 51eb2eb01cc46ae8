// The details of an event: the answer and its team, the failed run, the dependency. Similar events
// in a row become one line, so that a night of checks does not hide what people did.

import { isJsonObject, type Json, numberText } from '../../core/value/json.ts';
import type { AuditEvent } from '../data/shapes.ts';
import { words } from '../words.ts';

/** One event, or several of the same kind by the same actor, newest first. */
export interface EventGroup {
  readonly event: AuditEvent;
  readonly events: readonly AuditEvent[];
}

/** Types of events that occur in groups; lists show the last one for all of them. */
const folded: ReadonlySet<AuditEvent['event_type']> = new Set([
  'audit_run.recorded',
  'dependency.created',
  'dependency.deleted',
  'auth.login',
  'auth.login_failed',
  'auth.denied',
]);

/**
 * Groups consecutive events that say the same.
 *
 * @example foldEvents([run3, run2, run1, published]).length // 2
 */
export function foldEvents(events: readonly AuditEvent[]): readonly EventGroup[] {
  const groups: EventGroup[] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (last !== undefined && isMoreOf(last.event, event)) {
      groups[groups.length - 1] = { event: last.event, events: [...last.events, event] };
    } else {
      groups.push({ event, events: [event] });
    }
  }
  return groups;
}

function isMoreOf(one: AuditEvent, other: AuditEvent): boolean {
  return (
    folded.has(one.event_type) &&
    one.event_type === other.event_type &&
    one.actor_id === other.actor_id
  );
}

/** The assets of a group, each once. */
function assetsOf({ events }: EventGroup): readonly string[] {
  return [...new Set(namesIn(events, 'asset_fqn'))];
}

/** Whether the whole group is about one object, which the line then names. */
export function isAboutOne(group: EventGroup): boolean {
  return assetsOf(group).length <= 1;
}

/**
 * @example detailOf(acknowledged) // 'Finance: migrating'
 */
export function detailOf(group: EventGroup): string | null {
  const { event, events } = group;
  const { metadata } = event;
  const { says } = words.audit;
  const team = textOf(metadata.consumer_team_name);
  switch (event.event_type) {
    case 'audit_run.recorded':
      return detailOfRuns(group);
    case 'proposal.acknowledged':
    case 'proposal.rejected':
      return team === null ? null : says.answer(team, responseOf(metadata.response));
    case 'proposal.created':
    case 'proposal.rebased':
      return says.asked(listOf(metadata.consumers));
    case 'proposal.reopened':
    case 'proposal.reminded':
      return says.asked(listOf(metadata.awaiting));
    case 'proposal.deadline_passed':
      return says.asked(listOf(metadata.no_answer));
    case 'proposal.force_requested':
    case 'proposal.force_published':
      return says.notAgreed(listOf(metadata.not_agreed));
    case 'proposal.commented':
      return textOf(metadata.comment_team_name);
    case 'proposal.objected':
      return textOf(metadata.objecting_team_name);
    case 'registration.created':
    case 'registration.updated':
    case 'registration.deleted':
    case 'registration.needs_changed':
    case 'registration.needs_found':
      return team;
    case 'contract.published':
      return says.changes(changesIn(event).total);
    case 'contract.deprecated':
      return detailOfDeprecation(metadata);
    case 'contract.fields_ending':
      return says.ending(numberOf(metadata.field_count), textOf(metadata.sunset) ?? '');
    case 'dependency.created':
    case 'dependency.deleted':
      return isAboutOne(group)
        ? says.dependsOn(namesIn(events, 'depends_on_fqn'))
        : says.of(assetsOf(group));
    case 'import.completed':
      return says.imported(numberOf(metadata.items), textOf(metadata.format) ?? '');
    default:
      return null;
  }
}

/**
 * The changes that an event lists, and their total: an event with many lists some and counts the
 * rest.
 */
export function changesIn({ metadata }: AuditEvent): { lines: readonly string[]; total: number } {
  const listed = listOf(metadata.changes);
  const rest = /^and (\d+) more$/.exec(listed.at(-1) ?? '')?.[1];
  if (rest === undefined) return { lines: listed, total: listed.length };
  const lines = listed.slice(0, -1);
  return { lines, total: lines.length + Number(rest) };
}

function detailOfRuns(group: EventGroup): string {
  const { events } = group;
  const failed = events.filter(({ metadata }) => metadata.status === 'failed');
  const checks = failed.flatMap(({ metadata }) => listOf(metadata.failed_guarantees));
  const { says } = words.audit;
  if (!isAboutOne(group)) return says.runsOf(failed.length, events.length, assetsOf(group));
  return events.length === 1
    ? says.run(failed.length > 0, checks)
    : says.runs(failed.length, events.length, [...new Set(checks)]);
}

function detailOfDeprecation(metadata: AuditEvent['metadata']): string | null {
  const next = textOf(metadata.superseded_by_version);
  return next === null ? null : words.audit.says.superseded(next);
}

/** The reason that the actor gave. Texts that the registry itself wrote are part of the detail. */
export function reasonOf({ metadata }: AuditEvent): string | null {
  if (textOf(metadata.superseded_by_version) !== null) return null;
  // For an answer that an administrator gave for others: the answer first, then the reason.
  return textOf(metadata.notes) ?? textOf(metadata.reason);
}

/**
 * @example actorOf(event) // 'Grace Hopper'
 */
export function actorOf({ actor_type, metadata }: AuditEvent): string {
  return nameOfActor({ type: actor_type, name: textOf(metadata.actor_name) });
}

/**
 * @example nameOfActor({ type: 'bootstrap', name: 'bootstrap key' }) // 'the bootstrap key'
 */
export function nameOfActor({
  type,
  name,
}: {
  readonly type: AuditEvent['actor_type'];
  readonly name: string | null;
}): string {
  const isNamed = name !== null && type !== 'bootstrap' && type !== 'system';
  return isNamed ? words.audit.actorNames[type](name) : words.audit.actors[type];
}

export function textOf(value: Json | undefined): string | null {
  if (typeof value === 'string' && value !== '') return value;
  return value === undefined ? null : numberText(value);
}

function numberOf(value: Json | undefined): number {
  return Number(value === undefined ? 0 : (numberText(value) ?? 0));
}

function responseOf(value: Json | undefined): string {
  const responses: Readonly<Record<string, string>> = words.proposal.responses;
  return responses[textOf(value) ?? ''] ?? words.proposal.responses.blocked;
}

function listOf(value: Json | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: Json) => {
    const text = isJsonObject(item) ? null : textOf(item);
    return text === null ? [] : [text];
  });
}

function namesIn(events: readonly AuditEvent[], name: string): readonly string[] {
  return events.flatMap(({ metadata }) => {
    const text = textOf(metadata[name]);
    return text === null ? [] : [text];
  });
}
