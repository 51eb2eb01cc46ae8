// Finds places that have the same meaning. Two places are in one class if their labels and the
// classes of their targets are equal. If references are circular, two places are in one class if no
// walk can distinguish them.

import type { Place } from './place.types.ts';
import { type Edge, type Signature, signatureOf } from './signature.ts';

export interface PlaceClasses {
  /** The number of the class. The places may belong to several documents. */
  classOf(place: Place): number;
  /**
   * A text of everything that the place says: equal for all places of its class, and different for
   * all other places.
   */
  textOf(place: Place): string;
  /** The places that have been looked at. */
  seen(): Iterable<Place>;
}

interface ClassOptions {
  readonly withAnnotations: boolean;
  /** The annotations that count, by name: all of them by default. */
  readonly isTold?: IsTold;
  /** A name that represents the whole meaning of a place; null if the place has to be read. */
  readonly nameOf?: (place: Place) => string | null;
}

export type IsTold = (annotation: string) => boolean;

/** @example classifyPlaces({ withAnnotations: true }).classOf(place) */
export function classifyPlaces(options: ClassOptions): PlaceClasses {
  const { isTold } = options;
  const toldAt = ({ annotations }: Place): Place['annotations'] =>
    isTold === undefined ? annotations : new Map([...annotations].filter(([name]) => isTold(name)));
  const classes = new Map<Place, number>();
  const signatures = new Map<Place, Signature>();
  const interned = new Map<string, number>();
  /**
   * For each class, a number that puts sets in an order that does not depend on which place was met
   * first. Most schemas have no sets, so hashes are made on demand, in the order of the classes.
   */
  const hashes: number[] = [];
  const makeHash: (() => number)[] = [];
  const intern = (text: string, hash: () => number): number => {
    const known = interned.get(text);
    if (known !== undefined) return known;
    makeHash.push(hash);
    interned.set(text, makeHash.length - 1);
    return makeHash.length - 1;
  };
  const hashOfClass = (number: number): number => {
    for (let next = hashes.length; next <= number; next++) hashes.push(makeHash[next]?.() ?? 0);
    return hashes[number] ?? 0;
  };
  const signatureAt = (place: Place): Signature => {
    const known = signatures.get(place);
    if (known !== undefined) return known;
    const name = options.nameOf?.(place) ?? null;
    const made =
      name === null
        ? signatureOf(place, options.withAnnotations ? toldAt(place) : null)
        : { label: JSON.stringify(['named', name]), edges: [] };
    signatures.set(place, made);
    return made;
  };
  const counted = new Set<Place>();
  const isCounted: IsCounted = (place) => counted.has(place);
  const settle = (component: readonly Place[]): void => {
    const [only] = component;
    if (only === undefined) return;
    const holdsWords = (place: Place) =>
      toldAt(place).size > 0 ||
      signatureAt(place).edges.some((edge) => isEdgeCounted(edge, isCounted));
    if (options.withAnnotations && component.some(holdsWords)) {
      for (const place of component) counted.add(place);
    }
    const isLoop = (place: Place) =>
      signatureAt(place).edges.some((edge) => edge.targets.includes(place));
    const named = (place: Place) => `${classes.get(place)}`;
    if (component.length === 1 && !isLoop(only)) {
      const signature = signatureAt(only);
      const hashAt = (place: Place) => hashOfClass(classes.get(place) ?? 0);
      const hash = () => hashSignature(signature, hashAt, isCounted);
      classes.set(only, intern(signatureText(signature, named, isCounted), hash));
      return;
    }
    const colourOf = (place: Place) => {
      const number = classes.get(place);
      return number === undefined ? null : { name: `x${number}`, hash: hashOfClass(number) };
    };
    const colours = refine(component, signatureAt, colourOf, isCounted);
    // One text describes the whole circle, starting at the colour with the lowest hash. It names
    // every class of the circle.
    const members = [
      ...new Map(component.map((place) => [colours.get(place)?.name, place])).values(),
    ];
    const hashAt = (place: Place) =>
      colours.get(place)?.hash ?? hashOfClass(classes.get(place) ?? 0);
    const [first] = members.toSorted((a, b) => hashAt(a) - hashAt(b));
    if (first === undefined) return;
    const walked = walkText(
      first,
      signatureAt,
      hashAt,
      {
        nameOf: (place) => colours.get(place)?.name ?? named(place),
        knownName: (place) => (classes.has(place) ? named(place) : null),
      },
      isCounted,
    );
    const circle = intern(`circle ${walked.text}`, () => 0);
    for (const place of members) {
      const colour = colours.get(place)?.name ?? '';
      const position = walked.order.get(colour) ?? -1;
      const hash = hashAt(place);
      classes.set(
        place,
        intern(`${position} of circle ${circle}`, () => hash),
      );
    }
    const byColour = new Map(
      members.map((place) => [colours.get(place)?.name, classes.get(place)]),
    );
    for (const place of component) classes.set(place, byColour.get(colours.get(place)?.name) ?? -1);
    // A place outside the circle that is a copy of this one, unrolled once, has this text.
    for (const place of members) {
      const text = signatureText(signatureAt(place), named, isCounted);
      if (!interned.has(text)) interned.set(text, classes.get(place) ?? -1);
    }
  };

  const classOf = (place: Place): number => {
    if (!classes.has(place)) visitComponents(place, signatureAt, (at) => classes.has(at), settle);
    return classes.get(place) ?? -1;
  };
  return {
    classOf,
    textOf(place) {
      classOf(place);
      const hashAt = (at: Place) => hashOfClass(classOf(at));
      return walkText(
        place,
        signatureAt,
        hashAt,
        { nameOf: (at) => `${classOf(at)}`, knownName: () => null },
        isCounted,
      ).text;
    },
    seen: () => signatures.keys(),
  };
}

