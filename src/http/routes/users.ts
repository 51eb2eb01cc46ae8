// Users, and the views that they saved on the page.

import { accept, refuse } from '../../core/failure.ts';
import { maxSavedViews } from '../../core/user.ts';
import { hashPassword } from '../../ops/password.ts';
import { userSortFields } from '../../registry/lists.ts';
import { representUser } from '../../wire/represent/represent-user.ts';
import { type Handler, listQueryOf, pageOf, preconditionOf, write } from '../handler.ts';
import { notFound } from '../not-found.ts';

export const createUser: Handler<'createUser'> = write({
  verb: (verbs) => verbs.createUser,
  command: async ({ body }) => ({
    email: body.email,
    // Everybody may read names in the trail, but only administrators may read addresses.
    name: body.name ?? body.email.split('@')[0] ?? '',
    teamId: body.team_id ?? null,
    role: body.role,
    duties: body.duties,
    passwordHash: body.password === undefined ? null : await hashPassword(body.password),
  }),
  reply: (user) => ({ status: 201, body: representUser(user) }),
});

export const listUsers: Handler<'listUsers'> = async ({ ports }, { query }) => {
  const listed = await ports.reads.listUsers({
    ...listQueryOf(query, userSortFields),
    email: query.email,
    teamId: query.team_id,
    role: query.role,
    includeDeactivated: query.include_deactivated,
  });
  return pageOf(listed, query, representUser);
};

export const getUser: Handler<'getUser'> = async ({ ports }, { params }) => {
  const user = await ports.reads.getUser(params.user_id);
  if (user === null) return notFound('USER_NOT_FOUND', params.user_id);
  return accept({ status: 200, body: representUser(user) });
};

export const updateUser: Handler<'updateUser'> = write({
  verb: (verbs) => verbs.updateUser,
  command: async ({ params, body, ifMatch }) => ({
    userId: params.user_id,
    precondition: preconditionOf(ifMatch, representUser),
    email: body.email,
    name: body.name,
    teamId: body.team_id,
    role: body.role,
    duties: body.duties,
    passwordHash: body.password === undefined ? undefined : await hashPassword(body.password),
    reactivate: body.deactivated_at === null,
  }),
  reply: (user) => ({ status: 200, body: representUser(user) }),
});

export const deactivateUser: Handler<'deactivateUser'> = write({
  verb: (verbs) => verbs.deactivateUser,
  command: ({ params, ifMatch }) => ({
    userId: params.user_id,
    precondition: preconditionOf(ifMatch, representUser),
  }),
  reply: () => ({ status: 204, body: undefined }),
});

export const listSavedViews: Handler<'listSavedViews'> = async ({ ports }, { visit }) => {
  if (visit.session === null) return ofNobody;
  const views = await ports.reads.listSavedViews(visit.session.user.id);
  return accept({ status: 200, body: { views: [...views] } });
};

export const changeSavedViews: Handler<'changeSavedViews'> = async ({ ports }, { visit, body }) => {
  if (visit.session === null) return ofNobody;
  const views = await ports.reads.changeSavedViews(visit.session.user.id, body);
  if (views === null) {
    const message = `A user has at most ${maxSavedViews} saved views. Remove one first.`;
    return refuse('VALIDATION_ERROR', message, { field: 'save' });
  }
  return accept({ status: 200, body: { views: [...views] } });
};

const ofNobody = refuse(
  'FORBIDDEN',
  'Saved views belong to a user. A key has none: sign in with your account.',
);
