import { readFileSync } from 'node:fs';
import { type TopicAddress, topicFiles } from '../core/checks/topic-address.ts';

/**
 * The certificates and the key of an address, read for each connection, because a mount may rotate them. At once: while the
 * client of NATS reads them, nothing hears that its connection broke, and that would end the process.
 */
export function readTopicFiles(
  tls: TopicAddress['tls'],
): Partial<Record<(typeof topicFiles)[number], string>> {
  const given = topicFiles.flatMap((name) => {
    const path = tls?.[name];
    return path === undefined ? [] : [[name, readFileSync(path, 'utf8')] as const];
  });
  return Object.fromEntries(given);
}
