// Reads and compares two sides, with the same decision as the registry's. Only a registry knows the
// registered consumers; a file may declare its consumers.

import type { CompatibilityMode, ContractTerms } from '../../core/comparison.ts';
import { compare, shareComparisons } from '../../core/diff/compare.ts';
import { suggestCompatible } from '../../core/diff/suggest.ts';
import { type CandidateTerms, termsBeside, toContractTerms } from '../../core/import/candidate.ts';
import { wordsOf } from '../../core/import/document-kinds.ts';
import { alignTerms } from '../../core/import/openapi/align-terms.ts';
import { pathForm, withPathNames } from '../../core/import/openapi/path-names.ts';
import { wrongUsage } from '../exit-code.ts';
import type { Sides } from '../input/find-sides.ts';
import { type Library, refersToFiles } from '../input/library.ts';
import { readSourceFile } from '../input/read-file.ts';
import { openLibrary } from '../input/read-files.ts';
import { unreadable } from '../input/read-text.ts';
import type { ReadFile, ReadOptions, SourceFile, Subject } from '../input/subject.ts';
import type { Progress } from '../progress.ts';
import { checkSubject } from './check-subject.ts';
import type { Consumers, DiffReport, ReportItem } from './report.ts';
import { settleProblems } from './unread-parts.ts';

interface CompareSidesOptions extends ReadOptions {
  /** Look for edits that would make what breaks compatible. */
  readonly suggest?: boolean;
  /** Judge under this mode instead of the old contract's own. */
  readonly mode?: CompatibilityMode;
}

export async function compareSides(
  sides: Sides,
  options: CompareSidesOptions,
  progress: Progress,
): Promise<DiffReport> {
  const known = new Map<string, ReadFile | null>();
  const [old, next] = withoutTaken(
    await readFiles(sides.old.files, options, known),
    await readFiles(sides.next.files, options, known),
  );
  const pairs = pairUp(old, next, sides.arePaired);
  if (sides.arePaired) mustBeComparable(old, next, pairs);
  const items: ReportItem[] = [];
  const sharing = shareComparisons();
  for (const [index, pair] of pairs.entries()) {
    await progress.tell(() => `Comparing ${index + 1} of ${pairs.length}`);
    const item = await compareSubjects(pair, options, sharing);
    items.push(withMove(item, pair));
  }
  progress.end();
  const alone = new Set(
    pairs.flatMap(({ old: was, next: is }) =>
      was !== null && is !== null ? [] : [was, is].filter((each) => each !== null),
    ),
  );
  return {
    old: sides.old.label,
    next: sides.next.label,
    isPair: sides.arePaired,
    items,
    problems: settleProblems(old.files, next.files, sides.arePaired, alone),
    notices: [],
  };
}

/**
 * A file with many items of which none is found again is a different file, not a removal of all.
 */
function mustBeComparable(old: ReadSide, next: ReadSide, pairs: readonly Pair[]): void {
  const [[before], [after]] = [old.files, next.files];
  if (!before?.kind || !after?.kind || before.kind === after.kind) return;
  if (pairs.some((pair) => pair.old !== null && pair.next !== null)) return;
  throw wrongUsage(
    `${before.path} is ${wordsOf(before.kind)} and ${after.path} ${wordsOf(after.kind)}. They have nothing in common. Give two files of the same kind, or set --kind.`,
  );
}

interface ReadSide {
  readonly files: readonly ReadFile[];
  readonly subjects: readonly Subject[];
}

async function readFiles(
  files: readonly SourceFile[],
  options: ReadOptions,
  known: Map<string, ReadFile | null>,
): Promise<ReadSide> {
  const read: ReadFile[] = [];
  const library = await openLibrary(files, options);
  for (const file of files) {
    // A file that is identical on both sides is read once, and gives one subject, unless it refers
    // to others, which may differ.
    const key = `${file.path}\0${file.name}\0${file.text}`;
    const before = refersToFiles(file) ? undefined : known.get(key);
    const found = before === undefined ? await readSourceFile(file, options, library) : before;
    known.set(key, found);
    if (found !== null) read.push(found);
  }
  const subjects = read.flatMap((file) => file.subjects);
  return { files: [...read, ...(await readTaken(subjects, read, options, library))], subjects };
}

/** What was not read of a document counts also where only the manifest that names it was asked for. */
async function readTaken(
  subjects: readonly Subject[],
  read: readonly ReadFile[],
  options: ReadOptions,
  library: Library,
): Promise<readonly ReadFile[]> {
  const found = new Map<string, ReadFile>();
  for (const { takes } of subjects) {
    if (takes === undefined || found.has(takes.file.name)) continue;
    const { file, kind } = takes;
    if (read.some(({ name }) => name === file.name)) continue;
    const one = await readSourceFile({ ...file, isNamed: true }, { ...options, kind }, library);
    if (one !== null) found.set(file.name, { ...one, subjects: [] });
  }
  return [...found.values()];
}

