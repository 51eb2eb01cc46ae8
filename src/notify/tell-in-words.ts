// An event in words, for people who read it in chat or in a mailbox: what happened, what it does to
// them with the value that breaks, and where to answer.

import { type AuditEvent, assetOf } from '../core/event.ts';
import type { TeamId } from '../core/id.ts';
import type { Json, JsonObject } from '../core/value/json.ts';
import type { NotifiedEventType } from '../core/webhook.ts';
import { oneLine } from './one-line.ts';

export interface InWords {
  readonly title: string;
  /** Plain text; a line that begins with "- " is an item of a list. */
  readonly lines: readonly string[];
  /** Null if the server does not know its own address, or for a summary. */
  readonly link: { readonly label: string; readonly url: string } | null;
  /** Of a summary: what it sums up. */
  readonly parts: readonly InWords[];
}

interface Reader {
  /** The team that is told; null if it is told about several. */
  readonly teamId: TeamId | null;
  readonly baseUrl: string | null;
}

type Titles = (fqn: string, metadata: JsonObject) => string;

/** A type of event that a newer release wrote has the general one. */
const titles: Readonly<Record<NotifiedEventType, Titles>> = {
  'proposal.created': (fqn) => `A breaking change of ${fqn} needs your answer`,
  'proposal.reopened': (fqn) => `A breaking change of ${fqn} needs your answer`,
  'proposal.reassessed': (fqn) => `A breaking change of ${fqn} needs your answer`,
  'proposal.rebased': (fqn) => `A breaking change of ${fqn} is asked about again`,
  'proposal.updated': (fqn) => `What the producer says about the change of ${fqn} is different`,
  'proposal.commented': (fqn, { comment_team_name: team }) =>
    `${textOf(team, 'An administrator')} commented on the change of ${fqn}`,
  'proposal.objected': (fqn, { objecting_team_name: team, reason }) =>
    reason === null
      ? `${textOf(team, 'A team')} no longer objects to the change of ${fqn}`
      : `${textOf(team, 'A team')} objects to the change of ${fqn}, and is not asked`,
  'proposal.reminded': (fqn) => `Reminder: a breaking change of ${fqn} needs your answer`,
  'proposal.deadline_passed': (fqn) => `The last day for answers about ${fqn} is over`,
  'proposal.acknowledged': (fqn, { consumer_team_name: team, response }) =>
    response === 'migrating'
      ? `${textOf(team, 'A consumer')} migrates, and agrees to the change of ${fqn}`
      : `${textOf(team, 'A consumer')} agrees to the change of ${fqn}`,
  'proposal.rejected': (fqn, { consumer_team_name: team }) =>
    `${textOf(team, 'A consumer')} blocks the change of ${fqn}`,
  'proposal.force_requested': (fqn) => `An administrator wants to force the change of ${fqn}`,
  'proposal.force_published': (fqn) => `A change of ${fqn} was forced`,
  'contract.published': (fqn, { version }) =>
    `${fqn} ${textOf(version, '')} was published, and may break you`,
  'contract.deprecated': (fqn, { version }) => `${fqn} ${textOf(version, '')} is deprecated`,
  'contract.archived': (fqn, { version }) => `${fqn} ${textOf(version, '')} is archived`,
  'contract.fields_ending': (fqn, { stage, sunset }) =>
    stage === 'over'
      ? `The last day of fields of ${fqn} that you read is over`
      : `Fields of ${fqn} that you read end on ${textOf(sunset, 'a day')}`,
  'asset.deleted': (fqn) => `${fqn} was deleted`,
  'audit_run.recorded': (fqn, { incident }) =>
    incident === 'closed'
      ? `The data of ${fqn} matches its contract again`
      : `The data of ${fqn} does not match its contract`,
};

