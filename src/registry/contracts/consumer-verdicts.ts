import type { Comparison, ContractTerms } from '../../core/comparison.ts';
import { verdictOn } from '../../core/decide/asking.ts';
import type { ConsumerImpact } from '../../core/decide/commands.ts';
import type { AssetId } from '../../core/id.ts';
import { alignTerms } from '../../core/import/openapi/align-terms.ts';
import {
  type ConsumerVerdict,
  type FoundFields,
  type Need,
  type Verdicts,
  verdictWithoutNeed,
} from '../../core/need.ts';
import type { Consumer } from '../../core/registration.ts';
import type { Ports } from '../ports.ts';

interface AskedChange {
  readonly assetId: AssetId;
  readonly old: ContractTerms;
  readonly next: ContractTerms;
  /** Null if nothing changes. */
  readonly comparison: Comparison | null;
}

/** A thread has ten seconds for one question, and a need takes a quarter of a second at most. */
const needsInQuestion = 24;

/** What a change does to each consumer, by the need that it has stated and what was found. */
export function impactOn(
  consumers: readonly Consumer[],
  { comparison, verdicts }: Pick<AskedChange, 'comparison'> & { readonly verdicts: Verdicts },
): readonly ConsumerImpact[] {
  return consumers.map((consumer) => {
    const { needDigest } = consumer;
    const verdict = verdictOn(consumer, verdicts);
    if (needDigest === null && verdict === null) {
      return { consumer, origin: 'none', ...verdictWithoutNeed(comparison) };
    }
    const ofNeed = needDigest === null ? undefined : verdicts[needDigest];
    const isOfNeed = verdict === null || verdict === ofNeed;
    // A need without a verdict was stated after the needs were read.
    const known = verdict ?? verdictWithoutNeed(comparison);
    return { consumer, origin: isOfNeed ? 'declared' : 'found', ...known };
  });
}

/** A verdict for each need of a consumer, and for what was found. The needs in `known` are not asked again. */
export async function findVerdicts(
  { reads, engine }: Pick<Ports, 'reads' | 'engine'>,
  change: AskedChange,
  known: Verdicts = {},
): Promise<Verdicts> {
  const stated = (await reads.listNeeds(change.assetId)).filter(
    ({ digest }) => !Object.hasOwn(known, digest),
  );
  const needs = new Map(
    stated.flatMap(({ digest, need, found }) => {
      const asked = need ?? found;
      return asked === null ? [] : [[digest, asked] as const];
    }),
  );
  const answers = await askAll(engine, change, needs);
  return Object.fromEntries(stated.map(({ digest }) => [digest, answers.get(digest) ?? tooLarge]));
}

const tooLarge: ConsumerVerdict = {
  verdict: 'may_break',
  reason: 'The needs of all consumers together are too large to be asked.',
};

async function askAll(
  engine: Ports['engine'],
  { old, next, comparison }: AskedChange,
  needs: ReadonlyMap<string, Need | FoundFields>,
): Promise<ReadonlyMap<string, ConsumerVerdict>> {
  const asked = [...needs];
  // Most assets have no consumer with a need.
  if (asked.length === 0) return new Map();
  if (comparison === null) {
    return new Map(asked.map(([digest]) => [digest, { verdict: 'unaffected' }]));
  }
  const { changes, isBreaking, breaksBackward } = comparison;
  const [before, after] = alignTerms(old, next);
  const isAligned = before !== old || after !== next;
  const rest = { old, next, comparison: { changes, isBreaking, breaksBackward }, isAligned };
  const parts = Array.from({ length: Math.ceil(asked.length / needsInQuestion) }, (_, index) =>
    asked.slice(index * needsInQuestion, (index + 1) * needsInQuestion),
  );
  const answers = await Promise.all(
    parts.map((part) => engine.findVerdicts({ ...rest, needs: part.map(([, need]) => need) })),
  );
  const verdicts = answers.flat();
  return new Map(
    asked.flatMap(([digest], index) => {
      const verdict = verdicts[index];
      return verdict === undefined ? [] : [[digest, verdict] as const];
    }),
  );
}
