// Finds the node that a test is about. dbt names it since 1.5 (`attached_node`), but never for
// sources. Without it, the node is one of those that the test depends on.

import type { JsonObject } from '../../value/json.ts';
import { objectAt, textAt, textsAt } from '../read-json.ts';
import type { DbtTest } from './dbt-tests.ts';

export interface AttachableNode {
  readonly id: string;
  readonly name: string;
  /** The version of a versioned model, as text; null for others. */
  readonly version: string | null;
  readonly isLatestVersion: boolean;
  readonly columns: readonly { readonly name: string }[];
}

interface Attachment {
  /** Empty if the test is about no synced node; only a singular test has several. */
  readonly nodes: readonly AttachableNode[];
  /** The node that a relationships test refers to. */
  readonly referenced: AttachableNode | null;
  /** The test depends on known nodes, but it is unclear which of them it is about. */
  readonly isAmbiguous: boolean;
}

export function attachTest(
  node: JsonObject,
  test: DbtTest,
  known: ReadonlyMap<string, AttachableNode>,
): Attachment {
  const parentIds = textsAt(objectAt(node, 'depends_on'), 'nodes');
  const parents = [...new Set(parentIds)].flatMap((id) => known.get(id) ?? []);
  if (test.name === null) return { nodes: parents, referenced: null, isAmbiguous: false };
  const target = textAt(test.kwargs, 'to');
  const referenced = target === undefined ? null : findNamed(parents, target);
  const attachedId = textAt(node, 'attached_node');
  if (attachedId !== undefined) {
    const attached = known.get(attachedId);
    return { nodes: attached === undefined ? [] : [attached], referenced, isAmbiguous: false };
  }
  const isSelfReference = parentIds.length === 1 && isNamedByModel(parents, test);
  const others = isSelfReference ? parents : parents.filter((parent) => parent !== referenced);
  const subject = findSubject(others, test);
  const isAmbiguous = subject === null && others.length > 0;
  return { nodes: subject === null ? [] : [subject], referenced, isAmbiguous };
}

/** A foreign key into its own table depends on one node, which its `model` names. */
function isNamedByModel(parents: readonly AttachableNode[], test: DbtTest): boolean {
  const model = textAt(test.kwargs, 'model');
  return model === undefined || findNamed(parents, model) !== null;
}

/**
 * The node that the test's own `model` names, otherwise the only one, otherwise the only one with
 * the column.
 */
function findSubject(parents: readonly AttachableNode[], test: DbtTest): AttachableNode | null {
  if (parents.length <= 1) return parents[0] ?? null;
  const model = textAt(test.kwargs, 'model');
  const named = model === undefined ? null : findNamed(parents, model);
  if (named !== null) return named;
  const { column } = test;
  const holders = parents.filter((node) => node.columns.some(({ name }) => name === column));
  return holders.length === 1 ? (holders[0] ?? null) : null;
}

const callPattern = /\b(ref|source)\s*\(([^()]*)\)/;
const textPattern = /(?:\b(v|version)\s*=\s*)?(?:'([^']*)'|"([^"]*)"|([\d.]+))/g;

/** @example findNamed(parents, "{{ get_where_subquery(ref('orders', v=2)) }}") */
function findNamed(parents: readonly AttachableNode[], text: string): AttachableNode | null {
  const call = callPattern.exec(text);
  if (call === null) return null;
  const names: string[] = [];
  let version: string | null = null;
  for (const [, key, single, double, digits] of (call[2] ?? '').matchAll(textPattern)) {
    const value = single ?? double ?? digits ?? '';
    if (key === undefined) names.push(value);
    else version = value;
  }
  const name = names.at(-1);
  const matches = parents.filter((node) => node.name === name);
  if (matches.length <= 1) return matches[0] ?? null;
  const isMeant = (node: AttachableNode) =>
    version === null ? node.isLatestVersion : node.version === version;
  return matches.find(isMeant) ?? null;
}
