import { type Contract, termsOf } from '../../core/contract.ts';
import { digestsOf } from '../../core/decide/asking.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept, type Outcome } from '../../core/failure.ts';
import type { AssetId, RegistrationId, Timestamp } from '../../core/id.ts';
import { fieldsAround } from '../../core/needs/field-path.ts';
import type { ContractField } from '../../core/needs/list-fields.ts';
import type { Consumer } from '../../core/registration.ts';
import type { Ports, Reads } from '../ports.ts';

interface FieldReader {
  readonly consumer: Consumer;
  /** `found` if its need does not declare the field. */
  readonly origin: 'declared' | 'found';
  /** Null if it was never found to read the field. */
  readonly lastSeenAt: Timestamp | null;
}

interface FieldReaders {
  /** Null if nothing was published. */
  readonly base: Contract | null;
  readonly fields: readonly (Omit<ContractField, 'needs'> & {
    readonly readers: readonly FieldReader[];
  })[];
  readonly consumers: readonly Consumer[];
  /** They have no need that the contract meets, so each field may be one of theirs. */
  readonly readersOfAll: readonly Consumer[];
  readonly isCut: boolean;
}

/** Who reads which field of the contract in force. */
export async function listFields(
  { reads, engine }: Pick<Ports, 'reads' | 'engine'>,
  assetId: AssetId,
): Promise<Outcome<FieldReaders>> {
  const [found, facts, stated, seen] = await Promise.all([
    reads.getPublishBase(assetId),
    reads.getAssetFacts(assetId),
    reads.listNeeds(assetId),
    reads.listFoundFields(assetId),
  ]);
  if (found === null || facts === null || found.asset.deletedAt !== null) {
    return notFound('ASSET', assetId);
  }
  const { base } = found;
  if (base === null) {
    const { consumers } = facts;
    return accept({ base, fields: [], consumers, readersOfAll: consumers, isCut: false });
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
    const hasNeed = each.needDigest !== null;
    return hasNeed && digestsOf(each).every((digest) => digests.has(digest));
  };
  const lastSeen = readLastSeen(seen);
  return accept({
    ...{ base, isCut: listed.isCut },
    fields: listed.fields.map(({ needs: declaring, ...field }) => {
      const reading = new Set<string | null | undefined>(
        declaring.map((index) => known[index]?.digest),
      );
      const readers = facts.consumers.flatMap((consumer): FieldReader[] => {
        const { needDigest, foundDigest, registrationId } = consumer;
        const lastSeenAt = lastSeen(registrationId, field.path);
        if (reading.has(needDigest)) return [{ consumer, origin: 'declared', lastSeenAt }];
        const isFound = reading.has(foundDigest) || lastSeenAt !== null;
        return isFound ? [{ consumer, origin: 'found', lastSeenAt }] : [];
      });
      return { ...field, readers };
    }),
    consumers: facts.consumers,
    readersOfAll: facts.consumers.filter((each) => !isKnown(each)),
  });
}

type LastSeen = (registrationId: RegistrationId, path: string) => Timestamp | null;

/** A field is seen with its parts, and with what it is a part of. */
function readLastSeen(seen: Awaited<ReturnType<Reads['listFoundFields']>>): LastSeen {
  const [named, within] = [new Map<string, Timestamp>(), new Map<string, Timestamp>()];
  // The newest come first.
  const keep = (times: Map<string, Timestamp>, key: string, at: Timestamp) => {
    if (!times.has(key)) times.set(key, at);
  };
  for (const { registrationId, field, lastSeenAt } of seen) {
    keep(named, `${registrationId} ${field ?? '$'}`, lastSeenAt);
    for (const around of field === null ? [] : fieldsAround(field)) {
      keep(within, `${registrationId} ${around}`, lastSeenAt);
    }
  }
  return (registrationId, path) => {
    const times = [
      within.get(`${registrationId} ${path}`),
      ...['$', ...fieldsAround(path)].map((around) => named.get(`${registrationId} ${around}`)),
    ];
    return times.filter((at) => at !== undefined).reduce(latest, null);
  };
}

function latest(one: Timestamp | null, other: Timestamp): Timestamp {
  return one === null || one < other ? other : one;
}
