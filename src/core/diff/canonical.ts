// One text for all the spellings of a schema, annotations included: what a digest is made of. The
// digest itself is made at the rim, where there is a hash function.

import type { Dialect } from '../containment/containment.types.ts';
import { isSameGuarantees } from '../guarantees.ts';
import type { Json } from '../json.ts';
import { parseSchema } from '../schema/parse-schema.ts';
import { isSameJson } from './canonical-json.ts';
import type { ContractTerms } from './diff.types.ts';
import { openPlaces } from './place.ts';
import { classifyPlaces } from './place-classes.ts';

/**
 * The normal form of a schema as a text: the same for every spelling of the same schema, and for no
 * other. It is stable for as long as `canonicalFormVersion` stands.
 *
 * @example canonicalText({ type: ['string'] }) === canonicalText({ type: 'string' }) // true
 */
export function canonicalText(schema: Json, dialect?: Dialect): string {
  const document = parseSchema(schema, dialect);
  const root = openPlaces(document, 'old').placeOf([document.root]);
  const classes = classifyPlaces({ withAnnotations: true });
  return `${canonicalFormVersion}\n${classes.textOf(root)}`;
}

/** Moves when the normal form does, so that digests of two forms are never taken for one another. */
const canonicalFormVersion = 'canonical-2';

/** Whether publishing `next` where `old` is active would change nothing. */
export function isSameTerms(old: ContractTerms, next: ContractTerms): boolean {
  return (
    old.compatibilityMode === next.compatibilityMode &&
    old.direction === next.direction &&
    isSameGuarantees(old.guarantees, next.guarantees) &&
    isSameSchema(old, next)
  );
}

function isSameSchema(old: ContractTerms, next: ContractTerms): boolean {
  if (old.dialect === next.dialect && isSameJson(old.schema, next.schema)) return true;
  return canonicalText(old.schema, old.dialect) === canonicalText(next.schema, next.dialect);
}
