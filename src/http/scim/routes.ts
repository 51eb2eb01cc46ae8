// SCIM: people and groups as an identity provider keeps them. docs/decisions/scim.md

import { notFound } from '../../core/decide/not-found.ts';
import type { WantedAccount, WantedGroup } from '../../core/decide/people/commands.ts';
import type { Provisioning } from '../../core/decide/people/sign-in.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { isId } from '../../core/id.ts';
import type { ProvisionedGroup, ProvisionedUser } from '../../core/user.ts';
import type { JsonObject } from '../../core/value/json.ts';
import type { ProvisionedPage, ProvisionedQuery } from '../../registry/lists.ts';
import { scimType } from '../../wire/route.ts';
import type { Api, Call, Handler } from '../handler.ts';
import { describeServer, listResourceTypes, listSchemas, maxResults, oneOf } from './discovery.ts';
import { readGroup, reviseGroup } from './group-attributes.ts';
import { readOperations } from './operations.ts';
import { readFilter } from './paths.ts';
import {
  onlyShown,
  type Resource,
  type Shown,
  showGroup,
  showUser,
  wantsMembers,
} from './resources.ts';
import { readUser, reviseUser } from './user-attributes.ts';

export const scimGetConfig: Handler<'scimGetConfig'> = async (api) =>
  withProvider(api, ({ ownUrl }) => shown(200, describeServer(ownUrl)));

export const scimListResourceTypes: Handler<'scimListResourceTypes'> = async (api) =>
  withProvider(api, ({ ownUrl }) => listed(listResourceTypes(ownUrl)));

export const scimGetResourceType: Handler<'scimGetResourceType'> = async (api, { params }) =>
  withProvider(api, ({ ownUrl }) => found(oneOf(listResourceTypes(ownUrl), params.id)));

export const scimListSchemas: Handler<'scimListSchemas'> = async (api) =>
  withProvider(api, ({ ownUrl }) => listed(listSchemas(ownUrl)));

export const scimGetSchema: Handler<'scimGetSchema'> = async (api, { params }) =>
  withProvider(api, ({ ownUrl }) => found(oneOf(listSchemas(ownUrl), params.id)));

type Comparable = Readonly<Record<string, ProvisionedQuery['where'][number]['by']>>;

const userFilters: Comparable = {
  id: 'id',
  username: 'userName',
  externalid: 'externalId',
  displayname: 'displayName',
  active: 'active',
  emails: 'email',
  'emails.value': 'email',
};

export const scimListUsers: Handler<'scimListUsers'> = async (api, { query }) =>
  withProvider(api, async ({ ownUrl }) => {
    const asked = questionOf(query, userFilters);
    if (!asked.ok) return asked;
    const { results, total } = await pageOf(asked.value, api.ports.reads.listProvisionedUsers);
    const users = results.map((one) => onlyShown(showUser(one, ownUrl), query));
    return listed(users, { total, startIndex: asked.value.offset + 1 });
  });

export const scimGetUser: Handler<'scimGetUser'> = async (api, { params, query }) =>
  withProvider(api, async ({ ownUrl }) => {
    const { results } = await pageOf(byId(params.id), api.ports.reads.listProvisionedUsers);
    const [user] = results;
    if (user === undefined) return notFound('USER', params.id);
    return shown(200, onlyShown(showUser(user, ownUrl), query));
  });

export const scimCreateUser: Handler<'scimCreateUser'> = async (api, { context, body, query }) =>
  withProvider(api, async ({ provisioning, ownUrl }) => {
    const revise = () => readUser(body as JsonObject, null);
    const made = await api.verbs.provisionUser(api.ports, context, {
      ...{ provisioning, userId: null, revise },
    });
    return made.ok ? created(showUser(made.value, ownUrl), query) : made;
  });

export const scimReplaceUser: Handler<'scimReplaceUser'> = async (api, call) =>
  changeUser(api, call, (current) => readUser(call.body as JsonObject, current));

export const scimPatchUser: Handler<'scimPatchUser'> = async (api, call) => {
  const operations = readOperations(call.body as JsonObject);
  if (!operations.ok) return operations;
  return changeUser(api, call, (current) => reviseUser(operations.value, current));
};

function changeUser(
  api: Api,
  { context, params, query }: Pick<Call<'scimReplaceUser'>, 'context' | 'params' | 'query'>,
  revise: (current: ProvisionedUser) => Outcome<WantedAccount>,
) {
  return withProvider(api, async ({ provisioning, ownUrl }) => {
    const userId = params.id;
    if (!isId(userId)) return notFound('USER', userId);
    const changed = await api.verbs.provisionUser(api.ports, context, {
      ...{ provisioning, userId },
      revise: (current) => (current === null ? notFound('USER', userId) : revise(current)),
    });
    return changed.ok ? shown(200, onlyShown(showUser(changed.value, ownUrl), query)) : changed;
  });
}

export const scimDeleteUser: Handler<'scimDeleteUser'> = async (api, { context, params }) =>
  withProvider(api, async ({ provisioning }) => {
    const userId = params.id;
    if (!isId(userId)) return notFound('USER', userId);
    const revise = () => accept(null);
    const command = { provisioning, userId, revise };
    const ended = await api.verbs.provisionUser(api.ports, context, command);
    return ended.ok ? nothing : ended;
  });

const groupFilters: Comparable = {
  id: 'id',
  displayname: 'displayName',
  externalid: 'externalId',
  members: 'members',
  'members.value': 'members',
};

