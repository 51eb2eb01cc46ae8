import type { Contract } from '../../core/contract.ts';
import { decideAccess, decideManagement, overridingOf } from '../../core/decide/access.ts';
import type { UpdateContract, UpdateContractResult } from '../../core/decide/commands.ts';
import { contractRetired } from '../../core/decide/events.ts';
import type { ContractFacts } from '../../core/decide/facts.ts';
import { notFound, preconditionFailed } from '../../core/decide/not-found.ts';
import { checkReason } from '../../core/decide/reason.ts';
import type { Write } from '../../core/decide/write.ts';
import { accept, type Outcome, refuse } from '../../core/failure.ts';
import { counted } from '../../core/value/counted.ts';
import { proposeGated } from '../assets/update-asset.ts';
import type { Verb } from '../commands.ts';
import type { Context } from '../ports.ts';
import { settleProposal } from '../proposals/settle-proposal.ts';
import type { Transaction } from '../transaction.ts';

/** Deprecating the active version is a question to the consumers; archiving is for ever. */
export const updateContract: Verb<UpdateContract, UpdateContractResult> = async (
  ports,
  context,
  command,
) => {
  const outcome = await ports.transact(context, async (transaction) => {
    const facts = await transaction.lockContract(command.contractId);
    if (facts === null) return notFound('CONTRACT', command.contractId);
    const allowed = checkAllowed(context, command, facts);
    if (!allowed.ok) return allowed;
    return command.status === 'deprecated'
      ? deprecate(transaction, context, command, facts)
      : archive(transaction, command, facts);
  });
  if (outcome.ok) await settleProposal(ports, context, assetIdOf(outcome.value));
  return outcome;
};

function assetIdOf(result: UpdateContractResult): string {
  return result.action === 'updated' ? result.contract.assetId : result.proposal.assetId;
}

function checkAllowed(
  context: Context<never>,
  command: UpdateContract,
  { asset, contract }: ContractFacts,
): Outcome<true> {
  const access = decideAccess(context.actor, 'update_contract', asset.ownerTeamId);
  if (!access.ok) return access;
  if (asset.deletedAt !== null) return notFound('ASSET', asset.id);
  if (command.force === true) {
    const forcing = decideAccess(context.actor, 'force_archive_contract', null);
    if (!forcing.ok) return forcing;
    const reason = checkReason(command.reason);
    if (!reason.ok) return reason;
  }
  const managed = decideManagement(context.actor, asset, command);
  if (!managed.ok) return managed;
  return command.precondition?.(contract) === false ? preconditionFailed() : accept(true);
}

async function deprecate(
  transaction: Transaction,
  context: Context<UpdateContractResult>,
  command: UpdateContract,
  facts: ContractFacts,
): Promise<Outcome<UpdateContractResult>> {
  const { contract, consumers } = facts;
  if (contract.status === 'deprecated') return accept({ action: 'updated', contract });
  if (contract.status === 'archived') return alreadyArchived(contract);
  if (consumers.length > 0) {
    const proposed = {
      kind: 'deprecation' as const,
      contractId: contract.id,
      contractVersion: contract.version,
    };
    const supersede = command.supersede === true;
    const overriding = overridingOf(facts.asset, command);
    const how = { supersede, at: transaction.now(), writes: [], overriding };
    return proposeGated(transaction, context, facts, proposed, how);
  }
  if (command.onlyPropose) return accept({ action: 'updated', contract });
  await transaction.apply([statusWrite(facts, 'deprecated', transaction.now(), saidOf(command))]);
  return accept({ action: 'updated', contract: { ...contract, status: 'deprecated' } });
}

async function archive(
  transaction: Transaction,
  command: UpdateContract,
  facts: ContractFacts,
): Promise<Outcome<UpdateContractResult>> {
  const { contract, consumers } = facts;
  if (contract.status === 'archived') return accept({ action: 'updated', contract });
  // Taking the active version away touches every consumer, whatever version it pins.
  const pinning =
    contract.status === 'active'
      ? consumers
      : consumers.filter(({ contractId }) => contractId === contract.id);
  if (pinning.length > 0 && command.force !== true) {
    return refuse(
      'CONTRACT_PINNED',
      `Version ${contract.version} of ${contract.assetFqn} still has ${counted(pinning.length, 'registration')}. Move the consumers first, or ask an administrator to force it.`,
      {
        details: {
          consumers: pinning.map(({ teamId, teamName }) => ({
            team_id: teamId,
            team_name: teamName,
          })),
        },
      },
    );
  }
  const forced = command.force === true && pinning.length > 0;
  await transaction.apply([
    statusWrite(facts, 'archived', transaction.now(), { forced, ...saidOf(command) }),
  ]);
  return accept({ action: 'updated', contract: { ...contract, status: 'archived' } });
}

function statusWrite(
  facts: ContractFacts,
  status: 'deprecated' | 'archived',
  at: string,
  more: { readonly forced?: boolean; readonly reason?: string },
): Write {
  const { asset, consumers, contract } = facts;
  const event = contractRetired(`contract.${status}`, asset, contract, consumers, { ...more });
  return { kind: 'set_contract_status', id: contract.id, status, at, events: [event] };
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
