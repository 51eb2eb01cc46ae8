// Rights on the kinds, added to the built-in roles view, edit and admin. They do not include
// `force` on contractproposals or anything on teams, which operators grant by name. Deciding on
// proposals is a separate role, so that it can be granted separately from writing their text.

import { group, kinds } from './kinds.ts';

interface UserRole {
  /** The last part of the role's name. */
  readonly name: 'view' | 'edit' | 'decide';
  /** The built-in roles that it is aggregated to. */
  readonly aggregateTo: readonly ('view' | 'edit' | 'admin')[];
  readonly verbs: readonly string[];
  /** All kinds in namespaces if absent. */
  readonly resources?: readonly string[];
}

export const userRoles: readonly UserRole[] = [
  { name: 'view', aggregateTo: ['view', 'edit', 'admin'], verbs: ['get', 'list', 'watch'] },
  {
    name: 'edit',
    aggregateTo: ['edit', 'admin'],
    verbs: ['create', 'delete', 'deletecollection', 'patch', 'update'],
  },
  {
    name: 'decide',
    aggregateTo: ['edit', 'admin'],
    verbs: ['decide', 'patch', 'update'],
    resources: ['contractproposals'],
  },
];

/** Without the status: writing it could claim that a contract is published. */
export function rulesOf({ verbs, resources }: UserRole): readonly object[] {
  const inNamespaces = kinds.filter(({ scope }) => scope === undefined);
  return [
    { apiGroups: [group], resources: resources ?? inNamespaces.map(({ plural }) => plural), verbs },
  ];
}

export function toClusterRole(role: UserRole, prefix: string): object {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: `${prefix}-${role.name}`,
      labels: Object.fromEntries(
        role.aggregateTo.map((to) => [`rbac.authorization.k8s.io/aggregate-to-${to}`, 'true']),
      ),
    },
    rules: rulesOf(role),
  };
}
