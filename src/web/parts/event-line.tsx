// Audit events as readable lines: what happened, to what, who did it, and why.

import type { AuditEvent } from '../data/shapes.ts';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { words } from '../words.ts';
import { Breakable, type Tone } from './bits.tsx';
import {
  actorOf,
  detailOf,
  type EventGroup,
  foldEvents,
  isAboutOne,
  reasonOf,
  textOf,
} from './event-detail.ts';
import { Time } from './time.tsx';

/** Events that are highlighted. */
const tones: Readonly<Partial<Record<AuditEvent['event_type'], Tone>>> = {
  'proposal.created': 'warn',
  'proposal.rejected': 'bad',
  'proposal.force_requested': 'bad',
  'proposal.force_published': 'bad',
  'contract.published': 'good',
  'proposal.published': 'good',
  'auth.denied': 'bad',
  'auth.login_failed': 'bad',
};

/** Newest first; similar events in a row are one line. */
export function EventList({
  events,
  limit = Number.POSITIVE_INFINITY,
}: {
  readonly events: readonly AuditEvent[];
  /** The maximum number of lines. */
  readonly limit?: number;
}) {
  return (
    <ul className="events">
      {foldEvents(events)
        .slice(0, limit)
        .map((group) => (
          <EventLine key={group.event.id} group={group} />
        ))}
    </ul>
  );
}

function EventLine({ group }: { readonly group: EventGroup }) {
  const { event, events } = group;
  return (
    <li className="event">
      <span className={`dot dot-${toneOf(group)}`} aria-hidden="true" />
      <div className="event-text">
        <Link to={paths.event(event.id)} className="event-what">
          {words.events[event.event_type]}
        </Link>{' '}
        {events.length > 1 && (
          <span className="event-times">{words.audit.times(events.length)}</span>
        )}{' '}
        <EventText group={group} />
      </div>
      <Time at={event.timestamp} />
    </li>
  );
}

/** What it happened to, by whom, and why. */
export function EventText({ group }: { readonly group: EventGroup }) {
  const reason = reasonOf(group.event);
  return (
    <>
      {isAboutOne(group) && <EventSubject event={group.event} />}
      <EventDetail group={group} />
      {reason !== null && <q className="event-reason">{reason}</q>}
    </>
  );
}

function EventDetail({ group }: { readonly group: EventGroup }) {
  const actor = actorOf(group.event);
  // In a sign-in, the user is both the object and the actor.
  const isSelf = subjectName(group.event) === actor;
  const parts = [detailOf(group), isSelf ? null : words.audit.by(actor)];
  const text = parts.filter((part) => part !== null).join(' · ');
  if (text === '') return null;
  return (
    <span className="event-detail">
      <Breakable text={text} />
    </span>
  );
}

function toneOf({ event, events }: EventGroup): Tone {
  const hasFailed = events.some(({ metadata }) => metadata.status === 'failed');
  if (event.event_type === 'audit_run.recorded' && hasFailed) return 'bad';
  return tones[event.event_type] ?? 'plain';
}

/** The name of the object, linked if the page has a view of it. */
export function EventSubject({ event }: { readonly event: AuditEvent }) {
  const name = subjectName(event);
  const to = subjectPath(event);
  if (name === null) return null;
  const version = textOf(event.metadata.version);
  const text = <Breakable text={name} />;
  return (
    <span className="event-subject">
      {to === null ? <span>{text}</span> : <Link to={to}>{text}</Link>}
      {version !== null && <code className="version">{version}</code>}
    </span>
  );
}

function subjectName({ metadata }: AuditEvent): string | null {
  const names = [
    metadata.asset_fqn,
    metadata.fqn,
    metadata.name,
    metadata.team_name,
    metadata.email,
  ];
  return names.map(textOf).find((name) => name !== null) ?? null;
}

function subjectPath({ entity_type, entity_id, metadata, event_type }: AuditEvent): string | null {
  const asset = textOf(metadata.asset_id);
  switch (entity_type) {
    case 'asset':
      return event_type === 'asset.deleted' ? null : paths.asset(entity_id);
    case 'contract':
      return asset === null ? null : paths.asset(asset, 'versions');
    case 'proposal':
      return paths.proposal(entity_id);
    case 'registration':
      return asset === null ? null : paths.asset(asset, 'consumers');
    case 'dependency':
      return asset === null ? null : paths.asset(asset, 'lineage');
    case 'team':
      return paths.teams;
    case 'service':
      return event_type === 'service.deleted' ? null : paths.service(entity_id);
    case 'api_key':
      return paths.keys;
    case 'trust':
      return paths.trusts;
    case 'audit_run':
      return asset === null ? null : paths.asset(asset, 'quality');
    case 'user':
    case 'group':
      return paths.users;
    case 'webhook':
      return event_type === 'webhook.deleted' ? null : paths.webhook(entity_id);
    default:
      return null;
  }
}
