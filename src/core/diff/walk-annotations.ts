import type { Json } from '../json.ts';
import { canonicalJson } from './canonical-json.ts';
import type { View } from './view.ts';
import type { Candidate, PlacePair, Walk } from './walk.types.ts';

/** Annotations never break. A default is told apart: it is more than words to who fills it in. */
export function compareAnnotations(walk: Walk, pair: PlacePair, old: View, next: View): void {
  if (old.annotations.size === 0 && next.annotations.size === 0) return;
  const names = new Set([...old.annotations.keys(), ...next.annotations.keys()]);
  for (const name of [...names].sort()) {
    const before = old.annotations.get(name) ?? [];
    const after = next.annotations.get(name) ?? [];
    if (textOf(before) !== textOf(after)) walk.found.push(annotation(pair, name, before, after));
  }
}

function textOf(values: readonly Json[]): string {
  return values.map(canonicalJson).sort().join();
}

function annotation(
  pair: PlacePair,
  name: string,
  before: readonly Json[],
  after: readonly Json[],
): Candidate {
  const movement = before.length === 0 ? 'added' : after.length === 0 ? 'removed' : 'changed';
  const isDefault = name === 'default';
  return {
    type: isDefault ? `default_${movement}` : 'annotation_changed',
    pair,
    path: pair.path,
    says: `${name} ${movementText(before, after)}`,
    old: sole(before),
    new: sole(after),
    newDemand: null,
    oldDemand: null,
    mayBeVacuous: false,
    kind: isDefault ? 'default' : 'annotation',
  };
}

function movementText(before: readonly Json[], after: readonly Json[]): string {
  if (before.length === 0) return `was added: ${texts(after)}`;
  if (after.length === 0) return `was removed: it was ${texts(before)}`;
  return `changed from ${texts(before)} to ${texts(after)}`;
}

/** Words longer than this are cut in a sentence; `old` and `new` have them whole. */
const maxShownLength = 60;

function texts(values: readonly Json[]): string {
  return values.map(shortText).join(' and ');
}

function shortText(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= maxShownLength ? text : `${text.slice(0, maxShownLength)}\u2026`;
}

function sole(values: readonly Json[]): Json | undefined {
  return values.length > 1 ? values : values[0];
}
