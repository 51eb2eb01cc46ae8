import type { Change, Comparison, CompatibilityMode } from '../core/diff/diff.types.ts';
import type { Paint } from './output.ts';

/** A witness longer than this is cut in the text form; the JSON form has it whole. */
const maxWitnessLength = 400;

/** What a person reads in a terminal or a log. */
export function comparisonText(
  comparison: Comparison,
  mode: CompatibilityMode,
  paint: Paint,
): string {
  const { changes, isBreaking, bump, bumpReason } = comparison;
  if (changes.length === 0) return `${paint('green', 'No changes.')}\n`;
  const breakingCount = changes.filter((change) => change.breaking).length;
  const verdict = isBreaking
    ? paint(
        'red',
        `Breaking under ${mode}: ${breakingCount} of ${counted(changes.length, 'change')}.`,
      )
    : paint('green', `Compatible under ${mode}: ${counted(changes.length, 'change')}.`);
  const next = `The next version is a ${paint('bold', bump)} one: ${bumpReason}`;
  return [verdict, next, '', ...changes.map((change) => changeText(change, paint)), ''].join('\n');
}

function changeText(change: Change, paint: Paint): string {
  const mark = change.breaking ? paint('red', '✗') : change.warning ? paint('yellow', '!') : '·';
  return [
    `${mark} ${paint('bold', change.type)} ${change.path}`,
    `    ${change.description}`,
    ...(change.warning === undefined ? [] : [`    ${paint('yellow', change.warning)}`]),
    ...(change.witness === undefined
      ? []
      : [`    ${paint('dim', `for example ${shortJson(change.witness)}`)}`]),
  ].join('\n');
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length <= maxWitnessLength ? text : `${text.slice(0, maxWitnessLength)}…`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
