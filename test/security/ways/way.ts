// A row of the table of ways around review, and steps that many of them share.

import {
  must,
  narrowerSchema,
  type Party,
  type Published,
  propose,
  publishedAsset,
  register,
  type World,
} from '../../support/client/client-world.ts';

export interface Way {
  readonly way: string;
  /** The outcome of the last step: `409 CODE`, or `asks the consumers`. */
  readonly refusedBy: string;
  /** Runs the steps and returns the last response. */
  readonly attempt: (world: World) => Promise<Answered>;
}

interface Answered {
  readonly ok: boolean;
  readonly status: number;
  readonly body?: unknown;
  readonly refusal?: unknown;
}

/** The refusal, or that there was none. */
export function outcomeOf({ ok, status, body, refusal }: Answered): string {
  if (!ok) return `${status} ${(refusal as { code?: string }).code}`;
  const { action, proposal, force_requested } = (body ?? {}) as {
    action?: string;
    force_requested?: unknown;
    proposal?: { total_consumers?: number };
  };
  if (status === 202 && force_requested) return 'waits for a second administrator';
  if (action === 'unchanged') return 'changes nothing';
  if (action !== 'proposal_created') return `nothing refuses it: ${status} ${action ?? ''}`;
  return proposal?.total_consumers === 0 ? 'asks nobody' : 'asks the consumers';
}

interface Consumed extends Published {
  readonly registrationId: string;
}

/** An asset that one team consumes. */
export async function consumedAsset(
  { producer, consumer }: World,
  more: Record<string, unknown> = {},
): Promise<Consumed> {
  const published = await publishedAsset(producer, more);
  const registration = await register(consumer, published.contractId);
  return { ...published, registrationId: registration.id };
}

interface Asked extends Consumed {
  readonly proposalId: string;
}

/** A proposal with a break asks its consumer. */
export async function askedAsset(world: World, more: Record<string, unknown> = {}): Promise<Asked> {
  const consumed = await consumedAsset(world, more);
  const { assetId } = consumed;
  return { ...consumed, proposalId: await propose(world.producer.client, assetId, narrowerSchema) };
}

export async function agree({ client }: Party, proposalId: string): Promise<void> {
  must(await client.acknowledgeProposal({ params: { proposal_id: proposalId }, body: {} }), 200);
}

export async function approve({ producer }: World, proposalId: string): Promise<void> {
  must(await producer.client.approveProposal({ params: { proposal_id: proposalId } }), 200);
}

export function publishProposal({ producer }: World, proposalId: string) {
  return producer.client.publishProposal({ params: { proposal_id: proposalId } });
}

/**
 * The outcome of an import, or of a source, for the consumers of an asset that was at version
 * 1.0.0.
 */
export async function asked(
  { admin }: World,
  asset: { readonly id: string; readonly active_contract_version: string | null },
  status: number,
): Promise<Answered> {
  const query = { asset_id: asset.id, status: 'pending' as const };
  const [proposal] = must(await admin.listProposals({ query }), 200).results;
  if (proposal !== undefined) {
    return { ok: true, status, body: { action: 'proposal_created', proposal } };
  }
  const version = asset.active_contract_version;
  const action = version === '1.0.0' ? 'unchanged' : `publishes ${version}`;
  return { ok: true, status, body: { action } };
}
