// Describes a candidate for people.

import type { Change, CompatibilityMode } from '../comparison.ts';
import type { Json } from '../value/json.ts';
import { stepText } from '../value/json-path.ts';
import { stepsBetween } from './places/path.ts';
import { definitionSteps } from './places/place.ts';
import type { Reading } from './reading.ts';
import type { Candidate } from './walk/walk.types.ts';

interface Judged {
  readonly breaking: boolean;
  /** It breaks because of its declared path, whatever happens to values. */
  readonly isOnPath: boolean;
  readonly mode: CompatibilityMode;
  readonly own: Reading;
  readonly other: Reading | null;
}

export function describe(each: Candidate, judged: Judged): Change {
  const { breaking, own, other } = judged;
  const shown = breaking
    ? (shownBy(own, each) ?? (other === null ? null : shownBy(other, each)))
    : null;
  const warning = warningFor(each, judged);
  const definition = definitionOf(each);
  return {
    type: each.type,
    path: each.path.text,
    ...(definition === null ? {} : { definition }),
    description: `\`${each.path.text}\`: ${each.says}${shown?.tail ?? ''}${pathTail(each, judged)}`,
    breaking,
    ...(warning === null ? {} : { warning }),
    ...(each.old === undefined ? {} : { old: each.old }),
    ...(each.new === undefined ? {} : { new: each.new }),
    ...(shown === null ? {} : { witness: shown.witness }),
  };
}

function definitionOf({ pair, path }: Candidate): string | null {
  const steps = definitionSteps(pair.next) ?? definitionSteps(pair.old);
  if (steps === null) return null;
  return ['$', ...[...steps, ...(stepsBetween(pair.path, path) ?? [])].map(stepText)].join('');
}

/** A longer value does not help in a sentence. The witness contains it in full. */
const maxShownLength = 80;

function shownBy(reading: Reading, each: Candidate): { tail: string; witness: Json } | null {
  const explanation = reading.judgement.explained.get(each.origin ?? each);
  // A value that another change refuses as well would show that one.
  if (explanation?.isOwn !== true) return null;
  const { witness, part } = explanation;
  return { tail: tailFor(reading, each, part), witness };
}

/** What the change does to one value, as the affected side sees it. */
function tailFor(reading: Reading, each: Candidate, part: Json | undefined): string {
  const text = part === undefined ? undefined : JSON.stringify(part);
  const shown = text === undefined || text.length > maxShownLength ? 'the value shown' : text;
  const isLost = reading.containment.emits === 'old';
  const isAtRest = reading.direction === 'data';
  if (each.type === 'required_added') {
    return isLost ? '; data without it was accepted and is refused now' : '';
  }
  // The removed values are already named.
  if (each.type === 'enum_values_removed' && isLost) {
    const isOne = Array.isArray(each.old) && each.old.length === 1;
    return `; data with ${isOne ? 'this value' : 'these values'} is refused now`;
  }
  if (each.type === 'union_member_added' && isLost) {
    return `; ${shown} was accepted and is refused now, because it matches two branches of oneOf`;
  }
  if (each.type === 'union_member_removed' && !isLost) {
    return `; ${holderOfOld(reading)} may get ${shown} and refuse it, because it matches two branches of its oneOf`;
  }
  // Only for data at rest, which is read later. In a request, the caller that sends the value is
  // refused.
  if (each.type === 'type_changed' && part !== undefined && isLost && isAtRest) {
    const other = inType(part, each.new);
    if (other !== null) return `; a consumer that reads ${shown} would get ${other}`;
  }
  if (isLost) return `; ${shown} was accepted and is refused now`;
  return `; ${refusedLater(reading, shown)}`;
}

/**
 * What a consumer with the old schema will meet, either now or after a later version that needs no
 * approval.
 */
export function refusedLater(reading: Reading, shown: string): string {
  return reading.containment.isWritten
    ? `${holderOfOld(reading)} may get ${shown} and refuse it`
    : `${shown} is accepted now: a compatible version may add it later, and ${holderOfOld(reading)} would refuse it`;
}

/** The readers of new values with the old schema: servers for requests, otherwise consumers. */
function holderOfOld({ direction }: Pick<Reading, 'direction'>): string {
  return `a ${direction === 'request' ? 'server' : 'consumer'} that has the old schema`;
}

/**
 * The value as the new type would write it, or the name of the type if there is no obvious way to
 * write it.
 */
function inType(value: Json, type: Json | undefined): string | null {
  if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) {
    return JSON.stringify(String(value));
  }
  if (type === 'array') return JSON.stringify([value]);
  return typeof type === 'string' ? `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}` : null;
}

function pathTail(each: Candidate, { isOnPath, own }: Judged): string {
  if (!isOnPath) return '';
  if (each.type === 'property_removed') {
    return own.direction === 'request'
      ? '; values that callers send there are now ignored'
      : '; consumers will no longer find it';
  }
  if (each.type === 'property_added') return '; existing data may lack it';
  if (each.type === 'type_changed' || each.type === 'type_narrowed') {
    return '; the properties described inside are no longer described';
  }
  // The other changes are about keywords that allow names without listing them.
  if (each.type !== 'required_added') {
    return own.pathType === 'property_added'
      ? '; existing data may lack such properties'
      : '; such properties may no longer be found';
  }
  return own.mode === 'forward' ? '; consumers with the old schema do not know it' : '';
}

function warningFor(each: Candidate, { mode, breaking, own }: Judged): string | null {
  if (each.warning !== undefined) return each.warning;
  if (!breaking && own.judgement.unjudged.has(each.origin ?? each)) {
    return 'This change was not checked on its own, because there are too many breaking changes.';
  }
  const isRemoved = each.type === 'property_removed' && each.oldDemand !== null;
  if (mode !== 'forward' || breaking || !isRemoved) return null;
  const holder = own.direction === 'request' ? 'servers' : 'consumers';
  return `It was required: strict ${holder} that still demand it will refuse the new data.`;
}
