// Values held against a contract, against other versions of it, and against what consumers read.

import type { CheckedTerms, OperationPart } from '../../core/checks/open-check.ts';
import type { Contract } from '../../core/contract.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { ContractId } from '../../core/id.ts';
import type { Consumer } from '../../core/registration.ts';
import type { Json } from '../../core/value/json.ts';
import type { HeldValue, Ports, Reads } from '../ports.ts';

interface ValuesCommand {
  readonly contractId: ContractId;
  readonly values: readonly Json[];
  readonly part: OperationPart | undefined;
  readonly allVersions: boolean;
  readonly allConsumers: boolean;
}

interface CheckedValues {
  readonly contract: Contract;
  readonly values: readonly (Omit<HeldValue, 'refusedBy'> & {
    /** The versions that accept the value; null if nobody asked. */
    readonly versions: readonly string[] | null;
    /** The consumers whose need does not accept the value; null if nobody asked. */
    readonly refusedBy: readonly Consumer[] | null;
  })[];
}

/** More versions are not looked at: the newest ones matter. */
const maxVersions = 100;

export async function checkValues(
  { reads, engine }: Pick<Ports, 'reads' | 'engine'>,
  command: ValuesCommand,
): Promise<Outcome<CheckedValues>> {
  const { values, part } = command;
  const contract = await reads.getContract(command.contractId);
  if (contract === null) return notFound('CONTRACT', command.contractId);
  if (contract.direction === 'operation' && part === undefined) {
    const message =
      'The contract describes an operation. Set part to request or response, to say which of them the values are.';
    return refuse('VALIDATION_ERROR', message, { field: 'part' });
  }
  const [versions, readers] = await Promise.all([
    command.allVersions ? listVersions(reads, contract) : [],
    command.allConsumers ? listReaders(reads, contract) : [],
  ]);
  const partOfAll = part === undefined ? {} : { part };
  const held = await engine.checkValues({
    terms: { ...checkedTermsOf(contract), ...partOfAll },
    others: [...versions.map(checkedTermsOf), ...readers.map(({ terms }) => terms)].map(
      (terms) => ({
        ...terms,
        ...partOfAll,
      }),
    ),
    values,
  });
  if (!held.ok) return held;
  return accept({
    contract,
    values: held.value.map(({ refusedBy, ...checked }) => {
      const refusing = new Set(refusedBy);
      return {
        ...checked,
        versions: command.allVersions
          ? versions.filter((_, index) => !refusing.has(index)).map(({ version }) => version)
          : null,
        refusedBy: command.allConsumers
          ? readers
              .filter((_, index) => refusing.has(versions.length + index))
              .flatMap(({ consumers }) => consumers)
          : null,
      };
    }),
  });
}

function checkedTermsOf({ schema, dialect, guarantees }: Contract): CheckedTerms {
  return { schema, guarantees, ...(dialect === null ? {} : { dialect }) };
}

async function listVersions(reads: Reads, { assetId }: Contract): Promise<readonly Contract[]> {
  const listed = await reads.listContracts({
    ...{ assetId, page: 1, pageSize: maxVersions, includeTotal: false },
    sort: { field: 'published_at', direction: 'descending' },
  });
  if (!listed.ok) throw new Error(listed.failure.message);
  return listed.value.results;
}

interface Readers {
  readonly terms: CheckedTerms;
  readonly consumers: readonly Consumer[];
}

/** Consumers that say the same need are asked once. Those without a need read what the contract says. */
async function listReaders(reads: Reads, { assetId }: Contract): Promise<readonly Readers[]> {
  const [needs, facts] = await Promise.all([
    reads.listNeeds(assetId),
    reads.getAssetFacts(assetId),
  ]);
  return needs.flatMap(({ digest, need }) =>
    need === null
      ? []
      : [
          {
            terms: { schema: need.schema, dialect: need.dialect, guarantees: null },
            consumers: (facts?.consumers ?? []).filter(({ needDigest }) => needDigest === digest),
          },
        ],
  );
}