/**
 * What a DataContract takes from another file is compared as this contract, under its mode, and not once more by
 * itself. Where only one side has such a contract, the other side may have nothing else to compare it with.
 */
function withoutTaken(old: ReadSide, next: ReadSide): readonly [ReadSide, ReadSide] {
  const left = (side: ReadSide, other: ReadSide): ReadSide => {
    const [own, theirs] = [takenIn(side), takenIn(other)];
    const ids = idsIn(side);
    const there = new Set(idsIn(other).values());
    const subjects = side.subjects.filter((subject) => {
      const id = ids.get(subject) ?? '';
      const by = own.get(id);
      if (by === undefined) return true;
      return there.has(id) && !theirs.has(id) && !by.includes(subject.key);
    });
    return { ...side, subjects };
  };
  return [left(old, next), left(next, old)];
}

/** The keys of the contracts, by what they take. */
function takenIn({ subjects }: ReadSide): ReadonlyMap<string, readonly string[]> {
  const taken = subjects.flatMap(({ takes, key }) =>
    takes === undefined ? [] : [[JSON.stringify([takes.file.name, takes.key]), key] as const],
  );
  const groups = Map.groupBy(taken, ([id]) => id);
  return new Map([...groups].map(([id, group]) => [id, group.map(([, key]) => key)]));
}

function idsIn({ files }: ReadSide): ReadonlyMap<Subject, string> {
  return new Map(
    files.flatMap(({ name, subjects }) =>
      subjects.map((subject) => [subject, JSON.stringify([name, subject.key])] as const),
    ),
  );
}

interface Pair {
  readonly old: Subject | null;
  readonly next: Subject | null;
}

function pairUp(old: ReadSide, next: ReadSide, arePaired: boolean): readonly Pair[] {
  const [onlyOld, ...othersOld] = old.subjects;
  const [onlyNext, ...othersNext] = next.subjects;
  const areSole = othersOld.length + othersNext.length === 0;
  if (arePaired && areSole && onlyOld && onlyNext && !areOfMany(old, next)) {
    return [{ old: onlyOld, next: onlyNext }];
  }
  const keyOf = (subject: Subject) => {
    // The names of two files that are compared with each other mean nothing.
    const isHoused = !arePaired && subject.home !== null;
    return isHoused ? `${subject.home} ${subject.key}` : subject.key;
  };
  const before = byKey(old.subjects, keyOf);
  const after = byKey(next.subjects, keyOf);
  const gone = [...before].filter(([key]) => !after.has(key));
  const renamed = pairLeft(
    gone.map(([, subject]) => subject),
    [...after].flatMap(([key, subject]) => (before.has(key) ? [] : [subject])),
  );
  const left = new Set([...renamed.values()]);
  return [
    ...[...after].map(([key, subject]) => ({
      old: before.get(key) ?? renamed.get(subject) ?? null,
      next: subject,
    })),
    ...gone.flatMap(([, subject]) => (left.has(subject) ? [] : [{ old: subject, next: null }])),
  ];
}

/**
 * What an item is, whatever it is called: an operation by its path without the names of parameters, a
 * model of dbt by its unique_id.
 */
function formOf({ path, name, node }: Subject): string | undefined {
  return path === undefined ? node : pathForm(name);
}

/** Pairs the subjects that were not found again by name, if exactly one on each side has the same form. Each new one leads to its old one. */
function pairLeft(
  gone: readonly Subject[],
  added: readonly Subject[],
): ReadonlyMap<Subject, Subject> {
  const before = Map.groupBy(gone, formOf);
  return new Map(
    [...Map.groupBy(added, formOf)].flatMap(([what, [next, ...others]]) => {
      const [old, ...further] = before.get(what) ?? [];
      const isOne = what !== undefined && others.length + further.length === 0;
      return old !== undefined && next !== undefined && isOne ? [[next, old] as const] : [];
    }),
  );
}

function areOfMany(old: ReadSide, next: ReadSide): boolean {
  const [before, after] = [old.files[0], next.files[0]];
  return before?.kind === after?.kind && before?.holdsMany === true && after?.holdsMany === true;
}

function byKey(
  subjects: readonly Subject[],
  keyOf: (subject: Subject) => string,
): ReadonlyMap<string, Subject> {
  const found = new Map<string, Subject>();
  for (const subject of subjects) {
    const key = keyOf(subject);
    const other = found.get(key);
    if (other !== undefined) {
      const message = `${subject.name} is also defined in ${other.origin.file}. Keep only one of them.`;
      throw unreadable({ path: subject.origin.file }, '$', message);
    }
    found.set(key, subject);
  }
  return found;
}

