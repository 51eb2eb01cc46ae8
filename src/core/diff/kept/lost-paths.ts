// Rule B2 (docs/decisions/kept-fields.md) beyond names: no value may have a path any more that is
// still declared, or a path may be described in some values and no longer in others.

import type { OpenComparison } from '../../containment/contains.ts';
import { validate } from '../../containment/validate/validator.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import { isJsonObject, type Json } from '../../value/json.ts';
import {
  cutShort,
  type DeclaredPath,
  findUncovered,
  type PathFindings,
  type PathSides,
  type Undecided,
} from '../places/declared-paths.ts';
import type { Emptiness } from '../places/emptiness.ts';
import { type Path, rootPath, stepsBetween } from '../places/path.ts';
import type { PlaceBook } from '../places/place.types.ts';
import { withPlacesDescribed } from '../rewrite/rewrite-schema.ts';
import { type Doubt, findDoubts } from './described.ts';
import { findDoubtful, valueWith } from './living.ts';

export interface LosingSides extends PathSides {
  readonly session: OpenComparison;
  readonly fromBook: PlaceBook;
  readonly toBook: PlaceBook;
  readonly toEmptiness: Emptiness;
  /**
   * Whether the values of the losing side remain, either stored or on their way. Then the keys that
   * it writes at open places count as well. If its values are written anew, they do not.
   */
  readonly keepsValues: boolean;
  /** Whether the changes that were found may have removed a name. */
  readonly mayLoseNames: boolean;
  /**
   * Whether values are refused. If they are, these values already show that a place is described
   * now.
   */
  readonly isRefused: boolean;
  /** Whether each loss counts. Otherwise those that one value shows are enough. */
  readonly isEachAsked?: true;
}

/**
 * Returns the paths of one side that the other side does not have, makes impossible, or does not
 * always describe.
 */
export function findLost(sides: LosingSides): PathFindings {
  const named = sides.mayLoseNames ? findUncovered(sides) : noLoss;
  const undescribed = findUndescribed(sides);
  const shutOut = sides.keepsValues ? noLoss : findShutOut(sides);
  const paths = new Map<string, DeclaredPath>();
  for (const each of [named, undescribed, shutOut].flatMap((found) => found.paths)) {
    if (!paths.has(each.path.text)) paths.set(each.path.text, each);
  }
  return {
    paths: [...paths.values()],
    again: named.again,
    undecided: named.undecided ?? undescribed.undecided ?? shutOut.undecided,
  };
}

export const noLoss: PathFindings = { paths: [], again: new Map(), undecided: null };

function lossOf(paths: readonly DeclaredPath[], undecided: Undecided | null): PathFindings {
  return { ...noLoss, paths, undecided };
}

/**
 * Finds what one side describes in a value that the other side accepts but does not describe there.
 */
function findUndescribed(sides: LosingSides): PathFindings {
  const { session, from, to, fromBook, keepsValues } = sides;
  const found = findDoubts(sides);
  const doubts = keepsValues ? found.doubts : found.doubts.filter(({ of }) => of !== 'place');
  if (doubts.length === 0) return found.isCutShort ? lossOf([], cutShort) : noLoss;
  const isOpen = doubts.length < found.doubts.length;
  // A producer whose places are all described writes less. So a "yes" for the schema as written is
  // enough, and unchanged parts are recognised only in that form.
  if (isOpen && session.describes(from.root, to.root).verdict === 'yes') return noLoss;
  const left = isOpen ? withPlacesDescribed(fromBook, from.root) : from.root;
  const answer = session.describes(left, to.root);
  if (answer.verdict === 'yes') return noLoss;
  if (answer.verdict === 'undecided') return lossOf([], answer);
  const { witness: undescribedIn } = answer;
  const shown = pathsShownBy(doubts, to.root, undescribedIn);
  if (sides.isRefused && shown.every(({ of }) => of === 'place')) return noLoss;
  const first = shown.map((doubt) => lostIn(doubt, undescribedIn));
  if (sides.isEachAsked !== true) return lossOf(first, null);
  const others = othersLost(sides, left, doubts, { shown, undescribedIn });
  return lossOf([...first, ...others], found.isCutShort ? cutShort : null);
}

type Shown = Pick<Doubt, 'path' | 'key' | 'of'>;

function lostIn({ path, key, of }: Shown, undescribedIn: Json): DeclaredPath {
  return { path, key, undescribedIn, isPlace: of === 'place' };
}

const maxRounds = 8;

