import { type Contract, termsOf } from '../../core/contract.ts';
import { digestsOf } from '../../core/decide/asking.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { AssetId } from '../../core/id.ts';
import type { ContractField } from '../../core/needs/list-fields.ts';
import type { Consumer } from '../../core/registration.ts';
import type { Ports } from '../ports.ts';

interface FieldReaders {
  /** Null if nothing was published. */
  readonly base: Contract | null;
  readonly fields: readonly (Omit<ContractField, 'needs'> & {
    readonly readers: readonly Consumer[];
  })[];
  /** They have no need that the contract meets, so each field may be one of theirs. */
  readonly readersOfAll: readonly Consumer[];
  readonly isCut: boolean;
}

/** Who reads which field of the contract in force. */
export async function listFields(
  { reads, engine }: Pick<Ports, 'reads' | 'engine'>,
  assetId: AssetId,
): Promise<Outcome<FieldReaders>> {
  const [found, facts, stated] = await Promise.all([
    reads.getPublishBase(assetId),
    reads.getAssetFacts(assetId),
    reads.listNeeds(assetId),
  ]);
  if (found === null || facts === null || found.asset.deletedAt !== null) {
    return notFound('ASSET', assetId);
  }
  const { base } = found;
  if (base === null) {
    return accept({ base, fields: [], readersOfAll: facts.consumers, isCut: false });
  }
  // A need that is too large to be asked together with the others counts as everything.
  const known = stated.flatMap(({ digest, need, found: also }) => {
    const asked = need ?? also;
    return asked === null || ('fields' in asked && asked.fields === null)
      ? []
      : [{ digest, asked }];
  });
  const needs = known.map(({ asked }) => asked);
  const listed = await engine.listFields({ contract: termsOf(base), needs });
  const digests = new Set(known.map(({ digest }) => digest));
  const isKnown = (each: Consumer) => {
    const asked = digestsOf(each);
    return asked.length > 0 && asked.every((digest) => digests.has(digest));
  };
  return accept({
    ...{ base, isCut: listed.isCut },
    fields: listed.fields.map(({ needs: declaring, ...field }) => {
      const reading = new Set(declaring.map((index) => known[index]?.digest));
      const isReader = (each: Consumer) => digestsOf(each).some((digest) => reading.has(digest));
      return { ...field, readers: facts.consumers.filter(isReader) };
    }),
    readersOfAll: facts.consumers.filter((each) => !isKnown(each)),
  });
}