/** @example tellInWords(event, { teamId, baseUrl: 'https://contracts.example.com' }).title */
export function tellInWords(event: AuditEvent, reader: Reader): InWords {
  const { eventType, metadata } = event;
  const fqn = textOf(metadata.asset_fqn, 'an asset');
  const title = titles[eventType as NotifiedEventType] ?? ((name) => `${eventType}: ${name}`);
  const lines = [
    ...yours(metadata, reader.teamId),
    ...changed(metadata),
    ...said(metadata),
    ...failed(metadata),
  ];
  const { environment } = metadata;
  const place =
    typeof environment === 'string' && environment !== 'production' ? ` (${environment})` : '';
  return {
    title: short(title(fqn + place, metadata)),
    lines,
    link: linkOf(event, reader),
    parts: [],
  };
}

/** Several events in one message. */
export function summarize(parts: readonly InWords[]): InWords {
  const title = `Summary of Concordat: ${parts.length} messages`;
  return { title, lines: parts.map((part) => `- ${part.title}`), link: null, parts };
}

/** What the change does to the team itself comes first. */
function yours({ affected }: JsonObject, teamId: TeamId | null): readonly string[] {
  if (!Array.isArray(affected)) return [];
  const own = affected.map(objectOf).filter((each) => each.team_id === teamId);
  return own.flatMap(({ verdict, path, witness, fields }) => [
    ...(verdict === 'breaks' ? ['It breaks what you read.'] : []),
    ...(verdict === 'may_break' ? ['It may break what you read.'] : []),
    ...(verdict === 'unaffected' ? ['What you said that you read is not affected.'] : []),
    ...(typeof path === 'string' ? [`Where: ${short(path)}`] : []),
    ...(witness === undefined ? [] : [`For example: ${short(JSON.stringify(witness))}`]),
    ...itemsOf(textsOf(fields)),
  ]);
}

const listedItems = 10;

function changed({ changes, example, version }: JsonObject): readonly string[] {
  const all = textsOf(changes);
  if (all.length === 0) return [];
  const { description } = objectOf(example);
  return [
    ...(typeof description === 'string' ? [short(description)] : []),
    typeof version === 'string' ? `What ${version} changes:` : 'What changes:',
    ...itemsOf(all),
  ];
}

function itemsOf(texts: readonly string[]): readonly string[] {
  // The event itself lists only some of many changes.
  const [, unlisted] = /^and (\d+) more$/.exec(texts.at(-1) ?? '') ?? [];
  const all = unlisted === undefined ? texts.length : texts.length - 1 + Number(unlisted);
  const more = all - listedItems;
  return [
    ...texts.slice(0, listedItems).map((text) => `- ${short(text)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
}

/** What people wrote, and until when they wait. */
function said(metadata: JsonObject): readonly string[] {
  const {
    reason,
    contact,
    answer_by: day,
    migration,
    migrate_by: lastDay,
  } = {
    ...metadata,
    ...objectOf(metadata.request),
  } as JsonObject;
  return [
    ...labelled('Why', reason),
    ...labelled('Whom to ask', contact),
    ...labelled('Answer by', day),
    ...labelled('How to migrate', migration),
    ...labelled('The old version ends after', lastDay),
    ...labelled('They say', metadata.text ?? metadata.notes),
    ...labelled('Until', metadata.until),
  ];
}

function failed({ failed_guarantees: failures, incident, since }: JsonObject): readonly string[] {
  if (incident === undefined) return [];
  return [
    ...itemsOf(textsOf(failures)),
    ...labelled(incident === 'closed' ? 'It did not match since' : 'Since', since),
  ];
}

function linkOf(event: AuditEvent, { baseUrl }: Reader) {
  const { entityType, entityId } = event;
  if (baseUrl === null) return null;
  if (entityType === 'proposal') {
    return { label: 'See the change and answer', url: `${baseUrl}/proposals/${entityId}` };
  }
  return { label: 'See the asset', url: `${baseUrl}/assets/${assetOf(event) ?? ''}` };
}

function labelled(label: string, value: Json | undefined): readonly string[] {
  return typeof value === 'string' && value !== '' ? [`${label}: ${short(value)}`] : [];
}

function textsOf(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}

function objectOf(value: Json | undefined): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : {};
}

function textOf(value: Json | undefined, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

const lineLimit = 500;

function short(text: string): string {
  const line = oneLine(text);
  if (line.length <= lineLimit) return line;
  // Not within a character: receivers refuse half of one.
  return `${line.slice(0, lineLimit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
