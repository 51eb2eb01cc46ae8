// Documents that never change once they are made: a version's schema is what it was when it was
// published. Those asked for last stay in memory, and asking for one costs no statement.

import type { ExportedContract } from '../core/export/export-contract.ts';
import type { ContractId } from '../core/id.ts';

export interface KeptDocuments {
  readonly find: (id: ContractId) => ExportedContract | undefined;
  readonly keep: (id: ContractId, document: ExportedContract) => void;
}

/** A schema of 2 kB each: 8,000 of them. */
const limitCharacters = 16 * 1024 * 1024;
/** One that is as large as many others is not worth their place. */
const largestShare = 16;

export function keepDocuments(limit: number = limitCharacters): KeptDocuments {
  // A map has its entries in the order they came: who is asked for goes to the end.
  const documents = new Map<ContractId, ExportedContract>();
  let characters = 0;
  return {
    find: (id) => {
      const found = documents.get(id);
      if (found === undefined) return undefined;
      documents.delete(id);
      documents.set(id, found);
      return found;
    },
    keep: (id, document) => {
      if (documents.has(id) || document.text.length > limit / largestShare) return;
      documents.set(id, document);
      characters += document.text.length;
      for (const [oldest, { text }] of documents) {
        if (characters <= limit) return;
        documents.delete(oldest);
        characters -= text.length;
      }
    },
  };
}
