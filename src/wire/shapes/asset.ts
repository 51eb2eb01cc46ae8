// Assets: the named data objects that contracts are about.

import { z } from 'zod';
import { deadlineActs } from '../../core/asset.ts';
import { request } from './change-request.ts';
import { guaranteeModes, needsModes, overriding, supersede } from './contract.ts';
import { choice, exampleId, flag, id, jsonObject, pageAnswer, text, timestamp } from './shape.ts';

const exampleFqn = 'shop.public.orders';
const exampleMetadata = { description: 'One row an order.', tags: ['finance'] };

const fqnPattern = /^[A-Za-z0-9_{}-]{1,128}(?:\.[A-Za-z0-9_{}-]{1,128})+$/;

const fqn = z
  .string()
  .max(1000)
  .regex(
    fqnPattern,
    'must be two or more segments joined by dots, each 1 to 128 letters, digits, _, -, { or }',
  )
  .meta({
    description: 'The fully qualified name, unique in its environment.',
    examples: [exampleFqn],
  });

const environment = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,128}$/, 'must be 1 to 128 letters, digits, dots, _ or -')
  .meta({ description: 'The environment of the asset.', examples: ['production'] });
const ownerUser = id('The responsible user; a member of the owning team.', exampleId.user);
const service = id('The service that it belongs to, of whatever team.', exampleId.service);
const guaranteeMode = choice(guaranteeModes, 'How a lowered guarantee is handled.', 'notify');

const needsMode = choice(
  needsModes,
  'Which consumers a change asks. `narrow`: a breaking change asks those whose need may be affected, and those without a need. `protect`: a compatible change also asks those whose need may be affected. `ignore`: a breaking change asks all. Needs say nothing of a relaxed compatibility mode, a deprecation, a move, and changes in mode `full`: these ask all.',
  'narrow',
);

const onDeadline = choice(
  deadlineActs,
  'What happens when the last day for answers to a proposal is over. `nothing`. `remind`: the consumers that have not answered are told again. `escalate`: their answers count as none, and an admin may force the proposal. It is never published by itself for that.',
  'remind',
);

const shared = {
  id: id('The asset.', exampleId.asset),
  fqn: text('The fully qualified name.', exampleFqn),
  owner_team_id: id('The team that owns it.', exampleId.team),
  owner_team_name: text('The name of the team that owns it.', 'Checkout'),
  service_id: id('The service that it belongs to.', exampleId.service)
    .meta({ description: 'The service that it belongs to; absent if there is none.' })
    .optional(),
  service_name: text('The name of that service.', 'checkout-api').optional(),
  environment: text('The environment of the asset.', 'production'),
  metadata: jsonObject('Free-form.', exampleMetadata),
  created_at: timestamp('When it was created.'),
  active_contract_id: id('The active contract.', exampleId.contract)
    .nullable()
    .meta({ description: 'The active contract; null if there is none.' }),
  active_contract_version: text('The version of the active contract.', '1.2.0')
    .nullable()
    .meta({ description: 'The version of the active contract.' }),
  current_contract_id: id('The same as active_contract_id.', exampleId.contract)
    .nullable()
    .meta({ description: 'The same as `active_contract_id`.' }),
};

export const AssetListed = z
  .object({
    ...shared,
    deleted_at: timestamp('When it was deleted.')
      .meta({ description: 'When it was deleted; only with `include_deleted`.' })
      .optional(),
  })
  .meta({ id: 'AssetListed', description: 'An asset, as lists show it.' });

export const Asset = z
  .object({
    ...shared,
    owner_user_id: ownerUser.nullable().meta({ description: 'The responsible user.' }),
    owner_user_name: text('The name of the responsible user.', 'Ada Byron')
      .nullable()
      .meta({ description: 'The name of the responsible user.' }),
    guarantee_mode: guaranteeMode,
    needs_mode: needsMode,
    auto_publish: flag(
      'Whether a proposal is published automatically once all consumers agree.',
      false,
    ),
    on_deadline: onDeadline,
    managed_by: z
      .object({
        source: text('The kind of source that manages it.', 'kubernetes'),
        reference: text('Its name in that source.', 'shop/orders'),
      })
      .nullable()
      .meta({ description: 'The source that manages the asset; null if only the API changes it.' }),
    updated_at: timestamp('When it was last changed.'),
    deleted_at: timestamp('When it was deleted.').optional(),
  })
  .meta({ id: 'Asset', description: 'A named data object.' });

export const AssetList = z
  .object({
    results: z.array(AssetListed).meta({ description: 'The assets of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'AssetList', description: 'A page of assets, by FQN.' });

export const AssetCreated = z
  .object({
    id: shared.id,
    fqn: shared.fqn,
    owner_team_id: shared.owner_team_id,
    environment: shared.environment,
    created_at: shared.created_at,
  })
  .meta({ id: 'AssetCreated', description: 'The new asset.' });

export const AssetCreate = z
  .strictObject({
    fqn,
    owner_team_id: id('The team that owns it.', exampleId.team),
    environment: environment.default('production'),
    metadata: jsonObject('Free-form.', exampleMetadata).optional(),
    owner_user_id: ownerUser.optional(),
    service_id: service.optional(),
    guarantee_mode: guaranteeMode.optional(),
    needs_mode: needsMode.optional(),
    auto_publish: flag(
      'Publish a proposal automatically once all consumers agree.',
      false,
    ).optional(),
    on_deadline: onDeadline.optional(),
  })
  .meta({
    id: 'AssetCreate',
    description: 'A new asset: its name, and the team that owns it.',
    examples: [{ fqn: exampleFqn, owner_team_id: exampleId.team }],
  });

export const AssetUpdate = z
  .strictObject({
    owner_user_id: ownerUser
      .nullable()
      .meta({ description: 'The responsible user; null for none.' })
      .optional(),
    service_id: service
      .nullable()
      .meta({ description: 'The service that it belongs to from now on; null for none.' })
      .optional(),
    metadata: jsonObject('Merged into the current metadata; `null` removes a key.', {
      tags: ['finance'],
      old_note: null,
    }).optional(),
    owner_team_id: id('The new owner team.', exampleId.otherTeam).optional(),
    environment: environment.optional(),
    guarantee_mode: guaranteeMode.optional(),
    needs_mode: needsMode.optional(),
    auto_publish: flag(
      'Publish a proposal automatically once all consumers agree.',
      true,
    ).optional(),
    on_deadline: onDeadline.optional(),
    supersede,
    request,
    ...overriding,
  })
  .meta({
    id: 'AssetUpdate',
    description: 'The fields to change. Omitted fields stay as they are.',
    examples: [{ metadata: { tags: ['finance'] } }],
  });
