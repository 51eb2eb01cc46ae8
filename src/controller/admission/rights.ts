// What keeping the webhook's certificates takes, beside the rights of the controller: the chart's
// roles are made of the same rows.

import type { Right } from '../cluster/rights.ts';

interface NamedRight extends Right {
  readonly resourceNames?: readonly string[];
}

interface WebhookRights {
  readonly cluster: readonly NamedRight[];
  /** In the namespace of the release alone. */
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
      // What is yet to be made has no name that a right could be given for.
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
