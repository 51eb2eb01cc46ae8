// Contracts by their own ids.

import { z } from 'zod';
import { exportFormats } from '../../core/export/export-format.ts';
import { answer, apiPrefix, document, route } from '../route.ts';
import {
  CompareRequest,
  Contract,
  ContractDiff,
  ContractList,
  ContractUpdate,
  contractStates,
  overriding,
  ProposalCreated,
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
      asset_id: id('Of this asset.', exampleId.asset).optional(),
      status: choice(contractStates, 'In this state.').optional(),
      version: text('Of this version.', '1.2.0', 32).optional(),
      ...pageQuery(['published_at', '-published_at']),
    }),
    answers: { 200: answer('A page of contracts.', ContractList) },
    errors: [],
  }),
  compareContracts: route({
    method: 'POST',
    path: `${apiPrefix}/contracts/compare`,
    tag: 'Contracts',
    summary: 'Compare two contracts',
    description: 'Under the mode of the older one. Changes nothing.',
    scope: 'read',
    who: 'scope',
    body: CompareRequest,
    answers: { 200: answer('What lies between them.', ContractDiff) },
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
      '`yaml` is a DataContract manifest, ready for git; `odcs` an Open Data Contract Standard ' +
      'document in YAML, which importing again leaves unchanged; `jsonschema` the schema alone.',
    scope: 'read',
    who: 'scope',
    params: contractParams,
    query: z.strictObject({
      format: choice(exportFormats, 'Which document; absent: `yaml`.', 'odcs').default('yaml'),
    }),
    answers: {
      200: document('The document.', ['application/yaml', 'application/schema+json']),
    },
    errors: ['CONTRACT_NOT_FOUND'],
    tagged: true,
  }),
  updateContract: route({
    method: 'PATCH',
    path: `${apiPrefix}/contracts/{contract_id}`,
    tag: 'Contracts',
    summary: 'Deprecate or archive a contract',
    description:
      'Archived is final. Deprecating the active contract asks the consumers first, where there ' +
      'are any: then a proposal is answered, and nothing has changed yet.',
    scope: 'write',
    who: 'contract_owner',
    params: contractParams,
    query: z.strictObject(overriding),
    body: ContractUpdate,
    answers: {
      200: answer(
        'The contract as it is now, or the proposal.',
        z.union([Contract, ProposalCreated]),
      ),
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
      status: choice(registrationStates, 'In this state.').optional(),
      ...pageQuery(['created_at', '-created_at']),
    }),
    answers: { 200: answer('A page of registrations.', RegistrationList) },
    errors: ['CONTRACT_NOT_FOUND'],
  }),
};
