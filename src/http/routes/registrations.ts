// Registrations.

import type { z } from 'zod';
import { accept } from '../../core/failure.ts';
import type { StatedNeed } from '../../core/need.ts';
import { registrationSortFields } from '../../registry/lists.ts';
import {
  representRegistration,
  representRegistrationCreated,
  representRegistrationListed,
} from '../../wire/represent/represent.ts';
import type { RegistrationCreate } from '../../wire/shapes/registration.ts';
import { type Handler, listQueryOf, pageOf, preconditionOf, write } from '../handler.ts';
import { notFound } from '../not-found.ts';

export const registerConsumer: Handler<'registerConsumer'> = write({
  verb: (verbs) => verbs.registerConsumer,
  command: ({ body }) => ({
    contractId: body.contract_id,
    consumerTeamId: body.consumer_team_id,
    notes: body.notes,
    allowSelf: body.allow_self,
    needs: statedNeedOf(body.needs),
    allowUnmet: body.allow_unmet,
  }),
  reply: (registration) => ({ status: 201, body: representRegistrationCreated(registration) }),
});

export const listRegistrations: Handler<'listRegistrations'> = async ({ ports }, { query }) => {
  const listed = await ports.reads.listRegistrations({
    ...listQueryOf(query, registrationSortFields),
    assetId: query.asset_id,
    contractId: query.contract_id,
    consumerTeamId: query.consumer_team_id,
    status: query.status,
  });
  return pageOf(listed, query, representRegistrationListed);
};

export const getRegistration: Handler<'getRegistration'> = async ({ ports }, { params }) => {
  const registration = await ports.reads.getRegistration(params.registration_id);
  if (registration === null) return notFound('REGISTRATION_NOT_FOUND', params.registration_id);
  return accept({ status: 200, body: representRegistration(registration) });
};

export const updateRegistration: Handler<'updateRegistration'> = write({
  verb: (verbs) => verbs.updateRegistration,
  command: ({ params, body, ifMatch }) => ({
    registrationId: params.registration_id,
    notes: body.notes,
    status: body.status,
    contractId: body.contract_id,
    needs: body.needs === null ? null : statedNeedOf(body.needs),
    allowUnmet: body.allow_unmet,
    reason: body.reason,
    precondition: preconditionOf(ifMatch, representRegistration),
  }),
  reply: (registration) => ({ status: 200, body: representRegistration(registration) }),
});

export const findNeeds: Handler<'findNeeds'> = write({
  verb: (verbs) => verbs.findNeeds,
  command: ({ params, body }) => ({ registrationId: params.registration_id, ...body }),
  reply: (registration) => ({ status: 200, body: representRegistration(registration) }),
});

export const confirmNeeds: Handler<'confirmNeeds'> = write({
  verb: (verbs) => verbs.confirmNeeds,
  command: ({ params, body }) => ({ registrationId: params.registration_id, ...body }),
  reply: (registration) => ({ status: 200, body: representRegistration(registration) }),
});

type SentNeeds = z.output<typeof RegistrationCreate>['needs'];

function statedNeedOf(needs: SentNeeds): StatedNeed | undefined {
  if (needs === undefined) return undefined;
  const { guarantees, ...said } = needs;
  return guarantees === undefined ? said : { ...said, guarantees };
}

export const deleteRegistration: Handler<'deleteRegistration'> = write({
  verb: (verbs) => verbs.deleteRegistration,
  command: ({ params, query, ifMatch }) => ({
    registrationId: params.registration_id,
    reason: query.reason,
    precondition: preconditionOf(ifMatch, representRegistration),
  }),
  reply: () => ({ status: 204, body: undefined }),
});
