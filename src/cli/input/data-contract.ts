// The parts of a DataContract manifest that the command line needs: its terms and its names.

import type { CompatibilityMode, GuaranteeMode } from '../../core/comparison.ts';
import { parseGuarantees } from '../../core/guarantees.ts';
import type { CandidateTerms, DeclaredConsumer } from '../../core/import/candidate.ts';
import { arrayAt, memberOf, objectAt, textAt } from '../../core/import/read-json.ts';
import type { JsonObject } from '../../core/value/json.ts';

interface DataContract {
  readonly terms: CandidateTerms;
  readonly fqn: string | null;
  readonly environment: string | null;
  readonly guaranteeMode: GuaranteeMode | null;
  readonly consumers: readonly DeclaredConsumer[];
  /** `metadata.name`. */
  readonly name: string | null;
}

type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string; readonly place: string };

/** @example dataContractOf({ kind: 'DataContract', spec: { fqn: 'shop.orders', schema: {} } }) */
export function dataContractOf(manifest: JsonObject): Read<DataContract> {
  const spec = objectAt(manifest, 'spec');
  if (spec === undefined) return fault('$.spec', 'The DataContract has no spec.');
  const schema = memberOf(spec, 'schema');
  if (schema === undefined) {
    const hint =
      memberOf(spec, 'schemaFrom') === undefined
        ? ''
        : ' schemaFrom works only in the cluster. Put the schema into spec.schema.';
    return fault('$.spec.schema', `spec.schema is missing.${hint}`);
  }
  const stated = memberOf(spec, 'guarantees');
  const guarantees = parseGuarantees(stated, 'spec.guarantees');
  const [problem] = guarantees.problems;
  if (problem !== undefined) return fault(`$.${problem.path}`, problem.message);
  const mode = oneOf(spec, 'compatibilityMode', modes);
  if (!mode.ok) return mode;
  const guaranteeMode = oneOf(spec, 'guaranteeMode', guaranteeModes);
  if (!guaranteeMode.ok) return guaranteeMode;
  return {
    ok: true,
    value: {
      terms: {
        schema,
        direction: 'data',
        format: 'jsonschema',
        ...(mode.value === null ? {} : { compatibilityMode: mode.value }),
        ...(stated === undefined ? {} : { guarantees: guarantees.value }),
      },
      fqn: textAt(spec, 'fqn') ?? null,
      environment: textAt(spec, 'environment') ?? null,
      guaranteeMode: guaranteeMode.value,
      consumers: consumersOf(spec),
      name: textAt(objectAt(manifest, 'metadata'), 'name') ?? null,
    },
  };
}

const modes: readonly CompatibilityMode[] = ['backward', 'forward', 'full', 'none'];
const guaranteeModes: readonly GuaranteeMode[] = ['notify', 'strict', 'ignore'];

function oneOf<T extends string>(
  spec: JsonObject,
  key: string,
  choices: readonly T[],
): Read<T | null> {
  const value = memberOf(spec, key);
  if (value === undefined || value === null) return { ok: true, value: null };
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return { ok: true, value: choice };
  const message = `spec.${key} must be one of ${choices.join(', ')}, not ${JSON.stringify(value)}.`;
  return fault(`$.spec.${key}`, message);
}

function consumersOf(spec: JsonObject): readonly DeclaredConsumer[] {
  return (arrayAt(spec, 'consumers') ?? []).flatMap((consumer) => {
    const team = textAt(consumer, 'team');
    const purpose = textAt(consumer, 'purpose');
    if (team === undefined) return [];
    return [{ team, ...(purpose === undefined ? {} : { purpose }) }];
  });
}

function fault(place: string, message: string): Extract<Read<never>, { ok: false }> {
  return { ok: false, message, place };
}
