// Everything that can be read of one database: of the primary, or of a replica.

import type { DatabasePool } from 'slonik';
import type { SecretCipher } from '../core/secret-cipher.ts';
import type { PackReader } from '../registry/audit/archive-trail.ts';
import type { Reads } from '../registry/ports.ts';
import { findAssetFacts } from './facts/facts.ts';
import { readImportFacts } from './facts/import-facts.ts';
import { readBuildNodes } from './facts/run-results-facts.ts';
import { readOneMoment } from './postgres/driver.ts';
import { readLineage } from './read/lineage.ts';
import { readAssets } from './read/read-assets.ts';
import { readComments } from './read/read-comments.ts';
import { readContracts } from './read/read-contracts.ts';
import { readDependencies } from './read/read-dependencies.ts';
import { readExport } from './read/read-export.ts';
import { readProposals } from './read/read-proposals.ts';
import { readProvisioned } from './read/read-provisioned.ts';
import { readQualityRuns } from './read/read-quality-runs.ts';
import { readRegistrations } from './read/read-registrations.ts';
import { readRevisions } from './read/read-revisions.ts';
import { readServices } from './read/read-services.ts';
import { readSources } from './read/read-sources.ts';
import { readTeamGraph } from './read/read-team-graph.ts';
import { readTeams } from './read/read-teams.ts';
import { readUsers } from './read/read-users.ts';
import { readWebhooks } from './read/read-webhooks.ts';
import { readSearch } from './read/search/read-search.ts';
import { readAuditTrail } from './read/trail/audit-trail.ts';
import { readEventStream } from './read/trail/event-stream.ts';
import { readEvents } from './read/trail/read-events.ts';
import { findKeptAnswer } from './transact.ts';

export function readsOf(
  pool: DatabasePool,
  cipher: SecretCipher | null,
  packs: PackReader | null,
): Reads {
  return {
    atOneMoment: (read) =>
      pool.transaction(async (connection) => {
        await connection.query(readOneMoment);
        // The cast is safe: reads only run statements, which a connection does like a pool.
        return read(readsOf(connection as unknown as DatabasePool, cipher, packs));
      }),
    ...readTeams(pool),
    ...readServices(pool),
    ...readUsers(pool),
    ...readProvisioned(pool),
    ...readAssets(pool),
    ...readContracts(pool),
    ...readExport(pool),
    ...readRegistrations(pool),
    ...readComments(pool),
    ...readRevisions(pool),
    ...readDependencies(pool),
    ...readLineage(pool),
    ...readTeamGraph(pool),
    ...readSearch(pool),
    ...readQualityRuns(pool),
    ...readProposals(pool),
    ...readEvents(pool, packs),
    ...readSources(pool),
    ...readWebhooks(pool, cipher),
    ...readEventStream(pool),
    ...readAuditTrail(pool, packs),
    findKeptAnswer: findKeptAnswer(pool),
    getAssetFacts: (assetId) => findAssetFacts(pool, assetId),
    getImportFacts: (question) => readImportFacts(pool, question),
    listBuildNodes: readBuildNodes(pool),
  };
}
