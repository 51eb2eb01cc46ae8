// The nodes of a manifest that are assets. Sources are under a separate key.

import { isJsonObject, type Json, type JsonObject } from '../../value/json.ts';
import { type ImportProblem, itemProblem } from '../candidate.ts';
import { kindOf, memberOf, objectAt, placeOf, textAt } from '../read-json.ts';
import type { AttachableNode } from './dbt-attachment.ts';
import { type DbtColumn, readColumns } from './dbt-columns.ts';

/** A node of the manifest that becomes an asset, or is another name of one. */
export interface DbtNode extends AttachableNode {
  readonly source: JsonObject;
  readonly resourceType: SyncedType;
  readonly place: string;
  readonly columns: readonly DbtColumn[];
}

const syncedTypes = ['model', 'source', 'seed', 'snapshot'] as const;
type SyncedType = (typeof syncedTypes)[number];

export function readNodes(manifest: Json, problems: ImportProblem[]): readonly DbtNode[] {
  const nodes: DbtNode[] = [];
  for (const [id, node, place] of eachNode(manifest)) {
    if (!isJsonObject(node)) {
      const message = `${id} must be an object, not ${kindOf(node)}. It was skipped.`;
      problems.push(itemProblem('UNREADABLE_ITEM', message, place));
      continue;
    }
    const type = textAt(node, 'resource_type') ?? id.slice(0, Math.max(0, id.indexOf('.')));
    const resourceType = syncedTypes.find((synced) => synced === type);
    if (resourceType === undefined || isDisabled(node)) continue;
    const columns = readColumns(node, place);
    const version = versionOf(node, 'version');
    nodes.push({
      id,
      source: node,
      name: textAt(node, 'name') ?? id.slice(id.lastIndexOf('.') + 1),
      resourceType,
      place,
      columns,
      version,
      isLatestVersion: version === versionOf(node, 'latest_version'),
    });
  }
  return nodes;
}

/** @example packageOf(node) // 'shop', of model.shop.orders */
export function packageOf({ id, source }: Pick<DbtNode, 'id' | 'source'>): string {
  return textAt(source, 'package_name') ?? id.split('.')[1] ?? 'dbt';
}

/** A model of another project: it has no file here, which is how dbt itself recognizes it. */
export function isReference({ source, resourceType }: DbtNode): boolean {
  const hasNoFile = (key: string) => memberOf(source, key) === '';
  return resourceType === 'model' && hasNoFile('path') && hasNoFile('original_file_path');
}

export function isDisabled(node: JsonObject): boolean {
  return memberOf(objectAt(node, 'config'), 'enabled') === false;
}

/** Versions are numbers or strings. */
function versionOf(node: JsonObject, key: 'version' | 'latest_version'): string | null {
  const version = memberOf(node, key);
  return typeof version === 'number' || typeof version === 'string' ? String(version) : null;
}

function* eachNode(manifest: Json): Iterable<readonly [string, Json, string]> {
  for (const section of ['nodes', 'sources'] as const) {
    for (const [id, node] of Object.entries(objectAt(manifest, section) ?? {})) {
      yield [id, node, placeOf(`$.${section}`, id)];
    }
  }
}
