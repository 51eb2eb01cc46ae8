// Decides which parts that were not read leave the verdict open. A part that is the same on both
// sides did not change, whatever it says.

import { unreadBy } from '../../core/import/candidate.ts';
import { saysMoreThanTypes } from '../../core/import/graphql/uncompared-sdl.ts';
import { findByTokens, pointerTokens } from '../../core/import/openapi/openapi-document.ts';
import { nameOf } from '../../core/import/openapi/uncompared.ts';
import { hasDiscriminator, standsAnywhere } from '../../core/import/openapi/variants.ts';
import { uncomparedParts } from '../../core/import/parts/uncompared-parts.ts';
import { memberOf, objectAt, textAt } from '../../core/import/read-json.ts';
import { canonicalJson, isSameJson } from '../../core/value/canonical-json.ts';
import type { Json } from '../../core/value/json.ts';
import { stepsOf } from '../../core/value/json-path.ts';
import type { InputProblem, ReadFile, Subject } from '../input/subject.ts';
import { counted } from '../output.ts';

/** Further ones are counted. */
const maxUnchanged = 3;

/** The problems of both sides, each once. `alone` has the subjects that the other side does not have. */
export function settleProblems(
  old: readonly ReadFile[],
  next: readonly ReadFile[],
  arePaired: boolean,
  alone: ReadonlySet<Subject>,
): readonly InputProblem[] {
  const withAsides = [...old, ...next].some(hasAsides);
  const before = placedProblems(old, arePaired, withAsides);
  const after = placedProblems(next, arePaired, withAsides);
  const unchanged: InputProblem[] = [];
  const reported: InputProblem[] = [];
  const documentBefore = documentsOf(old, arePaired);
  const documentAfter = documentsOf(next, arePaired);
  for (const [key, placed] of after) {
    const { problem, home } = placed;
    const known = before.get(key);
    const isSame = known !== undefined && isSameProblem(known, placed);
    if (isSame && toldIfChanged.has(unreadBy(problem.code))) continue;
    if (isSame && problem.leavesUnread) unchanged.push({ ...problem, leavesUnread: false });
    else if (isNew(placed, documentBefore.get(home), known !== undefined, alone)) {
      if (unreadBy(problem.code) !== 'aside') reported.push({ ...problem, leavesUnread: false });
    } else reported.push(problem);
  }
  for (const [key, placed] of before) {
    const { problem, home } = placed;
    if (after.has(key) || !problem.leavesUnread) continue;
    if (isToldOrSame(placed, documentAfter.get(home), alone)) continue;
    reported.push({ ...problem, message: `In the old version: ${problem.message}` });
  }
  return [...reported, ...summarize(unchanged)];
}

const toldIfChanged: ReadonlySet<ReturnType<typeof unreadBy>> = new Set(['fact', 'aside']);
const goneBefore: ReadonlySet<ReturnType<typeof unreadBy>> = new Set(['part', 'rule', 'aside']);

/** What is only compared as text is counted, because a file may have hundreds of such rules. */
function summarize(unchanged: readonly InputProblem[]): readonly InputProblem[] {
  const shown = unchanged.filter(({ unread }) => unread === undefined).slice(0, maxUnchanged);
  const rest = unchanged.filter((problem) => !shown.includes(problem));
  const [first] = rest;
  if (first === undefined) return shown;
  const message = `${counted(rest.length, 'part')} not judged, but the same on both sides.`;
  const told = { file: first.file, place: '$', code: 'NOT_READ', message, leavesUnread: false };
  return [...shown, told];
}

function isSameProblem(known: Placed, { problem, document, place }: Placed): boolean {
  if (problem.unread !== undefined) return isSameUnread(known.problem, problem);
  const places = problem.item ?? [place];
  return places.every((each) => isSamePart(known.document, document, each));
}

/** A part that is compared otherwise on the other side is told by the comparison. */
function isSameUnread(old: InputProblem, next: InputProblem): boolean {
  if (old.compared === undefined || next.compared === undefined) {
    return isSameJson(old.unread, next.unread);
  }
  const keys = new Set([old, next].flatMap(({ unread }) => Object.keys(Object(unread))));
  return [...keys].every((key) => {
    const [was, is] = [memberOf(old.unread, key), memberOf(next.unread, key)];
    if (isSameJson(was, is)) return true;
    const [before, after] = [memberOf(old.compared, key), memberOf(next.compared, key)];
    if (was === undefined || is === undefined) return (before ?? after) !== undefined;
    return before !== undefined && after !== undefined && !isSameJson(before, after);
  });
}

