// The controller's own rights in a cluster: the smallest that its tests pass with. The chart's
// ClusterRole is made of the same rows.

import { group } from '../crd/kinds.ts';

export interface Right {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Of the cluster, also where only some namespaces are reconciled: these have no namespace. */
export const namespaceRight: Right = {
  apiGroups: [''],
  resources: ['namespaces'],
  verbs: ['get', 'list', 'watch'],
};

export const controllerRights: readonly Right[] = [
  {
    apiGroups: [group],
    resources: ['datacontracts', 'contractproposals', 'contractregistrations'],
    // A finalizer is all that it writes beside the status.
    verbs: ['list', 'watch', 'patch'],
  },
  // Those that ask about a change to a DataContract; the oldest of them go again.
  { apiGroups: [group], resources: ['contractproposals'], verbs: ['create', 'delete'] },
  {
    apiGroups: [group],
    resources: ['datacontracts/status', 'contractproposals/status', 'contractregistrations/status'],
    verbs: ['patch'],
  },
  namespaceRight,
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'get', 'patch'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['create', 'get', 'update'],
  },
];
