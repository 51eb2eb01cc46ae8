// The ValidatingWebhookConfiguration. The chart's template renders the same, and a test compares
// them.

import { group, kinds, version } from '../crd/kinds.ts';

interface WebhookPlace {
  /** The name of the ValidatingWebhookConfiguration. */
  readonly name: string;
  readonly clientConfig: object;
}

/** The webhook's name in responses of the API server. */
const webhookName = `validate.${group}`;

export function toWebhookConfiguration({ name, clientConfig }: WebhookPlace): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: webhookName,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        // Without the webhook everything is allowed, because the reconciler checks it again.
        failurePolicy: 'Ignore',
        timeoutSeconds: 5,
        matchPolicy: 'Equivalent',
        clientConfig,
        rules: [
          {
            apiGroups: [group],
            apiVersions: [version],
            operations: ['CREATE', 'UPDATE'],
            resources: kinds.filter(({ scope }) => scope === undefined).map(({ plural }) => plural),
            scope: 'Namespaced',
          },
        ],
        // Changes of labels, finalizers and the like need no review.
        matchConditions: [
          {
            name: 'changes-the-spec',
            expression: 'oldObject == null || object.spec != oldObject.spec',
          },
        ],
      },
    ],
  };
}
