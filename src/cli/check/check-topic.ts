// Holds the records of a Kafka topic against a contract.

import type { CheckedTerms } from '../../core/checks/open-check.ts';
import { checkValues } from './check-values.ts';
import type { CheckResult } from './run-check.ts';
import { openTopic, type TopicTarget } from './topic-source.ts';

export async function checkTopic(
  terms: CheckedTerms,
  target: TopicTarget,
  { redact }: { readonly redact: readonly string[] },
): Promise<CheckResult> {
  const topic = await openTopic(target);
  try {
    const result = await checkValues(terms, topic.values, { redact, isPart: topic.isPart });
    return { ...result, read: topic.told() };
  } finally {
    await topic.close();
  }
}
