// Services: what assets belong to. A service has an owner as an asset has.

import { accept, type Outcome, refuse } from '../../failure.ts';
import type { Timestamp } from '../../id.ts';
import type { Service, Team } from '../../team.ts';
import type { JsonObject } from '../../value/json.ts';
import { decideAccess } from '../access.ts';
import type { CreateService, Deleted, DeleteService, UpdateService } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { serviceEvent } from '../events.ts';
import { checkMetadata, patchMetadata } from '../metadata.ts';
import { notFound, preconditionFailed } from '../not-found.ts';
import type { WriteOf } from '../write.ts';

/** Of a team; more than any needs. The heir of a deleted team may get more. */
const servicesLimit = 1_000;

interface NamedFacts {
  /** The service that has the name. */
  readonly namesake: Service | null;
  /** The owner that the command names; null if there is none with its id. */
  readonly owner: Team | null;
  /** How many services that owner has. */
  readonly owned: number;
}

/** Checks what needs no lock. */
export function checkService(
  command: Pick<UpdateService, 'name' | 'repository' | 'description'>,
): Outcome<true> {
  const { name, repository, description } = command;
  if (name !== undefined && !isServiceName(name)) {
    return refuse(
      'VALIDATION_ERROR',
      `"${name}" is no name of a service: up to ${nameLimit} lower-case letters, digits and inner dots, hyphens and underscores.`,
      { field: 'name' },
    );
  }
  if ((description ?? '').length > descriptionLimit) {
    return refuse(
      'VALIDATION_ERROR',
      `A description has at most ${descriptionLimit} characters. Link to more of it.`,
      { field: 'description' },
    );
  }
  const wrong = repository == null ? null : problemOfRepository(repository);
  return wrong === null ? accept(true) : refuse('VALIDATION_ERROR', wrong, { field: 'repository' });
}

export function decideServiceCreation(
  { namesake, owner, owned }: NamedFacts,
  command: CreateService,
  { newId, at }: By,
): Outcome<Decided<Service>> {
  if (owner === null) return notFound('TEAM', command.ownerTeamId, 'owner_team_id');
  if (namesake !== null) return serviceExists(namesake);
  if (owned >= servicesLimit) return tooMany(owner);
  const metadata = checkMetadata(command.metadata ?? {});
  if (!metadata.ok) return metadata;
  const service: Service = {
    id: newId(),
    name: command.name,
    ownerTeamId: owner.id,
    ownerTeamName: owner.name,
    repository: command.repository ?? null,
    description: command.description ?? null,
    metadata: metadata.value,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  };
  const { name: _name, owner_team_id: _owner, ...more } = toldOf(service);
  const events = [serviceEvent('service.created', service, more)] as const;
  return accept({ writes: [{ kind: 'insert_service', service, events }], answer: service });
}

interface UpdateFacts extends NamedFacts {
  readonly service: Service;
}

export function decideServiceUpdate(
  { service, namesake, owner, owned }: UpdateFacts,
  command: UpdateService,
  { actor, at }: By,
): Outcome<Decided<Service>> {
  const access = decideAccess(actor, 'update_service', service.ownerTeamId);
  if (!access.ok) return access;
  if (command.precondition?.(service) === false) return preconditionFailed();
  const { ownerTeamId = service.ownerTeamId, name = service.name } = command;
  const isHandedOver = ownerTeamId !== service.ownerTeamId;
  if (isHandedOver && owner === null) return notFound('TEAM', ownerTeamId, 'owner_team_id');
  if (isHandedOver && owner !== null && owned >= servicesLimit) return tooMany(owner);
  if (namesake !== null && namesake.id !== service.id) return serviceExists(namesake);
  const metadata = patchMetadata(service.metadata, command.metadata);
  if (!metadata.ok) return metadata;
  const { repository = service.repository, description = service.description } = command;
  const next: Service = {
    ...service,
    ...{ name, repository, description, metadata: metadata.value, updatedAt: at },
    ...(isHandedOver && owner !== null && { ownerTeamId: owner.id, ownerTeamName: owner.name }),
  };
  const write = changeWrite(service, next);
  if (write === null) return accept({ writes: [], answer: service });
  return accept({ writes: [write], answer: next });
}

interface DeletionFacts {
  readonly service: Service;
  /** The assets that belong to it. */
  readonly assets: number;
}