/** The text of a signature whose targets have these names. */
function signatureText(
  signature: Signature,
  nameOf: (place: Place) => string,
  isCounted: IsCounted,
): string {
  const { label, edges } = signature;
  const texts = edges.map((edge) => ({ edge, text: edgeText(edge, nameOf, isCounted) }));
  return `${label}${joinGroups(texts, isCounted).join('')}`;
}

/**
 * The order of the members of `anyOf` and `oneOf` is irrelevant. Repetitions are irrelevant for
 * `anyOf`, but not for `oneOf`. All other targets form a list.
 */
function edgeText(edge: Edge, nameOf: (place: Place) => string, isCounted: IsCounted): string {
  const nameAt = (target: Place | null) => (target === null ? '-' : nameOf(target));
  const isRepeatable = (target: Place | null) => target !== null && isCounted(target);
  const isAny = edge.tag === 'anyOf';
  const targets = isAny ? withoutRepeats(edge.targets, nameAt, isRepeatable) : edge.targets;
  const names = targets.map(nameAt);
  if (isAny) return `${edge.tag}(${names.sort().join()})`;
  if (edge.tag === 'oneOf') return `${edge.tag}(${names.sort().join()})`;
  return `${edge.tag}(${names.join()})`;
}

/**
 * Whether a place contains annotations. Repetitions of such a place count, because each may have
 * its own annotations.
 */
type IsCounted = (place: Place) => boolean;

function withoutRepeats<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  isCounted: (item: T) => boolean,
): readonly T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    return isCounted(item) || (!seen.has(key) && seen.add(key));
  });
}

function isEdgeCounted({ targets }: Edge, isCounted: IsCounted): boolean {
  return targets.some((target) => target !== null && isCounted(target));
}

