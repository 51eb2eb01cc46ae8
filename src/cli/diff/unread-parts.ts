// Decides which parts that were not read leave the verdict open. A part that is the same on both
// sides did not change, whatever it says.

import { unreadBy } from '../../core/import/candidate.ts';
import { saysMoreThanTypes } from '../../core/import/graphql/uncompared-sdl.ts';
import { findByTokens, pointerTokens } from '../../core/import/openapi/openapi-document.ts';
import { nameOf } from '../../core/import/openapi/uncompared.ts';
import { hasDiscriminator, standsAnywhere } from '../../core/import/openapi/variants.ts';
import { uncomparedParts } from '../../core/import/parts/uncompared-parts.ts';
import { memberOf, textAt } from '../../core/import/read-json.ts';
import { canonicalJson, isSameJson } from '../../core/value/canonical-json.ts';
import type { Json } from '../../core/value/json.ts';
import { stepsOf } from '../../core/value/json-path.ts';
import type { InputProblem, ReadFile } from '../input/subject.ts';
import { counted } from '../output.ts';

/** Further ones are counted. */
const maxUnchanged = 3;

/** The problems of both sides, each once. */
export function settleProblems(
  old: readonly ReadFile[],
  next: readonly ReadFile[],
  arePaired: boolean,
): readonly InputProblem[] {
  const withAsides = [...old, ...next].some(hasAsides);
  const before = placedProblems(old, arePaired, withAsides);
  const after = placedProblems(next, arePaired, withAsides);
  const unchanged: InputProblem[] = [];
  const reported: InputProblem[] = [];
  const documentBefore = documentsOf(old, arePaired);
  const documentAfter = documentsOf(next, arePaired);
  for (const [key, { problem, document, home }] of after) {
    const known = before.get(key);
    const isSame = known !== undefined && isSameProblem(known, { problem, document, home });
    if (isSame && toldIfChanged.has(unreadBy(problem.code))) continue;
    if (isSame && problem.leavesUnread) unchanged.push({ ...problem, leavesUnread: false });
    else if (isNew(problem, document, documentBefore.get(home), known !== undefined)) {
      if (unreadBy(problem.code) !== 'aside') reported.push({ ...problem, leavesUnread: false });
    } else reported.push(problem);
  }
  for (const [key, { problem, document, home }] of before) {
    if (after.has(key) || !problem.leavesUnread) continue;
    if (isToldOrSame(problem, document, documentAfter.get(home))) continue;
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

function isSameProblem(known: Placed, { problem, document }: Placed): boolean {
  if (problem.unread !== undefined) return isSameUnread(known.problem, problem);
  const places = problem.item ?? [problem.place];
  return places.every((place) => isSamePart(known.document, document, place));
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
  problem: InputProblem,
  document: Json,
  before: Json | undefined,
  isKnown: boolean,
): boolean {
  const { code, place } = problem;
  const what = unreadBy(code);
  if (what === null || !goneBefore.has(what) || before === undefined) return false;
  if (what === 'aside') return !isKnown && isToldOrSame(problem, document, before);
  const steps = tokensOf(place);
  const whole = what === 'rule' ? steps.slice(0, -1) : steps;
  return place.startsWith('$') && findByTokens(before, whole) === undefined;
}

/**
 * Where the parameter, the form or the API itself is only on one side, the comparison says so. Where it is referred to on
 * one side, it may say the same there.
 */
function isToldOrSame(
  { code, place }: InputProblem,
  document: Json,
  other: Json | undefined,
): boolean {
  if (unreadBy(code) !== 'aside' || other === undefined) return false;
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
  return new Map(files.map(({ name, document }) => [homeOf(name, arePaired), document]));
}

/** The names of two files that are compared with each other mean nothing. */
function homeOf(name: string, arePaired: boolean): string {
  return arePaired ? '' : name;
}

interface Placed {
  readonly problem: InputProblem;
  readonly document: Json;
  readonly home: string;
}

function placedProblems(
  files: readonly ReadFile[],
  arePaired: boolean,
  withAsides: boolean,
): ReadonlyMap<string, Placed> {
  const placed = files.flatMap((file) =>
    [...file.problems, ...(withAsides ? asidesOf(file) : [])].map((problem): Placed => {
      return { problem, document: file.document, home: homeOf(file.name, arePaired) };
    }),
  );
  const groups = Map.groupBy(placed, ({ problem, home }) => {
    const { code, message, unread } = problem;
    return JSON.stringify([home, code, unread === undefined ? problem.place : '', message]);
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
