// The controller's own rights in a cluster: the smallest that its tests pass with. The chart's
// ClusterRole is made from the same rows.

import { group } from '../crd/kinds.ts';

export interface Right {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * Cluster-wide even if only some namespaces are reconciled, because Namespaces are cluster-scoped.
 */
export const namespaceRight: Right = {
  apiGroups: [''],
  resources: ['namespaces'],
  verbs: ['get', 'list', 'watch'],
};

/** For `schemaFrom`. Without this right, an object that refers to a ConfigMap says so in its status. */
export const configMapRight: Right = {
  apiGroups: [''],
  resources: ['configmaps'],
  verbs: ['get', 'list', 'watch'],
};

export const controllerRights: readonly Right[] = [
  {
    apiGroups: [group],
    resources: ['datacontracts', 'contractproposals', 'contractregistrations'],
    // Apart from the status, the controller only writes finalizers.
    verbs: ['list', 'watch', 'patch'],
  },
  // For the proposals that ask about a change to a DataContract; the oldest are deleted.
  { apiGroups: [group], resources: ['contractproposals'], verbs: ['create', 'delete'] },
  {
    apiGroups: [group],
    resources: ['datacontracts/status', 'contractproposals/status', 'contractregistrations/status'],
    verbs: ['patch'],
  },
  namespaceRight,
  configMapRight,
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'get', 'patch'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['create', 'get', 'update'],
  },
];

/** Cluster-wide even if only some namespaces are reconciled, because Teams are cluster-scoped. */
export const teamRights: readonly Right[] = [
  { apiGroups: [group], resources: ['teams'], verbs: ['list', 'watch', 'patch'] },
  { apiGroups: [group], resources: ['teams/status'], verbs: ['patch'] },
];

/** In addition, where ContractChecks are reconciled. Kubernetes deletes Jobs with their check. */
export const checkRights: readonly Right[] = [
  { apiGroups: [group], resources: ['contractchecks'], verbs: ['list', 'watch'] },
  { apiGroups: [group], resources: ['contractchecks/status'], verbs: ['patch'] },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['create', 'list', 'patch', 'watch'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create', 'list', 'watch'] },
];
