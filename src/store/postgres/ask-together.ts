// Shares an expensive query that many callers make: one runs at a time, and callers that arrive
// meanwhile share the next.

/**
 * Callers that arrive while a query runs are all answered by the next one. Their result never began
 * before they asked, so it includes everything that they wrote.
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
