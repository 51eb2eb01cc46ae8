// Deprecating the active version asks the consumers; archiving is permanent.

import type { Contract } from '../../contract.ts';
import { accept, type Outcome, refuse } from '../../failure.ts';
import { counted } from '../../value/counted.ts';
import { decideAccess, decideManagement, overridingOf } from '../access.ts';
import type { UpdateContract, UpdateContractResult } from '../commands.ts';
import type { By, Decided } from '../decided.ts';
import { contractRetired, teamsOf } from '../events.ts';
import type { ContractFacts } from '../facts.ts';
import { notFound, preconditionFailed } from '../not-found.ts';
import { type AskingFacts, decideAsking } from '../proposals/ask.ts';
import { requestOf } from '../proposals/request.ts';
import { checkReason } from '../reason.ts';

export function decideRetirement(
  facts: ContractFacts & AskingFacts,
  command: UpdateContract,
  by: By,
): Outcome<Decided<UpdateContractResult>> {
  const refused = checkAllowed(command, facts, by);
  if (refused !== null) return refused;
  return command.status === 'deprecated'
    ? deprecate(facts, command, by)
    : archive(facts, command, by);
}

function checkAllowed(
  command: UpdateContract,
  { asset, contract }: ContractFacts,
  { actor }: By,
): Outcome<never> | null {
  const access = decideAccess(actor, 'update_contract', asset.ownerTeamId);
  if (!access.ok) return access;
  if (asset.deletedAt !== null) return notFound('ASSET', asset.id);
  if (command.force === true) {
    const forcing = decideAccess(actor, 'force_archive_contract', asset.ownerTeamId);
    if (!forcing.ok) return forcing;
    const reason = checkReason(command.reason);
    if (!reason.ok) return reason;
  }
  const managed = decideManagement(actor, asset, command);
  if (!managed.ok) return managed;
  return command.precondition?.(contract) === false ? preconditionFailed() : null;
}

function deprecate(
  facts: ContractFacts & AskingFacts,
  command: UpdateContract,
  by: By,
): Outcome<Decided<UpdateContractResult>> {
  const { asset, consumers, contract } = facts;
  if (contract.status === 'deprecated') return unchanged(contract);
  if (contract.status === 'archived') return alreadyArchived(contract);
  if (consumers.length > 0) {
    const { id: contractId, version: contractVersion } = contract;
    const request = requestOf(command, by.at);
    if (!request.ok) return request;
    const supersede = command.supersede === true;
    const how = { supersede, overriding: overridingOf(asset, command), request: request.value };
    return decideAsking(facts, { kind: 'deprecation', contractId, contractVersion }, how, by);
  }
  if (command.onlyPropose) return unchanged(contract);
  return accept(setting(facts, 'deprecated', by.at, saidOf(command)));
}

function archive(
  facts: ContractFacts,
  command: UpdateContract,
  { at }: By,
): Outcome<Decided<UpdateContractResult>> {
  const { contract, consumers } = facts;
  if (contract.status === 'archived') return unchanged(contract);
  // Removing the active version affects every consumer, whatever version it pins.
  const pinning =
    contract.status === 'active'
      ? consumers
      : consumers.filter(({ contractId }) => contractId === contract.id);
  if (pinning.length > 0 && command.force !== true) {
    return refuse(
      'CONTRACT_PINNED',
      `Version ${contract.version} of ${contract.assetFqn} still has ${counted(pinning.length, 'registration')}. Move the consumers first, or ask an administrator to force it.`,
      { details: { consumers: teamsOf(pinning) } },
    );
  }
  const forced = command.force === true && pinning.length > 0;
  return accept(setting(facts, 'archived', at, { forced, ...saidOf(command) }));
}

function unchanged(contract: Contract): Outcome<Decided<UpdateContractResult>> {
  return accept({ writes: [], answer: { action: 'updated', contract } });
}

function setting(
  { asset, consumers, contract }: ContractFacts,
  status: 'deprecated' | 'archived',
  at: string,
  more: { readonly forced?: boolean; readonly reason?: string },
): Decided<UpdateContractResult> {
  const event = contractRetired(`contract.${status}`, asset, contract, consumers, { ...more });
  return {
    writes: [{ kind: 'set_contract_status', id: contract.id, status, at, events: [event] }],
    answer: { action: 'updated', contract: { ...contract, status } },
  };
}

function saidOf({ reason }: UpdateContract): { readonly reason?: string } {
  return reason == null ? {} : { reason: reason.trim() };
}

function alreadyArchived(contract: Contract): Outcome<never> {
  return refuse(
    'CONTRACT_ARCHIVED',
    `Version ${contract.version} of ${contract.assetFqn} is archived and cannot be changed.`,
  );
}
