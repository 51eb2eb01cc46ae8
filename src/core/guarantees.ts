// The guarantees of a contract: parsed, checked, and compared from the consumer's side.

import type { Change, GuaranteeKind, GuaranteeMode, Guarantees } from './comparison.ts';
import { canonicalJson, isSameJson } from './value/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from './value/json.ts';

interface GuaranteeProblem {
  /** The JSON path of the invalid value, from the caller's name for the whole object. */
  readonly path: string;
  readonly message: string;
}

interface ParsedGuarantees {
  /** The valid part; `null` if nothing is guaranteed. */
  readonly value: Guarantees | null;
  readonly problems: readonly GuaranteeProblem[];
}

/**
 * Parses the guarantees object of `service.md`. All problems are returned, none is thrown.
 *
 * @example parseGuarantees({ nullability: { email: 'never' } }).problems // []
 */
export function parseGuarantees(input: Json | undefined, base = 'guarantees'): ParsedGuarantees {
  if (input === undefined || input === null) return { value: null, problems: [] };
  if (!isJsonObject(input)) {
    const message = `${base} must be an object or null, not ${kindOf(input)}.`;
    return { value: null, problems: [{ path: base, message }] };
  }
  const problems: GuaranteeProblem[] = [];
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(input)) {
    const path = `${base}.${key}`;
    const check = Object.hasOwn(checks, key) ? checks[key as GuaranteeKind] : undefined;
    const found = check === undefined ? [unknownKey(path, guaranteeKinds)] : check(value, path);
    if (found.length === 0) kept[key] = value;
    else problems.push(...found);
  }
  return { value: Object.keys(kept).length === 0 ? null : kept, problems };
}

/**
 * The changes, in a stable order. A relaxed or removed guarantee is a warning, breaking under
 * `strict`, and only reported under `ignore`. A stronger guarantee never breaks.
 *
 * @example diffGuarantees({ freshness: { max_staleness_minutes: 60 } }, null, 'strict') // [{ type:
 * 'freshness_removed', path: '$.guarantees.freshness', breaking: true, ... }]
 */
export function diffGuarantees(
  old: Guarantees | null,
  next: Guarantees | null,
  mode: GuaranteeMode = 'notify',
): readonly Change[] {
  const findings = guaranteeKinds.flatMap((kind) => {
    const before = memberOf(old, kind);
    const after = memberOf(next, kind);
    return isSameJson(before, after) ? [] : comparisons[kind](before, after);
  });
  return findings.map((finding) => toChange(finding, mode));
}

/** Whether both guarantee the same, in whatever words. */
export function isSameGuarantees(old: Guarantees | null, next: Guarantees | null): boolean {
  return diffGuarantees(old, next).length === 0;
}

const guaranteeKinds: readonly GuaranteeKind[] = [
  'freshness',
  'volume',
  'nullability',
  'accepted_values',
  'custom',
];

/**
 * Whether it names a guarantee, or a part of one.
 *
 * @example isGuaranteeName('nullability.amount') // true
 */
export function isGuaranteeName(name: string): boolean {
  return guaranteeKinds.some((kind) => name === kind || name.startsWith(`${kind}.`));
}

/**
 * Whether something is guaranteed by that name.
 *
 * @example hasGuarantee({ nullability: { email: 'never' } }, 'nullability.email') // true
 */
export function hasGuarantee(guarantees: Guarantees | null, name: string): boolean {
  const [kind = '', ...rest] = name.split('.');
  const value = memberOf(guarantees ?? undefined, kind);
  if (value === undefined || rest.length === 0) return value !== undefined;
  const names = Array.isArray(value) ? value.map(customLabel) : keysOf(value);
  return names.some((each) => `${each}.`.startsWith(`${rest.join('.')}.`));
}

type Check = (value: Json, path: string) => readonly GuaranteeProblem[];

