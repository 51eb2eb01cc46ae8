// What a mode asks about two schemas: which side emits the values, which side must accept them, and
// which declared paths count. docs/compatibility.md says the same in words.

import type { ChangeType, Direction } from '../comparison.ts';
import type { SchemaNode } from '../schema/schema.ts';
import type { Json } from '../value/json.ts';
import { withoutIdleDemands } from './judge/added-demands.ts';
import type { Containment } from './judge/find-witness.ts';
import { withHiddenDemands } from './judge/hidden-demands.ts';
import { type Judgement, judge } from './judge/judge.ts';
import { findLost } from './kept/lost-paths.ts';
import { withNamesLetGo } from './kept/names-let-go.ts';
import { findForbidden } from './kept/variants.ts';
import type { OpenSides } from './open-sides.ts';
import { findDemanded, type PathFindings, type Undecided } from './places/declared-paths.ts';
import { undecidedPattern } from './places/key-pattern.ts';
import { rootPath, stepsBetween } from './places/path.ts';
import type { Side } from './places/reach.ts';
import { typeBit } from './places/type-set.ts';
import type { SchemaPart } from './project.ts';
import { withBranchesTogether, withNamesLetIn, withNameWritten } from './rewrite/rewrite-schema.ts';
import { withoutRemovedDemands } from './rewrite/without-demands.ts';
import type { Candidate, PlacePair } from './walk/walk.types.ts';

/** The result of walking one part. */
interface Walked {
  readonly part: SchemaPart;
  readonly candidates: readonly Candidate[];
  /** Both sides have one normal form, so no declared path was removed. */
  readonly keepsPaths: boolean;
  /** There may be more differences than the candidates. */
  readonly isCutShort: boolean;
  /** Both sides are written alike apart from annotations: nothing is left to ask. */
  readonly isSameText: boolean;
}

/** The result of one mode for the two schemas. */
export interface Reading {
  readonly mode: 'backward' | 'forward';
  readonly direction: SchemaPart['direction'];
  readonly containment: Containment;
  readonly judgement: Judgement;
  /** Paths that break by themselves. `pathType` is the type of change of each. */
  readonly paths: PathFindings;
  readonly pathType: 'property_removed' | 'required_added' | 'property_added';
  /** What could not be decided about the paths, or about the keys that patterns match. */
  readonly undecided: Undecided | null;
}

/**
 * Written values are read later, whoever writes them: requests are written by callers, data by its
 * owner.
 */
const backward: ReadingRule = { emits: 'old', paths: 'uncovered_by_new' };
const forward: ReadingRule = { emits: 'new', paths: 'demanded_by_new' };

/**
 * For each mode and direction: which side emits, and which paths count. This is
 * docs/compatibility.md as a table.
 */
const rules: Readonly<
  Record<'backward' | 'forward', Readonly<Record<Exclude<Direction, 'operation'>, ReadingRule>>>
> = {
  backward: {
    data: backward,
    request: backward,
    response: { emits: 'new', paths: 'uncovered_by_new' },
  },
  forward: {
    data: forward,
    request: forward,
    response: { emits: 'old', paths: 'uncovered_by_old' },
  },
};

interface ReadingRule {
  readonly emits: 'old' | 'new';
  readonly paths: 'uncovered_by_new' | 'uncovered_by_old' | 'demanded_by_new';
}

interface ValueQuestion {
  readonly part: SchemaPart;
  readonly rule: ReadingRule;
  readonly candidates: readonly Candidate[];
}

interface Judged {
  readonly containment: Containment;
  readonly judgement: Judgement;
}

/**
 * First asks about the values that the producer writes now, then about the values that later
 * versions may add without approval: see docs/decisions/kept-fields.md.
 */
function judgeFully(asked: OpenSides, question: ValueQuestion, written: Containment): Judged {
  const { session, oldBook, nextBook } = asked;
  const { candidates } = question;
  const judged = (containment: Containment): Judged => ({
    containment,
    judgement: judge(session, { old: oldBook, next: nextBook }, containment, candidates),
  });
  const now = judged(written);
  if (now.judgement.verdict !== 'yes' || question.part.mayLosePaths === true) return now;
  const later = laterContainment(asked, question, written);
  return later === null ? now : judged(later);
}

/**
 * Whether something changed at a place that accepts values, but none that its producer writes
 * according to its schema. Then the written values show nothing about the change.
 */
function hasUnwritten(
  { emptiness }: OpenSides,
  candidates: readonly Candidate[],
  emits: ReadingRule['emits'],
): boolean {
  const { isFilled, ofPlace } = emits === 'old' ? emptiness.old : emptiness.next;
  return candidates.some((each) => {
    const { pair, newDemand, oldDemand } = each;
    if ((emits === 'old' ? newDemand : oldDemand) === null) return false;
    // A listed object may have names that no property describes. Its producer writes no such value,
    // although it may write others of the list.
    const listed = emits === 'old' ? each.old : each.new;
    const isList = each.type === 'enum_values_removed' || each.type === 'enum_values_added';
    if (isList && Array.isArray(listed) && listed.some(isNested)) return true;
    for (let at: PlacePair | undefined = pair; at !== undefined; at = at.from?.parent) {
      const place = emits === 'old' ? at.old : at.next;
      if (!isFilled(place) && !ofPlace(place)) return true;
    }
    return false;
  });
}

