// Unions member by member; what the finer types cannot express (`not`, `if`, dependencies, names,
// `contains`) is compared as a whole and left to the engine.

import type { Json } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { SchemaNode } from '../schema/schema.ts';
import { pathBelow } from './path.ts';
import type { Place, PlaceBook, Union } from './place.ts';
import { type Edge, emptyLabel, signatureOf } from './signature.ts';
import { everyType } from './type-set.ts';
import type { View } from './view.ts';
import { nodeOfPlace } from './view-keywords.ts';
import type { PlacePair, Walk } from './walk.types.ts';
import { candidate, demandOf } from './walk-scalars.ts';

export function compareLogic(walk: Walk, pair: PlacePair, old: View, next: View): void {
  const told = compareUnions(walk, pair, old, next);
  compareRest(walk, pair, old, next, told);
}

/**
 * A place that became a union of several schemas, or was one: told as members that came and went,
 * and true where it has been. The place itself is the member it is most like.
 */
export function compareAsUnion(walk: Walk, pair: PlacePair, old: View, next: View): boolean {
  const was = soleUnion(old);
  const is = soleUnion(next);
  if ((was === null) === (is === null)) return false;
  const single = was === null ? old : next;
  if (single.unions.length > 0 || single.types === everyType) return false;
  const kind = was?.kind ?? is?.kind ?? 'anyOf';
  compareMembers(
    walk,
    pair,
    was ?? { kind, members: [pair.old] },
    is ?? { kind, members: [pair.next] },
  );
  return true;
}

/** The union that a place consists of, where it consists of nothing else. */
function soleUnion(view: View): Union | null {
  const [union, ...others] = view.unions;
  if (union === undefined || others.length > 0 || view.types !== everyType) return null;
  const { label, edges } = signatureOf(view, false);
  return label === emptyLabel && edges.length === 1 ? union : null;
}

/** Whether the unions have been told, so that the rest need not. */
function compareUnions(walk: Walk, pair: PlacePair, old: View, next: View): boolean {
  if (old.unions.length === 0 && next.unions.length === 0) return true;
  const [before, after] = withoutShared(walk, old.unions, next.unions);
  if (before.length === 0 && after.length === 0) return true;
  if (before.length > 1 || after.length > 1) return false;
  const [was] = before;
  const [is] = after;
  if (was === undefined || is === undefined) return false;
  if (was.kind !== is.kind && was.members.length > 1 && is.members.length > 1) return false;
  compareMembers(walk, pair, was, is);
  return true;
}

function withoutShared(
  walk: Walk,
  old: readonly Union[],
  next: readonly Union[],
): readonly [readonly Union[], readonly Union[]] {
  const nameOf = (union: Union) =>
    `${union.kind} ${union.members
      .map((member) => walk.classes.classOf(member))
      .sort()
      .join()}`;
  const before = new Set(old.map(nameOf));
  const after = new Set(next.map(nameOf));
  return [
    old.filter((union) => !after.has(nameOf(union))),
    next.filter((union) => !before.has(nameOf(union))),
  ];
}

function compareMembers(walk: Walk, pair: PlacePair, old: Union, next: Union): void {
  const before = new Map(old.members.map((member) => [walk.classes.classOf(member), member]));
  const after = new Map(next.members.map((member) => [walk.classes.classOf(member), member]));
  const gone = [...before].filter(([name]) => !after.has(name)).map(([, member]) => member);
  const come = [...after].filter(([name]) => !before.has(name)).map(([, member]) => member);
  for (const [was, is] of matchMembers(gone, come)) {
    walk.goOn(pair, was, is, memberSteps(is) ?? memberSteps(was) ?? [], { kind: 'branch' });
  }
  const union = (book: PlaceBook, { kind, members }: Union) =>
    demandOf(book, { [kind]: members.map((member) => nodeOfPlace(book, member)) });
  for (const member of gone) {
    walk.found.push(
      candidate(pair, {
        type: 'union_member_removed',
        path: pathBelow(pair.path, memberSteps(member) ?? []),
        says: `${memberName(member)} is no longer one of the choices`,
        newDemand: union(walk.nextBook, next),
        oldFocus: nodeOfPlace(walk.oldBook, member),
      }),
    );
  }
  for (const member of come) {
    walk.found.push(
      candidate(pair, {
        type: 'union_member_added',
        path: pathBelow(pair.path, memberSteps(member) ?? []),
        says: `${memberName(member)} is one of the choices now`,
        // A value in two members of a oneOf is in none.
        newDemand: next.kind === 'oneOf' ? union(walk.nextBook, next) : null,
        oldDemand: union(walk.oldBook, old),
        newFocus: nodeOfPlace(walk.nextBook, member),
      }),
    );
  }
}

/**
 * Pairs members that are one member changed: by their reference, by a constant that tells them
 * apart, or because only one is left on each side. Takes the pairs out of both lists.
 */
