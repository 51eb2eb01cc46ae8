// What a dbt project says of a model as a whole: who may refer to it, until when, and what dbt checks. These are
// annotations of its schema: no row breaks by them, and each change of them is told.

import type { JsonObject } from '../../value/json.ts';
import { memberOf, objectAt, textAt } from '../read-json.ts';
import type { DbtNode } from './dbt-node.ts';

/**
 * Nothing where dbt's own default is stated, as in manifests before dbt 1.5, which do not state it.
 *
 * @example governanceOf(node) // { 'x-dbt-access': 'public', deprecated: true, 'x-sunset': '2027-01-31' }
 */
export function governanceOf(node: DbtNode): JsonObject {
  const sunset = textAt(node.source, 'deprecation_date');
  const group = statedText(node, 'group');
  const access = accessOf(node);
  return {
    ...(access === null ? {} : { 'x-dbt-access': access }),
    ...(group === undefined ? {} : { 'x-dbt-group': group }),
    ...(isEnforced(node) ? { 'x-dbt-contract': 'enforced' } : {}),
    ...(sunset === undefined ? {} : { deprecated: true, 'x-sunset': dayIn(sunset) }),
  };
}

/** Who may refer to the model: null for the models of its project. */
export function accessOf(node: DbtNode): string | null {
  const access = statedText(node, 'access');
  if (access !== 'private') return access === 'public' ? 'public' : null;
  const group = statedText(node, 'group');
  return group === undefined ? 'private' : `private to ${group}`;
}

/** A manifest has it at the model, and some versions of dbt only in its configuration. */
function statedText({ source }: DbtNode, key: 'access' | 'group'): string | undefined {
  return textAt(source, key) ?? textAt(objectAt(source, 'config'), key);
}

function isEnforced({ source }: DbtNode): boolean {
  return [source, objectAt(source, 'config')].some(
    (holder) => memberOf(objectAt(holder, 'contract'), 'enforced') === true,
  );
}

/** A manifest states the time of midnight, too. */
function dayIn(date: string): string {
  return /^(\d{4}-\d{2}-\d{2})[T ]00:00(:00)?(\.0+)?(Z|[+-]\d{2}:\d{2})?$/.exec(date)?.[1] ?? date;
}