function joinGroups(
  texts: readonly { readonly edge: Edge; readonly text: string }[],
  isCounted: IsCounted,
): string[] {
  const plain = texts.filter(({ edge }) => edge.group === null).map(({ text }) => text);
  if (plain.length === texts.length) return plain;
  const grouped = Map.groupBy(
    texts.filter(({ edge }) => edge.group !== null),
    ({ edge }) => edge.group,
  );
  const sets = [...grouped.values()].flatMap((members) =>
    withoutRepeats(
      members,
      ({ text }) => text,
      ({ edge }) => isEdgeCounted(edge, isCounted),
    )
      .map(({ text }) => text)
      .sort(),
  );
  return [...plain, ...sets];
}

interface Colour {
  readonly name: string;
  readonly hash: number;
}

/** Splits the places of a circle by their targets, until no split is left. */
function refine(
  component: readonly Place[],
  signatureAt: (place: Place) => Signature,
  settled: (place: Place) => Colour | null,
  isCounted: IsCounted,
): ReadonlyMap<Place, Colour> {
  let colours = new Map<Place, Colour>(component.map((place) => [place, { name: 'c', hash: 1 }]));
  let count = 1;
  for (;;) {
    const names = new Map<string, string>();
    const next = new Map<Place, Colour>();
    const colourOf = (place: Place) =>
      settled(place) ?? colours.get(place) ?? { name: '?', hash: 0 };
    for (const place of component) {
      const signature = signatureAt(place);
      const own = colours.get(place)?.name ?? '';
      const nameOf = (target: Place) => colourOf(target).name;
      const text = `${own} ${signatureText(signature, nameOf, isCounted)}`;
      const name = names.get(text) ?? `c${names.size}`;
      names.set(text, name);
      next.set(place, {
        name,
        hash: hashSignature(signature, (target) => colourOf(target).hash, isCounted),
      });
    }
    colours = next;
    if (names.size === count) return colours;
    count = names.size;
  }
}

/**
 * The places reached from one place, each class once, in an order that depends only on what they
 * say.
 */
function walkText(
  start: Place,
  signatureAt: (place: Place) => Signature,
  hashAt: (place: Place) => number,
  names: {
    readonly nameOf: (place: Place) => string;
    readonly knownName: (place: Place) => string | null;
  },
  isCounted: IsCounted,
): { readonly text: string; readonly order: ReadonlyMap<string, number> } {
  const { nameOf, knownName } = names;
  const order = new Map<string, number>([[nameOf(start), 0]]);
  const queue: Place[] = [start];
  const lines: string[] = [];
  const numberOf = (place: Place): string => {
    const known = knownName(place);
    if (known !== null) return `x${known}`;
    const name = nameOf(place);
    const position = order.get(name);
    if (position !== undefined) return `${position}`;
    order.set(name, order.size);
    queue.push(place);
    return `${order.size - 1}`;
  };
  for (let index = 0; index < queue.length; index++) {
    const place = queue[index];
    if (place === undefined) break;
    const { label, edges } = signatureAt(place);
    const ordered = inOrder(edges, hashAt, nameOf, isCounted);
    const texts = ordered.map(
      ({ tag, targets }) =>
        `${tag}(${targets.map((target) => (target === null ? '-' : numberOf(target))).join()})`,
    );
    lines.push(`${label}${texts.join('')}`);
  }
  return { text: lines.join('\n'), order };
}

/** Puts sets in the order of their hashes, without repetitions that do not count. */
function inOrder(
  edges: readonly Edge[],
  hashAt: (place: Place) => number,
  nameOf: (place: Place) => string,
  isCounted: IsCounted,
): readonly Edge[] {
  if (edges.every(isInPlace)) return edges;
  const ordered = edges.map((edge) => {
    if (!isSet(edge)) return edge;
    const present = edge.targets.filter((target) => target !== null);
    const unique = edge.tag === 'oneOf' ? present : withoutRepeats(present, nameOf, isCounted);
    return { ...edge, targets: unique.toSorted((a, b) => hashAt(a) - hashAt(b)) };
  });
  const plain = ordered.filter((edge) => edge.group === null);
  const grouped = Map.groupBy(
    ordered.filter((edge) => edge.group !== null),
    (edge) => edge.group,
  );
  const edgeHash = (edge: Edge) =>
    hashAll(
      edge.tag,
      edge.targets.map((target) => (target === null ? 7 : hashAt(target))),
    );
  const sets = [...grouped.values()].flatMap((members) => {
    const unique = withoutRepeats(
      members,
      (edge) => edgeText(edge, nameOf, isCounted),
      (edge) => isEdgeCounted(edge, isCounted),
    );
    return unique.toSorted((a, b) => edgeHash(a) - edgeHash(b));
  });
  return [...plain, ...sets];
}