/** Nobody has relied on a part that did not exist before, or on one with a new rule. */
function isNew(
  placed: Placed,
  before: Json | undefined,
  isKnown: boolean,
  alone: ReadonlySet<Subject>,
): boolean {
  const { problem, place } = placed;
  const what = unreadBy(problem.code);
  if (what === 'aside') return !isKnown && isToldOrSame(placed, before, alone);
  if (what === null || !goneBefore.has(what)) return false;
  if (before === undefined) return isAlone(placed, alone);
  const steps = tokensOf(place);
  const whole = what === 'rule' ? steps.slice(0, -1) : steps;
  return place.startsWith('$') && findByTokens(before, whole) === undefined;
}

/**
 * Where the parameter, the form or the API itself is only on one side, the comparison says so. Where it is referred to on
 * one side, it may say the same there.
 */
function isToldOrSame(
  placed: Placed,
  other: Json | undefined,
  alone: ReadonlySet<Subject>,
): boolean {
  const { problem, document, place } = placed;
  if (unreadBy(problem.code) !== 'aside') return false;
  if (other === undefined) return isAlone(placed, alone);
  // Of text, both sides list everything that they have.
  if (typeof document === 'string') return true;
  let here: Json | undefined = document;
  let there: Json | undefined = other;
  const steps = tokensOf(place);
  for (const token of steps.slice(0, -1)) {
    here = findByTokens(here ?? null, [token]);
    const name = here === undefined ? undefined : itemName(here);
    there =
      Array.isArray(there) && name !== undefined
        ? there.map((item) => followed(item, other)).find((item) => itemName(item) === name)
        : followed(findByTokens(there, [token]) ?? null, other);
    if (there === null || there === undefined) return true;
  }
  const said = findByTokens(here ?? null, steps.slice(-1));
  return said !== undefined && isSameJson(said, findByTokens(there, steps.slice(-1)));
}

/** Whether the document as a whole is new or gone, as each of its contracts tells. */
function isAlone({ subjects }: Placed, alone: ReadonlySet<Subject>): boolean {
  return subjects.length > 0 && subjects.every((subject) => alone.has(subject));
}

/** What tells an item from others of its list; ODCS 2 has other keys for it. */
function itemName(item: Json): string | undefined {
  return nameOf(item) ?? textAt(item, 'column') ?? textAt(item, 'table');
}

/** What a local reference leads to, or the part itself. */
function followed(part: Json, document: Json): Json {
  const reference = textAt(part, '$ref');
  const steps = reference === undefined ? null : pointerTokens(reference);
  return steps === null ? part : (findByTokens(document, steps) ?? null);
}

function documentsOf(files: readonly ReadFile[], arePaired: boolean): ReadonlyMap<string, Json> {
  return new Map(
    files.flatMap((file) => homesIn(file, arePaired)).map((each) => [each.home, each.document]),
  );
}

interface Home {
  /** What the document is known by on both sides. */
  readonly home: string;
  readonly document: Json;
  /** Where the document stands in its file. */
  readonly at: string;
  readonly subjects: readonly Subject[];
}

/**
 * The names of two files that are compared with each other mean nothing. A CustomResourceDefinition has a name of its
 * own, and may move to another file.
 */
function homesIn(file: ReadFile, arePaired: boolean): readonly Home[] {
  const { kind, name, document, subjects } = file;
  if (kind !== 'crd') return [{ home: arePaired ? '' : name, document, at: '$', subjects }];
  const isList = Array.isArray(document);
  const documents: readonly Json[] = isList ? document : [document];
  return documents.map((each, index) => {
    const spec = objectAt(each, 'spec');
    const versions = `${textAt(objectAt(spec, 'names'), 'kind')} ${textAt(spec, 'group')}/`;
    const unnamed = arePaired ? String(index) : `${name} ${index}`;
    return {
      home: textAt(objectAt(each, 'metadata'), 'name') ?? unnamed,
      document: each,
      at: isList ? `$[${index}]` : '$',
      subjects: subjects.filter(({ key }) => key.startsWith(versions)),
    };
  });
}

interface Placed {
  readonly problem: InputProblem;
  readonly document: Json;
  readonly home: string;
  /** In the document. */
  readonly place: string;
  readonly subjects: readonly Subject[];
}

