// The engine on documents of several megabytes, compared with its peers in the same run.

import { measureDocuments } from './engine/documents.ts';
import { openJsonSchemaDiff, openJsonschemaRs } from './peers/installed-peers.ts';
import type { Benchmark, Figure } from './support/figure.ts';

export const benchmark: Benchmark = { name: 'engine, large documents', run: measure };

async function measure(): Promise<readonly Figure[]> {
  const peers = [openJsonSchemaDiff(), await openJsonschemaRs()];
  try {
    return await measureDocuments(peers);
  } finally {
    for (const peer of peers) peer.stop();
  }
}
