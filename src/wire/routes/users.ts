// Users, and how they sign in and out.

import { z } from 'zod';
import { answer, apiPrefix, noContent, route } from '../route.ts';
import { exampleId, flag, id, NoBody, pageQuery, text } from '../shapes/shape.ts';
import {
  email,
  Identity,
  LoggedIn,
  Login,
  role,
  SavedViews,
  SavedViewsChange,
  SignedOut,
  SignInOptions,
  User,
  UserCreate,
  UserList,
  UserUpdate,
} from '../shapes/user.ts';
import { NotificationChoice, NotificationChoose } from '../shapes/webhook.ts';

const providerParams = z.strictObject({
  provider: text('The name of the provider in the settings.', 'example'),
});
const userParams = z.strictObject({ user_id: id('The user.', exampleId.user) });

export const userRoutes = {
  createUser: route({
    method: 'POST',
    path: `${apiPrefix}/users`,
    tag: 'Users',
    summary: 'Create a user',
    scope: 'manage_people',
    who: 'scope',
    body: UserCreate,
    secrets: ['password'],
    answers: { 201: answer('The new user.', User) },
    errors: ['USER_EXISTS', 'TEAM_NOT_FOUND'],
  }),
  listUsers: route({
    method: 'GET',
    path: `${apiPrefix}/users`,
    tag: 'Users',
    summary: 'List users',
    scope: 'manage_people',
    who: 'scope',
    query: z.strictObject({
      email: email.optional().meta({ description: 'The exact address, ignoring case.' }),
      team_id: id('Only members of this team.', exampleId.team).optional(),
      role: role.optional().meta({ description: 'Users with this role.' }),
      include_deactivated: flag('Include deactivated users.').default(false),
      ...pageQuery(['created_at', '-created_at', 'email', '-email', 'name', '-name']),
    }),
    answers: { 200: answer('A page of users.', UserList) },
    errors: [],
  }),
  getUser: route({
    method: 'GET',
    path: `${apiPrefix}/users/{user_id}`,
    tag: 'Users',
    summary: 'Get a user',
    scope: 'manage_people',
    who: 'scope',
    params: userParams,
    answers: { 200: answer('The user.', User) },
    errors: ['USER_NOT_FOUND'],
    tagged: true,
  }),
  updateUser: route({
    method: 'PATCH',
    path: `${apiPrefix}/users/{user_id}`,
    tag: 'Users',
    summary: 'Change a user',
    description:
      'A change of role or team applies immediately, in every session. If the user leaves a team, the ' +
      "`owner_user_id` of the team's assets that they owned becomes null.",
    scope: 'manage_people',
    who: 'scope',
    params: userParams,
    body: UserUpdate,
    answers: { 200: answer('The changed user.', User) },
    errors: ['USER_NOT_FOUND', 'USER_EXISTS', 'TEAM_NOT_FOUND'],
    tagged: true,
  }),
  deactivateUser: route({
    method: 'DELETE',
    path: `${apiPrefix}/users/{user_id}`,
    tag: 'Users',
    summary: 'Deactivate a user',
    description: 'Ends their sessions and disables their keys immediately.',
    scope: 'manage_people',
    who: 'scope',
    params: userParams,
    answers: { 204: noContent('The user is deactivated.') },
    errors: ['USER_NOT_FOUND'],
    tagged: true,
  }),
  logIn: route({
    method: 'POST',
    path: `${apiPrefix}/auth/login`,
    tag: 'Sessions',
    summary: 'Sign in',
    description:
      'Sets the cookie `concordat_session`, which expires after 12 hours without a request. Each account and ' +
      'each address may try 10 times per minute by default.',
    scope: 'public',
    who: 'scope',
    body: Login,
    answers: { 200: answer('The user who signed in.', LoggedIn) },
    errors: [
      'VALIDATION_ERROR',
      'INVALID_JSON',
      'UNAUTHENTICATED',
      'FORBIDDEN',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'REQUEST_TIMEOUT',
      'RATE_LIMITED',
      'REGISTRY_UNAVAILABLE',
    ],
  }),
  getSignInOptions: route({
    method: 'GET',
    path: `${apiPrefix}/auth/options`,
    tag: 'Sessions',
    summary: 'List the ways to sign in',
    scope: 'public',
    who: 'scope',
    answers: { 200: answer('Whether passwords are accepted, and the providers.', SignInOptions) },
    errors: [],
  }),
  startSignIn: route({
    method: 'GET',
    path: `${apiPrefix}/auth/oidc/{provider}/start`,
    tag: 'Sessions',
    summary: 'Sign in with a provider',
    description:
      'For browsers: leads to the page of the provider, and sets the cookie `concordat_sign_in`, which lasts ' +
      'for ten minutes. If the provider is unavailable, it leads to the page of the registry with ' +
      '`sign_in_problem`.',
    scope: 'public',
    who: 'scope',
    params: providerParams,
    query: z.strictObject({
      return_to: text(
        'The path of this server to continue at; others are replaced by the root.',
        '/assets',
      ).optional(),
    }),
    answers: { 302: noContent('Leads to the provider.') },
    errors: ['VALIDATION_ERROR', 'ROUTE_NOT_FOUND'],
  }),
  finishSignIn: route({
    method: 'GET',
    path: `${apiPrefix}/auth/oidc/{provider}/callback`,
    tag: 'Sessions',
    summary: 'Come back from a provider',
    description:
      'The redirect URI to register at the provider. Sets the cookie `concordat_session`, as signing in with a ' +
      'password does, and leads to the page; if the sign-in is refused, with `sign_in_problem`.',
    scope: 'public',
    who: 'scope',
    params: providerParams,
    query: z.looseObject({
      code: text('The code that the provider issued.', 'SplxlOBeZQQYbYS6WxSbIA').optional(),
      state: text('The state that the sign-in began with.', 'af0ifjsldkj').optional(),
      iss: text(
        'The issuer, which must be the one of the provider.',
        'https://login.example.com',
      ).optional(),
      error: text('Why the provider refused.', 'access_denied').optional(),
    }),
    answers: { 302: noContent('Leads to the page.') },
    errors: ['VALIDATION_ERROR', 'ROUTE_NOT_FOUND', 'REGISTRY_UNAVAILABLE'],
  }),
  logOut: route({
    method: 'POST',
    path: `${apiPrefix}/auth/logout`,
    tag: 'Sessions',
    summary: 'Sign out',
    description:
      'Ends the session of the cookie. API keys keep working. If the user signed in with a provider, the ' +
      'response may name the page that ends the session there too.',
    scope: 'read',
    who: 'scope',
    body: NoBody,
    answers: {
      200: answer('The session has ended here, and goes on at the provider.', SignedOut),
      204: noContent('The session has ended.'),
    },
    errors: [],
  }),
  getIdentity: route({
    method: 'GET',
    path: `${apiPrefix}/auth/me`,
    tag: 'Sessions',
    summary: 'Identify the caller',
    scope: 'read',
    who: 'scope',
    answers: { 200: answer('The caller and its permissions.', Identity) },
    errors: [],
  }),
  listSavedViews: route({
    method: 'GET',
    path: `${apiPrefix}/auth/me/views`,
    tag: 'Sessions',
    summary: "List the caller's saved views",
    scope: 'read',
    who: 'signed_in',
    answers: { 200: answer('The views that the user saved on the page.', SavedViews) },
    errors: ['FORBIDDEN'],
  }),
  getOwnNotifications: route({
    method: 'GET',
    path: `${apiPrefix}/auth/me/notifications`,
    tag: 'Sessions',
    summary: 'Get what the caller is told in person',
    scope: 'read',
    who: 'signed_in',
    answers: { 200: answer('What the user chose.', NotificationChoice) },
    errors: ['FORBIDDEN'],
  }),
  chooseNotifications: route({
    method: 'PUT',
    path: `${apiPrefix}/auth/me/notifications`,
    tag: 'Sessions',
    summary: 'Choose what to be told in person',
    description:
      "Letters to the user's own address about what is for the user's team, beside what the team set up. They end with the account, and follow the user to another team.",
    scope: 'read',
    who: 'signed_in',
    body: NotificationChoose,
    answers: { 200: answer('What the user chose.', NotificationChoice) },
    errors: [],
  }),
  changeSavedViews: route({
    method: 'PATCH',
    path: `${apiPrefix}/auth/me/views`,
    tag: 'Sessions',
    summary: 'Save and remove views of the caller',
    description: 'Other views stay as they are. A user has at most 50.',
    scope: 'read',
    who: 'signed_in',
    body: SavedViewsChange,
    answers: { 200: answer('The views after the change.', SavedViews) },
    errors: [],
  }),
};
