// The columns of tables, as the contracts in a registry have them.

import { parseField } from '../../core/needs/field-path.ts';
import type { KnownColumns } from '../../core/needs/find/sql/sources.ts';
import { type ContractFields, listFields } from '../../core/needs/list-fields.ts';
import type { Json } from '../../core/value/json.ts';
import type { Client } from '../../wire/client.ts';
import { mustAnswer } from '../registry/connection/connect.ts';
import { findAsset, inTurns } from '../registry/find-things.ts';

/** The columns of those assets that have a contract, by FQN. */
export async function findContracts(
  client: Client,
  fqns: readonly string[],
  environment: string,
): Promise<ReadonlyMap<string, KnownColumns>> {
  const known = await inTurns(fqns, async (fqn) => {
    const contractId = (await findTable(client, fqn, environment))?.active_contract_id ?? null;
    if (contractId === null) return [];
    const { fields } = await fieldsOfContract(client, contractId);
    const names = new Set(fields.flatMap(({ path }) => columnAt(path)));
    // A table may have columns that its contract does not speak of.
    return [[fqn, { names, isComplete: false }] as const];
  });
  return new Map(known.flat());
}

/** The asset of a table. Databases ignore case in names, and the registry does not. */
export async function findTable(client: Client, fqn: string, environment: string) {
  const exact = await findAsset(client, fqn, environment);
  if (exact !== null) return exact;
  const query = { q: fqn.slice(-maxQuery), environment, page_size: 100, include_total: false };
  const { results } = mustAnswer(await client.listAssets({ query }));
  return results.find((asset) => asset.fqn.toLowerCase() === fqn.toLowerCase()) ?? null;
}

/** That of the API. */
const maxQuery = 200;

export async function fieldsOfContract(
  client: Client,
  contractId: string,
): Promise<ContractFields> {
  const contract = mustAnswer(await client.getContract({ params: { contract_id: contractId } }));
  const { schema, direction, dialect } = contract;
  return listFields(
    { schema: schema as Json, direction, ...(dialect !== null && { dialect }) },
    [],
  );
}

/** The name of a column, in lower case; nothing for a part of one. */
function columnAt(path: string): readonly string[] {
  const [step, ...deeper] = parseField(path) ?? [];
  const isColumn = typeof step === 'object' && deeper.length === 0;
  return isColumn ? [step.key.toLowerCase()] : [];
}