function isSet({ tag }: Edge): boolean {
  return tag === 'anyOf' || tag === 'oneOf';
}

/** Whether an edge is neither a set nor a member of one. */
function isInPlace(edge: Edge): boolean {
  return edge.group === null && !isSet(edge);
}

function hashSignature(
  signature: Signature,
  hashAt: (place: Place) => number,
  isCounted: IsCounted,
): number {
  const edges = inOrder(signature.edges, hashAt, (place) => `${hashAt(place)}`, isCounted);
  const hashes = edges.map((edge) =>
    hashAll(
      edge.tag,
      edge.targets.map((target) => (target === null ? 7 : hashAt(target))),
    ),
  );
  return hashAll(signature.label, hashes);
}

/**
 * 52 bits are enough to put a set in order. Equal hashes are never taken as proof that two things
 * are equal.
 */
function hashAll(text: string, numbers: readonly number[]): number {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  const mix = (value: number) => {
    a = Math.imul(a ^ value, 0xcc9e2d51);
    a = (a << 13) | (a >>> 19);
    b = Math.imul(b ^ (value + a), 0x1b873593);
    b = (b << 15) | (b >>> 17);
  };
  for (let index = 0; index < text.length; index++) mix(text.charCodeAt(index));
  for (const number of numbers) {
    mix(number >>> 0);
    mix(Math.floor(number / 0x100000000));
  }
  return (a >>> 0) + (b & 0xfffff) * 0x100000000;
}

/**
 * Calls back with the circles of places reached from one place, each after the circles that it
 * leads to. This is Tarjan's algorithm with its own stack, because chains of references may have
 * any length.
 */
function visitComponents(
  start: Place,
  signatureAt: (place: Place) => Signature,
  isDone: (place: Place) => boolean,
  settle: (component: readonly Place[]) => void,
): void {
  const indexOf = new Map<Place, number>();
  const lowest = new Map<Place, number>();
  const open: Place[] = [];
  const isOpen = new Set<Place>();
  const frames: { readonly place: Place; readonly targets: Iterator<Place> }[] = [];
  const enter = (place: Place) => {
    indexOf.set(place, indexOf.size);
    lowest.set(place, indexOf.size - 1);
    open.push(place);
    isOpen.add(place);
    const targets = signatureAt(place).edges.flatMap((edge) =>
      edge.targets.filter((target) => target !== null),
    );
    frames.push({ place, targets: targets.values() });
  };
  const lower = (place: Place, value: number) =>
    lowest.set(place, Math.min(lowest.get(place) ?? value, value));
  enter(start);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const next = frame.targets.next();
    if (!next.done) {
      const target = next.value;
      if (isDone(target)) continue;
      const index = indexOf.get(target);
      if (index === undefined) enter(target);
      else if (isOpen.has(target)) lower(frame.place, index);
      continue;
    }
    frames.pop();
    const own = lowest.get(frame.place) ?? 0;
    const caller = frames.at(-1);
    if (caller !== undefined) lower(caller.place, own);
    if (own !== indexOf.get(frame.place)) continue;
    const component: Place[] = [];
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      isOpen.delete(place);
      component.push(place);
      if (place === frame.place) break;
    }
    settle(component);
  }
}
