// `.concordat-ignore`: accepted breaks, each with a reason and an end date. An accepted break is
// still shown, but does not fail the command. Expired and unused entries are reported.

import type { Json } from '../../core/value/json.ts';
import { isJsonObject } from '../../core/value/json.ts';
import { openLines } from '../input/find-line.ts';
import { unreadable } from '../input/read-text.ts';
import type { Origin, SourceFile } from '../input/subject.ts';
import { parseYaml } from '../parse-yaml.ts';
import {
  type Accepted,
  breakingOf,
  type DiffReport,
  type Notice,
  type ReportedChange,
  type ReportItem,
} from './report.ts';

interface Acceptance extends Accepted {
  readonly until: string;
  /** Matched with the FQN, the name and the file of an item; `*` stands for any text. */
  readonly asset: string;
  readonly change: string | null;
  readonly path: string | null;
  readonly index: number;
}

interface AcceptOptions {
  /** Today, in UTC: 2026-05-01. */
  readonly today: string;
  /** The comparison covers everything, so an entry without a match is unused. */
  readonly isWhole: boolean;
}

/** Marks accepted breaks in the report, and adds notices about the entries. */
export async function acceptBreaks(
  report: DiffReport,
  file: SourceFile,
  options: AcceptOptions,
): Promise<DiffReport> {
  const acceptances = await readAcceptances(file);
  const living = acceptances.filter(({ until }) => until >= options.today);
  const used = new Set<Acceptance>();
  const items = report.items.map((item) => acceptIn(item, living, used));
  const told = acceptances.flatMap((each): readonly [Acceptance, string][] => {
    const message = complaintOf(each, used, items, options);
    return message === null ? [] : [[each, message]];
  });
  const notices = await Promise.all(told.map((each) => toNotice(file, ...each)));
  return { ...report, items, notices: [...report.notices, ...notices] };
}

function acceptIn(
  item: ReportItem,
  living: readonly Acceptance[],
  used: Set<Acceptance>,
): ReportItem {
  if (!item.isBreaking) return item;
  const changes = item.changes.map((change): ReportedChange => {
    const found = change.breaking
      ? living.find((each) => isAbout(each, item) && isOf(each, change))
      : undefined;
    if (found === undefined) return change;
    used.add(found);
    return { ...change, accepted: { reason: found.reason, until: found.until } };
  });
  const marked = { ...item, changes };
  return { ...marked, isBreaking: breakingOf(marked).length > 0 };
}

function complaintOf(
  each: Acceptance,
  used: ReadonlySet<Acceptance>,
  items: readonly ReportItem[],
  { today, isWhole }: AcceptOptions,
): string | null {
  if (each.until < today) {
    return `the accepted break of ${each.asset} expired on ${each.until}. Remove the entry, or agree on a new date.`;
  }
  if (used.has(each)) return null;
  // After a partial comparison, entries about other items may well be in use.
  if (!isWhole && !items.some((item) => isAbout(each, item))) return null;
  return `the accepted break of ${each.asset} matches no breaking change. Remove the entry.`;
}

function isAbout({ asset }: Acceptance, { name, fqn, origin }: ReportItem): boolean {
  return [name, fqn, origin.file].some((each) => each !== null && matches(asset, each));
}

function isOf({ change: type, path }: Acceptance, change: ReportedChange): boolean {
  return (type === null || type === change.type) && (path === null || matches(path, change.path));
}

/** Matches the parts between the stars in order, in time linear in the text. */
function matches(pattern: string, text: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  if (!text.startsWith(first)) return false;
  const last = parts.pop();
  if (last === undefined) return text === first;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

async function toNotice(file: SourceFile, { index }: Acceptance, message: string): Promise<Notice> {
  return { file: file.path, line: await openLines()(originOf(file), `$[${index}]`), message };
}

function originOf(file: SourceFile): Origin {
  return { file: file.path, at: { kind: 'steps', steps: [] }, text: file.text };
}

async function readAcceptances(file: SourceFile): Promise<readonly Acceptance[]> {
  const parsed = await parseYaml(file.text);
  if (!parsed.ok) throw unreadable(file, '$', parsed.message);
  if (parsed.value === null) return [];
  if (!Array.isArray(parsed.value)) throw unreadable(file, '$', shape);
  const read = parsed.value.map((entry: Json, index) => readAcceptance(entry, index));
  for (const [index, each] of read.entries()) {
    if (typeof each !== 'string') continue;
    const line = await openLines()(originOf(file), `$[${index}]`);
    throw unreadable(file, `line ${line}`, each);
  }
  return read.filter((each) => typeof each !== 'string');
}

const shape =
  'it must be a list of {asset, change?, path?, reason, until}: see docs/command-line.md.';

/** The entry, or its problem. */
function readAcceptance(entry: Json, index: number): Acceptance | string {
  if (!isJsonObject(entry)) return shape;
  const unknown = Object.keys(entry).find((key) => !members.includes(key));
  if (unknown !== undefined) return `"${unknown}" is not allowed. Use ${members.join(', ')}.`;
  const { asset, change = null, path = null, reason, until } = entry;
  if (typeof asset !== 'string' || asset === '') {
    return 'asset is missing: name the asset whose break is accepted.';
  }
  if (change !== null && typeof change !== 'string') return 'change must be the type of a change.';
  if (path !== null && typeof path !== 'string') return 'path must be the path of a change.';
  if (typeof reason !== 'string' || reason.trim() === '') {
    return 'reason is missing: say why the break is accepted.';
  }
  if (typeof until !== 'string' || !isDate(until)) {
    return 'until must be the last day on which it is accepted, such as 2026-12-31.';
  }
  return { asset, change, path, reason: reason.trim(), until, index };
}

const members = ['asset', 'change', 'path', 'reason', 'until'];

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
