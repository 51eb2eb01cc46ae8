// The contract that data is held against: a file, or a version of an asset in a registry.

import { stat } from 'node:fs/promises';
import type { CheckedTerms, OperationPart } from '../../core/checks/open-check.ts';
import type { Dialect } from '../../core/schema/dialects.ts';
import type { CommandLineIo } from '../command-line.ts';
import { wrongUsage } from '../exit-code.ts';
import type { RegistryOptions } from '../options.ts';
import { readContractFile } from '../read-input.ts';
import { connect, mustAnswer, type Registry } from '../registry/connect.ts';
import { isId, mustFindAsset } from '../registry/find-things.ts';

export interface TermsOptions extends RegistryOptions {
  readonly dialect?: Dialect;
  readonly part?: OperationPart;
  readonly contractVersion: string;
  readonly environment?: string;
}

export interface FoundTerms {
  readonly terms: CheckedTerms;
  /** Where the contract is from; null for a file. */
  readonly published: {
    readonly registry: Registry;
    readonly assetId: string;
    readonly contractId: string;
  } | null;
}

export async function findTerms(
  contract: string,
  options: TermsOptions,
  io: CommandLineIo,
): Promise<FoundTerms> {
  const part = options.part === undefined ? {} : { part: options.part };
  if (await isFile(contract)) {
    const dialect = options.dialect === undefined ? {} : { dialect: options.dialect };
    const { schema, guarantees = null } = await readContractFile(contract);
    return { terms: { schema, guarantees, ...dialect, ...part }, published: null };
  }
  if ((options.registry ?? io.env.CONCORDAT_URL ?? '') === '') {
    throw wrongUsage(
      `${contract} is not a file. To check against a contract of a registry, use --registry, or set CONCORDAT_URL.`,
    );
  }
  const registry = connect(options, io);
  const found = await findContract(registry, contract, options);
  if (found.direction === 'operation' && options.part === undefined) {
    throw wrongUsage(
      `${contract} is an operation. Use --part request or --part response to say which of them the values are.`,
    );
  }
  const { schema, guarantees, dialect } = found;
  return {
    terms: { schema, guarantees, ...(dialect === null ? {} : { dialect }), ...part },
    published: { registry, assetId: found.asset_id, contractId: found.id },
  };
}

async function findContract(
  { client }: Registry,
  name: string,
  { environment = 'production', contractVersion: version }: TermsOptions,
) {
  if (isId(name)) return mustAnswer(await client.getContract({ params: { contract_id: name } }));
  const { id: asset_id } = await mustFindAsset(client, name, environment);
  return mustAnswer(await client.getAssetContract({ params: { asset_id, version } }));
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isDirectory();
}
