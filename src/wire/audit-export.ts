// The lines of an exported audit trail: written by the registry, and read again on any machine.

import {
  type AuditCheckOptions,
  type AuditItem,
  type AuditReport,
  startAuditCheck,
} from '../core/audit/check-audit.ts';
import { type AuditHead, formatHead, type HeadReference, parseHead } from '../core/audit/seal.ts';
import type { AuditEvent } from '../core/event.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../core/value/json.ts';
import { representEvent } from './represent/represent.ts';

const exportFormat = 'concordat-audit/1';

/** The first line. */
export function exportStart(from: HeadReference | undefined, madeAt: string | null = null): string {
  const start = { format: exportFormat, made_at: madeAt, from: from ? formatHead(from) : null };
  return `${JSON.stringify({ export: start })}\n`;
}

/** The last line; an export without it is truncated. */
export function exportEnd(lines: number): string {
  return `${JSON.stringify({ end: { lines } })}\n`;
}

export function toExportLine(item: AuditItem): string {
  return `${JSON.stringify(representItem(item))}\n`;
}

function representItem(item: AuditItem): unknown {
  switch (item.kind) {
    case 'sealed': {
      const { seal, event } = item;
      const shown = event === null ? { id: seal.eventId, missing: true } : representEvent(event);
      const { sequence, hash, eventId } = seal;
      const other = event !== null && event.id !== eventId ? { event_id: eventId } : {};
      return { ...shown, seal: { sequence, hash, ...other } };
    }
    case 'head': {
      const { sequence, hash, sealedAt, completeAt, mac, keyId } = item.head;
      const times = { sealed_at: sealedAt, complete_at: completeAt };
      return { head: { sequence, hash, ...times, mac, key_id: keyId } };
    }
    case 'unsealed': {
      const passed = item.isPassed ? { passed: true } : {};
      return { ...representEvent(item.event), seal: null, ...passed };
    }
    default:
      return item satisfies never;
  }
}

/** An export of its own, of seals that follow a checkpoint. It says no time, so that it is always the same. */
export function exportText(from: HeadReference, items: readonly AuditItem[]): string {
  return exportStart(from) + items.map(toExportLine).join('') + exportEnd(items.length);
}

/** What an export says; null if the text is none, or was cut. */
export function readExport(text: string): readonly AuditItem[] | null {
  const values = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const parsed = parseJson(line);
      return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
    });
  const [start, ...rest] = values;
  const end = rest.pop();
  if (!start || !end || !('export' in start) || memberOf(end.end, 'lines') !== rest.length) {
    return null;
  }
  const items = rest.map((value) => (value === null ? null : itemOf(value)));
  return items.every((item) => item !== null) ? items : null;
}

interface ExportCheck {
  /** Takes one line, without its line end; empty lines are ignored. */
  readonly takeLine: (line: string) => void;
  readonly finish: () => ExportReport;
}

type ExportReport =
  | { readonly ok: true; readonly report: AuditReport }
  /** The file is not an export, or is incomplete. */
  | { readonly ok: false; readonly message: string };

/**
 * Verifies an export without the registry.
 *
 * @example
 * const check = startExportCheck({ sha256, expected: [head] });
 * for await (const line of lines) check.takeLine(line);
 * check.finish() // { ok: true, report: { isIntact: true, ... } }
 */
export function startExportCheck(options: Omit<AuditCheckOptions, 'from'>): ExportCheck {
  let check: ReturnType<typeof startAuditCheck> | null = null;
  let problem: string | null = null;
  let hasEnded = false;
  let number = 0;
  let lines = 0;
  const refuse = (message: string) => {
    problem ??= `Line ${number}: ${message}`;
  };
  const begin = (value: JsonObject) => {
    const { export: start } = value;
    if (!isJsonObject(start ?? null) || memberOf(start, 'format') !== exportFormat) {
      return refuse('this is no export of an audit trail: its first line says which form it has.');
    }
    const from = parseHead(textOf(memberOf(start, 'from')));
    check = startAuditCheck({ ...options, ...(from !== null && { from }) });
  };
  const takeValue = (value: JsonObject) => {
    if (check === null) return begin(value);
    if (hasEnded) return refuse('something stands behind the end.');
    if ('end' in value) {
      hasEnded = true;
      const told = memberOf(value.end, 'lines');
      if (told !== lines) refuse(`${lines} lines came, and the export had ${String(told)}.`);
      return;
    }
    lines++;
    const item = itemOf(value);
    if (item === null) return refuse('this is neither an event nor a head.');
    check.take(item);
  };
  return {
    takeLine: (line) => {
      number++;
      if (line.trim() === '' || problem !== null) return;
      const parsed = parseJson(line);
      if (!parsed.ok || !isJsonObject(parsed.value)) return refuse('this is no JSON object.');
      takeValue(parsed.value);
    },
    finish: () => {
      if (problem === null && check === null) problem = 'It is empty.';
      if (problem === null && !hasEnded)
        problem = 'It ends without its last line: it was cut short.';
      return problem === null && check !== null
        ? { ok: true, report: check.finish() }
        : { ok: false, message: problem ?? 'It is empty.' };
    },
  };
}

function itemOf(value: JsonObject): AuditItem | null {
  if ('head' in value) {
    const head = headOf(value.head);
    return head === null ? null : { kind: 'head', head };
  }
  const { seal } = value;
  if (seal === null) {
    const event = eventOf(value);
    return event === null ? null : { kind: 'unsealed', event, isPassed: value.passed === true };
  }
  const sequence = memberOf(seal, 'sequence');
  const hash = textOf(memberOf(seal, 'hash'));
  if (typeof sequence !== 'number' || hash === '') return null;
  const eventId = textOf(memberOf(seal, 'event_id') ?? value.id);
  const event = value.missing === true ? null : eventOf(value);
  if (event === null && value.missing !== true) return null;
  return { kind: 'sealed', seal: { sequence, eventId, hash }, event };
}

function headOf(value: Json | undefined): AuditHead | null {
  const sequence = memberOf(value, 'sequence');
  const mac = memberOf(value, 'mac');
  const keyId = memberOf(value, 'key_id');
  const completeAt = memberOf(value, 'complete_at');
  if (typeof sequence !== 'number') return null;
  return {
    sequence,
    hash: textOf(memberOf(value, 'hash')),
    sealedAt: textOf(memberOf(value, 'sealed_at')),
    completeAt: typeof completeAt === 'string' ? completeAt : null,
    mac: typeof mac === 'string' ? mac : null,
    keyId: typeof keyId === 'string' ? keyId : null,
  };
}

/**
 * The exact text: the hash detects every change, also of fields that this version does not know.
 */
function eventOf(value: JsonObject): AuditEvent | null {
  const { request_id: requestId = null, metadata = null } = value;
  if (!isJsonObject(metadata)) return null;
  if (requestId !== null && typeof requestId !== 'string') return null;
  return {
    id: textOf(value.id),
    eventType: textOf(value.event_type) as AuditEvent['eventType'],
    entityType: textOf(value.entity_type) as AuditEvent['entityType'],
    entityId: textOf(value.entity_id),
    actorId: textOf(value.actor_id),
    actorType: textOf(value.actor_type) as AuditEvent['actorType'],
    timestamp: textOf(value.timestamp),
    metadata,
    requestId,
  };
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  return value !== undefined && isJsonObject(value) ? value[key] : undefined;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
