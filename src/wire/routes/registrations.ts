// Registrations.

import { z } from 'zod';
import { answer, apiPrefix, noContent, route } from '../route.ts';
import {
  FoundNeedsReport,
  NeedsConfirmation,
  Registration,
  RegistrationCreate,
  RegistrationCreated,
  RegistrationList,
  RegistrationUpdate,
  registrationStates,
} from '../shapes/registration.ts';
import { choice, exampleId, id, pageQuery, reason } from '../shapes/shape.ts';

const registrationParams = z.strictObject({
  registration_id: id('The registration.', exampleId.registration),
});

/** Refusals of a stated need. */
const needErrors = [
  'NEED_NOT_MET',
  'INVALID_SCHEMA',
  'SCHEMA_TOO_LARGE',
  'UNSUPPORTED_DIALECT',
] as const;

export const registrationRoutes = {
  registerConsumer: route({
    method: 'POST',
    path: `${apiPrefix}/registrations`,
    tag: 'Registrations',
    summary: 'Register a team as a consumer',
    scope: 'write',
    who: 'named_consumer',
    body: RegistrationCreate,
    largeBody: true,
    answers: { 201: answer('The new registration.', RegistrationCreated) },
    errors: [
      'CONTRACT_NOT_FOUND',
      'TEAM_NOT_FOUND',
      'REGISTRATION_EXISTS',
      'CONTRACT_ARCHIVED',
      'SELF_REGISTRATION',
      ...needErrors,
    ],
  }),
  listRegistrations: route({
    method: 'GET',
    path: `${apiPrefix}/registrations`,
    tag: 'Registrations',
    summary: 'List registrations',
    scope: 'read',
    who: 'scope',
    query: z.strictObject({
      asset_id: id('Only registrations for this asset.', exampleId.asset).optional(),
      contract_id: id('Only registrations of this contract.', exampleId.contract).optional(),
      consumer_team_id: id('Only registrations of this team.', exampleId.otherTeam).optional(),
      status: choice(registrationStates, 'Only registrations in this state.').optional(),
      ...pageQuery(['created_at', '-created_at']),
    }),
    answers: { 200: answer('A page of registrations, newest first.', RegistrationList) },
    errors: [],
    fromReplica: true,
  }),
  getRegistration: route({
    method: 'GET',
    path: `${apiPrefix}/registrations/{registration_id}`,
    tag: 'Registrations',
    summary: 'Get a registration',
    scope: 'read',
    who: 'scope',
    params: registrationParams,
    answers: { 200: answer('The registration.', Registration) },
    errors: ['REGISTRATION_NOT_FOUND'],
    tagged: true,
  }),
  updateRegistration: route({
    method: 'PATCH',
    path: `${apiPrefix}/registrations/{registration_id}`,
    tag: 'Registrations',
    summary: 'Change a registration',
    scope: 'write',
    who: 'registration_consumer',
    params: registrationParams,
    body: RegistrationUpdate,
    largeBody: true,
    answers: { 200: answer('The changed registration.', Registration) },
    errors: [
      'REGISTRATION_NOT_FOUND',
      'ASSET_NOT_FOUND',
      'CONTRACT_NOT_FOUND',
      'CONTRACT_ARCHIVED',
      ...needErrors,
    ],
    tagged: true,
  }),
  findNeeds: route({
    method: 'POST',
    path: `${apiPrefix}/registrations/{registration_id}/needs/found`,
    tag: 'Registrations',
    summary: 'Keep what was found that a team reads',
    description:
      'Replaces what was found in the same source before. If the caller may not answer for the team, fields and places that were found before stay.',
    scope: 'write',
    who: 'registration_consumer',
    params: registrationParams,
    body: FoundNeedsReport,
    largeBody: true,
    answers: { 200: answer('The registration.', Registration) },
    errors: ['REGISTRATION_NOT_FOUND', 'ASSET_NOT_FOUND'],
  }),
  confirmNeeds: route({
    method: 'POST',
    path: `${apiPrefix}/registrations/{registration_id}/needs/confirm`,
    tag: 'Registrations',
    summary: 'State what was found as a need',
    description:
      'Adds the found fields to the stated ones. Fields that the contract in force does not have are left out, unless none is left.',
    scope: 'write',
    who: 'registration_answering',
    params: registrationParams,
    body: NeedsConfirmation,
    answers: { 200: answer('The registration with its need.', Registration) },
    errors: ['REGISTRATION_NOT_FOUND', 'ASSET_NOT_FOUND', 'PRECONDITION_FAILED', ...needErrors],
  }),
  deleteRegistration: route({
    method: 'DELETE',
    path: `${apiPrefix}/registrations/{registration_id}`,
    tag: 'Registrations',
    summary: 'Remove a registration',
    scope: 'write',
    who: 'registration_answering',
    params: registrationParams,
    query: z.strictObject({
      reason: reason('Why an administrator removes that of another team.').optional(),
    }),
    answers: { 204: noContent('The registration is removed.') },
    errors: ['REGISTRATION_NOT_FOUND'],
    tagged: true,
  }),
};
