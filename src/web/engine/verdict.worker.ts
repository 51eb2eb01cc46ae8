// Compares in a worker, so that typing never waits for the engine.

import type { CompatibilityMode, ContractTerms } from '../../core/comparison.ts';
import { isAsked, verdictOn } from '../../core/decide/asking.ts';
import { compare } from '../../core/diff/compare.ts';
import { alignTerms } from '../../core/import/openapi/align-terms.ts';
import { findVerdicts } from '../../core/needs/find-verdicts.ts';
import { findUnmet, makeNeed } from '../../core/needs/make-need.ts';
import { parseJson } from '../../core/value/json.ts';
import { readText } from '../editor/read-text.ts';
import {
  type AskingCheck,
  type AskingQuestion,
  type ChangeQuestion,
  type EngineAnswer,
  type EngineQuestion,
  modes,
  type NeedCheck,
  type NeedQuestion,
  type Verdict,
} from './verdict.ts';

// The page's types do not include worker scopes, so this declares what is used.
interface WorkerScope {
  onmessage: ((event: MessageEvent<string>) => void) | null;
  postMessage(answer: EngineAnswer): void;
}

const scope = self as unknown as WorkerScope;

scope.onmessage = async ({ data }) => {
  const parsed = parseJson(data);
  if (!parsed.ok) return;
  // The cast is safe: the page wrote it as an EngineQuestion.
  const question = parsed.value as unknown as EngineQuestion;
  try {
    const answer = await answerTo(question);
    scope.postMessage({ id: question.id, ok: true, answerText: JSON.stringify(answer) });
  } catch {
    scope.postMessage({ id: question.id, ok: false });
  }
};

async function answerTo(question: EngineQuestion): Promise<unknown> {
  if ('stated' in question) return checkNeed(question);
  if ('wish' in question) return checkAsking(question);
  if ('text' in question) return readText(question);
  if ('print' in question) {
    const { printYaml } = await import('../../core/export/print-yaml.ts');
    return printYaml(question.print);
  }
  return decideVerdict(question);
}

function decideVerdict({ old, next }: ChangeQuestion): Verdict {
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

function checkNeed({ stated, contract }: NeedQuestion): NeedCheck {
  const made = makeNeed(stated, contract);
  if (!made.ok) return { kind: 'refused', message: made.problem.message };
  const unmet = findUnmet(made.need, contract);
  return unmet === null ? { kind: 'met' } : { kind: 'unmet', ...unmet };
}

/** As the registry decides it once the need is stated; null if the need is refused. */
function checkAsking({ wish, found, asks, ...change }: AskingQuestion): AskingCheck | null {
  const made = wish === null ? null : makeNeed(wish, change.old);
  if (made?.ok === false) return null;
  const [old, next] = alignTerms(change.old, change.next);
  const comparison = compare(old, next, { guaranteeMode: change.guaranteeMode });
  const isAligned = old !== change.old || next !== change.next;
  const needs = [...(made === null ? [] : [made.need]), ...(found === null ? [] : [found])];
  const verdicts = Object.fromEntries(
    findVerdicts({ ...change, comparison, isAligned }, needs).map((each, at) => [at, each]),
  );
  const consumer = {
    needDigest: made === null ? null : '0',
    foundDigest: found === null ? null : String(needs.length - 1),
  };
  return {
    isAsked: isAsked(consumer, { asks, verdicts }),
    verdict: verdictOn(consumer, verdicts),
  };
}

/** Compares both sides under the same mode, because a relaxed mode would be a change of its own. */
function breaksUnder(old: ContractTerms, next: ContractTerms, mode: CompatibilityMode): boolean {
  return compare({ ...old, compatibilityMode: mode }, { ...next, compatibilityMode: mode })
    .isBreaking;
}
