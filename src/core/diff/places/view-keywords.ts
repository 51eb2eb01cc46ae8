import { asksForWrittenIntegers } from '../../schema/keywords.ts';
import type { JsonNumber, Keywords, SchemaNode } from '../../schema/schema.ts';
import { jsonOfRational } from '../../value/rational.ts';
import type { Bound, Place, PlaceBook, View } from './place.types.ts';
import { everyType, numberTypes, typeBit, typeNamesOf } from './type-set.ts';
import { isPlain } from './view.ts';

/** Returns a view as the keywords of one schema object, or null if one cannot express it. */
export function keywordsOfView(book: PlaceBook, view: View): Keywords | null {
  if (!isPlain(view) || view.isNever || view.objects.length > 1) return null;
  const single = [view.contains, view.propertyNames, view.unevaluatedItems];
  if ([...single, view.unevaluatedProperties].some((list) => list.length > 1)) return null;
  const asksForWritten = asksForWrittenIntegers(book.document.dialect);
  const isInteger = (view.types & numberTypes) === typeBit.integer;
  if (view.asksForWrittenIntegers && !asksForWritten) return null;
  // If the dialect distinguishes 1.0 from 1, `multipleOf: 1` does not mean `integer`. A list of
  // values implies its types.
  const hidesTypes = isInteger && asksForWritten && !view.asksForWrittenIntegers;
  if (hidesTypes && view.values === null) return null;
  return {
    ...(hidesTypes || view.types === everyType ? {} : { types: typeNamesOf(view.types) }),
    ...(view.values === null ? {} : { enum: [...view.values.values()] }),
    ...boundKeywords('minimum', view.minimum),
    ...boundKeywords('maximum', view.maximum),
    ...counts(view),
    ...together(book, view),
    ...arrayKeywords(book, view),
    ...objectKeywords(book, view),
  };
}

export function nodeOfPlace(book: PlaceBook, place: Place): SchemaNode {
  const [only] = place.nodes;
  if (only !== undefined && place.nodes.length === 1) return only;
  return madeOnce(book, `all ${place.id}`, () =>
    book.madeNode(book.document.root, { allOf: place.nodes }),
  );
}

/** Returns the node with this name, which is made on first use. */
export function madeOnce(book: PlaceBook, name: string, make: () => SchemaNode): SchemaNode {
  const known = book.madeOf.get(name);
  if (known !== undefined) return known;
  const made = make();
  book.madeOf.set(name, made);
  return made;
}

function boundKeywords(side: 'minimum' | 'maximum', bound: Bound | null): Keywords {
  const value: JsonNumber | null = bound === null ? null : jsonOfRational(bound.value);
  if (bound === null || value === null) return {};
  if (!bound.isExclusive) return { [side]: value };
  return side === 'minimum' ? { exclusiveMinimum: value } : { exclusiveMaximum: value };
}

const countKeywords = [
  ...(['minLength', 'maxLength', 'minItems', 'maxItems'] as const),
  ...(['minProperties', 'maxProperties'] as const),
];

function counts(view: View): Keywords {
  const said = countKeywords.filter(
    (keyword) => view[keyword] > 0 && Number.isFinite(view[keyword]),
  );
  // A maximum of zero has an effect, a minimum of zero has none.
  const zeros = countKeywords.filter((keyword) => keyword.startsWith('max') && view[keyword] === 0);
  return Object.fromEntries([...said, ...zeros].map((keyword) => [keyword, view[keyword]]));
}

/** Constraints that may occur several times. Each is a schema of an `allOf`. */
function together(book: PlaceBook, view: View): Keywords {
  const all: Keywords[] = [
    ...[...view.multiples.values()].map((multipleOf) => ({ multipleOf })),
    ...view.wideBounds.values(),
    ...view.patterns.map((pattern) => ({ pattern })),
    ...view.formats.map((format) => ({ format })),
  ];
  if (all.length === 0) return {};
  return { allOf: all.map((keywords) => book.madeNode(book.document.root, keywords)) };
}

function arrayKeywords(book: PlaceBook, view: View): Keywords {
  const { items } = view;
  const [contains] = view.contains;
  const [unevaluated] = view.unevaluatedItems;
  const prefix = items?.prefix ?? [];
  const rest = items?.rest ?? null;
  return {
    ...(prefix.length === 0 ? {} : { prefixItems: prefix.map((each) => nodeOfPlace(book, each)) }),
    ...(rest === null ? {} : { items: nodeOfPlace(book, rest) }),
    ...(view.isUnique ? { uniqueItems: true } : {}),
    ...(unevaluated === undefined ? {} : { unevaluatedItems: nodeOfPlace(book, unevaluated) }),
    ...(contains === undefined
      ? {}
      : {
          contains: {
            schema: nodeOfPlace(book, contains.place),
            min: contains.min,
            ...(Number.isFinite(contains.max) ? { max: contains.max } : {}),
            evaluates: contains.evaluates,
          },
        }),
  };
}

function objectKeywords(book: PlaceBook, view: View): Keywords {
  const [regions] = view.objects;
  const [names] = view.propertyNames;
  const [unevaluated] = view.unevaluatedProperties;
  const nodes = (places: Iterable<readonly [string, Place]>) =>
    new Map(Array.from(places, ([key, place]) => [key, nodeOfPlace(book, place)]));
  const additional = regions?.additional ?? (regions?.isOpen ? book.anything : null);
  return {
    ...(regions?.isDeclaring ? { properties: nodes(regions.properties) } : {}),
    ...(regions && regions.patterns.size > 0 ? { patternProperties: nodes(regions.patterns) } : {}),
    ...(additional === null ? {} : { additionalProperties: nodeOfPlace(book, additional) }),
    ...(view.required.size === 0 ? {} : { required: [...view.required] }),
    ...(names === undefined ? {} : { propertyNames: nodeOfPlace(book, names) }),
    ...(unevaluated === undefined ? {} : { unevaluatedProperties: nodeOfPlace(book, unevaluated) }),
    ...(view.dependentSchemas.size === 0 ? {} : { dependentSchemas: nodes(view.dependentSchemas) }),
    ...(view.dependentRequired.size === 0
      ? {}
      : {
          dependentRequired: new Map(
            Array.from(view.dependentRequired, ([key, demanded]) => [key, [...demanded]]),
          ),
        }),
  };
}