/** Its assets stay, and belong to none. */
export function decideServiceDeletion(
  { service, assets }: DeletionFacts,
  command: DeleteService,
  { actor, at }: By,
): Outcome<Decided<Deleted>> {
  const access = decideAccess(actor, 'delete_service', service.ownerTeamId);
  if (!access.ok) return access;
  if (command.precondition?.(service) === false) return preconditionFailed();
  const deleted = { ...service, updatedAt: at, deletedAt: at };
  const events = [serviceEvent('service.deleted', deleted, { assets })] as const;
  return accept({
    writes: [{ kind: 'update_service', service: deleted, events }],
    answer: { deleted: true },
  });
}

/** The service goes to the team that gets the assets of a deleted one. */
export function inheritWrite(
  service: Service,
  heir: Team,
  at: Timestamp,
): WriteOf<'update_service'> {
  const next = { ...service, ownerTeamId: heir.id, ownerTeamName: heir.name, updatedAt: at };
  const event = serviceEvent('service.updated', next, {
    from: { owner_team_id: service.ownerTeamId },
    to: { owner_team_id: heir.id },
    reason: 'the owning team was deleted',
  });
  return { kind: 'update_service', service: next, events: [event] };
}

/** Null if nothing differs: a change without effect leaves no trace. */
function changeWrite(before: Service, after: Service): WriteOf<'update_service'> | null {
  const [from, to] = [toldOf(before), toldOf(after)];
  const changed = Object.keys(to).filter(
    (key) => JSON.stringify(from[key]) !== JSON.stringify(to[key]),
  );
  if (changed.length === 0) return null;
  const only = (told: JsonObject) =>
    Object.fromEntries(changed.map((key) => [key, told[key] ?? null]));
  const event = serviceEvent('service.updated', after, { from: only(from), to: only(to) });
  const teamIds = [...new Set([before.ownerTeamId, after.ownerTeamId])];
  return { kind: 'update_service', service: after, events: [{ ...event, teamIds }] };
}

function toldOf(service: Service): JsonObject {
  return {
    name: service.name,
    owner_team_id: service.ownerTeamId,
    repository: service.repository,
    description: service.description,
    metadata: service.metadata,
  };
}

function tooMany({ name }: Team): Outcome<never> {
  return refuse(
    'VALIDATION_ERROR',
    `${name} has ${servicesLimit} services, as many as a team can get. Delete those that are gone.`,
    { field: 'owner_team_id' },
  );
}

function serviceExists({ id, name }: Service): Outcome<never> {
  return refuse('SERVICE_EXISTS', `A service with the name "${name}" already exists (${id}).`, {
    field: 'name',
    details: { service_id: id },
  });
}

const nameLimit = 100;
const descriptionLimit = 2_000;
const repositoryLimit = 500;

/** @example isServiceName('checkout-api') // true */
function isServiceName(name: string): boolean {
  return name.length <= nameLimit && /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/.test(name);
}

/** `git@example.org:team/checkout.git`, as people copy it. */
const shortSsh = /^[\w.-]+@[\w][\w.-]*:(?!\/\/)[^\s:@?#\\]+$/;

/**
 * The problem with the address of a repository, or null. Every reader sees it and can open it: it must contain no
 * credentials and run no script.
 *
 * @example problemOfRepository('https://git.example.org/checkout') // null
 */
function problemOfRepository(text: string): string | null {
  if (text.length > repositoryLimit) {
    return `The address of a repository has at most ${repositoryLimit} characters.`;
  }
  if (shortSsh.test(text)) return null;
  const hint = 'Write https://host/path, ssh://git@host/path or git@host:path.';
  // The parser removes line breaks and tabs, and turns a backslash into a slash.
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(text) || !URL.canParse(text)) {
    return `This is no address of a repository. ${hint}`;
  }
  const url = new URL(text);
  const isSsh = /^ssh:\/\//i.test(text);
  if (!isSsh && !/^https:\/\//i.test(text)) {
    return `The address begins with neither https: nor ssh:. ${hint}`;
  }
  if (url.hostname === '' || url.hostname.startsWith('-'))
    return `The address has no host. ${hint}`;
  if (url.password !== '' || (url.username !== '' && !isSsh)) {
    return 'The address contains credentials, which everybody would see. Leave them out.';
  }
  if (url.search !== '' || url.hash !== '') {
    return 'The address has a query or a fragment, which may contain a secret. Leave it out.';
  }
  return null;
}