const checks: Readonly<Record<GuaranteeKind, Check>> = {
  freshness: (value, path) =>
    checkMembers(value, path, { max_staleness_minutes: atLeast(1), measured_by: isName }, [
      'max_staleness_minutes',
    ]),
  volume: (value, path) => {
    const members = { min_rows: atLeast(0), max_row_delta_pct: atLeast(0) };
    const problems = checkMembers(value, path, members, []);
    const isEmpty = isJsonObject(value) && Object.keys(value).length === 0;
    return isEmpty
      ? [{ path, message: `${path} is empty. Set min_rows or max_row_delta_pct.` }]
      : problems;
  },
  nullability: (value, path) =>
    checkColumns(value, path, (entry, at) =>
      entry === 'never' ? [] : [{ path: at, message: `${at} must be the string "never".` }],
    ),
  accepted_values: (value, path) =>
    checkColumns(value, path, (entry, at) =>
      Array.isArray(entry) && entry.length > 0
        ? []
        : [{ path: at, message: `${at} must be an array of at least one value.` }],
    ),
  custom: (value, path) => {
    if (!Array.isArray(value)) return [mustBe(path, 'an array of objects', value)];
    return value.flatMap((entry: Json, index) => {
      const at = `${path}[${index}]`;
      if (!isJsonObject(entry)) return [mustBe(at, 'an object', entry)];
      return hasPassword(JSON.stringify(entry)) ? [{ path: at, message: exposed(at) }] : [];
    });
  },
};

