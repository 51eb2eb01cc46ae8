// What became of an event of OpenLineage.

import type { RegistrationId } from '../../core/id.ts';

export interface RecordedLineage {
  readonly results: readonly RecordedRead[];
}

export interface RecordedRead {
  readonly fqn: string;
  /** Null: everything. */
  readonly fields: readonly string[] | null;
  readonly outcome: 'kept' | 'registered' | 'unknown_asset' | 'no_contract' | 'own_asset';
  /** Null if nothing was kept. */
  readonly registrationId: RegistrationId | null;
}