function matchMembers(gone: Place[], come: Place[]): readonly (readonly [Place, Place])[] {
  const pairs: (readonly [Place, Place])[] = [];
  const take = (was: Place, is: Place) => {
    gone.splice(gone.indexOf(was), 1);
    come.splice(come.indexOf(is), 1);
    pairs.push([was, is]);
  };
  for (const nameOf of [referenceName, titleName, constantName]) {
    const byName = Map.groupBy(come, nameOf);
    for (const was of [...gone]) {
      const name = nameOf(was);
      const [is, ...others] = name === null ? [] : (byName.get(name) ?? []);
      if (is !== undefined && others.length === 0 && come.includes(is)) take(was, is);
    }
  }
  const [was] = gone;
  const [is] = come;
  if (was !== undefined && is !== undefined && gone.length === 1 && come.length === 1) {
    if ((was.view.types & is.view.types) !== 0) take(was, is);
  }
  return pairs;
}

function referenceName(place: Place): string | null {
  return textMember(place, '$ref');
}

function titleName(place: Place): string | null {
  return textMember(place, 'title');
}

function textMember(place: Place, name: string): string | null {
  const raw = place.nodes[0]?.raw;
  const value = raw !== undefined && isJsonObject(raw) ? raw[name] : undefined;
  return typeof value === 'string' ? value : null;
}

/** The properties that hold one constant each: what a discriminator looks at. */
function constantName(place: Place): string | null {
  const constants = place.view.objects.flatMap((regions) =>
    [...regions.properties].flatMap(([key, child]) =>
      child.view.values?.size === 1 ? [`${key}=${[...child.view.values.keys()].join()}`] : [],
    ),
  );
  return constants.length === 0 ? null : constants.sort().join();
}

/** How a member was written below its place: a union may stand inside a union. */
function memberSteps(place: Place): readonly (string | number)[] | null {
  let steps: readonly (string | number)[] = [];
  for (let node = place.nodes[0]; node !== undefined && isMemberNode(node); node = node.parent) {
    steps = [...node.steps, ...steps];
  }
  return steps.length === 0 ? null : steps;
}

function isMemberNode(node: SchemaNode): boolean {
  return node.steps[0] === 'anyOf' || node.steps[0] === 'oneOf';
}

function memberName(place: Place): string {
  const title = titleName(place);
  if (title !== null) return title;
  const reference = referenceName(place);
  return reference?.split('/').at(-1) ?? 'a schema';
}

/** Everything else that two places say about one value, compared as a whole. */
function compareRest(
  walk: Walk,
  pair: PlacePair,
  old: View,
  next: View,
  unionsAreTold: boolean,
): void {
  const before = restText(walk, old, unionsAreTold);
  const after = restText(walk, next, unionsAreTold);
  if (before === after) return;
  const names = [...new Set([...restNames(old, unionsAreTold), ...restNames(next, unionsAreTold)])];
  walk.found.push(
    candidate(pair, {
      type: 'schema_changed',
      says: `${names.sort().join(' and ')} changed`,
      newDemand: nodeOfPlace(walk.nextBook, pair.next),
      oldDemand: nodeOfPlace(walk.oldBook, pair.old),
    }),
  );
}

const restTags = new Set([
  ...['contains', 'unevaluatedItems', 'propertyNames', 'dependent'],
  ...['not', 'if', 'dynamic'],
]);

function restEdges(view: View, unionsAreTold: boolean): readonly Edge[] {
  return signatureOf(view, false).edges.filter(({ tag }) => {
    const [word = ''] = tag.split(' ');
    return restTags.has(word) || (!unionsAreTold && (word === 'anyOf' || word === 'oneOf'));
  });
}

function restText(walk: Walk, view: View, unionsAreTold: boolean): string {
  const edges = restEdges(view, unionsAreTold).map(({ tag, targets }) => {
    const names = targets.map((target) => (target === null ? '-' : walk.classes.classOf(target)));
    const isSet = tag === 'anyOf' || tag === 'oneOf';
    return `${tag}(${(isSet ? names.sort() : names).join()})`;
  });
  const required = [...view.dependentRequired].map(
    ([key, names]) => `${JSON.stringify(key)} ${JSON.stringify([...names].sort())}`,
  );
  const problems = view.problems.map(
    ({ code, keyword, uri, message }): Json => [code, keyword, uri ?? message],
  );
  return `${edges.sort().join()};${required.sort().join()};${JSON.stringify(problems)}`;
}

function restNames(view: View, unionsAreTold: boolean): readonly string[] {
  return [
    ...restEdges(view, unionsAreTold).map(({ tag }) => tag.split(' ')[0] ?? tag),
    ...(view.dependentRequired.size > 0 ? ['dependentRequired'] : []),
    ...view.problems.map(({ keyword }) => keyword),
  ].map((name) => (name === 'dependent' ? 'dependentSchemas' : name));
}
