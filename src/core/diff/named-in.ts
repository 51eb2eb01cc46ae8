import type { Keywords, SchemaNode } from '../schema/schema.ts';
import type { PlaceBook } from './places/place.types.ts';
import { nodeOfPlace } from './places/view-keywords.ts';

/** The properties that a schema names and demands, with references and `allOf` followed. It may say more. */
export function namedIn(
  book: PlaceBook,
  node: SchemaNode,
): Required<Pick<Keywords, 'properties' | 'required'>> {
  const { objects, required } = book.placeOf([node]).view;
  const named = objects.flatMap(({ properties }) => [...properties]);
  return {
    properties: new Map(named.map(([name, place]) => [name, nodeOfPlace(book, place)])),
    required: [...required],
  };
}
