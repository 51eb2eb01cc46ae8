import type { ChangeType } from '../../comparison.ts';
import type { Dialect } from '../../schema/dialects.ts';
import { keywordsOf } from '../../schema/keywords.ts';
import { canonicalJson } from '../../value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import type { Candidate, PlacePair, Walk } from './walk.types.ts';

/**
 * Annotations never break, except a discriminator. A default is kept apart, because producers and
 * consumers may apply it.
 */
export function compareAnnotations(walk: Walk, pair: PlacePair): void {
  const old = pair.old.annotations;
  const next = pair.next.annotations;
  if (old.size === 0 && next.size === 0) return;
  const names = new Set([...old.keys(), ...next.keys()]);
  for (const name of [...names].sort()) {
    const before = old.get(name) ?? [];
    const after = next.get(name) ?? [];
    const [was, is] = [textOf(before), textOf(after)];
    const lost = lostDiscriminator(name, pair, before, after);
    if (was === is && lost === null) continue;
    walk.annotated.told.push({ pair, name });
    // A branch may be compared with two branches of the old schema.
    const text = JSON.stringify([pair.path.text, name, was, is]);
    if (walk.annotated.said.has(text)) continue;
    walk.annotated.said.add(text);
    walk.found.push({
      ...annotationMovement(name, before, after),
      ...lost,
      pair,
      path: pair.path,
      newDemand: null,
      oldDemand: null,
      mayBeVacuous: false,
    });
  }
}

function lostDiscriminator(
  name: string,
  { old, next }: PlacePair,
  before: readonly Json[],
  after: readonly Json[],
): Pick<Candidate, 'type' | 'kind' | 'says' | 'isPromise'> | null {
  if (name !== 'discriminator') return null;
  const [was, is] = [old, next].map(({ nodes: [node], view }) => {
    return { dialect: node?.dialect, hasUnion: view.unions.length > 0 };
  });
  const says =
    was && is && lossOfDiscriminator({ ...was, values: before }, { ...is, values: after });
  return says == null ? null : { type: 'schema_changed', kind: 'default', says, isPromise: true };
}

/** A schema that may have a discriminator. */
interface Discriminating {
  readonly dialect: Dialect | undefined;
  readonly hasUnion: boolean;
  readonly values: readonly Json[];
}

/**
 * What readers lose of a schema of OpenAPI whose variants are told apart by another property than before, or by
 * none: they dispatch on that property, and the schema need not list its values. Null if they lose nothing.
 */
export function lossOfDiscriminator(old: Discriminating, next: Discriminating): string | null {
  const heeded = ({ dialect, values }: Discriminating) =>
    dialect !== undefined && keywordsOf(dialect).has('discriminator') ? values : [];
  const [before, after] = [heeded(old), heeded(next)];
  if (after.length === 0 && old.hasUnion && !next.hasUnion) return null;
  const kept = new Set(after.map(propertyName));
  const lost = before.map(propertyName).find((each) => each !== undefined && !kept.has(each));
  if (lost === undefined) return null;
  return `${movementText('discriminator', before, after)}; readers told the variants apart by ${JSON.stringify(lost)}`;
}

function propertyName(discriminator: Json): Json | undefined {
  return isJsonObject(discriminator) ? discriminator.propertyName : undefined;
}

/**
 * How an annotation changed, given all values that it has at a place. `kind` is that of a
 * candidate.
 */
interface AnnotationMovement {
  readonly type: ChangeType;
  readonly kind: 'default' | 'annotation';
  readonly says: string;
  readonly old: Json | undefined;
  readonly new: Json | undefined;
  readonly warning?: string;
}

export function annotationMovement(
  name: string,
  before: readonly Json[],
  after: readonly Json[],
): AnnotationMovement {
  const movement = before.length === 0 ? 'added' : after.length === 0 ? 'removed' : 'changed';
  const isDefault = name === 'default';
  const warning = warnings.get(name)?.(before, after) ?? null;
  return {
    type: isDefault ? `default_${movement}` : 'annotation_changed',
    kind: isDefault ? 'default' : 'annotation',
    says: movementText(name, before, after),
    ...(isDefault ? { old: sole(before), new: sole(after) } : sidesOf(before, after)),
    ...(warning === null ? {} : { warning }),
  };
}

