// Compares two schemas under a mode. The walk finds the candidates, the engine decides whether
// values break, and the declared paths show the losses that values do not show.

import type { Change, CompareOptions, CompatibilityMode, ContractTerms } from '../comparison.ts';
import { isSameButWords } from '../same/same-but-words.ts';
import type { Json } from '../value/json.ts';
import { textOfDocument } from './canonical.ts';
import { describe, refusedLater } from './describe.ts';
import { isVacuous } from './judge/judge.ts';
import { maxSameValues, openSameValues } from './judge/same-values.ts';
import { matchPaths, noPaths } from './match-paths.ts';
import { type OpenSides, openSides } from './open-sides.ts';
import type { DeclaredPath, Undecided } from './places/declared-paths.ts';
import { nodeOfPlace } from './places/view-keywords.ts';
import { listParts, type SchemaPart } from './project.ts';
import { type Reading, readAdditions, readUnder } from './reading.ts';
import { hintRenames } from './rename.ts';
import { openTools, type SharedSides, type Sharing, type Tools } from './sharing.ts';
import { compareUnwalked } from './walk/unwalked-annotations.ts';
import { walkPlaces } from './walk/walk.ts';
import type { Annotated, Candidate, PlacePair } from './walk/walk.types.ts';

export interface SchemaFindings {
  readonly changes: readonly Change[];
  readonly breaksBackward: boolean;
  readonly undecidedCount: number;
  readonly steps: number;
}

/** What one comparison leaves for those that come after it. */
export type ComparisonSharing = Sharing<PartFindings>;

export function compareSchemas(
  old: ContractTerms,
  next: ContractTerms,
  options: CompareOptions,
  sharing: ComparisonSharing | null,
): SchemaFindings {
  const shared = options.stepBudget === undefined ? (sharing?.enter(old, next) ?? null) : null;
  if (shared !== null) {
    const found = compareSides(shared, old);
    const { session, oldBook, nextBook } = shared;
    const isSpent = session.steps.left <= 0 || oldBook.isFull() || nextBook.isFull();
    if (isSpent) sharing?.forget();
    // What was left open may rest on a limit that another comparison has met.
    if (!isSpent && found.undecidedCount === 0) return found;
  }
  const sides = openSides(old, next, options);
  return compareSides({ ...sides, tools: openTools(sides), parts: null }, old);
}

function compareSides(sides: SharedSides<PartFindings>, old: ContractTerms): SchemaFindings {
  const { session, oldBook, nextBook, tools } = sides;
  const before = session.steps.left;
  const sameValues = { left: maxSameValues };
  const comparing: Comparing = {
    ...sides,
    ...tools,
    hasSameValuesAround: openSameValues(session, oldBook, nextBook, sameValues),
    isReworded: isSameButWords(oldBook.document, nextBook.document),
    mode: old.compatibilityMode,
  };
  const { isSameSource, isReworded, mode } = comparing;
  const known = sides.parts;
  const context = known === null ? '' : JSON.stringify([mode, isReworded, sides.freeName()]);
  const parts = listParts(oldBook, nextBook, old.direction, isSameSource).map(({ key, open }) => {
    const name = `${context} ${key}`;
    const before = key === null ? undefined : known?.get(name);
    if (before !== undefined && before.sameValues <= sameValues.left) {
      sameValues.left -= before.sameValues;
      return before;
    }
    const { left } = sameValues;
    const found = { ...compareBoth(comparing, open()), sameValues: left - sameValues.left };
    // Without questions left, the findings are those of this comparison only.
    if (key !== null && sameValues.left > 0) known?.set(name, found);
    return found;
  });
  const walkSteps = parts.reduce((count, part) => count + part.steps, 0);
  const told = parts.flatMap((part) => part.changes);
  const walks = parts.map((part) => part.annotated);
  const { promises, firm, loose } = compareUnwalked({
    ...{ oldBook, nextBook, walks, mode },
    met: tools.met,
    listDifferences: tools.listDifferences,
    hasSameForm: (isTold) =>
      textOfDocument(oldBook.document, isTold) === textOfDocument(nextBook.document, isTold),
  });
  return {
    changes: [...promises, ...told, ...firm, ...(told.every(isNoNews) ? loose() : [])],
    breaksBackward: promises.length > 0 || parts.some((part) => part.breaksBackward),
    undecidedCount: parts.reduce((count, part) => count + part.undecidedCount, 0),
    // The engine counts cheap work in tenths of a step.
    steps: Math.ceil(walkSteps + before - session.steps.left),
  };
}

