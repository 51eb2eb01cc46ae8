// The ValidatingAdmissionPolicies, with which the cluster refuses changes by asking its own
// authorizer. `policies/` and the files of the chart are made from them.

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
 * Limits the teams that one write adds to a namespace. A question to the authorizer costs a third of
 * the budget of an expression and a thirtieth of that of a policy, so each team has its own
 * expression.
 */
export const maxTeamsAdded = 8;

/** The value of the label, split; an empty list where there is none. */
const slugsOf = (object: string) =>
  `${object} == null || !has(${object}.metadata.labels) || !('${teamLabel}' in ${object}.metadata.labels) ? [] : ${object}.metadata.labels['${teamLabel}'].split('.')`;

const mayUse = (team: string) =>
  `authorizer.group('${group}').resource('teams').name(${team}).check('use').allowed()`;

/** Setting the label lets the namespace act for a team, so it needs a right of its own. */
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
    {
      name: 'added',
      expression: `(${slugsOf('object')}).filter(slug, !(slug in variables.before))`,
    },
  ],
  validations: [
    {
      expression: `size(variables.added) <= ${maxTeamsAdded}`,
      message: `the label ${teamLabel} may gain ${maxTeamsAdded} teams at once: set it in steps`,
      reason: 'Invalid',
    },
    ...Array.from({ length: maxTeamsAdded }, (_, i) => ({
      expression: `size(variables.added) <= ${i} || ${mayUse(`variables.added[${i}]`)}`,
      messageExpression: `'the label ${teamLabel} names ' + variables.added[${i}] + ': setting it needs the verb use on teams.${group} of that name'`,
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
      // Changing what is forced amounts to forcing it, and so does asking anew: it may break more by now.
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
      // Only where it is decided now: what was forced before stays so.
      expression: `oldObject == null || (has(oldObject.spec.decision) && oldObject.spec.decision == 'Force') || !has(oldObject.status) || !has(oldObject.status.phase) || !(oldObject.status.phase in ['Published', 'ForcePublished', 'Withdrawn', 'NotBreaking'])`,
      messageExpression: `'the proposal is ' + oldObject.status.phase + ' already: decision Force would do nothing'`,
      reason: 'Invalid',
    },
  ],
});

const proposed = JSON.stringify(proposedFields).replaceAll('"', "'");
const madeFor = `'${madeForAnnotation}'`;

/** Ensures that consumers read what they are asked about, and what will be published. */
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
      expression: `${proposed}.all(field, (field in dyn(object.spec)) == (field in dyn(oldObject.spec)) && (!(field in dyn(object.spec)) || dyn(object.spec)[field] == dyn(oldObject.spec)[field]))`,
      message:
        'the controller made this ContractProposal: only acknowledgements, decision and decisionReason may change; change the DataContract to propose something else',
      reason: 'Invalid',
    },
    {
      expression: `has(object.metadata.annotations) && ${madeFor} in object.metadata.annotations && object.metadata.annotations[${madeFor}] == oldObject.metadata.annotations[${madeFor}]`,
      message: `the annotation ${madeForAnnotation} is immutable`,
      reason: 'Invalid',
    },
  ],
});

export const policies: readonly Policy[] = [teamLabelPolicy, forcePolicy, madeProposalPolicy];

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

/** All of them, ready for `kubectl apply -f -`. */
export function policiesYaml(): string {
  return policies.map(toPolicyYaml).join('---\n');
}