/** What those who refer to a model of dbt lose by an annotation; its rows stay. */
type Loss = (before: readonly Json[], after: readonly Json[]) => string | null;

const warnings: ReadonlyMap<string, Loss> = new Map<string, Loss>([
  [
    'x-dbt-access',
    ([was], [is]) => {
      if (is === 'public') return null;
      if (is !== undefined) return 'Only models of its group can refer to it.';
      return was === 'public' ? 'Models of other projects can no longer refer to it.' : null;
    },
  ],
  [
    'x-dbt-contract',
    (_, [is]) =>
      is === undefined
        ? 'dbt no longer checks its columns and their types when it is built.'
        : null,
  ],
]);

/**
 * The old and the new value. Of two objects, only the members that differ, because most are
 * unchanged.
 */
function sidesOf(
  before: readonly Json[],
  after: readonly Json[],
): { readonly old: Json | undefined; readonly new: Json | undefined } {
  const [was, is] = [sole(before), sole(after)];
  if (was === undefined || is === undefined || !isJsonObject(was) || !isJsonObject(is)) {
    return { old: was, new: is };
  }
  const kept = new Set(differingKeys(was, is));
  return { old: onlyMembers(was, kept), new: onlyMembers(is, kept) };
}

function differingKeys(was: JsonObject, is: JsonObject): readonly string[] {
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return keys.filter((key) => textOf(own(was, key)) !== textOf(own(is, key)));
}

function textOf(values: readonly Json[]): string {
  return values.map(canonicalJson).sort().join();
}

function movementText(name: string, before: readonly Json[], after: readonly Json[]): string {
  if (before.length === 0) return `${name} was added: ${texts(after)}`;
  if (after.length === 0) return `${name} was removed: it was ${texts(before)}`;
  const [was, ...othersBefore] = before;
  const [is, ...othersAfter] = after;
  const isSole = othersBefore.length + othersAfter.length === 0;
  if (!isSole || was === undefined || is === undefined) {
    return `${name} changed from ${texts(before)} to ${texts(after)}`;
  }
  return soleMovementText(name, was, is);
}

/**
 * Describes only the members of two objects that differ: objects are long, and most members are
 * unchanged.
 */
function soleMovementText(name: string, was: Json, is: Json): string {
  if (!isJsonObject(was) || !isJsonObject(is)) return movementBetween(name, was, is);
  const differing = differingKeys(was, is);
  const [key, ...others] = differing;
  if (key === undefined || others.length > 0) {
    const kept = new Set(differing);
    return movementBetween(name, onlyMembers(was, kept), onlyMembers(is, kept));
  }
  return movementText(`${name}.${key}`, own(was, key), own(is, key));
}

function own(object: JsonObject, key: string): readonly Json[] {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return value === undefined ? [] : [value];
}

function onlyMembers(value: JsonObject, keys: ReadonlySet<string>): Json {
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.has(key)));
}

/** Longer texts are cut in a sentence. `old` and `new` contain them in full. */
const maxShownLength = 60;

/**
 * The length of common text to show before the first difference, if both texts would be cut before
 * it.
 */
const shownBefore = 20;

/** Cuts both texts so that the difference is visible. */
function movementBetween(name: string, was: Json, is: Json): string {
  const [before, after] = [JSON.stringify(was), JSON.stringify(is)];
  const start = shortText(before) === shortText(after) ? firstDifference(before, after) : 0;
  const from = Math.max(0, start - shownBefore);
  return `${name} changed from ${shortText(before, from)} to ${shortText(after, from)}`;
}

function firstDifference(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index++;
  return index;
}

function texts(values: readonly Json[]): string {
  return values.map((value) => shortText(JSON.stringify(value))).join(' and ');
}

function shortText(text: string, from = 0): string {
  const end = from + maxShownLength;
  const shown = text.length <= end ? text.slice(from) : `${text.slice(from, end)}\u2026`;
  // The cut may be in the middle of a character.
  return (from === 0 ? shown : `\u2026${shown}`).toWellFormed();
}

function sole(values: readonly Json[]): Json | undefined {
  return values.length > 1 ? values : values[0];
}
