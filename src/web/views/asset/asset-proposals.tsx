// All proposals of an asset, past and present.

import { useAnswer } from '../../data/use-answer.ts';
import { Panel } from '../../parts/bits.tsx';
import { ProposalTable } from '../../parts/proposal-list.tsx';
import { Await, Empty } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { words } from '../../words.ts';
import type { AssetTabProps } from './asset-tab.ts';

export default function AssetProposals({ asset }: AssetTabProps) {
  const answer = useAnswer('listProposals', { query: { asset_id: asset.id, page_size: 100 } });
  return (
    <Panel className="panel-flush" title={words.proposals.title}>
      <Await answer={answer}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty title={words.asset.noProposals} icon="inbox">
              <Link to={paths.asset(asset.id, 'try')}>{words.asset.changeSchema}</Link>
            </Empty>
          ) : (
            <ProposalTable proposals={results} />
          )
        }
      </Await>
    </Panel>
  );
}