export const scimListGroups: Handler<'scimListGroups'> = async (api, { query }) =>
  withProvider(api, async ({ ownUrl }) => {
    const asked = questionOf(query, groupFilters);
    if (!asked.ok) return asked;
    const withMembers = wantsMembers(query);
    const { results, total } = await pageOf(asked.value, (where) =>
      api.ports.reads.listProvisionedGroups({ ...where, withMembers }),
    );
    const groups = results.map((one) => onlyShown(showGroup(one, ownUrl), query));
    return listed(groups, { total, startIndex: asked.value.offset + 1 });
  });

export const scimGetGroup: Handler<'scimGetGroup'> = async (api, { params, query }) =>
  withProvider(api, async ({ ownUrl }) => {
    const withMembers = wantsMembers(query);
    const { results } = await pageOf(byId(params.id), (where) =>
      api.ports.reads.listProvisionedGroups({ ...where, withMembers }),
    );
    const [group] = results;
    if (group === undefined) return notFound('GROUP', params.id);
    return shown(200, onlyShown(showGroup(group, ownUrl), query));
  });

export const scimCreateGroup: Handler<'scimCreateGroup'> = async (api, { context, body, query }) =>
  withProvider(api, async ({ provisioning, ownUrl }) => {
    const revise = () => readGroup(body as JsonObject);
    const made = await api.verbs.provisionGroup(api.ports, context, {
      ...{ provisioning, groupId: null, revise },
    });
    return made.ok ? created(showGroup(made.value, ownUrl), query) : made;
  });

export const scimReplaceGroup: Handler<'scimReplaceGroup'> = async (api, call) =>
  withProvider(api, async ({ ownUrl }) => {
    const changed = await changeGroup(api, call, () => readGroup(call.body as JsonObject));
    if (!changed.ok) return changed;
    return shown(200, onlyShown(showGroup(changed.value, ownUrl), call.query));
  });

export const scimPatchGroup: Handler<'scimPatchGroup'> = async (api, call) => {
  const operations = readOperations(call.body as JsonObject);
  if (!operations.ok) return operations;
  const changed = await changeGroup(api, call, (current) => reviseGroup(operations.value, current));
  return changed.ok ? nothing : changed;
};

export const scimDeleteGroup: Handler<'scimDeleteGroup'> = async (api, call) => {
  const ended = await changeGroup(api, call, () => accept(null));
  return ended.ok ? nothing : ended;
};

function changeGroup(
  api: Api,
  { context, params }: Pick<Call<'scimDeleteGroup'>, 'context' | 'params'>,
  revise: (current: ProvisionedGroup) => Outcome<WantedGroup | null>,
) {
  return withProvider(api, async ({ provisioning }) => {
    const groupId = params.id;
    if (!isId(groupId)) return notFound('GROUP', groupId);
    return api.verbs.provisionGroup(api.ports, context, {
      ...{ provisioning, groupId },
      revise: (current) => (current === null ? notFound('GROUP', groupId) : revise(current)),
    });
  });
}

interface Kept {
  readonly provisioning: Provisioning;
  readonly ownUrl: string;
}

/** Refuses everything if no provider keeps people here. */
async function withProvider<Answered>(
  { signIn }: Api,
  answer: (kept: Kept) => Outcome<Answered> | Promise<Outcome<Answered>>,
): Promise<Outcome<Answered>> {
  const { provisioning } = signIn;
  if (provisioning !== null) return answer({ provisioning, ownUrl: signIn.ownUrl() });
  return refuse(
    'ROUTE_NOT_FOUND',
    'SCIM is off here. Set scim for a provider in OIDC_PROVIDERS_FILE to switch it on.',
  );
}

type Question = Pick<ProvisionedQuery, 'where' | 'offset' | 'limit'>;

function questionOf(
  { filter, startIndex, count }: Call<'scimListUsers'>['query'],
  comparable: Comparable,
): Outcome<Question> {
  const where = filter === undefined ? accept([]) : readFilter(filter, comparable);
  if (!where.ok) return where;
  // The standard takes what is too small for the smallest.
  const offset = Math.max(startIndex, 1) - 1;
  return accept({ where: where.value, offset, limit: Math.min(Math.max(count, 0), maxResults) });
}

function byId(id: string): Question {
  return { where: [{ by: 'id', is: id }], offset: 0, limit: 1 };
}

/** What is not shaped like an id is the id of nothing. */
async function pageOf<Entity>(
  question: Question,
  list: (question: Question) => Promise<ProvisionedPage<Entity>>,
): Promise<ProvisionedPage<Entity>> {
  const isNone = question.where.some(
    ({ by, is }) => (by === 'id' || by === 'members') && !isId(String(is)),
  );
  return isNone ? { results: [], total: 0 } : list(question);
}

function shown<Status extends number>(status: Status, body: Resource) {
  return accept({ status, body: { ...body }, contentType: scimType });
}

function found(one: Outcome<Resource>) {
  return one.ok ? shown(200, one.value) : one;
}

function created(resource: Resource, query: Shown) {
  const { location } = resource.meta as { readonly location: string };
  const body = { ...onlyShown(resource, query) };
  return accept({ status: 201 as const, body, contentType: scimType, location });
}

const nothing = accept({ status: 204 as const, body: undefined });

function listed(
  resources: readonly Resource[],
  page?: { readonly total: number; readonly startIndex: number },
) {
  return shown(200, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: page?.total ?? resources.length,
    startIndex: page?.startIndex ?? 1,
    itemsPerPage: resources.length,
    Resources: resources,
  });
}
