// A question that is dear and that many ask: one at a time, whoever asks meanwhile shares the next.

/**
 * Those who ask while the same question is under way are answered by the next one, all by one. What
 * they are told never began before they asked: whoever wrote something finds it.
 *
 * @example const countOnce = askTogether((query: GraphQuery) => count(query));
 */
export function askTogether<Question, Answer>(
  ask: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  const underWay = new Map<string, Promise<Answer>>();
  const next = new Map<string, Promise<Answer>>();

  const begin = (key: string, question: Question): Promise<Answer> => {
    const answer = ask(question).finally(() => underWay.delete(key));
    underWay.set(key, answer);
    return answer;
  };

  return (question) => {
    const key = JSON.stringify(question);
    const before = underWay.get(key);
    const joined = next.get(key);
    if (joined !== undefined) return joined;
    if (before === undefined) return begin(key, question);
    const beginNext = () => {
      next.delete(key);
      return begin(key, question);
    };
    const shared = before.then(beginNext, beginNext);
    next.set(key, shared);
    return shared;
  };
}
