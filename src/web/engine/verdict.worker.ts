// Compares in a worker, so that typing never waits for the engine.

import type { CompatibilityMode, ContractTerms } from '../../core/comparison.ts';
import { compare } from '../../core/diff/compare.ts';
import { parseJson } from '../../core/value/json.ts';
import { modes, type Verdict, type VerdictAnswer, type VerdictQuestion } from './verdict.ts';

// The page's types do not include worker scopes, so this declares what is used.
interface WorkerScope {
  onmessage: ((event: MessageEvent<string>) => void) | null;
  postMessage(answer: VerdictAnswer): void;
}

const scope = self as unknown as WorkerScope;

scope.onmessage = ({ data }) => {
  const parsed = parseJson(data);
  if (!parsed.ok) return;
  // The cast is safe: the page wrote it as a VerdictQuestion.
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

/** Compares both sides under the same mode, because a relaxed mode would be a change of its own. */
function breaksUnder(old: ContractTerms, next: ContractTerms, mode: CompatibilityMode): boolean {
  return compare({ ...old, compatibilityMode: mode }, { ...next, compatibilityMode: mode })
    .isBreaking;
}
