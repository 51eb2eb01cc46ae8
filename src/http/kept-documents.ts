// Caches documents that never change: the schema of a version is fixed when it is published. The
// most recently used ones stay in memory, so reading one needs no statement.

import type { ExportedContract } from '../core/export/export-contract.ts';
import type { ContractId } from '../core/id.ts';

export interface KeptDocuments {
  readonly find: (id: ContractId) => ExportedContract | undefined;
  readonly keep: (id: ContractId, document: ExportedContract) => void;
}

/** Room for 8,000 schemas of 2 kB each. */
const limitCharacters = 16 * 1024 * 1024;
/** A document larger than this share is not cached, because it would displace many others. */
const largestShare = 16;

export function keepDocuments(limit: number = limitCharacters): KeptDocuments {
  // A map keeps its entries in insertion order, so the most recently used one is moved to the end.
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