interface Comparing extends OpenSides, Tools {
  readonly hasSameValuesAround: (pair: PlacePair) => boolean;
  /** Whether only annotations changed. */
  readonly isReworded: boolean;
  readonly mode: CompatibilityMode;
}

/**
 * Whether loose annotation changes are reported beside this change. They are, unless something
 * other than annotations is known to have changed.
 */
function isNoNews(change: Change): boolean {
  return change.type === 'compatibility_undecided' || isOfWords(change);
}

function isOfWords({ type }: Change): boolean {
  return type === 'annotation_changed' || type.startsWith('default_');
}

interface PartFindings extends SchemaFindings {
  readonly annotated: Annotated;
  /** The number of questions about the values around a difference. */
  readonly sameValues: number;
}

type Findings = Omit<PartFindings, 'sameValues'>;

/** A part in all its readings. */
function compareBoth(comparing: Comparing, part: SchemaPart): Findings {
  const found = comparePart(comparing, part);
  const checked =
    part.open === undefined ? found : withMore(found, comparePart(comparing, part.open), true);
  if (part.loose === undefined) return checked;
  // The second reading is the looser one, and asks only about what it shows.
  return withMore(checked, comparePart(comparing, part.loose), false);
}

/** Adds what only another reading shows. */
function withMore(found: Findings, other: Findings, asksOfUndecided: boolean): Findings {
  const isSame = (one: Change, two: Change) => one.type === two.type && one.path === two.path;
  const isTold = (each: Change) =>
    found.changes.some((change) => change.breaking && isSame(change, each));
  // What is told at a place is not told again around it.
  const isAround = ({ type, path }: Change) =>
    type.startsWith('schema_') &&
    found.changes.some((change) => {
      return (
        change.breaking &&
        /^(?:$|[.[])/.test(change.path.slice(path.length)) &&
        change.path.startsWith(path)
      );
    });
  const isShown = ({ breaking, type }: Change) =>
    breaking && (asksOfUndecided || type !== 'compatibility_undecided');
  const shown = other.changes.filter((each) => isShown(each) && !isTold(each));
  const more = shown.filter((each) => !isAround(each));
  const kept = found.changes.filter((each) => !more.some((change) => isSame(change, each)));
  return {
    ...found,
    changes: [...kept, ...more],
    breaksBackward:
      found.breaksBackward ||
      (other.breaksBackward && (shown.length > 0 || asksOfUndecided || other.undecidedCount === 0)),
    undecidedCount: found.undecidedCount + (asksOfUndecided ? other.undecidedCount : 0),
    steps: found.steps + other.steps,
  };
}

function comparePart(comparing: Comparing, part: SchemaPart): Findings {
  const { session, oldBook, nextBook, classes, mode } = comparing;
  session.forgetValues();
  const oldRoot = oldBook.placeOf([part.old]);
  const nextRoot = nextBook.placeOf([part.next]);
  const walked = walkPlaces(oldRoot, nextRoot, comparing);
  const { written } = part;
  const isSameText =
    comparing.isReworded || (written !== null && session.isSame(written.old, written.next));
  const isSaidAlike =
    isSameText ||
    (walked.candidates.every((each) => each.kind !== 'schema') &&
      classes.classOf(oldRoot) === classes.classOf(nextRoot));
  const candidates = walked.candidates.filter((each) => !isSameText || each.kind !== 'schema');
  // Places with one normal form declare the same paths. Whether they accept the same values is
  // decided by the engine.
  const { isCutShort } = walked;
  const keepsPaths = isSaidAlike && !isCutShort;
  const asked = { part, candidates, keepsPaths, isCutShort, isSameText };
  const read = (under: 'backward' | 'forward') => readUnder(comparing, asked, under);
  const backward = read('backward');
  const own = mode === 'forward' ? read('forward') : backward;
  // Under `full` every change counts, so changes of values that only the other reading shows are
  // reported too.
  const other = mode === 'full' ? read('forward') : null;
  const kept = candidates.flatMap((each) => {
    const isShown = backward.judgement.explained.has(each) || own.judgement.explained.has(each);
    return isShown && each.type !== 'schema_changed' ? [each] : settled(comparing, each);
  });
  const changes = toChanges(comparing, kept, own, other);
  /** Used if no change was found: asks for changes that only the other direction shows. */
  const elsewhere = (): readonly Reading[] => {
    if (other !== null) return [other];
    if (isSameText) return [];
    const forward = mode === 'forward' ? own : read('forward');
    return forward.judgement.verdict === 'yes' ? [] : [forward];
  };
  const unlisted = (): readonly Change[] => {
    if (!changes.every(isOfWords)) return [];
    const ofValues = tellAsWhole(mode, [backward, ...elsewhere()], kept);
    if (ofValues.length > 0) return ofValues;
    return tellAsWhole(mode, [readAdditions(comparing, asked, backward)], kept);
  };
  return {
    changes: [...unlisted(), ...changes],
    breaksBackward: breaks(backward) || kept.some(({ isPromise }) => isPromise === true),
    undecidedCount: [...new Set([backward, own])].filter(isUndecided).length,
    steps: walked.steps,
    annotated: walked.annotated,
  };
}

function isUndecided(reading: Reading): boolean {
  return reading.judgement.verdict === 'undecided' || reading.undecided !== null;
}

/** An undecided answer counts as breaking. */
function breaks(reading: Reading): boolean {
  const { judgement, paths } = reading;
  if (judgement.verdict === 'no' || paths.paths.length > 0) return true;
  return isUndecided(reading);
}

/**
 * Removes the demands of a candidate that the other side already made in other words. Returns
 * nothing if no demand is left.
 */
function settled(comparing: Comparing, each: Candidate): readonly Candidate[] {
  // Without steps left, every answer would be undecided, and the candidate would be kept anyway.
  if (!each.mayBeVacuous || comparing.session.steps.left <= 0) return [each];
  const { session, oldBook, nextBook } = comparing;
  const { pair, oldFocus, newFocus, newDemand, oldDemand } = each;
  const isNewAsked =
    newDemand !== null &&
    !isVacuous(session, nodeOfPlace(oldBook, pair.old), oldFocus, newDemand, oldBook);
  const isOldAsked =
    oldDemand !== null &&
    !isVacuous(session, nodeOfPlace(nextBook, pair.next), newFocus, oldDemand, nextBook);
  if (!isNewAsked && !isOldAsked) {
    // An unknown format is an annotation.
    if (each.type !== 'format_changed') return [];
    return [{ ...each, type: 'annotation_changed', kind: 'annotation' }];
  }
  if (comparing.hasSameValuesAround(pair)) return [];
  const type = each.type === 'schema_changed' ? generalType(isNewAsked, isOldAsked) : each.type;
  return [
    {
      ...each,
      origin: each,
      type,
      newDemand: isNewAsked ? newDemand : null,
      oldDemand: isOldAsked ? oldDemand : null,
    },
  ];
}

function generalType(isNewAsked: boolean, isOldAsked: boolean): Candidate['type'] {
  if (isNewAsked && isOldAsked) return 'schema_changed';
  return isNewAsked ? 'schema_narrowed' : 'schema_widened';
}

function toChanges(
  comparing: Comparing,
  kept: readonly Candidate[],
  own: Reading,
  other: Reading | null,
): readonly Change[] {
  const { mode } = comparing;
  const isJudged = mode === 'backward' || mode === 'forward';
  const { onPath, missing } = isJudged ? matchPaths(own.paths, own.pathType, kept) : noPaths;
  const told = kept.map((each): Change => {
    const isOnPath = onPath.has(each);
    const isShown = own.judgement.explained.has(each.origin ?? each) || isOnPath;
    const breaks = isShown || each.isPromise === true;
    const breaking = isJudged ? breaks : mode === 'full' && each.kind !== 'annotation';
    return describe(each, { breaking, isOnPath, mode, own, other });
  });
  const changes = [...told, ...hintRenames(comparing.likeness, kept)];
  if (!isJudged) return changes;
  const all = [...changes, ...missing.map((each) => pathChange(each, own))];
  return [...all, ...verdictChanges(own, all, kept)];
}

function pathChange(lost: DeclaredPath, own: Reading): Change {
  const { key } = lost;
  const path = lost.path.text;
  if (lost.isPlace) return placeChange(lost, own);
  const effect =
    own.direction === 'request'
      ? 'what callers send there may be ignored'
      : 'consumers may no longer find it';
  const says = {
    property_removed: `${lossText(lost)}; ${effect}`,
    property_added: `${additionText(lost)}; existing data may lack it`,
    required_added:
      key === null
        ? 'a property that the old schema does not declare is required'
        : `the new property ${JSON.stringify(key)} is required`,
  }[own.pathType];
  return {
    type: own.pathType,
    path,
    description: `\`${path}\`: ${says}`,
    breaking: true,
    ...(key !== null && { [own.pathType === 'property_removed' ? 'old' : 'new']: key }),
  };
}

function placeChange(
  { path: { text: path }, undescribedIn }: DeclaredPath,
  { direction }: Reading,
): Change {
  const who = direction === 'request' ? 'what callers send' : 'existing data';
  const says = `any property could be here, and only some are described now; ${who} may have others`;
  const description = `\`${path}\`: ${says}${exampleText(undescribedIn)}`;
  return { type: 'schema_narrowed', path, description, breaking: true };
}

/** A longer value does not help in a sentence. */
const maxShownLength = 120;

function lossText({ key, undescribedIn, isShutOut }: DeclaredPath): string {
  const which = subjectOf(key);
  if (isShutOut) return `no value can have ${which} any more`;
  if (undescribedIn === undefined) return `${which} is no longer described`;
  return `${which} is no longer described in all values that may have it${exampleText(undescribedIn)}`;
}

function exampleText(value: Json | undefined): string {
  const shown = JSON.stringify(value);
  return shown === undefined || shown.length > maxShownLength ? '' : `, for example ${shown}`;
}

function additionText({ key, undescribedIn, isShutOut }: DeclaredPath): string {
  const which = subjectOf(key);
  if (isShutOut) return `before, no value could have ${which}`;
  return undescribedIn === undefined ? `${which} is new` : `${which} is new in some values`;
}

function subjectOf(key: string | null): string {
  return key === null ? 'what has a name that is described here' : 'the property';
}

/**
 * Reports values that changed although the list has no change for them, as one change of the whole
 * schema. This is done even if no verdict needs an explanation.
 */
function tellAsWhole(
  mode: CompatibilityMode,
  readings: readonly Reading[],
  kept: readonly Candidate[],
): readonly Change[] {
  if (kept.some((each) => each.kind === 'schema')) return [];
  const told = readings.flatMap((reading) => [
    ...verdictChanges(reading, [], kept),
    ...reading.paths.paths.map((path) => pathChange(path, reading)),
  ]);
  return told.map((change) => ({ ...change, breaking: mode === 'full' }));
}

/** Every verdict is explained. If no finer change shows it, it is reported for the whole schema. */
function verdictChanges(
  own: Reading,
  changes: readonly Change[],
  kept: readonly Candidate[],
): readonly Change[] {
  const { judgement, containment } = own;
  // An explained candidate may have been dropped since, so the list of changes is checked instead.
  const isExplained = changes.some(({ breaking }) => breaking);
  if (judgement.verdict === 'no' && !isExplained && judgement.witness !== undefined) {
    const { witness } = judgement;
    const demands = kept.filter((each) =>
      containment.emits === 'old' ? each.newDemand !== null : each.oldDemand !== null,
    );
    const [only, ...others] = demands;
    const path = only !== undefined && others.length === 0 ? only.path.text : '$';
    const shown = JSON.stringify(witness);
    const [type, says] =
      containment.emits === 'old'
        ? (['schema_narrowed', `${shown} was accepted and is refused now`] as const)
        : (['schema_widened', refusedLater(own, shown)] as const);
    return [{ type, path, description: `\`${path}\`: ${says}`, breaking: true, witness }];
  }
  const [unsure] = kept
    .filter((each) => judgement.unsure.has(each.origin ?? each))
    .toSorted((a, b) => a.path.text.length - b.path.text.length);
  const reason = 'no value shows a break here, and nothing proves that there is none.';
  const open: Undecided | null =
    own.undecided ??
    (judgement.verdict === 'no' && unsure !== undefined
      ? { place: unsure.path.text, reason }
      : null);
  // Beside a break that is accepted, what was left open is the verdict.
  if (open === null && (judgement.verdict === 'no' || !isUndecided(own))) return [];
  const left = open ?? judgement;
  return [
    {
      type: 'compatibility_undecided',
      path: left.place,
      description: `\`${left.place}\`: compatibility could not be decided: ${left.reason}`,
      breaking: true,
    },
  ];
}
