// Users, and how they sign in.

import { z } from 'zod';
import { maxSavedViews, roles, userDuties } from '../../core/user.ts';
import { actorType } from './actor.ts';
import { choice, exampleId, flag, id, pageAnswer, requiredText, text, timestamp } from './shape.ts';
import { scopes } from './team.ts';

/**
 * As mail is sent (RFC 5321 and 1035): 64 characters before the sign, 255 after it, 63 between two
 * dots of the domain, which has hyphens in the third and fourth place only in names of other scripts
 * (RFC 5891).
 */
const mailAddress =
  /^(?![^@]{65})(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?!.{256})(?:(?!(?![Xx][Nn])..--)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;

export const email = z.email({ pattern: mailAddress, error: 'must be an e-mail address' }).meta({
  description: 'The e-mail address, unique among users, ignoring case.',
  examples: ['ada@example.com'],
});

/** NIST SP 800-63B requires 8 characters and advises against further rules. */
const password = z
  .string()
  .min(8)
  .max(1000)
  .meta({ description: 'At least 8 characters. Never returned.', examples: ['a long sentence'] });

export const role = choice(
  roles,
  '`viewer` may read, `editor` may write for the team, `admin` may do everything.',
  'editor',
);

const duties = z.array(choice(userDuties, 'A right beside the role.', 'read_audit')).meta({
  description:
    'What the user may do beside the role. `force`: force the proposals of the own team. `manage_people`: manage users, keys and names of teams. `read_audit`: read all events. An admin may do all of this without them.',
  examples: [['read_audit']],
});

const name = requiredText('The display name.', 'Ada Lovelace', 200);
const teamId = id('The team that the user is a member of.', exampleId.team)
  .nullable()
  .meta({ description: 'The team that the user is a member of; null for none.' });

export const User = z
  .object({
    id: id('The user.', exampleId.user),
    email: text('The e-mail address, unique among users, ignoring case.', 'ada@example.com'),
    name: text('The display name.', 'Ada Lovelace'),
    team_id: teamId,
    role,
    duties,
    created_at: timestamp('When it was created.'),
    updated_at: timestamp('When it was last changed.'),
    deactivated_at: timestamp('When it was deactivated.')
      .nullable()
      .meta({ description: 'When it was deactivated; null while it is active.' }),
  })
  .meta({ id: 'User', description: 'A person, who can own assets and sign in to the page.' });

export const UserCreate = z
  .strictObject({
    email,
    name: name
      .optional()
      .meta({ description: 'Defaults to the part of the address before the @.' }),
    team_id: teamId.optional(),
    role: role.default('viewer'),
    duties: duties.default([]),
    password: password.optional().meta({
      description: 'Omit it for a user who does not sign in and only owns assets or keys.',
    }),
  })
  .meta({
    id: 'UserCreate',
    description: 'A new user.',
    examples: [{ email: 'ada@example.com', role: 'editor', password: 'a long sentence' }],
  });

export const UserUpdate = z
  .strictObject({
    email: email.optional(),
    name: name.optional(),
    team_id: teamId
      .optional()
      .meta({ description: 'The new team; null removes the user from the team.' }),
    role: role.optional(),
    duties: duties.optional(),
    password: password
      .optional()
      .meta({ description: 'At least 8 characters. Changing it ends every session of the user.' }),
    deactivated_at: z
      .null()
      .optional()
      .meta({ description: 'Null reactivates the user.', examples: [null] }),
  })
  .meta({
    id: 'UserUpdate',
    description: 'The fields of a user to change.',
    examples: [{ role: 'admin' }],
  });

export const UserList = z
  .object({
    results: z.array(User).meta({ description: 'The users of this page.' }),
    ...pageAnswer,
  })
  .meta({ id: 'UserList', description: 'A page of users.' });

export const Login = z
  .strictObject({
    email,
    password: z
      .string()
      .min(1)
      .max(1000)
      .meta({ description: 'The password.', examples: ['a long sentence'] }),
  })
  .meta({
    id: 'Login',
    description: 'The credentials of a user.',
    examples: [{ email: 'ada@example.com', password: 'a long sentence' }],
  });

const csrfToken = text(
  'The token to send as `X-CSRF-Token` with every request that changes something.',
  'q3Jm0c...',
);

export const LoggedIn = z.object({ user: User, csrf_token: csrfToken }).meta({
  id: 'LoggedIn',
  description: 'The user who signed in. The session cookie is in `Set-Cookie`.',
});

export const Identity = z
  .object({
    type: actorType,
    id: id('The id of the user or key.', exampleId.key),
    name: text('The name of the user or key.', 'checkout CI'),
    scopes: z
      .array(choice(scopes, 'A scope.', 'read'))
      .meta({ description: 'The scopes of the caller, including implied ones.' }),
    team_ids: z
      .array(id('A team.', exampleId.team))
      .meta({ description: 'The teams it acts for; empty with `all_teams`.' }),
    all_teams: flag('Whether it acts for every team.', false),
    user: User.nullable().meta({ description: 'The user who signed in; null for a key.' }),
    four_eyes: flag(
      'Whether forcing a proposal in this registry needs a second administrator.',
      false,
    ),
    csrf_token: csrfToken
      .optional()
      .meta({ description: 'The token of the session; absent for keys, which need none.' }),
  })
  .meta({ id: 'Identity', description: 'The caller.' });

export const SignInOptions = z
  .object({
    passwords: flag('Whether people may sign in with e-mail and password.', true),
    providers: z
      .array(
        z.object({
          name: text('The name, as in `/auth/oidc/{provider}/start`.', 'example'),
          title: text('The name that the page shows.', 'Example Inc.'),
        }),
      )
      .meta({ description: 'The providers that people may sign in with.' }),
  })
  .meta({ id: 'SignInOptions', description: 'How people sign in to this registry.' });

export const SignedOut = z
  .object({
    provider_sign_out_url: text(
      'The page of the provider that ends the session there; it leads back to this registry.',
      'https://login.example.com/session/end?client_id=concordat',
    ),
  })
  .meta({ id: 'SignedOut', description: 'Where the session goes on.' });

const viewName = requiredText('The name of the view.', 'Ours without a contract', 60);

const SavedView = z
  .strictObject({
    name: viewName,
    address: z
      .string()
      .max(2000)
      // A browser reads "/\" as "//" and ignores tabs, so such an address would lead to another host.
      .regex(/^\/(?![/\\\s])/, 'must be an address of the page, such as /assets')
      .meta({
        description: 'The address of the list on the page, with its filters.',
        examples: ['/assets?contract=none'],
      }),
  })
  .meta({ id: 'SavedView', description: 'A list of the page with its filters, under a name.' });

export const SavedViews = z
  .object({ views: z.array(SavedView).meta({ description: 'The views, by name.' }) })
  .meta({ id: 'SavedViews', description: 'The saved views of a user.' });

export const SavedViewsChange = z
  .strictObject({
    save: z.array(SavedView).max(maxSavedViews).default([]).meta({
      description: 'Views to save. Each replaces the view of the same name.',
    }),
    remove: z
      .array(viewName)
      .max(maxSavedViews)
      .default([])
      .meta({
        description: 'The names of views to remove.',
        examples: [['Ours without a contract']],
      }),
  })
  .meta({
    id: 'SavedViewsChange',
    description: 'Changes to the saved views of a user.',
    examples: [{ save: [{ name: 'Ours', address: '/assets?owner=ours' }] }],
  });

const exampleToken = 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.e30.c2lnbmF0dXJl';

export const LogoutToken = z
  .object({
    logout_token: requiredText('The token that the provider signed.', exampleToken, 64 * 1024),
  })
  .meta({
    id: 'LogoutToken',
    description: 'What a provider says when somebody signs out there.',
    examples: [{ logout_token: exampleToken }],
  });

export const SessionsEnded = z
  .object({
    sessions_ended: z.int().meta({ description: 'How many sessions ended.', examples: [1] }),
  })
  .meta({ id: 'SessionsEnded', description: 'What became of a logout token.' });
