// `concordat proposal`: every action on a proposal that the API has.

import { isId } from '../../core/id.ts';
import type { Client } from '../../wire/client.ts';
import { wrongUsage } from '../exit-code.ts';
import { counted, printable } from '../output.ts';
import { mustAnswer } from '../registry/connection/connect.ts';
import { mustFindAsset, mustFindTeam } from '../registry/find-things.ts';
import { type Act, type Asked, mountActs } from './act.ts';
import { inColumns, listLines } from './tell.ts';

const proposalArgument = ['<proposal>', 'id of a proposal, or FQN of its asset'] as const;
const reasonOption = ['--reason <text>', 'why; it is kept in the audit trail'] as const;
const overrideOption = [
  '--override',
  'administrators: also for an asset that is managed elsewhere (needs --reason)',
] as const;

/** The newest proposal of an asset in one of these states; decided ones are not searched. */
async function findProposal(
  { client, name, environment }: Asked,
  states: readonly ('pending' | 'approved' | 'rejected')[],
): Promise<string> {
  if (isId(name)) return name;
  const asset = await mustFindAsset(client, name, environment);
  for (const status of states) {
    const query = { asset_id: asset.id, status, page_size: 1 };
    const [found] = mustAnswer(await client.listProposals({ query })).results;
    if (found !== undefined) return found.id;
  }
  throw wrongUsage(
    `${name} has no open proposal. To list all proposals: concordat proposal list --asset ${name}`,
  );
}

type Proposal = Awaited<ReturnType<typeof getProposal>>;

async function getProposal(client: Client, id: string) {
  return mustAnswer(await client.getProposal({ params: { proposal_id: id } }));
}

/** The next possible actions, as commands. */
function nextSteps(proposal: {
  readonly id: string;
  readonly status: string;
  readonly can_publish: boolean;
  readonly total_consumers: number;
  readonly acknowledgment_count: number;
}): readonly string[] {
  const { id, status, can_publish, total_consumers, acknowledgment_count } = proposal;
  if (can_publish) return [`To publish it: concordat proposal publish ${id}`];
  const left = total_consumers - acknowledgment_count;
  if (status === 'pending') {
    const who = left === 1 ? '1 consumer has' : `${left} consumers have`;
    return [`${who} not agreed yet. A consumer answers with: concordat ack ${id}`];
  }
  if (status === 'rejected') {
    return [
      'A consumer blocked it. That team can answer again; an administrator can force it with:',
      `concordat proposal force ${id} --reason "..."`,
    ];
  }
  return [];
}

function proposalLines(proposal: Proposal): readonly string[] {
  const { id, asset_fqn, kind, status, change_type, round } = proposal;
  const { total_consumers: asked, acknowledgment_count: agreed } = proposal;
  return [
    `Proposal ${id}`,
    ...inColumns([
      ['  asset', asset_fqn],
      ['  kind', kind.replaceAll('_', ' ')],
      ['  status', status],
      ['  version', change_type],
      ['  round', String(round)],
      ['  agreed', `${agreed} of ${counted(asked, 'consumer')}`],
      ...(proposal.request.reason === null ? [] : [['  why', proposal.request.reason]]),
      ...(proposal.request.contact === null ? [] : [['  contact', proposal.request.contact]]),
      ...(proposal.request.answer_by === null ? [] : [['  answer by', proposal.request.answer_by]]),
      ...(proposal.request.migration === null ? [] : [['  migration', proposal.request.migration]]),
      ...(proposal.request.migrate_by === null
        ? []
        : [['  migrate by', proposal.request.migrate_by]]),
      ...(proposal.reason === null ? [] : [['  reason', proposal.reason]]),
    ]),
    ...proposal.breaking_changes.map(({ description }) => `  ✗ ${printable(description)}`),
    ...proposal.consumers.map(({ team_name, response, notes }) =>
      printable(`  ${team_name}: ${response ?? 'no answer yet'}${notes ? `, "${notes}"` : ''}`),
    ),
    ...(proposal.objections ?? []).map(({ team_name, reason }) =>
      printable(`  ${team_name}, which is not asked, objects: "${reason}"`),
    ),
    ...nextSteps(proposal),
  ];
}

/** An act that returns the proposal after it. */
const decide =
  (
    said: (proposal: Proposal) => string,
    act: (asked: Asked, id: string) => Promise<unknown>,
    states: readonly ('pending' | 'approved' | 'rejected')[] = ['pending', 'approved'],
  ): Act['run'] =>
  async (asked) => {
    const id = await findProposal(asked, states);
    const answer = await act(asked, id);
    const proposal = await getProposal(asked.client, id);
    return { answer, lines: [said(proposal), ...nextSteps(proposal)] };
  };

