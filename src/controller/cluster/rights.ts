// The controller's own rights in a cluster: the smallest that its tests pass with. The chart's
// ClusterRole is made of the same rows.

import { group } from '../crd/kinds.ts';

export interface Right {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export const controllerRights: readonly Right[] = [
  {
    apiGroups: [group],
    resources: ['datacontracts', 'contractregistrations'],
    // A finalizer is all that it writes beside the status.
    verbs: ['list', 'watch', 'patch'],
  },
  {
    apiGroups: [group],
    resources: ['datacontracts/status', 'contractregistrations/status'],
    verbs: ['patch'],
  },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'get', 'patch'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['create', 'get', 'update'],
  },
];
