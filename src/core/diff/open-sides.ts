// Two versions of a contract, opened for questions: the session of the engine, and the places of both.

import type { ContractTerms } from '../comparison.ts';
import { type OpenComparison, openComparison } from '../containment/contains.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import type { SchemaDocument } from '../schema/schema.ts';
import { type Emptiness, openEmptiness } from './places/emptiness.ts';
import { openPlaces } from './places/place.ts';
import type { PlaceBook } from './places/place.types.ts';

export interface OpenSides {
  readonly session: OpenComparison;
  readonly oldBook: PlaceBook;
  readonly nextBook: PlaceBook;
  readonly emptiness: { readonly old: Emptiness; readonly next: Emptiness };
  /** A name that neither side uses. */
  readonly freeName: () => string;
}

export function openSides(
  old: Pick<ContractTerms, 'schema' | 'dialect'>,
  next: Pick<ContractTerms, 'schema' | 'dialect'>,
  { stepBudget }: { readonly stepBudget?: number },
): OpenSides {
  const session = openComparison(old.schema, next.schema, {
    ...(old.dialect !== undefined && { dialect: old.dialect }),
    ...(stepBudget !== undefined && { stepBudget }),
  });
  // A contract may move to another dialect, and the session has parsed both schemas in the old one.
  const isReadAlike = old.dialect === next.dialect;
  const nextDocument = isReadAlike ? session.next : parseSchema(next.schema, next.dialect);
  return sidesOf(session, nextDocument);
}

/** The sides of a session whose documents are parsed. */
export function sidesOf(session: OpenComparison, nextDocument: SchemaDocument): OpenSides {
  const oldBook = openPlaces(session.old, 'old');
  const nextBook = openPlaces(nextDocument, 'new');
  const emptiness = {
    old: openEmptiness(session, oldBook),
    next: openEmptiness(session, nextBook),
  };
  const unused = () => {
    const texts = [session.old, nextDocument].map(({ json }) => JSON.stringify(json));
    return freeName((name) => texts.some((text) => text.includes(JSON.stringify(name))));
  };
  return { session, oldBook, nextBook, emptiness, freeName: unused };
}

export function freeName(isUsed: (name: string) => boolean): string {
  let name = 'other';
  while (isUsed(name)) name = `another${name}`;
  return name;
}
