// Contracts by their own ids.

import { z } from 'zod';
import { exportFormats } from '../../core/export/export-format.ts';
import { answer, apiPrefix, document, route } from '../route.ts';
import { CheckedValues, operationParts, ValuesRequest } from '../shapes/checked-values.ts';
import {
  CompareRequest,
  Contract,
  ContractDiff,
  ContractList,
  ContractUpdate,
  contractStates,
  overriding,
  ProposalCreated,
  SchemaChecked,
  SchemaToCheck,
} from '../shapes/contract.ts';
import { RegistrationList, registrationStates } from '../shapes/registration.ts';
import { choice, exampleId, id, pageQuery, text } from '../shapes/shape.ts';

const contractParams = z.strictObject({ contract_id: id('The contract.', exampleId.contract) });

export const contractRoutes = {
  listContracts: route({
    method: 'GET',
    path: `${apiPrefix}/contracts`,
    tag: 'Contracts',
    summary: 'List contracts',
    description: 'Newest first, without their schemas.',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      asset_id: id('Only contracts of this asset.', exampleId.asset).optional(),
      status: choice(contractStates, 'Only contracts in this state.').optional(),
      version: text('Only contracts with this version.', '1.2.0', 32).optional(),
      ...pageQuery(['published_at', '-published_at']),
    }),
    answers: { 200: answer('A page of contracts.', ContractList) },
    errors: [],
    fromReplica: true,
  }),
  compareContracts: route({
    method: 'POST',
    path: `${apiPrefix}/contracts/compare`,
    tag: 'Contracts',
    summary: 'Compare two contracts',
    description: 'Applies the compatibility mode of the older contract. Changes nothing.',
    scope: 'read',
    who: 'scope',
    body: CompareRequest,
    answers: { 200: answer('The differences.', ContractDiff) },
    errors: ['CONTRACT_NOT_FOUND'],
  }),
  getContract: route({
    method: 'GET',
    path: `${apiPrefix}/contracts/{contract_id}`,
    tag: 'Contracts',
    summary: 'Get a contract',
    scope: 'read',
    who: 'scope',
    params: contractParams,
    answers: { 200: answer('The contract.', Contract) },
    errors: ['CONTRACT_NOT_FOUND'],
    tagged: true,
  }),
  exportContract: route({
    method: 'GET',
    path: `${apiPrefix}/contracts/{contract_id}/export`,
    tag: 'Contracts',
    summary: 'Export a contract as a document',
    description:
      '`yaml` is a DataContract manifest, ready for git. `odcs` is an Open Data Contract Standard ' +
      'document in YAML; importing it again changes nothing. `jsonschema` is only the schema. ' +
      '`typescript` and `python` are types for programs that read or send such values.',
    scope: 'read',
    who: 'scope',
    params: contractParams,
    query: z.strictObject({
      format: choice(exportFormats, 'The format of the document.', 'odcs').default('yaml'),
    }),
    answers: {
      200: document('The document.', ['application/yaml', 'application/schema+json', 'text/plain']),
    },
    errors: ['CONTRACT_NOT_FOUND'],
    tagged: true,
  }),
  checkSchema: route({
    method: 'POST',
    path: `${apiPrefix}/schemas/validate`,
    tag: 'Contracts',
    summary: 'Check a schema',
    description:
      'Answers whether a schema can be published: its dialect, its keywords, its patterns, its references and its size. Stores nothing.',
    scope: 'read',
    who: 'scope',
    body: SchemaToCheck,
    largeBody: true,
    answers: { 200: answer('Whether it can be published.', SchemaChecked) },
    errors: [],
  }),
  checkValues: route({
    method: 'POST',
    path: `${apiPrefix}/contracts/{contract_id}/validate`,
    tag: 'Contracts',
    summary: 'Check values against a contract',
    description:
      'Answers for each value what is wrong and where, by the schema and by the guarantees `nullability` and `accepted_values`. Stores nothing. Personal data (`"x-classification": "pii"` in the schema) is not repeated in the answer. The values may also be sent one a line, as `application/x-ndjson`.',
    scope: 'read',
    who: 'scope',
    params: contractParams,
    query: z.strictObject({
      part: choice(
        operationParts,
        'For the contract of an operation: whether the values are requests or responses.',
      ).optional(),
      versions: choice(
        ['all'],
        'Also answers which of the newest 100 versions accept each value.',
      ).optional(),
      consumers: choice(
        ['all'],
        'Also answers which consumers cannot read each value, by what they have said that they read.',
      ).optional(),
    }),
    body: ValuesRequest,
    lines: 'values',
    largeBody: true,
    answers: { 200: answer('What is wrong with each value, in order.', CheckedValues) },
    errors: ['CONTRACT_NOT_FOUND'],
  }),
  updateContract: route({
    method: 'PATCH',
    path: `${apiPrefix}/contracts/{contract_id}`,
    tag: 'Contracts',
    summary: 'Deprecate or archive a contract',
    description:
      'Archiving is final. If the asset has consumers, they are asked before its active contract is ' +
      'deprecated: the response is then a proposal, and nothing has changed yet.',
    scope: 'write',
    who: 'contract_owner',
    params: contractParams,
    query: z.strictObject(overriding),
    body: ContractUpdate,
    answers: {
      200: answer('The changed contract, or the proposal.', z.union([Contract, ProposalCreated])),
    },
    errors: [
      'ASSET_NOT_FOUND',
      'CONTRACT_NOT_FOUND',
      'CONTRACT_ARCHIVED',
      'CONTRACT_PINNED',
      'PROPOSAL_PENDING',
      'ASSET_MANAGED_ELSEWHERE',
    ],
    tagged: true,
  }),
  listContractRegistrations: route({
    method: 'GET',
    path: `${apiPrefix}/contracts/{contract_id}/registrations`,
    tag: 'Contracts',
    summary: 'List the registrations of a contract',
    scope: 'read',
    who: 'scope',
    params: contractParams,
    query: z.strictObject({
      status: choice(registrationStates, 'Only registrations in this state.').optional(),
      ...pageQuery(['created_at', '-created_at']),
    }),
    answers: { 200: answer('A page of registrations.', RegistrationList) },
    errors: ['CONTRACT_NOT_FOUND'],
    fromReplica: true,
  }),
};
