// The ValidatingAdmissionPolicies, which check rights with the cluster's own authorizer.
// `policies/` and the files of the chart are generated from them.

import { stringify } from 'yaml';
import { proposedFields } from './contract-proposal.ts';
import { group, madeForAnnotation, reconcileAtAnnotation, teamLabel, version } from './kinds.ts';

interface Policy {
  readonly name: string;
  readonly file: string;
  readonly policy: object;
  readonly binding: object;
}

/**
 * The maximum number of teams that one write may add to a namespace or remove from it. One
 * authorizer check costs a third of the budget of an expression and a thirtieth of that of a
 * policy, so each team has its own expression.
 */
export const maxTeamsChanged = 8;

/** The label's value, split at the dots; an empty list without the label. */
const slugsOf = (object: string) =>
  `${object} == null || !has(${object}.metadata.labels) || !('${teamLabel}' in ${object}.metadata.labels) ? [] : ${object}.metadata.labels['${teamLabel}'].split('.')`;

const mayUse = (team: string) =>
  `authorizer.group('${group}').resource('teams').name(${team}).check('use').allowed()`;

/**
 * Setting the label lets the namespace act for a team, and removing it ends what the team manages
 * there, so both need a right of their own.
 */
const teamLabelPolicy = toPolicy('team-label', {
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: ['CREATE', 'UPDATE'],
        // Labels can also be written through subresources.
        resources: ['namespaces', 'namespaces/status', 'namespaces/finalize'],
      },
    ],
  },
  variables: [
    { name: 'before', expression: slugsOf('oldObject') },
    { name: 'after', expression: slugsOf('object') },
    {
      name: 'changed',
      expression:
        'variables.after.filter(slug, !(slug in variables.before)) + variables.before.filter(slug, !(slug in variables.after))',
    },
  ],
  validations: [
    {
      expression: `size(variables.changed) <= ${maxTeamsChanged}`,
      message: `the label ${teamLabel} may gain and lose ${maxTeamsChanged} teams at once: set it in steps`,
      reason: 'Invalid',
    },
    ...Array.from({ length: maxTeamsChanged }, (_, i) => ({
      expression: `size(variables.changed) <= ${i} || ${mayUse(`variables.changed[${i}]`)}`,
      messageExpression: `'the label ${teamLabel} ' + (variables.changed[${i}] in variables.after ? 'gains ' : 'loses ') + variables.changed[${i}] + ': this needs the verb use on teams.${group} of that name'`,
      reason: 'Forbidden',
    })),
  ],
});

const reconcileAtOf = (object: string) =>
  `(has(${object}.metadata.annotations) && '${reconcileAtAnnotation}' in ${object}.metadata.annotations ? ${object}.metadata.annotations['${reconcileAtAnnotation}'] : '')`;

/** Forcing overrides the consumers, so the right to write objects is not enough. */
const forcePolicy = toPolicy('force', {
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        operations: ['CREATE', 'UPDATE'],
        resources: ['contractproposals'],
      },
    ],
  },
  matchConditions: [
    {
      name: 'forces',
      expression: `has(object.spec.decision) && object.spec.decision == 'Force'`,
    },
    {
      // Changing what is forced amounts to forcing it, and so does reconciling again: by now the
      // change may break more.
      name: 'changes-what-is-forced',
      expression: `oldObject == null || object.spec != oldObject.spec || ${reconcileAtOf('object')} != ${reconcileAtOf('oldObject')}`,
    },
  ],
  validations: [
    {
      expression: `authorizer.group('${group}').resource('contractproposals').namespace(request.namespace).name(request.name).check('force').allowed()`,
      message: `decision Force needs the verb force on contractproposals.${group} in this namespace`,
      reason: 'Forbidden',
    },
    {
      // Only for a new decision; objects that were forced before stay valid.
      expression: `oldObject == null || (has(oldObject.spec.decision) && oldObject.spec.decision == 'Force') || !has(oldObject.status) || !has(oldObject.status.phase) || !(oldObject.status.phase in ['Published', 'ForcePublished', 'Withdrawn', 'NotBreaking'])`,
      messageExpression: `'the proposal is ' + oldObject.status.phase + ' already: decision Force would do nothing'`,
      reason: 'Invalid',
    },
  ],
});

const proposed = JSON.stringify(proposedFields).replaceAll('"', "'");
/** Whether the proposed fields are the same in the old object. */
const keepsText = `${proposed}.all(field, (field in dyn(object.spec)) == (field in dyn(oldObject.spec)) && (!(field in dyn(object.spec)) || dyn(object.spec)[field] == dyn(oldObject.spec)[field]))`;
const madeFor = `'${madeForAnnotation}'`;

/** Ensures that the text that consumers read is the change that will be published. */
const madeProposalPolicy = toPolicy('made-proposal', {
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        operations: ['UPDATE'],
        resources: ['contractproposals'],
      },
    ],
  },
  matchConditions: [
    {
      name: 'made-by-the-controller',
      expression: `has(oldObject.metadata.annotations) && ${madeFor} in oldObject.metadata.annotations`,
    },
  ],
  validations: [
    {
      expression: keepsText,
      message:
        'the controller made this ContractProposal: only acknowledgements and the decision may change; change the DataContract to propose something else',
      reason: 'Invalid',
    },
    {
      expression: `has(object.metadata.annotations) && ${madeFor} in object.metadata.annotations && object.metadata.annotations[${madeFor}] == oldObject.metadata.annotations[${madeFor}]`,
      message: `the annotation ${madeForAnnotation} is immutable`,
      reason: 'Invalid',
    },
  ],
});

