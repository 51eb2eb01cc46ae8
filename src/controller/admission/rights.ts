// The rights for renewing the webhook's certificates, in addition to the controller's. The chart's
// roles are made from the same rows.

import type { Right } from '../cluster/rights.ts';

interface NamedRight extends Right {
  readonly resourceNames?: readonly string[];
}

interface WebhookRights {
  readonly cluster: readonly NamedRight[];
  /** Only in the namespace of the release. */
  readonly namespaced: readonly NamedRight[];
}

export function webhookRights(names: {
  readonly configuration: string;
  readonly secret: string;
}): WebhookRights {
  return {
    cluster: [
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingwebhookconfigurations'],
        resourceNames: [names.configuration],
        verbs: ['get', 'patch'],
      },
    ],
    namespaced: [
      // `create` cannot be limited to a resource name.
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: [names.secret],
        verbs: ['get', 'update'],
      },
    ],
  };
}
