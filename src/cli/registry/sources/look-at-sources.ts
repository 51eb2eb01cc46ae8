// Reports on the folders, repositories and clusters that a registry reconciles contracts from:
// which have problems, and which of their objects are not ready, with the reason.

import type { Client } from '../../../wire/client.ts';
import { counted, type Paint, printable } from '../../output.ts';
import { mustAnswer } from '../connection/connect.ts';
import { inTurns } from '../find-things.ts';

export interface SourceStatus {
  readonly kind: string;
  readonly place: string;
  readonly problem: string | null;
  readonly objects: number;
  readonly not_ready: readonly ObjectStatus[];
  readonly not_ready_total: number;
}

interface ObjectStatus {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
}

/** The number of objects shown for each source. */
const maxObjects = 20;

export async function lookAtSources(client: Client): Promise<readonly SourceStatus[]> {
  const listed = await client.listSources();
  // A registry of an earlier version has no sources.
  if (!listed.ok && listed.refusal.code === 'ROUTE_NOT_FOUND') return [];
  return inTurns(mustAnswer(listed).results, async (source): Promise<SourceStatus> => {
    const { id, kind, place, problem, objects, not_ready: count } = source;
    const page = { params: { source_id: id }, query: { ready: false, page_size: maxObjects } };
    const waiting = count === 0 ? [] : mustAnswer(await client.listSourceObjects(page)).results;
    return {
      ...{ kind, place, problem, objects },
      not_ready_total: count,
      not_ready: waiting.map(({ ready, ...object }) => ({
        kind: object.kind,
        namespace: object.namespace,
        name: object.name,
        reason: ready?.reason ?? 'Waiting',
        message: ready?.message ?? 'It has not been reconciled yet.',
      })),
    };
  });
}

/** What cannot be parsed is shown in the lines after it. */
function firstLineOf(message: string): string {
  return message.split('\n', 1)[0]?.replace(/:$/, '.') ?? '';
}

export function sourceText(source: SourceStatus, paint: Paint): readonly string[] {
  const { kind, place, problem, objects, not_ready: shown, not_ready_total: total } = source;
  const isFine = problem === null && total === 0;
  const mark = isFine ? '=' : paint('yellow', '!');
  const rest = total - shown.length;
  return [
    `${mark} ${printable(`${kind} ${place}: ${counted(objects, 'object')}, ${total} not ready`)}`,
    ...(problem === null ? [] : [`    ${paint('red', printable(problem))}`]),
    ...shown.map(
      ({ kind, namespace, name, reason, message }) =>
        `    ${printable(`${kind} ${namespace}/${name}: ${reason}: ${firstLineOf(message)}`)}`,
    ),
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ];
}
