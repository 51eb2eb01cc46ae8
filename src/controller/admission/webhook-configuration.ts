// What the API server is told about the webhook. The chart's template renders the same, and a test
// compares them.

import { group, version } from '../crd/kinds.ts';

interface WebhookPlace {
  /** Of the ValidatingWebhookConfiguration. */
  readonly name: string;
  readonly clientConfig: object;
}

/** The name that it has in the answers of the API server. */
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
        // Down, it lets everything pass: the reconciler looks at it all again.
        failurePolicy: 'Ignore',
        timeoutSeconds: 5,
        matchPolicy: 'Equivalent',
        clientConfig,
        rules: [
          {
            apiGroups: [group],
            apiVersions: [version],
            operations: ['CREATE', 'UPDATE'],
            resources: ['datacontracts', 'contractproposals', 'contractregistrations'],
            scope: 'Namespaced',
          },
        ],
        // Labels, finalizers and the like are nothing to ask about.
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
