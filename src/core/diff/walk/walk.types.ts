import type { ChangeType } from '../../comparison.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import type { Path } from '../places/path.ts';
import type { Place, PlaceBook } from '../places/place.types.ts';
import type { PlaceClasses } from '../places/place-classes.ts';

/** Two places that stand for the same spot of a value, one in each schema. */
export interface PlacePair {
  readonly old: Place;
  readonly next: Place;
  readonly path: Path;
  /** How the pair was reached; null at the root. */
  readonly from: Reached | null;
}

export interface Reached {
  readonly parent: PlacePair;
  readonly step: ValueStep;
}

/** A step from a value to a part of it. */
export type ValueStep =
  | { readonly kind: 'key'; readonly key: string }
  /** A key that no name covers; with the pattern it has to match, if any. */
  | {
      readonly kind: 'other_key';
      readonly pattern: string | null;
      readonly known: ReadonlySet<string>;
    }
  | { readonly kind: 'index'; readonly index: number }
  /** The same value, seen by one branch of a union. */
  | { readonly kind: 'branch' };

/** A difference between two places. Which way it breaks, if any, is judged later. */
export interface Candidate {
  readonly type: ChangeType;
  readonly pair: PlacePair;
  readonly path: Path;
  /** What a person reads, without the example. */
  readonly says: string;
  readonly old?: Json | undefined;
  readonly new?: Json | undefined;
  readonly warning?: string;
  /** What new asks and old did not: a node of the new document, or null where it asks no more. */
  readonly newDemand: SchemaNode | null;
  /** What old asked and new does not. */
  readonly oldDemand: SchemaNode | null;
  /** The values the demand is about, where it is not all of the place: a branch, a key. */
  readonly oldFocus?: SchemaNode;
  readonly newFocus?: SchemaNode;
  /** It may say nothing new in other words, which the engine can tell. */
  readonly mayBeVacuous: boolean;
  readonly kind: 'schema' | 'default' | 'annotation';
  /** The candidate as the walk found it, where it was made finer since. */
  readonly origin?: Candidate;
  /** For a property that was added or removed: its name. */
  readonly key?: string;
}

/** What the walk has said of annotations. */
export interface Annotated {
  /** The pairs of places whose annotations were compared. */
  readonly compared: PlacePair[];
  readonly told: { readonly pair: PlacePair; readonly name: string }[];
  /** The same change at the same path is told once. */
  readonly said: Set<string>;
}

/** What the comparison of one pair needs, and where it puts what it finds. */
export interface Walk {
  readonly oldBook: PlaceBook;
  readonly nextBook: PlaceBook;
  /** Classes by meaning alone. They look at everything that a place leads to: ask them last. */
  readonly classes: PlaceClasses;
  /**
   * Classes by meaning, but for references, which are taken by their names: what belongs together.
   * Whether it is the same is for the walk to find out.
   */
  readonly likeness: PlaceClasses;
  /** Whether nothing fits a place, however that is said. */
  readonly isNever: (place: Place) => boolean;
  /** Whether a branch of the place, a condition or a dependency declares a key. */
  readonly isDeclaredInBranch: (place: Place, key: string) => boolean;
  readonly found: Candidate[];
  readonly annotated: Annotated;
  /** Whether these nodes were written alike: then there is nothing to see. */
  readonly isAlike: (old: readonly SchemaNode[], next: readonly SchemaNode[]) => boolean;
  /** Goes on with a pair of parts: `steps` is how its schema is reached, `step` how its value. */
  readonly goOn: (
    pair: PlacePair,
    old: Place | null,
    next: Place | null,
    steps: readonly (string | number)[],
    step: ValueStep,
  ) => void;
}
