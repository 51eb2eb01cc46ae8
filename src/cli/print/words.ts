// Sentences that several output formats share.

import type { Json } from '../../core/value/json.ts';
import {
  type Accepted,
  breakingOf,
  type ConsumerLine,
  type DiffReport,
  type ReportItem,
} from '../diff/report.ts';
import { counted, listedFirst } from '../output.ts';

/** @example acceptedText(accepted) // 'accepted until 2026-12-31: Nobody reads it.' */
export function acceptedText({ reason, until }: Accepted): string {
  return until === null ? `agreed: ${reason}` : `accepted until ${until}: ${reason}`;
}

/** A longer witness is truncated for people; the JSON format has it in full. */
const maxWitnessLength = 400;

export function shortJson(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= maxWitnessLength ? text : `${text.slice(0, maxWitnessLength)}…`;
}

/** The consumers that a break affects; null if nothing breaks, or if they are unknown. */
export function hitSentence(item: ReportItem): string | null {
  if (!item.changes.some(({ breaking }) => breaking)) return null;
  const sentences = [
    consumerLines(item).length === 0 ? consumersSentence(item) : '',
    downstreamSentence(item),
  ].filter((each) => each !== '');
  return sentences.length === 0 ? null : sentences.join(' ');
}

function consumersSentence({ consumers }: ReportItem): string {
  if (consumers === null) return '';
  const { names, from } = consumers;
  if (names.length === 0) return 'It has no registered consumers.';
  const who = listedFirst(names, 'other team');
  return from === 'registry' ? `Affected: ${who}.` : `Affected, as declared in the file: ${who}.`;
}

/**
 * One line for each consumer that is not proven unaffected, and a count of the others. None if no
 * consumer has said what it reads: then all are alike.
 */
export function consumerLines({ consumers }: ReportItem): readonly ConsumerText[] {
  const verdicts = consumers?.verdicts ?? [];
  if (!verdicts.some(({ origin }) => origin !== 'none')) return [];
  const lines = verdicts.filter(({ verdict }) => verdict !== 'unaffected').map(consumerText);
  const unaffected = verdicts.length - lines.length;
  if (unaffected === 0) return lines;
  const told = `${counted(unaffected, 'consumer')} ${unaffected === 1 ? 'is' : 'are'} not affected.`;
  return [...lines, { verdict: 'unaffected', text: told }];
}

interface ConsumerText {
  readonly verdict: ConsumerLine['verdict'];
  readonly text: string;
  /** A path, a value, or both. */
  readonly shown?: string;
}

function consumerText(line: ConsumerLine): ConsumerText {
  const { team, verdict, path, reason } = line;
  const how = verdict === 'breaks' ? 'breaks' : 'may break';
  const shown = brokenPlace(line);
  if (shown !== null) {
    return { verdict, text: `${team} ${how}${path === undefined ? ':' : ' at'}`, shown };
  }
  return { verdict, text: `${team} ${how}${reason === undefined ? '' : `: ${reason}`}` };
}

/** The field that breaks, and a value that shows it; null if neither is known. */
export function brokenPlace({
  path,
  witness,
}: Pick<ConsumerLine, 'path' | 'witness'>): string | null {
  if (witness === undefined) return path ?? null;
  return path === undefined ? shortJson(witness) : `${path}, for example ${shortJson(witness)}`;
}

function downstreamSentence({ downstream }: ReportItem): string {
  if (downstream.length === 0) return '';
  const assets = downstream.map(({ fqn, owner }) => `${fqn} (${owner})`);
  return `Downstream: ${listedFirst(assets, 'other asset')}.`;
}

/** How an item would be compatible; empty if that was not asked. */
export function suggestionLines({ suggestion }: ReportItem): readonly string[] {
  if (suggestion === undefined) return [];
  if (suggestion === null) return ['No edit was found that would make it compatible.'];
  const { edits, isWhole } = suggestion;
  const proof = isWhole
    ? 'With these edits it is compatible: they were made, and compared again.'
    : 'With these edits fewer changes break, but it is not compatible.';
  return [...edits.map((edit, index) => `${index + 1}. ${edit}`), proof];
}

/** The verdict about one item, in a few words. */
export function verdictOf(item: ReportItem): string {
  const { changeKind, mode, changes, bump } = item;
  const total = counted(changes.length, 'change');
  if (changeKind === 'removed') {
    const whose = item.isBreaking ? 'removed, which breaks' : 'removed';
    return changes.some(({ accepted }) => accepted !== undefined) ? 'removed, accepted' : whose;
  }
  // A registry does not report the mode for each part of a file.
  const under = mode === null ? '' : ` under ${mode}`;
  if (item.isBreaking) return `breaking${under}, ${breakingOf(item).length} of ${total}`;
  if (changeKind !== 'modified') return changeKind;
  if (mode === null) return 'modified';
  if (changes.some(({ accepted }) => accepted !== undefined)) return `accepted, ${total}`;
  return changes.length === 0 ? `modified, ${bump}` : `compatible under ${mode}, ${total}, ${bump}`;
}

/** Summarizes the whole report in one sentence. */
export function headline(report: DiffReport): string {
  const breaking = report.items.filter(({ isBreaking }) => isBreaking);
  const changed = report.items.filter(({ changeKind }) => changeKind !== 'unchanged').length;
  const [first] = breaking;
  if (first !== undefined) {
    const names = new Set(breaking.flatMap(({ consumers }) => consumers?.names ?? []));
    const whom = names.size === 0 ? '' : ` for ${counted(names.size, 'consumer')}`;
    return `${counted(breaking.length, 'contract')} would break${whom}`;
  }
  const unread = report.problems.filter(({ leavesUnread }) => leavesUnread).length;
  if (unread > 0)
    return `Breaking changes could not be ruled out: ${counted(unread, 'part')} could not be read`;
  if (changed === 0) return 'No contract changes';
  return `${counted(changed, 'contract')} ${changed === 1 ? 'changes' : 'change'}, none breaking`;
}