function mustGiveReason({ text }: Asked): string {
  const reason = text('reason');
  if (reason === undefined) throw wrongUsage('Say why: add --reason "...". It is kept on record.');
  return reason;
}

const about = ({ id, asset_fqn }: Proposal) => `Proposal ${id} for ${printable(asset_fqn)}`;

const statuses = 'pending, approved, published, rejected, withdrawn or force_published';

const acts: readonly Act[] = [
  {
    word: 'list',
    summary: 'list proposals, newest first',
    options: [
      ['--asset <fqn>', 'about this asset'],
      ['--status <status>', statuses],
      ['--team <team>', 'about assets of this team'],
      ['--consumer <team>', 'that ask this team'],
      ['--awaiting', 'with --consumer: only those that wait for its answer'],
      ['--limit <count>', 'at most so many (default: 50)'],
    ],
    hasEnvironment: true,
    example: 'proposal list --consumer billing --awaiting',
    run: async ({ client, text, flag, environment }) => {
      const [asset, team, consumer] = [text('asset'), text('team'), text('consumer')];
      if (flag('awaiting') && consumer === undefined) {
        throw wrongUsage('--awaiting needs --consumer: the team whose answer is missing.');
      }
      const status = text('status') as Proposal['status'] | undefined;
      const query = {
        page_size: Number(text('limit') ?? 50),
        ...(asset && { asset_id: (await mustFindAsset(client, asset, environment)).id }),
        ...(team && { team_id: await mustFindTeam(client, team) }),
        ...(consumer && { consumer_team_id: await mustFindTeam(client, consumer) }),
        ...(flag('awaiting') && { awaiting: true }),
        ...(status && { status }),
      };
      const answer = mustAnswer(await client.listProposals({ query }));
      const lines = listLines(answer, 'proposal', (each) => [
        each.id,
        each.can_publish ? 'can be published' : each.status,
        `${each.acknowledgment_count} of ${each.total_consumers} agreed`,
        each.asset_fqn,
        ...(each.objection_count === 0 ? [] : [counted(each.objection_count, 'objection')]),
      ]);
      return { answer, lines };
    },
  },
  {
    word: 'show',
    summary: 'show a proposal: what breaks, who is asked, and what can be done next',
    argument: proposalArgument,
    hasEnvironment: true,
    example: 'proposal show shop.public.orders',
    run: async (asked) => {
      const id = await findProposal(asked, ['pending', 'approved', 'rejected']);
      const answer = await getProposal(asked.client, id);
      return { answer, lines: proposalLines(answer) };
    },
  },
  {
    word: 'approve',
    summary: 'approve a proposal that all consumers agreed to, and publish it later',
    argument: proposalArgument,
    hasEnvironment: true,
    example: 'proposal approve shop.public.orders',
    run: decide(
      (proposal) => `${about(proposal)} is approved. Nothing is published yet.`,
      async ({ client }, id) =>
        mustAnswer(await client.approveProposal({ params: { proposal_id: id } })),
    ),
  },
  {
    word: 'publish',
    summary: 'publish a proposal that all consumers agreed to',
    argument: proposalArgument,
    options: [overrideOption, reasonOption],
    hasEnvironment: true,
    example: 'proposal publish shop.public.orders',
    run: async (asked) => {
      const { client, flag, text } = asked;
      const id = await findProposal(asked, ['pending', 'approved']);
      const reason = text('reason');
      const query = { ...(flag('override') && { override: true }), ...(reason && { reason }) };
      const answer = mustAnswer(
        await client.publishProposal({ params: { proposal_id: id }, query }),
      );
      const { contract, proposal } = answer;
      const is = contract === null ? proposal.status : `published as version ${contract.version}`;
      return { answer, lines: [`Proposal ${id} is ${is}.`] };
    },
  },
  {
    word: 'rebase',
    summary: 'compare a proposal with the current version again, and ask its consumers again',
    argument: proposalArgument,
    hasEnvironment: true,
    example: 'proposal rebase shop.public.orders',
    run: decide(
      (proposal) => `${about(proposal)} is ${proposal.status}, round ${proposal.round}.`,
      async ({ client }, id) =>
        mustAnswer(await client.rebaseProposal({ params: { proposal_id: id } })),
      ['pending', 'approved', 'rejected'],
    ),
  },
  {
    word: 'remind',
    summary: 'remind the consumers that have not answered, at most once in 12 hours',
    argument: proposalArgument,
    hasEnvironment: true,
    example: 'proposal remind shop.public.orders',
    run: decide(
      (proposal) => `The consumers asked by proposal ${proposal.id} were reminded.`,
      async ({ client }, id) =>
        mustAnswer(await client.remindConsumers({ params: { proposal_id: id } })),
    ),
  },
  {
    word: 'comment',
    summary: 'comment on a proposal, as its producer, a consumer or an administrator',
    argument: proposalArgument,
    options: [
      ['--text <text>', 'what to say'],
      ['--team <team>', 'the team that it is said for, if the key has several'],
    ],
    hasEnvironment: true,
    example: 'proposal comment shop.public.orders --text "Which column replaces it?"',
    run: async (asked) => {
      const [said, team] = [asked.text('text'), asked.text('team')];
      if (said === undefined) throw wrongUsage('Say something: add --text "...".');
      const id = await findProposal(asked, ['pending', 'approved', 'rejected']);
      const team_id = team === undefined ? undefined : await mustFindTeam(asked.client, team);
      const body = { text: said, ...(team_id !== undefined && { team_id }) };
      const params = { proposal_id: id };
      const answer = mustAnswer(await asked.client.commentOnProposal({ params, body }));
      return { answer, lines: [`The comment on proposal ${id} was sent.`] };
    },
  },
  {
    word: 'object',
    summary: 'object to a proposal that does not ask your team; an objection does not delay it',
    argument: proposalArgument,
    options: [
      ['--reason <text>', 'why; another one replaces it'],
      ['--take-back', 'the team no longer objects'],
      ['--team <team>', 'the team that objects, if the key has several'],
    ],
    hasEnvironment: true,
    example: 'proposal object shop.public.orders --reason "We read it from June on."',
    run: async (asked) => {
      const team = asked.text('team');
      const isTakenBack = asked.flag('takeBack');
      const reason = isTakenBack ? null : mustGiveReason(asked);
      const id = await findProposal(asked, ['pending', 'approved', 'rejected']);
      const team_id = team === undefined ? undefined : await mustFindTeam(asked.client, team);
      const body = { reason, ...(team_id !== undefined && { team_id }) };
      const params = { proposal_id: id };
      const answer = mustAnswer(await asked.client.objectToProposal({ params, body }));
      const said = isTakenBack ? 'taken back' : 'sent. It holds nothing back';
      return { answer, lines: [`The objection to proposal ${id} was ${said}.`] };
    },
  },
  {
    word: 'withdraw',
    summary: 'withdraw a proposal',
    argument: proposalArgument,
    options: [reasonOption, overrideOption],
    hasEnvironment: true,
    example: 'proposal withdraw shop.public.orders --reason "We keep the column."',
    run: decide(
      (proposal) => `${about(proposal)} is withdrawn.`,
      async (asked, id) => {
        const body = { reason: mustGiveReason(asked) };
        const query = asked.flag('override') ? { override: true } : {};
        const params = { proposal_id: id };
        return mustAnswer(await asked.client.withdrawProposal({ params, query, body }));
      },
      ['pending', 'approved', 'rejected'],
    ),
  },
  {
    word: 'expire',
    summary: 'end a proposal that nobody pursues, once its last day for answers is over',
    argument: proposalArgument,
    options: [overrideOption, reasonOption],
    hasEnvironment: true,
    example: 'proposal expire shop.public.orders',
    run: decide(
      (proposal) => `${about(proposal)} is withdrawn. ${printable(proposal.reason ?? '')}`,
      async ({ client, flag, text }, id) => {
        const reason = text('reason');
        const query = { ...(flag('override') && { override: true }), ...(reason && { reason }) };
        return mustAnswer(await client.expireProposal({ params: { proposal_id: id }, query }));
      },
      ['pending', 'approved', 'rejected'],
    ),
  },
  {
    word: 'force',
    summary: 'publish a proposal without the approval of its consumers (administrators only)',
    argument: proposalArgument,
    options: [reasonOption, overrideOption],
    hasEnvironment: true,
    example: 'proposal force shop.public.orders --reason "The column leaks e-mails."',
    run: decide(
      (proposal) =>
        proposal.status === 'force_published'
          ? `${about(proposal)} is published without the approval of its consumers.`
          : `${about(proposal)}: the force is requested. A second administrator confirms it by the same command.`,
      async (asked, id) => {
        const body = { reason: mustGiveReason(asked) };
        const query = asked.flag('override') ? { override: true } : {};
        const params = { proposal_id: id };
        return mustAnswer(await asked.client.forceProposal({ params, query, body }));
      },
      ['pending', 'approved', 'rejected'],
    ),
  },
];

export const mountProposal = mountActs(
  'Shows and decides proposals. A consumer answers with `concordat ack`.',
  acts,
);
