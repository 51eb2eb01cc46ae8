// What a query reads from: relations, and queries whose columns lead to other relations.

/** What is known of the columns of a relation, in lower case. */
export interface KnownColumns {
  readonly names: ReadonlySet<string>;
  /** Otherwise it may have others. */
  readonly isComplete: boolean;
}

export interface Relation {
  readonly kind: 'relation';
  /** Database, schema and name, or as much of it as the query says. */
  readonly name: readonly string[];
  readonly known: KnownColumns | null;
  /** The columns that are read, as they are written, by their name in lower case. */
  readonly columns: Map<string, string>;
  /** Why everything is read; null if it is not. */
  everything: string | null;
}

/** The result of a query. */
export interface Derived {
  readonly kind: 'derived';
  /** The columns that have a name in it, in lower case. They are read where they are named. */
  readonly names: ReadonlySet<string>;
  /** Each `*` of it: all columns of a source, apart from some. */
  readonly stars: readonly Star[];
  /** It has columns whose names are not known. */
  readonly isOpen: boolean;
}

interface Star {
  readonly of: Shape;
  readonly hides: ReadonlySet<string>;
}

export type Shape = Relation | Derived;

/** A source by the name that it has in one query. */
export interface Source {
  /** In lower case; null if nothing names it. */
  readonly name: string | null;
  /** The names that qualify it, such as `shop`, `public`, `orders`, in lower case. */
  readonly path: readonly string[];
  readonly shape: Shape;
}

export interface Scope {
  readonly sources: Source[];
  /** The names of the select list, which other parts of the query may use, in lower case. */
  readonly aliases: Set<string>;
  readonly parent: Scope | null;
}

/** The result of a function or of data in the query: its columns come from no relation. */
export const openShape: Derived = { kind: 'derived', names: new Set(), stars: [], isOpen: true };

export function starOf(shape: Shape, hides: ReadonlySet<string> = new Set()): Star {
  return { of: shape, hides };
}

type Knowledge = 'has' | 'may' | 'lacks';
const order: readonly Knowledge[] = ['lacks', 'may', 'has'];

function better(a: Knowledge, b: Knowledge): Knowledge {
  return order.indexOf(a) > order.indexOf(b) ? a : b;
}

/** Whether a source has a column of this name. Sources may contain each other many times over. */
export function knows(
  shape: Shape,
  name: string,
  seen: Map<Shape, Knowledge> = new Map(),
): Knowledge {
  if (shape.kind === 'relation') {
    if (shape.known?.names.has(name) === true) return 'has';
    return shape.known?.isComplete === true ? 'lacks' : 'may';
  }
  if (shape.names.has(name)) return 'has';
  const before = seen.get(shape);
  if (before !== undefined) return before;
  let best: Knowledge = shape.isOpen ? 'may' : 'lacks';
  for (const { of, hides } of shape.stars) {
    if (!hides.has(name)) best = better(best, knows(of, name, seen));
  }
  seen.set(shape, best);
  return best;
}

/**
 * Notes that a column is read, in each relation that it may come from. A database that has the
 * column twice in the result of a query may take either, so a name does not hide a `*`.
 */
export function readColumn(
  shape: Shape,
  column: string,
  options: { readonly namesHide: boolean },
): void {
  const name = column.toLowerCase();
  const [seen, known] = [new Set<Shape>(), new Map<Shape, Knowledge>()];
  const read = (at: Shape): void => {
    if (seen.has(at)) return;
    seen.add(at);
    if (at.kind === 'relation') {
      if (!at.columns.has(name)) at.columns.set(name, column);
      return;
    }
    if (at.names.has(name) && options.namesHide) return;
    const stars = at.stars.filter(({ hides }) => !hides.has(name));
    const best = stars.map(({ of }) => knows(of, name, known)).reduce(better, 'lacks');
    for (const { of } of stars) if (knows(of, name, known) === best) read(of);
  };
  read(shape);
}

export function readEverything(shape: Shape, why: string): void {
  const seen = new Set<Shape>();
  const read = (at: Shape): void => {
    if (seen.has(at)) return;
    seen.add(at);
    if (at.kind === 'relation') at.everything ??= why;
    else for (const { of } of at.stars) read(of);
  };
  read(shape);
}

/** The relations that a source leads to by `*`. */
export function relationsOf(shape: Shape): ReadonlySet<Relation> {
  const [seen, found] = [new Set<Shape>(), new Set<Relation>()];
  const visit = (at: Shape): void => {
    if (seen.has(at)) return;
    seen.add(at);
    if (at.kind === 'relation') found.add(at);
    else for (const { of } of at.stars) visit(of);
  };
  visit(shape);
  return found;
}
