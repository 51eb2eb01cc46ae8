// What a search finds.

import { z } from 'zod';
import { proposalStates } from '../../../core/proposal-machine.ts';
import { maxNamedFields } from '../../../core/search/name-fields.ts';
import { ranks } from '../../../core/search/rank-name.ts';
import { proposalKind } from '../proposal.ts';
import { choice, count, exampleId, id, text, timestamp } from '../shape.ts';

const match = {
  rank: choice(
    ranks,
    'How well it matches: `exact` (the name, or the end of its path), `prefix` (a segment of the name begins ' +
      'with the text), `word` (each word of the text begins a word of the name, the description or a tag).',
    'prefix',
  ),
  why: text('Why it matches, as a sentence.', 'A part of its name begins with this.'),
};

const ofAsset = {
  asset_id: id('The asset.', exampleId.asset),
  fqn: text('The FQN of the asset.', 'shop.public.orders'),
  environment: text('The environment of the asset.', 'production'),
};

const AssetHit = z
  .object({
    type: z.literal('asset').meta({ description: 'An asset.', examples: ['asset'] }),
    ...match,
    ...ofAsset,
    owner_team_name: text('The name of the owning team.', 'Checkout'),
    version: text('The version of its active contract.', '1.2.0').nullable().meta({
      description: 'The version of its active contract; null if there is none.',
    }),
  })
  .meta({ id: 'AssetHit', description: 'An asset that was found.' });

const FieldHit = z
  .object({
    type: z.literal('field').meta({ description: 'A field.', examples: ['field'] }),
    ...match,
    ...ofAsset,
    path: text('The field, as a path.', '$.customer.email'),
    contract_id: id('The active contract that has it.', exampleId.contract),
    version: text('The version of that contract.', '1.2.0'),
  })
  .meta({ id: 'FieldHit', description: 'A field of an active contract that was found.' });

const ServiceHit = z
  .object({
    type: z.literal('service').meta({ description: 'A service.', examples: ['service'] }),
    ...match,
    service_id: id('The service.', exampleId.service),
    name: text('The name of the service.', 'checkout-api'),
    owner_team_name: text('The name of the owning team.', 'Checkout'),
  })
  .meta({ id: 'ServiceHit', description: 'A service that was found.' });

const TeamHit = z
  .object({
    type: z.literal('team').meta({ description: 'A team.', examples: ['team'] }),
    ...match,
    team_id: id('The team.', exampleId.team),
    name: text('The name of the team.', 'Checkout'),
  })
  .meta({ id: 'TeamHit', description: 'A team that was found.' });

const ProposalHit = z
  .object({
    type: z.literal('proposal').meta({ description: 'A proposal.', examples: ['proposal'] }),
    ...match,
    ...ofAsset,
    proposal_id: id('The proposal.', exampleId.proposal),
    kind: proposalKind,
    status: choice(proposalStates, 'Its state.', 'pending'),
    proposed_at: timestamp('When it was proposed.'),
  })
  .meta({
    id: 'ProposalHit',
    description: 'A proposal about an asset that was found.',
  });

const UserHit = z
  .object({
    type: z.literal('user').meta({ description: 'A user.', examples: ['user'] }),
    ...match,
    user_id: id('The user.', exampleId.user),
    name: text('The name of the user.', 'Ada'),
    email: text('The address of the user.', 'ada@example.com'),
  })
  .meta({ id: 'UserHit', description: 'A user that was found. Only administrators find users.' });

export const SearchResults = z
  .object({
    results: z
      .array(
        z.discriminatedUnion('type', [
          AssetHit,
          FieldHit,
          ServiceHit,
          TeamHit,
          ProposalHit,
          UserHit,
        ]),
      )
      .meta({ description: 'What was found, the best first.' }),
    cut_contracts: count(
      `Number of active contracts with more than ${maxNamedFields} fields, of which only the first are searched. ` +
        'Counted to 1,000; 0 if fields are not searched.',
      0,
    ),
    pending_contracts: count(
      'Number of active contracts whose fields are not searched yet, because a release before this one ' +
        'published them. The service adds them within minutes. Counted to 1,000; 0 if fields are not searched.',
      0,
    ),
  })
  .meta({ id: 'SearchResults', description: 'What a search found.' });
