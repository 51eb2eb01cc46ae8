// The audit trail.

import { hash } from 'node:crypto';
import type { AuditReport } from '../../core/audit/check-audit.ts';
import { formatHead, type HeadReference, parseHead } from '../../core/audit/seal.ts';
import { maySeeEvent, personalEventsOf } from '../../core/event.ts';
import type { Outcome } from '../../core/failure.ts';
import { accept } from '../../core/failure.ts';
import { verifyAudit as verify, walkAudit } from '../../registry/audit/audit-trail.ts';
import type { ListedEvents } from '../../registry/lists.ts';
import type { Reads, TrailMoment } from '../../registry/ports.ts';
import { exportEnd, exportStart, toExportLine } from '../../wire/audit-export.ts';
import { representEvent, representEventListed } from '../../wire/represent/represent.ts';
import type { Handler } from '../handler.ts';
import { notFound } from '../not-found.ts';
import { toUtc } from '../to-utc.ts';

export const listEvents: Handler<'listEvents'> = async ({ ports }, { query, actor }) => {
  const listed = await ports.reads.listEvents({
    ...windowOf(query),
    personal: personalEventsOf(actor),
    about: query.about,
    eventType: query.event_type,
    entityType: query.entity_type,
    entityId: query.entity_id,
    assetId: query.asset_id,
    actorId: query.actor_id,
  });
  return eventsOf(listed);
};

export const getEvent: Handler<'getEvent'> = async ({ ports }, { params, actor }) => {
  const event = await ports.reads.getEvent(params.event_id);
  const isSeen = event !== null && maySeeEvent(personalEventsOf(actor), event);
  if (!isSeen) return notFound('EVENT_NOT_FOUND', params.event_id);
  return accept({ status: 200, body: representEvent(event) });
};

export const listEntityHistory: Handler<'listEntityHistory'> = async (
  { ports },
  { params, query, actor },
) => {
  const listed = await ports.reads.listEvents({
    ...windowOf(query),
    personal: personalEventsOf(actor),
    entityType: params.entity_type,
    entityId: params.entity_id,
  });
  return eventsOf(listed);
};

interface Window {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
  readonly include_total: boolean;
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

function windowOf({ limit, offset, cursor, include_total, start_date, end_date }: Window) {
  return {
    ...{ limit, offset, cursor, includeTotal: include_total },
    startDate: start_date === undefined ? undefined : toUtc(start_date),
    endDate: end_date === undefined ? undefined : toUtc(end_date),
  };
}

function eventsOf(listed: Outcome<ListedEvents>) {
  if (!listed.ok) return listed;
  const { results, total, nextCursor, archivedBefore } = listed.value;
  const body = {
    results: results.map(representEventListed),
    ...(total !== null && { total }),
    next_cursor: nextCursor,
    ...(archivedBefore !== null && { archived_before: archivedBefore }),
  };
  return accept({ status: 200 as const, body });
}

export const verifyAudit: Handler<'verifyAudit'> = async (
  { ports, auditAuthenticator },
  { query },
) => {
  const head = query.head === undefined ? null : parseHead(query.head);
  const from = query.from === undefined ? null : parseHead(query.from);
  // One at a time, because each reads the whole trail.
  const report = await ports.inTurn('verifying the audit trail', () =>
    verify(ports.reads, {
      sha256,
      expected: head === null ? [] : [head],
      from: from ?? undefined,
      authenticator: auditAuthenticator,
    }),
  );
  return accept({ status: 200, body: representVerification(report) });
};

function representVerification(report: AuditReport) {
  const { sealed, unsealed, heads } = report;
  const findings = report.findings.map(({ kind, sequence, eventId, message }) => ({
    kind,
    sequence,
    event_id: eventId,
    message,
  }));
  return {
    intact: report.isIntact,
    first: findings[0] ?? null,
    findings,
    findings_total: report.findingCount,
    sealed:
      sealed === null
        ? null
        : {
            first_sequence: sealed.firstSequence,
            last_sequence: sealed.lastSequence,
            head: formatHead({ sequence: sealed.lastSequence, hash: sealed.lastHash }),
            sealed_at: sealed.sealedAt,
          },
    unsealed: { events: unsealed.count, oldest: unsealed.oldest },
    heads: { total: heads.count, authenticated: heads.authenticated },
  };
}

export const exportEvents: Handler<'exportEvents'> = async ({ ports }, { query, context }) => {
  const from = query.from === undefined ? undefined : (parseHead(query.from) ?? undefined);
  // Read before the response begins, so that an unavailable database still gives a 503.
  const moment = await ports.reads.getTrailMoment();
  return accept({
    status: 200,
    body: '',
    contentType: 'application/x-ndjson',
    fileName: 'concordat-audit.ndjson',
    stream: exportLines(ports.reads, from, moment, context.now()),
  });
};

async function* exportLines(
  reads: Reads,
  from: HeadReference | undefined,
  moment: TrailMoment,
  madeAt: string,
): AsyncGenerator<string> {
  let lines = 0;
  yield exportStart(from, madeAt);
  for await (const items of walkAudit(reads, from?.sequence ?? 0, moment)) {
    if (items.length > 0) yield items.map(toExportLine).join('');
    lines += items.length;
  }
  yield exportEnd(lines);
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}
