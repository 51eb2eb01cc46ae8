// A contract of the API as the engine reads it.

import type { ContractTerms } from '../../core/comparison.ts';
import type { Contract } from './shapes.ts';

export function termsOf(contract: Contract): ContractTerms {
  return {
    schema: contract.schema,
    compatibilityMode: contract.compatibility_mode,
    guarantees: contract.guarantees,
    direction: contract.direction,
    ...(contract.dialect !== null && { dialect: contract.dialect }),
  };
}
