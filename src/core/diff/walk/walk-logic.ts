// Compares unions member by member. What the finer types of changes cannot express is compared as a
// whole (walk-rest.ts).

import type { SchemaNode } from '../../schema/schema.ts';
import { pathBelow } from '../places/path.ts';
import type { Place, PlaceBook, Union, View } from '../places/place.types.ts';
import { schemaText } from '../places/schema-text.ts';
import { saysUnionsOnly } from '../places/signature.ts';
import { everyType, typeNamesOf } from '../places/type-set.ts';
import { nodeOfPlace } from '../places/view-keywords.ts';
import { matchMembers, withoutRepeated } from './match-members.ts';
import type { PlacePair, Walk } from './walk.types.ts';
import { compareRest } from './walk-rest.ts';
import { candidate, demandOf } from './walk-scalars.ts';

export function compareLogic(walk: Walk, pair: PlacePair, old: View, next: View): void {
  const told = compareUnions(walk, pair, old, next);
  compareRest(walk, pair, old, next, told);
}

/**
 * Compares a place that is a union on one side only, and returns whether it did. Members are
 * reported as added or removed; the place that is not a union counts as the member that is most
 * like it.
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
    was ?? { kind, members: byType(walk.oldBook, pair.old) },
    is ?? { kind, members: byType(walk.nextBook, pair.next) },
  );
  return true;
}

/**
 * Splits a place of several types into one member for each type, because these may have become
 * separate members.
 */
function byType(book: PlaceBook, place: Place): readonly Place[] {
  const names = typeNamesOf(place.view.types);
  if (names.length < 2) return [place];
  return names.map((name) => book.placeOf([...place.nodes, demandOf(book, { types: [name] })]));
}

/** The union that a place consists of; null if it has anything else. */
function soleUnion(view: View): Union | null {
  const [union, ...others] = view.unions;
  if (union === undefined || others.length > 0 || view.types !== everyType) return null;
  return saysUnionsOnly(view) ? union : null;
}

/** Returns whether the unions were compared here; otherwise compareRest does it. */
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

/**
 * A single union on each side is compared member by member. Of several unions, only those that
 * differ are.
 */
function withoutShared(
  walk: Walk,
  old: readonly Union[],
  next: readonly Union[],
): readonly [readonly Union[], readonly Union[]] {
  if (old.length === 1 && next.length === 1) return [old, next];
  const before = old.filter((was) => !next.some((is) => isWrittenAlike(walk, was, is)));
  const after = next.filter((is) => !old.some((was) => isWrittenAlike(walk, was, is)));
  const nameOf = ({ kind, members }: Union) =>
    `${kind} ${members
      .map((member) => walk.classes.classOf(member))
      .sort()
      .join()}`;
  const known = new Set(before.map(nameOf));
  const names = new Set(after.map(nameOf));
  return [
    before.filter((union) => !names.has(nameOf(union))),
    after.filter((union) => !known.has(nameOf(union))),
  ];
}

function isWrittenAlike(walk: Walk, old: Union, next: Union): boolean {
  if (old.kind !== next.kind || old.members.length !== next.members.length) return false;
  return old.members.every((member, index) =>
    walk.isAlike(member.nodes, next.members[index]?.nodes ?? []),
  );
}

function compareMembers(walk: Walk, pair: PlacePair, old: Union, next: Union): void {
  const matched = matchMembers(walk.likeness, old.members, next.members);
  for (const [was, is] of matched.pairs) {
    walk.goOn(was, is, memberSteps(is) ?? memberSteps(was) ?? [], { kind: 'branch' });
  }
  // A repeated member has no effect.
  const gone = withoutRepeated(walk.likeness, matched.gone, next.members);
  const come = withoutRepeated(walk.likeness, matched.come, old.members);
  const union = (book: PlaceBook, { kind, members }: Union) =>
    demandOf(book, { [kind]: members.map((member) => nodeOfPlace(book, member)) });
  for (const member of gone) {
    const others = gone.filter((other) => other !== member);
    const isShared = old.kind === 'anyOf' && others.length > 0;
    const focus = nodeOfPlace(walk.oldBook, member);
    const elsewhere = isShared ? union(walk.oldBook, { kind: 'anyOf', members: others }) : null;
    const nowhereElse = elsewhere === null ? null : demandOf(walk.oldBook, { not: elsewhere });
    walk.found.push(
      candidate(pair, {
        ...(nowhereElse && { ownFocus: demandOf(walk.oldBook, { allOf: [focus, nowhereElse] }) }),
        type: 'union_member_removed',
        path: pathBelow(pair.path, memberSteps(member) ?? []),
        says: `${schemaText(member)} is no longer one of the branches`,
        newDemand: union(walk.nextBook, next),
        oldFocus: focus,
        // A value that fitted two members of a `oneOf` may fit only one now.
        oldDemand: old.kind === 'oneOf' ? union(walk.oldBook, old) : null,
        newFocus: nodeOfPlace(walk.oldBook, member),
      }),
    );
  }
  for (const member of come) {
    walk.found.push(
      candidate(pair, {
        type: 'union_member_added',
        path: pathBelow(pair.path, memberSteps(member) ?? []),
        says: `${schemaText(member)} is a new branch`,
        // A value that fits two members of a `oneOf` is refused.
        newDemand: next.kind === 'oneOf' ? union(walk.nextBook, next) : null,
        oldFocus: nodeOfPlace(walk.nextBook, member),
        oldDemand: union(walk.oldBook, old),
        newFocus: nodeOfPlace(walk.nextBook, member),
      }),
    );
  }
}

/** The steps from the place to a member. There may be several, because unions may be nested. */
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