async function compareSubjects(
  { old, next }: Pair,
  options: CompareSidesOptions,
  sharing: ReturnType<typeof shareComparisons>,
): Promise<ReportItem> {
  const subject = next ?? old;
  if (subject === null) throw new Error('A pair has a side.');
  if (next?.terms != null && next !== old) await checkSubject(next, next.terms);
  const base = {
    ...noChange,
    name: subject.name,
    fqn: subject.fqn,
    heldBy: holderOf([old, next]),
    consumers: consumersOf(old ?? subject),
    origin: subject.origin,
  };
  if (next === null) return removedItem(base, old, options);
  if (old === null) return { ...base, changeKind: 'new' };
  const stated = termsBeside(next, old.terms?.format);
  if (old === next || old.terms === null || stated === null) {
    return { ...base, changeKind: old.terms === stated ? 'unchanged' : 'modified' };
  }
  const [before, after] = termsOf(pathNamed(old, old.terms, next), stated, options.mode);
  const guaranteeMode = next.guaranteeMode ?? old.guaranteeMode ?? 'notify';
  // What types of GraphQL have in common are names, which costs more to share than to read.
  const shared = before.hasNamedTypes === true ? null : sharing;
  const comparison = compare(before, after, { guaranteeMode }, shared);
  const { changes, isBreaking, breaksBackward, bump, bumpReason, undecidedCount } = comparison;
  return {
    ...base,
    terms: stated,
    changeKind: changes.length > 0 || bump !== 'none' ? 'modified' : 'unchanged',
    mode: before.compatibilityMode,
    ...{ changes, isBreaking, breaksBackward, bump, bumpReason, undecidedCount },
    ...(options.suggest === true &&
      isBreaking &&
      stated.format === 'jsonschema' && {
        suggestion: suggestCompatible(before, after, { guaranteeMode }),
      }),
  };
}

/** The terms of an operation, with the parameters of its path called as they are now. */
function pathNamed(old: Subject, terms: CandidateTerms, next: Subject): CandidateTerms {
  if (old.path === undefined || next.path === undefined) return terms;
  return { ...terms, schema: withPathNames(terms.schema, old.path, next.path) };
}

/** The asset that the old file named: its consumers are affected, whatever the new file names. */
function holderOf(sides: readonly (Subject | null)[]): NonNullable<ReportItem['heldBy']> | null {
  const named = sides.find((side) => side != null && side.fqn !== null);
  if (named?.fqn == null) return null;
  return { fqn: named.fqn, environment: named.environment };
}

const noChange = {
  mode: null,
  changes: [],
  isBreaking: false,
  breaksBackward: false,
  bump: 'none',
  bumpReason: 'nothing changed.',
  undecidedCount: 0,
  downstream: [],
} as const;

/**
 * Omitted terms of the old file are the defaults; those of the new file are the terms of the old
 * one.
 */
function termsOf(
  old: CandidateTerms,
  next: CandidateTerms,
  mode: CompatibilityMode | undefined,
): readonly [ContractTerms, ContractTerms] {
  const before = toContractTerms(old, null);
  const judged = mode === undefined ? before : { ...before, compatibilityMode: mode };
  const after = toContractTerms(next, judged);
  const aligned = mode === undefined ? after : { ...after, compatibilityMode: mode };
  return alignTerms(judged, aligned);
}

/** A relation that moved is no longer found by its name. */
function withMove(item: ReportItem, { old, next }: Pair): ReportItem {
  const [from, to] = [old?.fqn ?? null, next?.fqn ?? null];
  if (old?.node === undefined || old.terms === null || to === null || from === to) return item;
  const breaking = (item.mode ?? old.terms.compatibilityMode) !== 'none';
  const description = `the relation moved from ${from} to ${to}; consumers will no longer find it under the old name`;
  return {
    ...item,
    changeKind: 'modified',
    changes: [{ type: 'removed', path: '$', description, breaking }, ...item.changes],
    isBreaking: item.isBreaking || breaking,
    breaksBackward: true,
    bump: 'major',
    bumpReason: 'the relation moved.',
  };
}

/** A removed subject breaks its consumers, unless its mode was `none`, which promises nothing. */
function removedItem(
  base: Omit<ReportItem, 'changeKind'>,
  old: Subject | null,
  options: CompareSidesOptions,
): ReportItem {
  if (old === null || old.terms === null) return { ...base, changeKind: 'removed' };
  const mode = options.mode ?? old.terms.compatibilityMode ?? 'backward';
  const breaking = mode !== 'none';
  const description = 'the contract was removed; consumers will no longer find its data';
  return {
    ...base,
    changeKind: 'removed',
    mode,
    changes: [{ type: 'removed', path: '$', description, breaking }],
    isBreaking: breaking,
    breaksBackward: true,
    bump: 'major',
    bumpReason: 'the contract was removed.',
  };
}

function consumersOf(subject: Subject): Consumers | null {
  if (subject.consumers.length === 0) return null;
  return { names: subject.consumers.map(({ team }) => team), from: 'declared' };
}