const mayDecide = `authorizer.group('${group}').resource('contractproposals').namespace(request.namespace)`;
const textAt = (object: string, field: string) =>
  `(has(${object}.spec.${field}) ? ${object}.spec.${field} : '')`;
const keepsDecision = ['decision', 'decisionDigest', 'decisionReason']
  .map((field) => `${textAt('object', field)} == ${textAt('oldObject', field)}`)
  .join(' && ');
const decidesSomething = `!(${textAt('object', 'decision')} in ['', 'Pending'])`;

/**
 * Deciding on a proposal and writing its text are separate rights. A decision without a digest also
 * applies to a changed text, so changing the text then counts as deciding.
 */
const decisionPolicy = toPolicy('decision', {
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        operations: ['CREATE', 'UPDATE'],
        resources: ['contractproposals'],
      },
    ],
  },
  variables: [
    { name: 'keepsText', expression: `oldObject != null && ${keepsText}` },
    {
      name: 'decides',
      // Force has its own verb.
      expression: `${textAt('object', 'decision')} != 'Force' && (oldObject == null ? ${decidesSomething} : (!(${keepsDecision}) || (${decidesSomething} && !has(object.spec.decisionDigest) && !variables.keepsText)))`,
    },
  ],
  validations: [
    {
      expression: `!variables.decides || ${mayDecide}.name(request.name).check('decide').allowed()`,
      message: `deciding on a proposal needs the verb decide on contractproposals.${group} in this namespace`,
      reason: 'Forbidden',
    },
    {
      expression: `oldObject == null || variables.keepsText || ${mayDecide}.name(request.name).check('create').allowed()`,
      message: `changing what is proposed needs the verb create on contractproposals.${group} in this namespace`,
      reason: 'Forbidden',
    },
  ],
});

/** A DataContract may contain a decision, so that it can come from git. */
const contractDecisionPolicy = toPolicy('contract-decision', {
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        operations: ['CREATE', 'UPDATE'],
        resources: ['datacontracts'],
      },
    ],
  },
  matchConditions: [
    { name: 'has-decisions', expression: 'has(object.spec.decisions)' },
    {
      name: 'adds-decisions',
      expression:
        'oldObject == null || !has(oldObject.spec.decisions) || !object.spec.decisions.all(one, one in oldObject.spec.decisions)',
    },
  ],
  validations: [
    {
      expression: `${mayDecide}.check('decide').allowed()`,
      message: `spec.decisions needs the verb decide on contractproposals.${group} in this namespace`,
      reason: 'Forbidden',
    },
  ],
});

const mayRead = (secret: string) =>
  `authorizer.group('').resource('secrets').namespace(request.namespace).name(${secret}).check('get').allowed()`;
const secretOf = (place: string) =>
  `(has(object.spec.${place}) ? [object.spec.${place}.secretKeyRef.name] : [])`;
const secretPlaces = [
  ...['registryKey', 'source.urlFrom', 'source.passwordFrom'],
  ...['source.caFrom', 'source.certFrom', 'source.keyFrom'],
];

/**
 * The Job of a ContractCheck sends what these Secrets hold to an address that the check names, so
 * writing one needs the right to read them.
 */
const checkSecretsPolicy = toPolicy('check-secrets', {
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        operations: ['CREATE', 'UPDATE'],
        resources: ['contractchecks'],
      },
    ],
  },
  matchConditions: [
    {
      name: 'changes-the-spec',
      expression: 'oldObject == null || object.spec != oldObject.spec',
    },
  ],
  variables: [{ name: 'secrets', expression: secretPlaces.map(secretOf).join(' + ') }],
  validations: secretPlaces.map((_, i) => ({
    expression: `size(variables.secrets) <= ${i} || ${mayRead(`variables.secrets[${i}]`)}`,
    messageExpression: `'the Job of this check reads Secret ' + variables.secrets[${i}] + ': naming it needs the verb get on that Secret'`,
    reason: 'Forbidden',
  })),
});

const named = '(object == null ? oldObject : object).metadata.name';

/**
 * Whoever may let a namespace act for a team may declare that team, and nobody else. Finalizers are
 * the controller's.
 */
const teamPolicy = toPolicy('team', {
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        operations: ['CREATE', 'UPDATE', 'DELETE'],
        resources: ['teams'],
      },
    ],
  },
  matchConditions: [
    {
      name: 'changes-the-team',
      expression: `object == null || oldObject == null || object.spec != oldObject.spec || ${reconcileAtOf('object')} != ${reconcileAtOf('oldObject')}`,
    },
  ],
  validations: [
    {
      expression: mayUse(named),
      messageExpression: `'declaring team ' + ${named} + ' needs the verb use on teams.${group} of that name'`,
      reason: 'Forbidden',
    },
  ],
});

export const policies: readonly Policy[] = [
  teamLabelPolicy,
  teamPolicy,
  forcePolicy,
  madeProposalPolicy,
  decisionPolicy,
  contractDecisionPolicy,
  checkSecretsPolicy,
];

function toPolicy(file: string, spec: object): Policy {
  const name = `${file}.${group}`;
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return {
    name,
    file,
    policy: {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      // If the authorizer cannot be asked, the change is refused.
      spec: { failurePolicy: 'Fail', ...spec },
    },
    binding: {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  };
}

/** Tells readers of the file where to change it. */
const header = '# Made from src/controller/crd/policies.ts by `npm run golden`: change it there.\n';

export function toPolicyYaml({ policy, binding }: Policy): string {
  return (
    header + [policy, binding].map((part) => stringify(part, { lineWidth: 100 })).join('---\n')
  );
}

/** All policies, ready for `kubectl apply -f -`. */
export function policiesYaml(): string {
  return policies.map(toPolicyYaml).join('---\n');
}
