// Compares off the page's own thread, so that typing never waits for the engine.

import type { CompatibilityMode, ContractTerms } from '../../core/comparison.ts';
import { compare } from '../../core/diff/compare.ts';
import { parseJson } from '../../core/value/json.ts';
import { modes, type Verdict, type VerdictAnswer, type VerdictQuestion } from './verdict.ts';

// The page's types know no worker scope; what is used of it is named here.
interface WorkerScope {
  onmessage: ((event: MessageEvent<string>) => void) | null;
  postMessage(answer: VerdictAnswer): void;
}

const scope = self as unknown as WorkerScope;

scope.onmessage = ({ data }) => {
  const parsed = parseJson(data);
  if (!parsed.ok) return;
  // The page wrote it a moment ago, in the words of verdict.ts.
  const question = parsed.value as unknown as VerdictQuestion;
  try {
    const verdictText = JSON.stringify(decideVerdict(question.old, question.next));
    scope.postMessage({ id: question.id, ok: true, verdictText });
  } catch {
    scope.postMessage({ id: question.id, ok: false });
  }
};

function decideVerdict(old: ContractTerms, next: ContractTerms): Verdict {
  const { isBreaking, changes, bump, bumpReason, undecidedCount } = compare(old, next);
  const under = modes.map((mode): [CompatibilityMode, boolean] => [
    mode,
    breaksUnder(old, next, mode),
  ]);
  return {
    isBreaking,
    changes,
    bump,
    bumpReason,
    undecidedCount,
    breaksUnder: Object.fromEntries(under) as Record<CompatibilityMode, boolean>,
  };
}

/** Both sides under the one mode: a mode that is relaxed as well would be a change of its own. */
function breaksUnder(old: ContractTerms, next: ContractTerms, mode: CompatibilityMode): boolean {
  return compare({ ...old, compatibilityMode: mode }, { ...next, compatibilityMode: mode })
    .isBreaking;
}
