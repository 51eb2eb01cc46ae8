import type { ChangeType } from '../../comparison.ts';
import type { SchemaNode } from '../../schema/schema.ts';
import type { Json } from '../../value/json.ts';
import type { Path } from '../places/path.ts';
import type { Place, PlaceBook } from '../places/place.types.ts';
import type { PlaceClasses } from '../places/place-classes.ts';

/** Two places for the same spot of a value, one in each schema. */
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

/** A step from a value to one of its parts. */
export type ValueStep =
  | { readonly kind: 'key'; readonly key: string }
  /** A key that no name covers. It has to match the pattern, if there is one. */
  | {
      readonly kind: 'other_key';
      readonly pattern: string | null;
      readonly known: ReadonlySet<string>;
    }
  | { readonly kind: 'index'; readonly index: number }
  /** The same value, as one branch of a union describes it. */
  | { readonly kind: 'branch' };

/** What is known about a pair of places, by whatever path it was reached: see met-pairs.ts. */
export interface Met {
  readonly old: Place;
  readonly next: Place;
  /** The same for pairs that mean the same. */
  readonly key: string;
  readonly isAnnotated: boolean;
  /** What to compare below, if nothing differs but there; null if something does, or if that is not known yet. */
  quiet: readonly Below[] | null;
}

/** A pair of parts. `steps` leads to its schema, and `step` to its value. */
export interface Below {
  readonly old: Place;
  readonly next: Place;
  readonly steps: readonly (string | number)[];
  readonly step: ValueStep;
}

/** A difference between two places. Whether and in which direction it breaks is decided later. */
export interface Candidate {
  readonly type: ChangeType;
  readonly pair: PlacePair;
  readonly path: Path;
  /** The description for people, without the example. */
  readonly says: string;
  readonly old?: Json | undefined;
  readonly new?: Json | undefined;
  readonly warning?: string;
  /**
   * What the new schema demands and the old one did not: a node of the new document, or null if it
   * demands nothing more.
   */
  readonly newDemand: SchemaNode | null;
  /** What the old schema demanded and the new one does not. */
  readonly oldDemand: SchemaNode | null;
  /**
   * The values that the demand concerns, if not all values of the place: those of a branch, or with
   * a key.
   */
  readonly oldFocus?: SchemaNode;
  readonly newFocus?: SchemaNode;
  /** Of a branch that is gone: its values that no other branch accepted that is gone as well. */
  readonly ownFocus?: SchemaNode;
  /** The demand may have been made before in other words. The engine can tell. */
  readonly mayBeVacuous: boolean;
  readonly kind: 'schema' | 'default' | 'annotation';
  /** It breaks whatever values say: readers rely on these words to choose how they read a value. */
  readonly isPromise?: true;
  /** The candidate as the walk found it, if it was refined later. */
  readonly origin?: Candidate;
  /** The name of the property that was added or removed, or whose `required` was. */
  readonly key?: string;
}

/** What the walk has reported about annotations. */
export interface Annotated {
  /** The pairs of places whose annotations were compared. */
  readonly compared: Set<Met>;
  readonly told: { readonly pair: PlacePair; readonly name: string }[];
  /** Used to report the same change at the same path only once. */
  readonly said: Set<string>;
}

/** What the comparison of one pair needs, and where it puts the results. */
export interface Walk {
  readonly oldBook: PlaceBook;
  readonly nextBook: PlaceBook;
  /** Classes by meaning alone. They read everything that a place leads to, so use them last. */
  readonly classes: PlaceClasses;
  /**
   * Classes by meaning, but a reference counts by its name: they show which places belong together.
   * The walk finds out whether these are the same.
   */
  readonly likeness: PlaceClasses;
  /** Whether no value fits a place, in whatever words that is expressed. */
  readonly isNever: (place: Place) => boolean;
  /** Whether a branch, a condition or a dependency of the place declares a key. */
  readonly isDeclaredInBranch: (place: Place, key: string) => boolean;
  readonly found: Candidate[];
  readonly annotated: Annotated;
  /** Whether these nodes were written alike, so that there is nothing to compare. */
  readonly isAlike: (old: readonly SchemaNode[], next: readonly SchemaNode[]) => boolean;
  /** Continues with a pair of parts. `steps` leads to its schema, and `step` to its value. */
  readonly goOn: (
    old: Place | null,
    next: Place | null,
    steps: readonly (string | number)[],
    step: ValueStep,
  ) => void;
}