/** An address with a user and a password, or the words with which libpq is told one. */
function hasPassword(text: string): boolean {
  if (/[a-z][a-z0-9+.-]*:\/\/[^\s"'/@:]*:[^\s"'/@]+@/i.test(text)) return true;
  return /\b(?:host|hostaddr|dbname)\s*=/i.test(text) && /\bpassword\s*=\s*[^\s"']/i.test(text);
}

function exposed(path: string): string {
  return `${path} has a password, and everybody who may read the contract could read it. Take it out, and change the password.`;
}

function checkMembers(
  value: Json,
  path: string,
  members: Readonly<Record<string, Check>>,
  required: readonly string[],
): readonly GuaranteeProblem[] {
  if (!isJsonObject(value)) return [mustBe(path, 'an object', value)];
  const missing = required
    .filter((key) => !Object.hasOwn(value, key))
    .map((key) => ({ path: `${path}.${key}`, message: `${path}.${key} is missing.` }));
  const wrong = Object.entries(value).flatMap(([key, member]) => {
    const check = Object.hasOwn(members, key) ? members[key] : undefined;
    const at = `${path}.${key}`;
    return check === undefined ? [unknownKey(at, Object.keys(members))] : check(member, at);
  });
  return [...missing, ...wrong];
}

function checkColumns(value: Json, path: string, check: Check): readonly GuaranteeProblem[] {
  if (!isJsonObject(value)) return [mustBe(path, 'an object of column names', value)];
  return Object.entries(value).flatMap(([column, entry]) => check(entry, `${path}.${column}`));
}

function atLeast(least: number): Check {
  return (value, path) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least
      ? []
      : [{ path, message: `${path} must be an integer of at least ${least}.` }];
}

const isName: Check = (value, path) =>
  typeof value === 'string' && value !== ''
    ? []
    : [{ path, message: `${path} must be the name of a column.` }];

function unknownKey(path: string, known: readonly string[]): GuaranteeProblem {
  return { path, message: `${path} is not a known guarantee. Use ${known.join(', ')}.` };
}

function mustBe(path: string, what: string, value: Json): GuaranteeProblem {
  return { path, message: `${path} must be ${what}, not ${kindOf(value)}.` };
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (isJsonObject(value)) return 'an object';
  return `a ${typeof value === 'object' ? 'number' : typeof value}`;
}

type Movement = 'added' | 'removed' | 'relaxed' | 'tightened';

interface Finding {
  readonly kind: GuaranteeKind;
  readonly movement: Movement;
  readonly path: string;
  readonly description: string;
  readonly old: Json | undefined;
  readonly new: Json | undefined;
}

type KindComparison = (old: Json | undefined, next: Json | undefined) => readonly Finding[];

const comparisons: Readonly<Record<GuaranteeKind, KindComparison>> = {
  freshness: (old, next) =>
    compareMembers('freshness', old, next, {
      max_staleness_minutes: { strongerWhen: 'lower', says: (n) => `at most ${n} minutes old` },
      measured_by: { strongerWhen: 'never', says: (n) => `measured by ${n}` },
    }),
  volume: (old, next) =>
    compareMembers('volume', old, next, {
      min_rows: { strongerWhen: 'higher', says: (n) => `at least ${n} rows` },
      max_row_delta_pct: { strongerWhen: 'lower', says: (n) => `at most ${n} % change in rows` },
    }),
  nullability: (old, next) =>
    compareKeys('nullability', old, next, (column) => `${column} is never null`),
  accepted_values: (old, next) =>
    compareKeys(
      'accepted_values',
      old,
      next,
      (column) => `the values of ${column} are listed`,
      compareAcceptedValues,
    ),
  custom: compareCustom,
};

interface MemberRule {
  readonly strongerWhen: 'lower' | 'higher' | 'never';
  readonly says: (value: string) => string;
}

function compareMembers(
  kind: GuaranteeKind,
  old: Json | undefined,
  next: Json | undefined,
  rules: Readonly<Record<string, MemberRule>>,
): readonly Finding[] {
  const path = `$.guarantees.${kind}`;
  const says = (value: Json | undefined) =>
    Object.entries(rules)
      .filter(([key]) => memberOf(value, key) !== undefined)
      .map(([key, rule]) => rule.says(String(memberOf(value, key))))
      .join(', ');
  if (old === undefined || next === undefined) {
    const movement = old === undefined ? 'added' : 'removed';
    const what = says(old ?? next);
    return [{ kind, movement, path, description: told(path, movement, what), old, new: next }];
  }
  return Object.entries(rules).flatMap(([key, rule]) => {
    const before = memberOf(old, key);
    const after = memberOf(next, key);
    if (isSameJson(before, after)) return [];
    const movement = memberMovement(before, after, rule);
    const at = `${path}.${key}`;
    const description = `\`${at}\`: ${promise(before, rule)} became ${promise(after, rule)}`;
    return [{ kind, movement, path: at, description, old: before, new: after }];
  });
}

function promise(value: Json | undefined, rule: MemberRule): string {
  return value === undefined ? 'no promise' : `"${rule.says(String(value))}"`;
}

function memberMovement(old: Json | undefined, next: Json | undefined, rule: MemberRule): Movement {
  if (old === undefined) return 'tightened';
  if (next === undefined) return 'relaxed';
  if (typeof old !== 'number' || typeof next !== 'number') return 'relaxed';
  if (rule.strongerWhen === 'lower') return next < old ? 'tightened' : 'relaxed';
  return next > old ? 'tightened' : 'relaxed';
}

type EntryComparison = (path: string, old: Json, next: Json) => readonly Finding[];

function compareKeys(
  kind: GuaranteeKind,
  old: Json | undefined,
  next: Json | undefined,
  says: (key: string) => string,
  compareEntry: EntryComparison = () => [],
): readonly Finding[] {
  const keys = [...new Set([...keysOf(old), ...keysOf(next)])].sort();
  return keys.flatMap((key): readonly Finding[] => {
    const before = memberOf(old, key);
    const after = memberOf(next, key);
    const path = `$.guarantees.${kind}.${key}`;
    if (before !== undefined && after !== undefined) return compareEntry(path, before, after);
    const movement = before === undefined ? 'added' : 'removed';
    const description = told(path, movement, says(key));
    return [{ kind, movement, path, description, old: before, new: after }];
  });
}

function compareAcceptedValues(path: string, old: Json, next: Json): readonly Finding[] {
  const before = new Map(entriesOf(old).map((value) => [canonicalJson(value), value]));
  const after = new Map(entriesOf(next).map((value) => [canonicalJson(value), value]));
  const added = [...after.keys()].filter((text) => !before.has(text)).sort();
  const removed = [...before.keys()].filter((text) => !after.has(text)).sort();
  if (added.length + removed.length === 0) return [];
  const movement = added.length > 0 ? 'relaxed' : 'tightened';
  const parts = [
    ...(added.length > 0 ? [`${added.join(', ')} may appear now`] : []),
    ...(removed.length > 0 ? [`${removed.join(', ')} no longer appears`] : []),
  ];
  const description = `\`${path}\`: ${parts.join('; ')}`;
  return [{ kind: 'accepted_values', movement, path, description, old, new: next }];
}

/**
 * An entry that both have is no change. Two other entries with the same type, column and name are
 * one entry with changed terms. The direction of such a change is unknown, so it counts as weaker.
 */
function compareCustom(old: Json | undefined, next: Json | undefined): readonly Finding[] {
  const before = [...entriesOf(old)];
  const after = [...entriesOf(next)];
  dropShared(before, after, canonicalJson);
  const changed = dropShared(before, after, customIdentity);
  return [
    ...changed.map(([was, is]) => customFinding('relaxed', was, is)),
    ...before.map((was) => customFinding('removed', was, undefined)),
    ...after.map((is) => customFinding('added', undefined, is)),
  ].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Removes entries with the same key from both lists, and returns the pairs. */
function dropShared(
  before: Json[],
  after: Json[],
  keyOf: (entry: Json) => string,
): readonly (readonly [Json, Json])[] {
  const waiting = Map.groupBy(after, keyOf);
  const pairs = before.flatMap((was) => {
    const is = waiting.get(keyOf(was))?.shift();
    return is === undefined ? [] : [[was, is] as const];
  });
  const taken = new Set(pairs.flat());
  retain(before, (entry) => !taken.has(entry));
  retain(after, (entry) => !taken.has(entry));
  return pairs;
}

function retain(list: Json[], isKept: (entry: Json) => boolean): void {
  list.splice(0, list.length, ...list.filter(isKept));
}

function customIdentity(entry: Json): string {
  return canonicalJson(['type', 'column', 'name'].map((key) => memberOf(entry, key) ?? null));
}

function customLabel(entry: Json | undefined): string {
  const names = ['type', 'column', 'name'].map((key) => memberOf(entry, key));
  return names.filter((name) => typeof name === 'string').join('.') || 'entry';
}

function customFinding(movement: Movement, old: Json | undefined, next: Json | undefined): Finding {
  const entry = next ?? old;
  const label = customLabel(entry);
  const path = `$.guarantees.custom.${label}`;
  const description =
    movement === 'relaxed'
      ? `\`${path}\`: its terms changed and cannot be compared, so the guarantee counts as weakened`
      : told(path, movement, label);
  return { kind: 'custom', movement, path, description, old, new: next };
}

function told(path: string, movement: Movement, what: string): string {
  return movement === 'added'
    ? `\`${path}\`: now promised: ${what}`
    : `\`${path}\`: no longer promised: ${what}`;
}

function toChange(finding: Finding, mode: GuaranteeMode): Change {
  const { kind, movement, path, description } = finding;
  const isWeaker = movement === 'relaxed' || movement === 'removed';
  return {
    type: `${kind}_${movement}`,
    path,
    description,
    breaking: isWeaker && mode === 'strict',
    ...(isWeaker && mode === 'notify'
      ? { warning: 'Tell consumers that rely on this guarantee.' }
      : {}),
    ...(finding.old === undefined ? {} : { old: finding.old }),
    ...(finding.new === undefined ? {} : { new: finding.new }),
  };
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  const isThere = value !== undefined && isJsonObject(value) && Object.hasOwn(value, key);
  return isThere ? (value as JsonObject)[key] : undefined;
}

function keysOf(value: Json | undefined): readonly string[] {
  return value !== undefined && isJsonObject(value) ? Object.keys(value) : [];
}

function entriesOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
