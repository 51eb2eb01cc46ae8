// All that somebody must know before they touch an asset, and whether they may.

import { z } from 'zod';
import { preflightActs, preflightCodes } from '../../../core/decide/assets/preflight.ts';
import { Asset } from '../asset.ts';
import { Contract } from '../contract.ts';
import { LineageAsset } from '../dependency.ts';
import { Proposal } from '../proposal.ts';
import { Incident, QualityRun } from '../quality-run.ts';
import { Needs } from '../registration.ts';
import { choice, exampleId, flag, id, text } from '../shape.ts';
import { Team } from '../team.ts';

const neighbours = (description: string) =>
  z
    .object({
      results: z.array(LineageAsset).meta({ description: 'The assets one step away.' }),
      truncated: flag('Whether there are more.', false),
    })
    .meta({ description });

const reason = z
  .object({
    code: choice(preflightCodes, 'What it is about.', 'incident'),
    blocks: flag('Whether it is why the answer is no; otherwise it should be known.'),
    message: text(
      'What it is, as a sentence.',
      'A proposal for shop.public.orders with 1 breaking change is pending.',
    ),
  })
  .meta({ description: 'A reason.' });

const may = z.object({
  allowed: flag('Whether nothing speaks against it.'),
  reasons: z.array(reason).meta({ description: 'Why not, and what should be known besides.' }),
});

const preflightAct = choice(
  preflightActs,
  '`read` the data; `deploy` code that reads it; `change` the asset and its contract.',
);

export const AssetContext = z
  .object({
    asset: Asset,
    contract: Contract.nullable().meta({
      description:
        'The active contract, otherwise the newest that is not archived; null if there is none.',
    }),
    owner: Team.nullable().meta({
      description: 'The owning team, with its contacts in `metadata`.',
    }),
    consumers: z
      .array(
        z.object({
          team_id: id('The team.', exampleId.otherTeam),
          team_name: text('The name of the team.', 'Billing'),
          registration_id: id('Its registration.', exampleId.registration),
          contract_version: text('The version that the team reads.', '1.2.0'),
          needs: Needs.nullable().meta({
            description:
              'What the team said that it reads; null if it has not, or if the contract does not meet it.',
          }),
        }),
      )
      .meta({ description: 'The teams that are registered.' }),
    open_proposal: Proposal.nullable().meta({
      description: 'The pending or approved proposal; null if there is none.',
    }),
    upstream: neighbours('What it depends on, one step.'),
    downstream: neighbours('What depends on it, one step.'),
    last_quality_run: QualityRun.nullable().meta({
      description: 'The newest quality run; null if there is none.',
    }),
    incidents: z.array(Incident).meta({
      description: 'The triggers whose newest run failed, the longest first.',
    }),
    may: z
      .object({
        read: may.meta({ description: 'Whether it may read the data.' }),
        deploy: may.meta({ description: 'Whether it may deploy code that reads it.' }),
        change: may.meta({ description: 'Whether it may change the asset and its contract.' }),
      })
      .meta({ description: 'What the caller may do now, as `/preflight` answers it.' }),
    links: z.record(z.string(), z.string()).meta({
      description: 'Paths of this registry: of the page, and of the API for what is not here.',
      examples: [{ page: `/assets/${exampleId.asset}` }],
    }),
  })
  .meta({
    id: 'AssetContext',
    description: 'All that a pipeline or an agent needs before it touches an asset.',
  });

export const PreflightRequest = z
  .strictObject({
    act: preflightAct.optional(),
    team_id: id(
      'The team that acts; by default the only one of the caller.',
      exampleId.otherTeam,
    ).optional(),
  })
  .meta({
    id: 'PreflightRequest',
    description: 'What is to be done, and by which team.',
    examples: [{ act: 'deploy', team_id: exampleId.otherTeam }],
  });

export const Preflight = z
  .object({
    asset_id: id('The asset.', exampleId.asset),
    fqn: text('The FQN of the asset.', 'shop.public.orders'),
    act: preflightAct,
    contract_version: text('The version in force.', '1.2.0').nullable().meta({
      description: 'The version in force; null if there is none.',
    }),
    ...may.shape,
  })
  .meta({ id: 'Preflight', description: 'Whether a team may do something with an asset now.' });
