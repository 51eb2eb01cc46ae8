// Checks of a spec that the API server cannot make. All of the spec is checked before any of it has
// an effect.

import { inManifestWords } from '../../core/export/spelling.ts';
import { parseGuarantees } from '../../core/guarantees.ts';
import type { Ports } from '../../registry/ports.ts';
import type { Verdict } from '../conditions.ts';
import type { DataContractSpec } from '../crd/resources.ts';
import { verdictOfFailure } from './contract-status.ts';
import type { SchemaRead } from './read-document.ts';

/** Null if the terms can be published. */
export async function checkTerms(
  { engine }: Pick<Ports, 'engine'>,
  spec: Pick<DataContractSpec, 'guarantees' | 'schemaFrom'>,
  { schema, dialect, guarantees }: SchemaRead,
): Promise<Verdict | null> {
  const given =
    spec.guarantees === undefined ? 'the guarantees of the document' : 'spec.guarantees';
  const asked = spec.guarantees ?? (guarantees as DataContractSpec['guarantees'] | null);
  const { problems } = parseGuarantees(asked, given);
  if (problems.length > 0) {
    const message = inManifestWords(problems.map((problem) => problem.message).join(' '));
    return { reason: 'InvalidSpec', message };
  }
  const checked = await engine.checkSchema(schema, dialect);
  return checked.ok ? null : verdictOfFailure(checked.failure);
}
