// The FQN of a node: database, schema and alias (a source's identifier) in lower case, because
// these identify the table. An ephemeral model has no table, so it is named by its package and
// name.

import type { JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { clashProblems, settleNames, toFqn } from '../import-fqn.ts';
import { objectAt, textAt } from '../read-json.ts';
import { type DbtNode, isReference, packageOf } from './dbt-node.ts';

interface NodeName {
  readonly fqn: string;
  /** False for a node that is another name of a table which is already in the manifest. */
  readonly isOwner: boolean;
}

/** The order of node types that describe a table best, if several nodes stand for the same one. */
const rank: Readonly<Record<DbtNode['resourceType'], number>> = {
  model: 0,
  snapshot: 1,
  seed: 2,
  source: 3,
};

/**
 * A source that reads a table written by a model of the same project is the same asset. Two tables
 * whose names become the same FQN only because of replaced characters are two assets.
 */
export function nameNodes(
  nodes: readonly DbtNode[],
  problems: ImportProblem[],
): ReadonlyMap<string, NodeName> {
  const tables = Map.groupBy(nodes, (node) => JSON.stringify(segmentsOf(node)));
  const owners = [...tables].map(([key, group]) => {
    const [owner, ...others] = [...group].sort(byRank);
    return { key, owner, others };
  });
  const items = owners.flatMap(({ key, owner }) =>
    owner === undefined ? [] : [{ item: owner, fqn: toFqn(segmentsOf(owner)), key }],
  );
  const { names, clashes } = settleNames(items);
  problems.push(...clashProblems(clashes, ({ id }) => id));
  const byId = new Map<string, NodeName>();
  for (const { owner, others } of owners) {
    const fqn = owner === undefined ? undefined : names.get(owner);
    if (owner === undefined || fqn === undefined) continue;
    byId.set(owner.id, { fqn, isOwner: true });
    for (const other of others) {
      byId.set(other.id, { fqn, isOwner: false });
      const message = `${other.id} is the same table as ${owner.id} (${fqn}). The asset was created from ${owner.id}.`;
      problems.push(itemProblem('FQN_COLLISION', message, other.place));
    }
  }
  return byId;
}

/** A model of another project, which describes nothing here, comes last. */
function byRank(a: DbtNode, b: DbtNode): number {
  return (
    Number(isReference(a)) - Number(isReference(b)) ||
    rank[a.resourceType] - rank[b.resourceType] ||
    (a.id < b.id ? -1 : 1)
  );
}

/** Database, schema and name of the table of a node, in lower case. */
export function segmentsOf(node: DbtNode): readonly string[] {
  const { source } = node;
  const relation = node.resourceType === 'source' ? 'identifier' : 'alias';
  const table = textAt(source, relation) ?? nameWithVersion(node);
  const schema = textAt(source, 'schema');
  const isTable = schema !== undefined && !isEphemeral(source);
  const segments = isTable
    ? [textAt(source, 'database') ?? '', schema, table]
    : [packageOf(node), nameWithVersion(node)];
  return segments.map((segment) => segment.toLowerCase());
}

/** It has no table: its SQL is part of the models that use it. */
export function isEphemeral(source: JsonObject): boolean {
  return textAt(objectAt(source, 'config'), 'materialized') === 'ephemeral';
}

/** The versions of a model have the same name. */
function nameWithVersion(node: DbtNode): string {
  return node.version === null ? node.name : `${node.name}_v${node.version}`;
}
