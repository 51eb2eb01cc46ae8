// Label selectors, as `kubectl get --selector` accepts them. Pure.

import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { JsonObject } from '../../core/value/json.ts';

/** Whether an object with these labels is selected. */
export type LabelSelector = (labels: JsonObject) => boolean;

const name = '[A-Za-z0-9](?:[\\w.-]*[A-Za-z0-9])?';
const key = `(?<key>(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/)?${name})`;

interface Form {
  readonly pattern: RegExp;
  readonly select: (label: string | null, values: readonly string[]) => boolean;
}

const isOneOf = (label: string | null, values: readonly string[]) =>
  label !== null && values.includes(label);

/** As in Kubernetes, `!=` and `notin` also select objects without the label. */
const forms: readonly Form[] = [
  { pattern: new RegExp(`^!\\s*${key}$`), select: (label) => label === null },
  { pattern: new RegExp(`^${key}$`), select: (label) => label !== null },
  { pattern: new RegExp(`^${key}\\s*==?\\s*(?<values>(?:${name})?)$`), select: isOneOf },
  {
    pattern: new RegExp(`^${key}\\s*!=\\s*(?<values>(?:${name})?)$`),
    select: (label, values) => !isOneOf(label, values),
  },
  { pattern: listOf('in'), select: isOneOf },
  { pattern: listOf('notin'), select: (label, values) => !isOneOf(label, values) },
];

function listOf(operator: string): RegExp {
  const value = `\\s*(?:${name})?\\s*`;
  return new RegExp(`^${key}\\s+${operator}\\s*\\((?<values>${value}(?:,${value})*)\\)$`);
}

/**
 * Parses a label selector: requirements separated by commas, all of which must hold.
 *
 * @example parseLabelSelector('tier in (gold, silver),!paused')
 */
export function parseLabelSelector(text: string): Outcome<LabelSelector> {
  const requirements: LabelSelector[] = [];
  // A comma in parentheses separates values.
  for (const part of text.split(/,(?![^(]*\))/)) {
    const requirement = parseRequirement(part.trim());
    if (requirement === null) {
      return refuse(
        'VALIDATION_ERROR',
        `"${part.trim()}" is not a requirement of a label selector. Write key=value, key!=value, key in (a, b), key notin (a, b), key or !key, with commas between.`,
      );
    }
    requirements.push(requirement);
  }
  return accept((labels) => requirements.every((selects) => selects(labels)));
}

function parseRequirement(text: string): LabelSelector | null {
  for (const { pattern, select } of forms) {
    const groups = pattern.exec(text)?.groups;
    if (groups === undefined) continue;
    const values = groups.values?.split(',').map((value) => value.trim()) ?? [];
    return (labels) => {
      const label = labels[groups.key ?? ''];
      return select(typeof label === 'string' ? label : null, values);
    };
  }
  return null;
}
