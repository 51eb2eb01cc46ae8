// One service: its owner, its repository, and the assets that belong to it.

import { useState } from 'react';
import type { AssetListed, Service } from '../../data/shapes.ts';
import { useAnswer, useSettled } from '../../data/use-answer.ts';
import { Badge, Breakable, Fqn, PageHead, Panel, TableFrame, useTitle } from '../../parts/bits.tsx';
import { PagedList, usePageNumber } from '../../parts/paged-list.tsx';
import { Await, Empty } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link, type ViewProps } from '../../router.tsx';
import { useActsFor } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import { Repository } from './repository.tsx';
import { ChangeService, DeleteService } from './service-dialogs.tsx';

const pageSize = 100;

export default function ServiceView({ params }: ViewProps) {
  useTitle(words.services.title);
  const answer = useAnswer('getService', { params: { service_id: params.id ?? '' } });
  return (
    <Await answer={answer} isWholePage>
      {(service) => <ServicePage service={service} />}
    </Await>
  );
}

function ServicePage({ service }: { readonly service: Service }) {
  useTitle(service.name);
  const actsFor = useActsFor();
  const [question, setQuestion] = useState<'change' | 'delete' | null>(null);
  const close = () => setQuestion(null);
  const page = usePageNumber();
  const { answer } = useSettled(
    useAnswer('listAssets', { query: { service_id: service.id, page, page_size: pageSize } }),
  );
  const { services: text } = words;
  return (
    <>
      <PageHead
        title={
          <>
            <span className="over-title">
              <Link to={paths.services}>{text.title}</Link>
            </span>
            <Breakable text={service.name} />
          </>
        }
        aside={
          actsFor(service.owner_team_id) && (
            <span className="panel-aside">
              <button type="button" className="button" onClick={() => setQuestion('change')}>
                {text.change}
              </button>
              <button
                type="button"
                className="button button-danger-quiet"
                onClick={() => setQuestion('delete')}
              >
                {text.delete}
              </button>
            </span>
          )
        }
      >
        {service.description !== null && <p className="asset-description">{service.description}</p>}
        <dl className="facts facts-row">
          <dt>{text.owner}</dt>
          <dd>
            <Link to={`${paths.services}?owner=${service.owner_team_id}`}>
              {service.owner_team_name}
            </Link>
          </dd>
          {service.repository !== null && (
            <>
              <dt>{text.repository}</dt>
              <dd>
                <Repository address={service.repository} />
              </dd>
            </>
          )}
        </dl>
      </PageHead>
      <Panel className="panel-flush" title={text.columns.assets}>
        <PagedList
          answer={answer}
          page={page}
          pageSize={pageSize}
          count={words.assets.count}
          empty={
            <Empty title={text.noAssets} icon="box">
              <p>{text.noAssetsHint}</p>
            </Empty>
          }
        >
          {(assets) => <AssetTable assets={assets} />}
        </PagedList>
      </Panel>
      {question === 'change' && <ChangeService service={service} onClose={close} />}
      {question === 'delete' && <DeleteService service={service} onClose={close} />}
    </>
  );
}

function AssetTable({ assets }: { readonly assets: readonly AssetListed[] }) {
  return (
    <TableFrame label={words.assets.title}>
      <table className="table table-cards">
        <caption className="hidden">{words.assets.title}</caption>
        <thead>
          <tr>
            <th scope="col">{words.assets.asset}</th>
            <th scope="col">{words.assets.owner}</th>
            <th scope="col">{words.assets.environment}</th>
            <th scope="col">{words.assets.version}</th>
          </tr>
        </thead>
        <tbody>
          {assets.map((asset) => (
            <tr key={asset.id}>
              <th scope="row">
                <Link to={paths.asset(asset.id)}>
                  <Fqn fqn={asset.fqn} />
                </Link>
              </th>
              <td data-label={words.assets.owner}>{asset.owner_team_name}</td>
              <td data-label={words.assets.environment}>{asset.environment}</td>
              <td data-label={words.assets.version}>
                {asset.active_contract_version === null ? (
                  <span className="muted">{words.assets.noContract}</span>
                ) : (
                  <Badge tone="plain">{asset.active_contract_version}</Badge>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
