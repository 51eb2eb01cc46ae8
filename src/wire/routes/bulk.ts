// Many writes of one kind in one request. Each item is what the single route takes, and is decided
// by the same code.

import { answer, apiPrefix, route } from '../route.ts';
import { BulkResult, bulkOf } from '../shapes/bulk.ts';
import { exampleId } from '../shapes/shape.ts';
import { assetRoutes } from './assets.ts';
import { proposalRoutes } from './proposals.ts';
import { registrationRoutes } from './registrations.ts';

const description =
  'Up to 1,000 items, each with the status and the body that the single route would answer. In the mode ' +
  '`transaction`, one refused item refuses all: the answer is its error, and `items` has the outcome of each ' +
  'refused item. Each item counts as one write for the rate limit.';

const answers = { 200: answer('The outcome of each item.', BulkResult) };

export const bulkRoutes = {
  bulkAssets: route({
    method: 'POST',
    path: `${apiPrefix}/bulk/assets`,
    tag: 'Assets',
    summary: 'Create many assets',
    description,
    scope: assetRoutes.createAsset.scope,
    who: assetRoutes.createAsset.who,
    body: bulkOf('A body of `POST /assets`.', {
      id: 'BulkAssets',
      example: {
        fqn: 'shop.public.orders',
        owner_team_id: exampleId.team,
      },
    }),
    largeBody: true,
    answers,
    errors: assetRoutes.createAsset.errors,
  }),
  bulkRegistrations: route({
    method: 'POST',
    path: `${apiPrefix}/bulk/registrations`,
    tag: 'Registrations',
    summary: 'Register consumers of many assets',
    description,
    scope: registrationRoutes.registerConsumer.scope,
    who: registrationRoutes.registerConsumer.who,
    body: bulkOf('A body of `POST /registrations`.', {
      id: 'BulkRegistrations',
      example: {
        contract_id: exampleId.contract,
        consumer_team_id: exampleId.otherTeam,
      },
    }),
    largeBody: true,
    answers,
    errors: registrationRoutes.registerConsumer.errors,
  }),
  bulkAcknowledgments: route({
    method: 'POST',
    path: `${apiPrefix}/bulk/acknowledgments`,
    tag: 'Proposals',
    summary: 'Answer many proposals',
    description,
    scope: proposalRoutes.acknowledgeProposal.scope,
    who: proposalRoutes.acknowledgeProposal.who,
    body: bulkOf('A body of `POST /proposals/{proposal_id}/acknowledge`, with its `proposal_id`.', {
      id: 'BulkAcknowledgments',
      example: { proposal_id: exampleId.proposal, response: 'approved' },
    }),
    largeBody: true,
    answers,
    errors: proposalRoutes.acknowledgeProposal.errors,
  }),
};