function placedProblems(
  files: readonly ReadFile[],
  arePaired: boolean,
  withAsides: boolean,
): ReadonlyMap<string, Placed> {
  const placed = files.flatMap((file) => {
    const homes = homesIn(file, arePaired);
    return [...file.problems, ...(withAsides ? asidesOf(file) : [])].map((problem): Placed => {
      const whole = { home: file.name, document: file.document, at: '$', subjects: [] };
      const of = homes.find(({ at }) => problem.place.startsWith(at)) ?? whole;
      const place = of.at === '$' ? problem.place : problem.place.replace(of.at, '$');
      return { ...of, problem, place };
    });
  });
  const groups = Map.groupBy(placed, ({ problem, home, place }) => {
    const { code, message, unread } = problem;
    return JSON.stringify([home, code, unread === undefined ? place : '', message]);
  });
  // Several parts may have one name, in any order; each of them counts.
  const textOf = ({ problem }: Placed) => canonicalJson(problem.unread ?? null);
  return new Map(
    [...groups].flatMap(([key, group]) => {
      const named = group.some(({ problem }) => problem.unread !== undefined);
      const sorted = named ? group.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) : group;
      return sorted.map((each, index) => [named ? `${key} ${index}` : key, each] as const);
    }),
  );
}

/** Text is not read again if neither side says more than its types. */
function hasAsides({ document }: ReadFile): boolean {
  return typeof document !== 'string' || saysMoreThanTypes(document);
}

/** What matters only beside another version. */
function asidesOf({ kind, path, document }: ReadFile): readonly InputProblem[] {
  if (kind === null) return [];
  return uncomparedParts(kind, document).map(({ code, message, place, unread, compared }) => ({
    ...{ file: path, code, message, place, leavesUnread: true },
    ...(unread !== undefined && { unread }),
    ...(compared !== undefined && { compared }),
  }));
}

/**
 * Whether the documents say the same at a place, and at every place that its local references lead
 * to. Texts are compared whole, because their places are lines, and lines move. If a place refers to a schema by
 * its name, documents are compared whole, too, because that schema may stand anywhere.
 */
function isSamePart(old: Json, next: Json, place: string): boolean {
  if (!place.startsWith('$')) return isSameJson(old, next);
  const steps = tokensOf(place);
  const pending: Pair[] = [[findByTokens(old, steps), findByTokens(next, steps)]];
  const seen = new Set<string>();
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [a, b] = pair;
    if (!isSameJson(a, b)) return false;
    if (usesNames(a ?? null) && [old, next].some(mayHaveNames)) return isSameJson(old, next);
    if (hasDiscriminator(a ?? null) && !hasSameSchemas(old, next)) return false;
    for (const reference of referencesIn(a)) {
      if (seen.has(reference)) continue;
      seen.add(reference);
      const target = pointerTokens(reference) ?? [];
      pending.push([findByTokens(old, target), findByTokens(next, target)]);
    }
  }
  return true;
}

/** A discriminator also leads to schemas that include its own, wherever these stand. */
function hasSameSchemas(old: Json, next: Json): boolean {
  return [['components', 'schemas'], ['definitions'], ['x-files']].every((steps) =>
    isSameJson(findByTokens(old, steps), findByTokens(next, steps)),
  );
}

type Pair = readonly [Json | undefined, Json | undefined];

const hasName = standsAnywhere(({ $id, $anchor, $dynamicAnchor }) =>
  [$id, $anchor, $dynamicAnchor].some((name) => typeof name === 'string'),
);

const isOfDraft4 = standsAnywhere((object) =>
  Object.values(object).some((text) => typeof text === 'string' && text.includes('draft-04')),
);

/** In draft-04 alone, an `id` is a name. */
function mayHaveNames(document: Json): boolean {
  return hasName(document) || isOfDraft4(document);
}

/** Whether a schema is referred to by name. An id counts as well, because pointers below it may lead elsewhere. */
const usesNames = standsAnywhere(
  ({ $id, $ref, $dynamicRef }) =>
    typeof $id === 'string' ||
    [$ref, $dynamicRef].some((name) => typeof name === 'string' && !name.startsWith('#/')),
);

/** Also those of a discriminator. */
function referencesIn(root: Json | undefined): readonly string[] {
  const found: string[] = [];
  const pending = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value === 'string') found.push(value);
    else if (typeof value === 'object' && value !== null) pending.push(...Object.values(value));
  }
  return found.filter((text) => text.startsWith('#/'));
}

function tokensOf(place: string): readonly string[] {
  return stepsOf(place).map(String);
}
