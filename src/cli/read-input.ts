// Files as the command line takes them: a JSON Schema in JSON or YAML, or a DataContract manifest.

import { readFile } from 'node:fs/promises';
import type { CompatibilityMode, GuaranteeMode, Guarantees } from '../core/diff/diff.types.ts';
import { parseGuarantees } from '../core/guarantees.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../core/json.ts';
import { parseYaml } from './parse-yaml.ts';

export interface ContractInput {
  readonly schema: Json;
  /** Where the file says so. */
  readonly compatibilityMode: CompatibilityMode | null;
  readonly guarantees: Guarantees | null;
  readonly guaranteeMode: GuaranteeMode | null;
}

/** Thrown by the readers here, caught at the command's edge: exit code 3. */
export class UnreadableInput extends Error {}

/** Reads one file; a manifest is told by its `kind`. */
export async function readContractFile(path: string): Promise<ContractInput> {
  const value = await readDocument(path);
  if (isJsonObject(value) && value.kind === 'DataContract') return contractOf(value, path);
  if (isJsonObject(value) || typeof value === 'boolean') {
    return { schema: value, compatibilityMode: null, guarantees: null, guaranteeMode: null };
  }
  throw new UnreadableInput(`${path}: this is no JSON Schema: it must be an object or a boolean.`);
}

async function readDocument(path: string): Promise<Json> {
  const text = await readText(path);
  const parsed = parseJson(text);
  if (parsed.ok) return parsed.value;
  // JSON that merely has a fault is told as JSON: YAML's own complaint would lead astray.
  if (parsed.reason === 'too_deep' || path.endsWith('.json')) {
    throw new UnreadableInput(`${path}: ${parsed.message}`);
  }
  const yaml = await parseYaml(text);
  if (yaml.ok) return yaml.value;
  throw new UnreadableInput(`${path}: neither JSON nor YAML: ${yaml.message}`);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadableInput(`${path} cannot be read: ${reason}`);
  }
}

function contractOf(manifest: JsonObject, path: string): ContractInput {
  const spec = manifest.spec;
  if (spec === undefined || !isJsonObject(spec)) {
    throw new UnreadableInput(`${path}: the DataContract has no spec.`);
  }
  const schema = spec.schema;
  if (schema === undefined) {
    const hint =
      'schemaFrom' in spec
        ? ' schemaFrom is resolved in the cluster only: give the schema itself.'
        : '';
    throw new UnreadableInput(`${path}: spec.schema is missing.${hint}`);
  }
  const guarantees = parseGuarantees(spec.guarantees, 'spec.guarantees');
  const problem = guarantees.problems[0];
  if (problem !== undefined) throw new UnreadableInput(`${path}: ${problem.message}`);
  return {
    schema,
    compatibilityMode: oneOf(spec, 'compatibilityMode', modes, path),
    guarantees: guarantees.value,
    guaranteeMode: oneOf(spec, 'guaranteeMode', guaranteeModes, path),
  };
}

const modes: readonly CompatibilityMode[] = ['backward', 'forward', 'full', 'none'];
const guaranteeModes: readonly GuaranteeMode[] = ['notify', 'strict', 'ignore'];

function oneOf<T extends string>(
  spec: JsonObject,
  key: string,
  choices: readonly T[],
  path: string,
): T | null {
  const value = spec[key];
  if (value === undefined || value === null) return null;
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  throw new UnreadableInput(
    `${path}: spec.${key} must be one of ${choices.join(', ')}, not ${JSON.stringify(value)}.`,
  );
}