/** Asks again with what was shown described, until nothing is left that another value may show. */
function othersLost(
  { session, to, toBook }: LosingSides,
  left: SchemaNode,
  doubts: readonly Doubt[],
  first: { readonly shown: readonly Shown[]; readonly undescribedIn: Json },
): readonly DeclaredPath[] {
  const lost: DeclaredPath[] = [];
  let { shown, undescribedIn } = first;
  let rest = doubts;
  let right = to.root;
  for (let round = 0; round < maxRounds; round++) {
    const before = rest.length;
    rest = rest.filter(({ path }) => !shown.some((each) => stepsBetween(each.path, path) !== null));
    if (rest.length === 0) return lost;
    const forgiving = shown.map(({ path }) => describing(toBook, path));
    if (rest.length === before || forgiving.includes(null)) break;
    right = toBook.madeNode(right, {
      allOf: [right, ...forgiving.filter((each) => each !== null)],
    });
    const answer = session.describes(left, right);
    if (answer.verdict === 'yes') return lost;
    if (answer.verdict === 'undecided') break;
    undescribedIn = answer.witness;
    shown = pathsShownBy(rest, right, undescribedIn);
    lost.push(...shown.map((doubt) => lostIn(doubt, undescribedIn)));
  }
  const unsure = rest.map((doubt) => ({
    ...lostIn(doubt, undescribedIn),
    isUnsure: true as const,
  }));
  return [...lost, ...unsure];
}

/** A schema that describes the property at the end of the path; null if it is no such path. */
function describing(book: PlaceBook, path: Path): SchemaNode | null {
  const steps = stepsBetween(rootPath, path) ?? [];
  const { root } = book.document;
  const at = (index: number): SchemaNode | null => {
    const step = steps[index];
    if (step === undefined) return book.madeNode(root, {});
    const isItems = step === 'items';
    if (!isItems && step !== 'properties') return null;
    const inner = at(index + (isItems ? 1 : 2));
    if (inner === null) return null;
    if (isItems) return book.madeNode(root, { items: inner });
    return book.madeNode(root, { properties: new Map([[String(steps[index + 1]), inner]]) });
  };
  return at(0);
}

const anywhere = { path: rootPath, key: null, of: 'place' } as const;

/**
 * The doubts without which the value would be described. If there are none, all doubts that occur
 * in the value.
 */
function pathsShownBy(doubts: readonly Doubt[], to: SchemaNode, witness: Json): readonly Shown[] {
  const present = doubts.flatMap((doubt) => {
    const others = partsWithout(witness, doubt.trail);
    return others.length === 0 ? [] : [{ doubt, others }];
  });
  const exact = present.filter(({ others }) =>
    others.some((other) => validate(to, other, { closed: true }) === 'accepted'),
  );
  const shown = exact.length > 0 ? exact : present;
  return shown.length === 0 ? [anywhere] : shown.map(({ doubt }) => doubt);
}

/** For each part at the end of the trail: the value without that part. */
function partsWithout(value: Json, [step, ...rest]: Doubt['trail']): readonly Json[] {
  if (step === undefined) return [value];
  if (Array.isArray(value)) {
    if (step !== null) return [];
    return value.flatMap((item: Json, index) =>
      partsWithout(item, rest).map((part) => value.with(index, part)),
    );
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]): Json[] => {
    if (step !== null && step !== key) return [];
    const { [key]: _, ...others } = value;
    if (rest.length === 0) return [others];
    return partsWithout(member, rest).map((part) => ({ ...others, [key]: part }));
  });
}

/** For all paths of one comparison. Each question may cost as much as a verdict. */
const maxQuestions = 200;
/** For further places of definitions. Past them, one place of each definition stands for the others. */
const maxQuestionsAgain = 50;

/**
 * Declared paths that some value had, and that no value of the other side can have. The values are
 * those of the sides, or of the schemas that are given.
 */
export function findShutOut(
  sides: Pick<LosingSides, 'session'> & Parameters<typeof findDoubtful>[0],
  values: { readonly from: SchemaNode; readonly to: SchemaNode } = {
    from: sides.from.root,
    to: sides.to.root,
  },
): PathFindings {
  const { session, toBook } = sides;
  const { doubtful, isCutShort } = findDoubtful(sides);
  const lost: DeclaredPath[] = [];
  let undecided: Undecided | null = isCutShort ? cutShort : null;
  let left = maxQuestions + maxQuestionsAgain;
  const isAbsent = (root: SchemaNode, wanted: SchemaNode): boolean | undefined => {
    if (left-- <= 0) return undefined;
    const none = toBook.madeNode(toBook.document.root, { not: wanted });
    const { verdict } = session.contains(root, none, { closed: true });
    return verdict === 'undecided' ? undefined : verdict === 'yes';
  };
  const [first, again] = [
    doubtful.filter((each) => !each.isAgain),
    doubtful.filter((each) => each.isAgain),
  ];
  for (const { path, key, trail } of [...first, ...again.slice(0, maxQuestionsAgain / 2)]) {
    if (lost.some((each) => stepsBetween(each.path, path) !== null)) continue;
    const wanted = valueWith(toBook, trail);
    const isGone = isAbsent(values.to, wanted);
    if (isGone === false || isAbsent(values.from, wanted) === true) continue;
    if (isGone) lost.push({ path, key, isShutOut: true });
    else
      undecided ??= { place: path.text, reason: 'It is not known whether the new schema has it.' };
  }
  return lossOf(lost, undecided);
}