function isNested(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

/** What to ask about later versions. Null if nothing more needs to be asked. */
function laterContainment(
  asked: OpenSides,
  { part, rule, candidates }: ValueQuestion,
  written: Containment,
): Containment | null {
  const { session, oldBook, nextBook } = asked;
  const { left, right } = written;
  const [leftBook, rightBook] = rule.emits === 'old' ? [oldBook, nextBook] : [nextBook, oldBook];
  if (part.direction === 'response') {
    if (session.contains(left, right).verdict === 'yes') return null;
    // A value that fits two branches of a `oneOf` is refused. Any new property of a branch changes
    // which values these are, so the branches are read as an `anyOf`.
    return {
      ...{ ...written, isWritten: false },
      left: withBranchesTogether(leftBook, left),
      right: withBranchesTogether(rightBook, right),
    };
  }
  if (hasUnwritten(asked, candidates, rule.emits)) return { ...written, isWritten: false };
  if (rule.emits === 'old') return null;
  // Under `forward`, a declared property may be removed and come back as another. So only names are
  // asked about that neither side knows, or that one branch lets go and no change reports as removed.
  const removed = new Set(candidates.filter(isRemoval).flatMap(({ key }) => key ?? []));
  return {
    ...{ ...written, inner: null },
    left: withNameWritten(leftBook, withNamesLetGo(leftBook, left, removed), asked.freeName()),
    right: withNamesLetIn(rightBook, right),
  };
}

function isRemoval({ type }: Candidate): boolean {
  return type === 'property_removed';
}

const pathTypes = {
  uncovered_by_new: 'property_removed',
  uncovered_by_old: 'property_added',
  demanded_by_new: 'required_added',
} as const;

export function readUnder(
  asked: OpenSides,
  { part, candidates, keepsPaths, isCutShort, isSameText }: Walked,
  mode: 'backward' | 'forward',
): Reading {
  const rule = rules[mode][part.direction];
  const written = containmentOf(asked, part, rule, isSameText);
  const { containment, judgement } = isSameText
    ? { containment: written, judgement: nothingBreaks }
    : judgeFully(asked, { part, rule, candidates }, written);
  const mayLose = isCutShort || candidates.some((each) => mayLosePath(asked, each, rule.paths));
  const isSafe = isSameText || keepsPaths || part.mayLosePaths === true;
  const paths = isSafe
    ? noFindings
    : pathFindings(asked, rule, { part, candidates, mayLose, judgement });
  return {
    mode,
    direction: part.direction,
    containment,
    judgement,
    paths,
    pathType: pathTypes[rule.paths],
    undecided: isSameText ? null : (paths.undecided ?? patternLeftOpen(asked)),
  };
}

/** What only the new schema describes, such as a property of a branch that every value fits. */
export function readAdditions(asked: OpenSides, walked: Walked, backward: Reading): Reading {
  const { part, candidates, keepsPaths, isSameText } = walked;
  const rule: ReadingRule = { emits: 'old', paths: 'uncovered_by_old' };
  const judgement = nothingBreaks;
  const paths =
    isSameText || keepsPaths
      ? noFindings
      : pathFindings(asked, rule, { part, candidates, mayLose: true, judgement });
  const { undecided } = paths;
  return { ...backward, judgement, paths, pathType: pathTypes[rule.paths], undecided };
}

function patternLeftOpen({ oldBook, nextBook }: OpenSides): Undecided | null {
  for (const { document } of [oldBook, nextBook]) {
    const pattern = undecidedPattern(document);
    if (pattern === undefined) continue;
    const shown = JSON.stringify(pattern);
    return { place: '$', reason: `it takes too long to match the pattern ${shown} with a name.` };
  }
  return null;
}

function containmentOf(
  asked: OpenSides,
  part: SchemaPart,
  rule: ReadingRule,
  isSameText: boolean,
): Containment {
  const { old, next } = part;
  // A reader of responses ignores what its schema marks.
  const reader = part.direction === 'response' ? (part.lenient ?? part) : part;
  const forgivesRemoval = rule.paths === 'demanded_by_new';
  const isWritten = true;
  if (rule.emits === 'old') {
    return { emits: 'old', left: old, right: reader.next, inner: null, forgivesRemoval, isWritten };
  }
  const plain = {
    emits: 'new',
    left: next,
    right: reader.old,
    inner: null,
    forgivesRemoval,
    isWritten,
  } as const;
  if (!forgivesRemoval || isSameText) return plain;
  const sides = sidesOf(asked, part);
  const forgiving = withoutRemovedDemands(asked.oldBook, sides.old, sides.next);
  const isOne = forgiving.plain === forgiving.wide;
  return { ...plain, right: forgiving.wide, inner: isOne ? null : forgiving.plain };
}

function sidesOf(
  { emptiness }: OpenSides,
  part: Pick<SchemaPart, 'old' | 'next'>,
): { readonly old: Side; readonly next: Side } {
  return {
    old: { root: part.old, isNever: emptiness.old.ofNode },
    next: { root: part.next, isNever: emptiness.next.ofNode },
  };
}

const nothingBreaks: Judgement = {
  verdict: 'yes',
  place: '',
  reason: '',
  explained: new Map(),
  unjudged: new Set(),
  unsure: new Set(),
};

const noFindings: PathFindings = { paths: [], again: new Map(), undecided: null };

/** Changes that keep every path, except if the change itself is of the type that is looked for. */
const pathKeeping = new Set<ChangeType>([
  ...(['property_added', 'property_removed', 'required_added', 'required_removed'] as const),
  ...(['enum_values_added', 'enum_values_removed', 'nullable_added', 'nullable_removed'] as const),
  ...(['constraint_tightened', 'constraint_relaxed', 'format_changed', 'type_widened'] as const),
]);

/** A path is only lost by a change that the walk has found, and most changes cannot lose one. */
function mayLosePath(
  { emptiness }: OpenSides,
  { type, kind, path, pair }: Candidate,
  paths: ReadingRule['paths'],
): boolean {
  if (kind !== 'schema') return false;
  if (type === pathTypes[paths]) return true;
  if (!pathKeeping.has(type) || stepsBetween(rootPath, path)?.includes('patternProperties'))
    return true;
  if (hidesItems(pair, paths)) return true;
  // A place that became so narrow that no value fits is no longer declared.
  return paths === 'uncovered_by_old'
    ? emptiness.old.ofPlace(pair.old)
    : emptiness.next.ofPlace(pair.next);
}

/**
 * Items that one side refuses are not compared: the change of length reports them, or that of the
 * type.
 */
function hidesItems({ old, next }: PlacePair, paths: ReadingRule['paths']): boolean {
  const [was, is] = [old.view, next.view];
  const { items } = paths === 'uncovered_by_new' ? was : is;
  const isListOnlyIn = ((was.types ^ is.types) & typeBit.array) !== 0;
  return items !== null && (isListOnlyIn || was.maxItems !== is.maxItems);
}

interface PathQuestion {
  readonly part: SchemaPart;
  readonly candidates: readonly Candidate[];
  /** Whether some change may have removed names. */
  readonly mayLose: boolean;
  readonly judgement: Judgement;
}

function pathFindings(
  asked: OpenSides,
  rule: ReadingRule,
  { part, candidates, mayLose, judgement }: PathQuestion,
): PathFindings {
  const { session, oldBook, nextBook, emptiness } = asked;
  const { old, next } = sidesOf(asked, part);
  const isSameSource = (a: SchemaNode, b: SchemaNode) => session.isSame(a, b);
  const isRefused = judgement.verdict === 'no';
  const losing = { session, isSameSource, mayLoseNames: mayLose, isRefused };
  switch (rule.paths) {
    case 'uncovered_by_new': {
      const keepsValues = rule.emits === 'old';
      const sides = {
        ...{ ...losing, from: old, to: next, keepsValues },
        ...{ fromBook: oldBook, toBook: nextBook, toEmptiness: emptiness.next },
      };
      const found = findLost(sides);
      // What a variant may no longer have is refused where its values are kept.
      return keepsValues
        ? found
        : withForbidden(found, { ...sides, candidates, isOldLosing: true });
    }
    case 'uncovered_by_old': {
      const sides = {
        ...{ ...losing, from: next, to: old, keepsValues: false },
        ...{ fromBook: nextBook, toBook: oldBook, toEmptiness: emptiness.old },
      };
      return withForbidden(findLost(sides), { ...sides, candidates, isOldLosing: false });
    }
    case 'demanded_by_new':
      return withHiddenDemands(
        asked,
        candidates,
        mayLose ? demandFindings(asked, part, candidates, isSameSource) : noFindings,
      );
    default:
      return rule.paths satisfies never;
  }
}

/** Adds what a variant alone has lost, if nothing else is known to be lost. */
function withForbidden(
  found: PathFindings,
  sides: Parameters<typeof findForbidden>[0],
): PathFindings {
  if (found.paths.length > 0) return found;
  const { paths, undecided } = findForbidden(sides);
  return { ...found, paths, undecided: found.undecided ?? undecided };
}

/**
 * A name that is only demanded does not count as declared in the old schema. If the old schema
 * demands it of some values, demanding it of others still counts as added.
 */
function demandFindings(
  asked: OpenSides,
  part: SchemaPart,
  candidates: readonly Candidate[],
  isSameSource: (a: SchemaNode, b: SchemaNode) => boolean,
): PathFindings {
  const { old, next } = sidesOf(asked, { old: part.declaredOld, next: part.next });
  const found = findDemanded({ from: next, to: old, isSameSource });
  return withoutIdleDemands(asked, { old, next, candidates }, found);
}
