import {
  type Asset,
  defaultEnvironment,
  defaultGuaranteeMode,
  defaultNeedsMode,
  defaultOnDeadline,
} from '../../core/asset.ts';
import { decideAccess } from '../../core/decide/access.ts';
import { insertAssetWrite } from '../../core/decide/assets/create.ts';
import type { CreateAsset } from '../../core/decide/commands.ts';
import type { AssetFacts } from '../../core/decide/facts.ts';
import { problemOfEnvironment, problemOfFqn } from '../../core/decide/fqn.ts';
import { checkMetadata } from '../../core/decide/metadata.ts';
import { notFound } from '../../core/decide/not-found.ts';
import { checkOwner } from '../../core/decide/owner.ts';
import type { WriteOf } from '../../core/decide/write.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import type { AssetId } from '../../core/id.ts';
import type { JsonObject } from '../../core/value/json.ts';
import type { Verb } from '../commands.ts';
import type { Context } from '../ports.ts';
import type { Transaction } from '../transaction.ts';

/**
 * Creates an asset. A name that was deleted before continues with its versions and its consumers.
 */
export const createAsset: Verb<CreateAsset, Asset> = async (ports, context, command) => {
  const checked = checkAsset(context, command);
  if (!checked.ok) return checked;
  return ports.transact(context, async (transaction) => {
    const made = await makeAsset(transaction, checked.value, context.newId());
    if (!made.ok) return made;
    await transaction.apply([made.value.write]);
    return accept(assetOfLine(made.value));
  });
};

export interface CheckedAsset extends CreateAsset {
  readonly environment: string;
  readonly metadata: JsonObject;
}

/** Checks everything that needs no lock. */
export function checkAsset(context: Context<never>, command: CreateAsset): Outcome<CheckedAsset> {
  const environment = command.environment ?? defaultEnvironment;
  const checked = checkName(command.fqn, environment);
  if (!checked.ok) return checked;
  const access = decideAccess(context.actor, 'create_asset', command.ownerTeamId);
  if (!access.ok) return access;
  const metadata = checkMetadata(command.metadata ?? {});
  if (!metadata.ok) return metadata;
  return accept({ ...command, environment, metadata: metadata.value });
}

interface MadeAsset {
  readonly write: WriteOf<'insert_asset'>;
  /** The deleted asset that this one continues; null for a new name. */
  readonly line: AssetFacts | null;
}

/** Decides the new asset under the lock of its name. Nothing is written yet. */
export async function makeAsset(
  transaction: Transaction,
  command: CheckedAsset,
  assetId: AssetId,
): Promise<Outcome<MadeAsset>> {
  const { fqn, environment } = command;
  const name = await transaction.lockName({ fqn, environment });
  if (name.living !== null) return nameTaken(fqn, environment, name.living);
  const team = await transaction.holdTeam(command.ownerTeamId);
  if (team === null) return notFound('TEAM', command.ownerTeamId, 'owner_team_id');
  const { ownerUserId = null } = command;
  const owner = ownerUserId === null ? null : await transaction.holdUser(ownerUserId);
  const refused = checkOwner(owner, ownerUserId, team.id);
  if (refused !== null) return refused;

  const { serviceId = null } = command;
  const service = serviceId === null ? null : await transaction.holdService(serviceId);
  if (serviceId !== null && service === null) return notFound('SERVICE', serviceId, 'service_id');

  const at = transaction.now();
  const asset: Asset = {
    id: assetId,
    fqn,
    environment,
    ownerTeamId: team.id,
    ownerTeamName: team.name,
    ownerUserId: owner?.id ?? null,
    ownerUserName: owner?.name ?? null,
    serviceId: service?.id ?? null,
    serviceName: service?.name ?? null,
    guaranteeMode: command.guaranteeMode ?? defaultGuaranteeMode,
    needsMode: command.needsMode ?? defaultNeedsMode,
    autoPublish: command.autoPublish ?? false,
    onDeadline: command.onDeadline ?? defaultOnDeadline,
    metadata: command.metadata,
    managedBy: command.managedBy ?? null,
    activeContractId: null,
    activeContractVersion: null,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  };
  const line = name.predecessor === null ? null : await transaction.lockAsset(name.predecessor);
  const { standsFor } = command;
  const importedAs = standsFor && { [standsFor.kind]: standsFor.identity };
  const write = { ...insertAssetWrite(asset, line), ...(importedAs && { importedAs }) };
  return accept({ write, line });
}

/** The asset after the write, with its current version. */
export function assetOfLine({ write, line }: MadeAsset): Asset {
  const active = line?.base?.status === 'active' ? line.base : null;
  return {
    ...write.asset,
    activeContractId: active?.id ?? null,
    activeContractVersion: active?.version ?? null,
  };
}

function checkName(fqn: string, environment: string): Outcome<true> {
  const wrongFqn = problemOfFqn(fqn);
  if (wrongFqn !== null) return refuse('VALIDATION_ERROR', wrongFqn, { field: 'fqn' });
  const wrongEnvironment = problemOfEnvironment(environment);
  if (wrongEnvironment !== null) {
    return refuse('VALIDATION_ERROR', wrongEnvironment, { field: 'environment' });
  }
  return accept(true);
}

export function nameTaken(fqn: string, environment: string, id: string): Outcome<never> {
  return refuse(
    'ASSET_EXISTS',
    `${fqn} already exists in ${environment} (${id}). Change that asset, or choose another name.`,
    { field: 'fqn', details: { asset_id: id } },
  );
}
