// An audit event as a line one can read: what happened, to what, and why.

import { type Json, numberText } from '../../core/json.ts';
import type { AuditEvent } from '../data/shapes.ts';
import { paths } from '../paths.ts';
import { Link } from '../router.tsx';
import { words } from '../words.ts';
import { Time, type Tone } from './bits.tsx';

/** What deserves a look of its own; the rest is calm. */
const tones: Readonly<Partial<Record<AuditEvent['event_type'], Tone>>> = {
  'proposal.created': 'warn',
  'proposal.rejected': 'bad',
  'proposal.force_published': 'bad',
  'contract.published': 'good',
  'proposal.published': 'good',
  'auth.denied': 'bad',
  'auth.login_failed': 'bad',
};

export function EventLine({ event }: { readonly event: AuditEvent }) {
  return (
    <li className="event">
      <span className={`dot dot-${tones[event.event_type] ?? 'plain'}`} aria-hidden="true" />
      <div className="event-text">
        <Link to={paths.event(event.id)} className="event-what">
          {words.events[event.event_type]}
        </Link>{' '}
        <EventSubject event={event} />
        <EventReason event={event} />
      </div>
      <Time at={event.timestamp} />
    </li>
  );
}

/** The name of the thing, as a link where the page has a view of it. */
export function EventSubject({ event }: { readonly event: AuditEvent }) {
  const name = subjectName(event);
  const to = subjectPath(event);
  if (name === null) return null;
  const version = textOf(event.metadata.version);
  return (
    <span className="event-subject">
      {to === null ? <span>{name}</span> : <Link to={to}>{name}</Link>}
      {version !== null && <code className="version">{version}</code>}
    </span>
  );
}

function EventReason({ event }: { readonly event: AuditEvent }) {
  const reason = textOf(event.metadata.reason) ?? textOf(event.metadata.notes);
  return reason === null ? null : <q className="event-reason">{reason}</q>;
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
    case 'team':
      return paths.teams;
    case 'api_key':
      return paths.keys;
    case 'audit_run':
      return asset === null ? null : paths.asset(asset, 'quality');
    case 'user':
      return paths.users;
    case 'webhook':
      return event_type === 'webhook.deleted' ? null : paths.webhook(entity_id);
    default:
      return null;
  }
}

function textOf(value: Json | undefined): string | null {
  if (typeof value === 'string' && value !== '') return value;
  return value === undefined ? null : numberText(value);
}
