import { termsOf } from '../../core/contract.ts';
import { askingOf } from '../../core/decide/asking.ts';
import type { AssessImpact, Impact } from '../../core/decide/commands.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { breakingOf, isSameTerms } from '../../core/decide/publishing/publish.ts';
import { nextVersion } from '../../core/decide/publishing/version.ts';
import { maxLineageDepth } from '../../core/dependency.ts';
import { accept } from '../../core/failure.ts';
import type { Verb } from '../commands.ts';
import { findVerdicts, impactOn } from './consumer-verdicts.ts';
import { examineTerms } from './terms.ts';

/** Makes the same comparison as a publish, without the transaction, so the two cannot disagree. */
export const assessImpact: Verb<AssessImpact, Impact> = async (ports, _context, command) => {
  // Postgres walks the lineage while the engine compares. Without a comparison the walk is not
  // needed.
  const walking = ports.reads.walkLineage({
    assetId: command.assetId,
    direction: 'downstream',
    maxDepth: maxLineageDepth,
  });
  walking.catch(() => {});
  const [found, facts] = await Promise.all([
    ports.reads.getPublishBase(command.assetId),
    ports.reads.getAssetFacts(command.assetId),
  ]);
  if (found === null || facts === null || found.asset.deletedAt !== null) {
    return notFound('ASSET', command.assetId);
  }
  const asked = { ...command, schema: command.proposedSchema };
  const examined = await examineTerms(ports.engine, asked, 'proposed_schema', found);
  if (!examined.ok) return examined;
  const { base } = found;
  const { comparison } = examined.value;
  const isBreaking = comparison?.isBreaking ?? false;
  const changes = comparison?.changes ?? [];
  const isUnchanged =
    base !== null && base.status === 'active' && isSameTerms(base, examined.value);
  const version = nextVersion({
    highestEver: facts.highestVersion,
    bump: isBreaking ? 'major' : (comparison?.bump ?? 'none'),
  });
  if (!version.ok) return version;
  const { terms } = examined.value;
  const old = base === null ? terms : termsOf(base);
  const change = { assetId: command.assetId, old, next: terms, comparison };
  const { consumers } = facts;
  const verdicts = consumers.length === 0 ? {} : await findVerdicts(ports, change);
  const asking = askingOf(consumers, facts.asset.needsMode, {
    ...{ base, terms, comparison, verdicts },
  });
  return accept({
    isBreaking,
    changes,
    breakingChanges: breakingOf(changes),
    affectedConsumers: asking.isProposed ? asking.asked : [],
    consumers: impactOn(consumers, { comparison, verdicts }),
    changeType: isUnchanged ? 'none' : version.value.changeType,
    proposedVersion: isUnchanged ? null : version.value.version,
    downstream: await walking,
  });
};
