// Teams, and the keys that act for them.

import { z } from 'zod';
import { type KeyScope, keyScopes } from '../../core/actor.ts';
import { bulkModes } from './bulk.ts';
import { request } from './change-request.ts';
import { overriding } from './contract.ts';
import {
  choice,
  exampleId,
  exampleOfLater,
  flag,
  id,
  jsonObject,
  moment,
  pageAnswer,
  reason,
  requiredText,
  text,
  timestamp,
} from './shape.ts';

const slug = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'must be a DNS label: a-z, 0-9 and inner hyphens',
  )
  .meta({
    description: 'A unique DNS label that never changes. Derived from the name if omitted.',
    examples: ['checkout'],
  });

const teamName = requiredText('The name, unique among teams, ignoring case.', 'Checkout', 200);
const metadata = jsonObject('Free-form.', { slack: '#checkout' });

const managedBy = z.strictObject({
  source: text('The kind of source that manages it.', 'kubernetes', 20),
  reference: text('The name of the object in that source.', 'checkout in production', 1_000),
});

export const Team = z
  .object({
    id: id('The team.', exampleId.team),
    name: text('The name, unique among teams, ignoring case.', 'Checkout'),
    slug: text('A unique DNS label that never changes.', 'checkout'),
    metadata,
    managed_by: managedBy.nullable().meta({
      description: 'The object that manages the team; null if only the API changes it.',
    }),
    created_at: timestamp('When it was created.'),
    updated_at: timestamp('When it was last changed.'),
    deleted_at: timestamp('When it was deleted; only with `include_deleted`.').optional(),
  })
  .meta({ id: 'Team', description: 'A team owns assets and consumes those of other teams.' });

export const TeamCreate = z
  .strictObject({
    name: teamName,
    slug: slug.optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'TeamCreate', description: 'A new team.', examples: [{ name: 'Checkout' }] });

export const Reassign = z
  .strictObject({
    owner_team_id: id('The team that gets the assets.', exampleId.otherTeam),
    mode: choice(
      bulkModes,
      '`transaction`: all assets, or none. `partial`: each asset on its own.',
    ).default('transaction'),
    cursor: text('The `next_cursor` of the answer before.', 'eyJrIjoi', 1_000).optional(),
    request,
    ...overriding,
  })
  .meta({
    id: 'Reassign',
    description: 'The new owner of the assets of a team.',
    examples: [{ owner_team_id: exampleId.otherTeam, mode: 'partial' }],
  });

export const TeamUpdate = z
  .strictObject({
    name: teamName.optional(),
    metadata: jsonObject('Merged into the current metadata; `null` removes a key.', {
      slack: '#checkout',
      pager: null,
    }).optional(),
    managed_by: managedBy
      .nullable()
      .meta({
        description:
          'The object that manages the team from now on, as the condition of the object names it; `null` ends this. A team that is managed already needs `override`.',
      })
      .optional(),
    override: flag(
      'For admins: change the team even though an object manages it.',
      false,
    ).optional(),
    reason: reason('The reason for `override`.').optional(),
  })
  .meta({
    id: 'TeamUpdate',
    description: 'The fields of a team to change.',
    examples: [{ name: 'Checkout and carts' }],
  });

export const TeamList = z
  .object({
    results: z.array(Team).meta({ description: 'The teams of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'TeamList', description: 'A page of teams.' });

export const scopes = keyScopes;
const scope = choice(
  scopes,
  '`admin` implies all others, and `write` implies `read`. `acknowledge` allows answering proposals. `write` implies it for a key of one team; a key for several or all teams has it only if it is listed. ' +
    '`force` allows forcing the proposals of its teams, and archiving or deleting with `force` what consumers use. `manage_people` allows managing users, keys and names of teams, but gives nobody more than its holder has. `read_audit` shows all events, also those about people, and the export. `scim` is for the identity provider that keeps people by SCIM.',
  'write',
);

const apiKeyFields = {
  id: id('The key.', exampleId.key),
  name: text('Its purpose.', 'checkout CI'),
  team_id: id('The team it acts for.', exampleId.team)
    .nullable()
    .meta({ description: 'The team it acts for; null if it acts for several or all.' }),
  team_ids: z
    .array(id('A team.', exampleId.team))
    .meta({ description: 'The teams it acts for; empty with `all_teams`.' }),
  all_teams: flag('Whether it acts for every team.', false),
  user_id: id('The user it belongs to.', exampleId.user)
    .nullable()
    .meta({ description: 'The user it belongs to; null if none.' }),
  trust_id: id('The trust that issued it.', exampleId.trust)
    .nullable()
    .meta({ description: 'The trust that issued it for a token; null for other keys.' }),
  scopes: z.array(scope).meta({ description: 'What it may do.' }),
  prefix: text('The first 12 characters, for recognition.', 'cdt_live_8fK'),
  created_at: timestamp('When it was issued.'),
  expires_at: timestamp('When it expires.')
    .nullable()
    .meta({ description: 'When it expires; null for never.' }),
  last_used_at: timestamp('When it was last used.')
    .nullable()
    .meta({ description: 'When it was last used, to within a minute.' }),
  revoked_at: timestamp('When it was revoked.')
    .nullable()
    .meta({ description: 'When it was revoked; null if it is not revoked.' }),
};

export const ApiKey = z
  .object(apiKeyFields)
  .meta({ id: 'ApiKey', description: 'A key, without its secret.' });

export const ApiKeyCreated = z
  .object({
    ...apiKeyFields,
    key: text('The secret.', 'cdt_live_8fKq...')
      .meta({
        description: 'The secret, returned once. A replay of the request does not include it.',
      })
      .optional(),
  })
  .meta({ id: 'ApiKeyCreated', description: 'A new key, with its secret.' });

/** What reaches the whole registry, whatever the teams of a key. */
const needsNoTeam: readonly KeyScope[] = ['manage_people', 'read_audit', 'scim', 'admin'];

export const ApiKeyCreate = z
  .strictObject({
    name: requiredText('Its purpose.', 'checkout CI', 200),
    team_id: id('The team it acts for.', exampleId.team).optional(),
    team_ids: z
      .array(id('A team.', exampleId.team))
      .min(1)
      .max(1000)
      .meta({ description: 'The teams it acts for, in place of `team_id`.' })
      .optional(),
    all_teams: flag('Whether it acts for every team, in place of `team_id`.', false).optional(),
    user_id: id('The user it belongs to.', exampleId.user).optional(),
    scopes: z
      .array(scope)
      .min(1)
      .max(keyScopes.length)
      .meta({ description: 'What it may do.', examples: [['write']] }),
    expires_at: moment(
      'When it expires; must be in the future. Defaults to the latest time that `API_KEY_MAX_DAYS` allows.',
      exampleOfLater,
    ).optional(),
  })
  .refine(
    (key) =>
      key.team_id !== undefined ||
      key.team_ids !== undefined ||
      key.all_teams === true ||
      key.scopes.some((one) => needsNoTeam.includes(one)),
    {
      path: ['team_id'],
      message: 'is required, unless the key has a scope for the whole registry, such as admin',
    },
  )
  .meta({
    id: 'ApiKeyCreate',
    description: 'A new key: its teams and permissions.',
    examples: [{ name: 'checkout CI', team_id: exampleId.team, scopes: ['write'] }],
  });

export const ApiKeyList = z
  .object({
    results: z.array(ApiKey).meta({ description: 'The keys of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'ApiKeyList', description: 'A page of keys.' });
