// The contract that data is held against: a file, or a version of an asset in a registry.

import { stat } from 'node:fs/promises';
import type { CheckedTerms, OperationPart } from '../../core/checks/open-check.ts';
import { isId } from '../../core/id.ts';
import type { CandidateTerms } from '../../core/import/candidate.ts';
import { placeOf } from '../../core/import/read-json.ts';
import type { Dialect } from '../../core/schema/dialects.ts';
import type { CommandLineIo } from '../command-line.ts';
import { type ExitCode, exitCode, wrongUsage } from '../exit-code.ts';
import { findFiles } from '../input/find-files.ts';
import { readFiles } from '../input/read-files.ts';
import type { ReadFile, Subject } from '../input/subject.ts';
import type { RegistryOptions } from '../options.ts';
import { printable, writeText } from '../output.ts';
import { connect, mustAnswer, type Registry } from '../registry/connection/connect.ts';
import { mustFindAsset } from '../registry/find-things.ts';

export interface TermsOptions extends RegistryOptions {
  /** Of a file with several contracts, the FQN or name of one. */
  readonly asset?: string;
  readonly dialect?: Dialect;
  readonly part?: OperationPart;
  readonly contractVersion: string;
  readonly environment?: string;
}

export interface FoundTerms {
  readonly terms: CheckedTerms;
  /** The parts of the file that could not be read, and so are not checked. */
  readonly unread: readonly string[];
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
    const { subject, terms, unread } = await readContract(contract, options, io);
    refuseWhole(subject.name, terms.direction, options);
    const { schema, dialect, guarantees = null } = terms;
    const spoken = options.dialect ?? dialect;
    return {
      terms: { schema, guarantees, ...(spoken !== undefined && { dialect: spoken }), ...part },
      ...{ unread, published: null },
    };
  }
  if ((options.registry ?? io.env.CONCORDAT_URL ?? '') === '') {
    throw wrongUsage(
      `${contract} is not a file. To check against a contract of a registry, use --registry, or set CONCORDAT_URL.`,
    );
  }
  const registry = connect(options, io);
  const found = await findContract(registry, contract, options);
  refuseWhole(contract, found.direction, options);
  const { schema, guarantees, dialect } = found;
  return {
    terms: { schema, guarantees, ...(dialect === null ? {} : { dialect }), ...part },
    unread: [],
    published: { registry, assetId: found.asset_id, contractId: found.id },
  };
}

/** Data that matches only what could be read of a contract does not pass. */
export async function concludeCheck(
  isPassed: boolean,
  unread: FoundTerms['unread'],
  io: CommandLineIo,
): Promise<ExitCode> {
  for (const each of unread) await writeText(io.stderr, `Not checked: ${printable(each)}\n`);
  if (!isPassed) return exitCode.breaking;
  return unread.length === 0 ? exitCode.fine : exitCode.unreadableInput;
}

function refuseWhole(
  contract: string,
  direction: CandidateTerms['direction'],
  { part }: TermsOptions,
): void {
  if (direction !== 'operation' || part !== undefined) return;
  throw wrongUsage(
    `${contract} is an operation. Use --part request or --part response to say which of them the values are.`,
  );
}

/** The contract of a file of any kind; of several, the one that is asked for. */
async function readContract(path: string, { asset, dialect }: TermsOptions, io: CommandLineIo) {
  const { files } = await findFiles([path], io.stdin);
  const read = await readFiles(files, dialect === undefined ? {} : { dialect });
  const found = read.flatMap(({ subjects }) => subjects);
  const described = found.filter(({ terms }) => terms !== null);
  const [subject, another] = described.filter(
    ({ fqn, name }) => asset === undefined || fqn === asset || name === asset,
  );
  if (subject?.terms == null) {
    const message =
      asset === undefined
        ? `${path} describes no data.`
        : `${path} has no contract ${asset}. It has ${namesOf(described)}.`;
    throw wrongUsage(message);
  }
  if (another !== undefined) {
    throw wrongUsage(
      `${path} has several contracts. Say which with --asset: ${namesOf(described)}.`,
    );
  }
  const isOnly = found.length === 1;
  const unread = read.flatMap(({ problems }) => problems.filter(isAbout(subject, isOnly)));
  const told = unread.map(({ place, message }) => `${path}: ${place}: ${message}`);
  return { subject, terms: subject.terms, unread: told };
}

/** Of a file with several contracts, what stands within this one. */
function isAbout({ origin: { at } }: Subject, isOnly: boolean) {
  const place =
    at.kind === 'line' ? null : at.steps.reduce((base: string, step) => placeOf(base, step), '$');
  return ({ place: found, leavesUnread }: ReadFile['problems'][number]) =>
    leavesUnread && (isOnly || (place !== null && found.startsWith(place)));
}

const maxNames = 10;

function namesOf(subjects: readonly Subject[]): string {
  const names = subjects.map(({ fqn, name }) => fqn ?? name);
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `${names.slice(0, maxNames).join(', ')}${more}`;
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
