// Reads one file with one contract.

import type { Guarantees } from '../core/comparison.ts';
import { kindOfDocument, unknownKind } from '../core/import/document-kinds.ts';
import { isJsonObject, type Json, parseJson } from '../core/value/json.ts';
import { CommandFailure, exitCode } from './exit-code.ts';
import { dataContractOf } from './input/data-contract.ts';
import { namedFile } from './input/find-files.ts';
import { readTextFile } from './input/read-text.ts';
import { parseYaml } from './parse-yaml.ts';

/** Thrown by the readers of files and caught at the command's top level: exit code 3. */
export class UnreadableInput extends CommandFailure {
  constructor(message: string) {
    super(exitCode.unreadableInput, message);
  }
}

interface ReadContract {
  readonly schema: Json;
  /** Absent if the file has no place for them. */
  readonly guarantees?: Guarantees | null;
}

/** Reads one file; a manifest is recognized by its `kind`. */
export async function readContractFile(path: string): Promise<ReadContract> {
  const value = await readDocument(path);
  const kind = kindOfDocument(value) ?? unknownKind(value);
  if (kind.reader === null) throw new UnreadableInput(`${path}: ${kind.refusal}`);
  if (kind.reader === 'jsonschema') return { schema: value };
  if (kind.reader !== 'datacontract' || !isJsonObject(value)) {
    throw new UnreadableInput(
      `${path}: this is ${kind.words}. Give a JSON Schema or a DataContract, or use concordat diff.`,
    );
  }
  const { readBeside = async () => null } = namedFile(path, '');
  const contract = await dataContractOf(value, readBeside);
  if (contract.ok) return contract.value.terms;
  throw new UnreadableInput(`${path}: ${contract.message}`);
}

async function readDocument(path: string): Promise<Json> {
  const text = await readTextFile(path);
  const parsed = parseJson(text);
  if (parsed.ok) return parsed.value;
  // JSON with a fault is reported as JSON, because YAML's message would mislead.
  if (parsed.reason === 'too_deep' || path.endsWith('.json')) {
    throw new UnreadableInput(`${path}: ${parsed.message}`);
  }
  const yaml = await parseYaml(text);
  if (yaml.ok) return yaml.value;
  throw new UnreadableInput(`${path}: neither JSON nor YAML: ${yaml.message}`);
}
