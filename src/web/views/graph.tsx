// The whole at a glance: which team owns data that which other one consumes, and where a change is
// being asked about.

import { useMemo } from 'react';
import type { AssetListed, ProposalListed, Registration } from '../data/shapes.ts';
import { mostPages, type Pages, pageSize, usePages } from '../data/use-pages.ts';
import { assignLayers } from '../graph/assign-layers.ts';
import { GraphView, type ShownEdge, type ShownNode } from '../graph/graph-view.tsx';
import {
  makeTeamGraph,
  type NamedAsset,
  type TeamGraph,
  type TeamNode,
} from '../graph/team-graph.ts';
import { PageHead, Panel, TableFrame, useTitle } from '../parts/bits.tsx';
import { TextField } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { Await, Empty } from '../parts/states.tsx';
import { Switch } from '../parts/switch.tsx';
import { TeamSelect } from '../parts/team-select.tsx';
import { paths } from '../paths.ts';
import { Link, refineQuery, usePlace } from '../router.tsx';
import { words } from '../words.ts';

export default function WholeGraph() {
  useTitle(words.graph.title);
  const { query } = usePlace();
  const owner = query.get('owner') ?? '';
  const environment = query.get('environment')?.trim() ?? '';
  const isList = query.get('as') === 'list';
  return (
    <>
      <PageHead title={words.graph.title}>
        <p className="muted">{words.graph.hint}</p>
      </PageHead>
      <search className="filters">
        <TeamSelect
          label={words.assets.owner}
          value={owner}
          onTeam={(next) => refineQuery({ owner: next })}
          before={[{ value: '', label: words.assets.anyOwner }]}
        />
        <TextField
          label={words.assets.environment}
          value={query.get('environment') ?? ''}
          placeholder={words.assets.any}
          maxLength={100}
          onText={(next) => refineQuery({ environment: next })}
        />
      </search>
      <Panel
        className="panel-flush"
        title={words.graph.panel}
        aside={
          <Switch
            label={words.graph.showAs}
            value={isList ? 'list' : 'graph'}
            choices={[
              { value: 'graph', label: words.graph.asGraph },
              { value: 'list', label: words.graph.asList },
            ]}
            onChoose={(next) => refineQuery({ as: next === 'list' ? 'list' : '' })}
          />
        }
      >
        <Whole owner={owner} environment={environment} isList={isList} />
      </Panel>
    </>
  );
}

function Whole({
  owner,
  environment,
  isList,
}: {
  readonly owner: string;
  readonly environment: string;
  readonly isList: boolean;
}) {
  const assets = usePages<AssetListed>('listAssets', {
    sort: 'fqn',
    ...(owner !== '' && { owner_team_id: owner }),
    ...(environment !== '' && { environment }),
  });
  const registrations = usePages<Registration>('listRegistrations', { status: 'active' });
  const pending = usePages<ProposalListed>('listProposals', { status: 'pending' });
  const approved = usePages<ProposalListed>('listProposals', { status: 'approved' });
  return (
    <Await answer={assets}>
      {(assetPages) => (
        <Await answer={registrations}>
          {(registrationPages) => (
            <Await answer={pending}>
              {(pendingPages) => (
                <Await answer={approved}>
                  {(approvedPages) => (
                    <Found
                      assets={assetPages}
                      registrations={registrationPages}
                      proposals={[pendingPages, approvedPages]}
                      isList={isList}
                    />
                  )}
                </Await>
              )}
            </Await>
          )}
        </Await>
      )}
    </Await>
  );
}

function Found({
  assets,
  registrations,
  proposals,
  isList,
}: {
  readonly assets: Pages<AssetListed>;
  readonly registrations: Pages<Registration>;
  readonly proposals: readonly Pages<ProposalListed>[];
  readonly isList: boolean;
}) {
  const open = proposals.flatMap(({ items }) => items);
  const graph = makeTeamGraph(assets.items, registrations.items, open);
  if (graph.teams.length === 0) {
    return (
      <Empty title={words.graph.none} icon="graph">
        <p>{words.graph.noneHint}</p>
      </Empty>
    );
  }
  const limit = mostPages * pageSize;
  const isCut = [assets, registrations, ...proposals].some(({ total }) => total > limit);
  return (
    <div className="graph-body">
      <div className="graph-notes">
        <p role="status">
          {words.graph.counts(graph.teams.length, assets.items.length, graph.edges.length)}
        </p>
        <p className="hint">{words.graph.legend}</p>
        {isCut && (
          <p className="note note-warn">
            <Icon name="alert" />
            <span>{words.graph.cut(limit, assets.total, registrations.total)}</span>
          </p>
        )}
      </div>
      {isList ? <TeamTable graph={graph} /> : <TeamPicture graph={graph} />}
    </div>
  );
}

function TeamPicture({ graph }: { readonly graph: TeamGraph }) {
  // The graph is made anew at each drawing; what it says is what the picture is of.
  const key = JSON.stringify(graph);
  const { nodes, edges, startAt } = useMemo(() => pictureOf(graph), [key]);
  return <GraphView label={words.graph.picture} nodes={nodes} edges={edges} startAt={startAt} />;
}

function pictureOf({ teams, edges }: TeamGraph) {
  const layers = new Map(
    assignLayers(
      teams.map(({ id }) => id),
      edges,
    ).map(({ id, layer }) => [id, layer]),
  );
  const nodes = teams.map((team): ShownNode => showTeam(team, layers.get(team.id) ?? 0));
  const first = nodes.toSorted((a, b) => a.layer - b.layer)[0];
  return {
    nodes,
    edges: edges.map(
      ({ from, to, assets, pending }): ShownEdge => ({
        from,
        to,
        look: pending.length > 0 ? 'pending' : 'plain',
        label:
          pending.length > 0
            ? words.graph.linePending(assets.length, pending.length)
            : String(assets.length),
      }),
    ),
    startAt: first?.id ?? '',
  };
}

function showTeam({ id, name, owned, consumed, pending }: TeamNode, layer: number): ShownNode {
  const detail = [
    words.graph.owns(owned),
    ...(pending.length > 0 ? [words.graph.pending(pending.length)] : []),
  ].join(' · ');
  return {
    id,
    layer,
    to: `${paths.assets}?owner=${id}`,
    title: name,
    detail,
    spoken: `${name}, ${detail}, ${words.graph.consumes(consumed)}`,
    look: pending.length > 0 ? 'pending' : 'plain',
    ...(pending.length > 0 && { icon: 'clock' as const }),
  };
}

const shownAssets = 6;

function TeamTable({ graph: { teams, edges } }: { readonly graph: TeamGraph }) {
  const names = new Map(teams.map(({ id, name }) => [id, name]));
  const alone = teams.filter(
    ({ id, owned }) => owned > 0 && !edges.some(({ from }) => from === id),
  );
  const byName = edges.toSorted(
    (a, b) =>
      (names.get(a.from) ?? '').localeCompare(names.get(b.from) ?? '', 'en') ||
      (names.get(a.to) ?? '').localeCompare(names.get(b.to) ?? '', 'en'),
  );
  const { columns } = words.graph;
  return (
    <TableFrame label={words.graph.panel}>
      <table className="table">
        <caption className="hidden">{words.graph.panel}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.owner}</th>
            <th scope="col">{columns.consumer}</th>
            <th scope="col">{columns.assets}</th>
            <th scope="col">{columns.pending}</th>
          </tr>
        </thead>
        <tbody>
          {byName.map(({ from, to, assets, pending }) => (
            <tr key={`${from} ${to}`}>
              <th scope="row">
                <Link to={`${paths.assets}?owner=${from}`}>{names.get(from)}</Link>
              </th>
              <td>{names.get(to)}</td>
              <td className="cell-text">
                <AssetLinks assets={assets} />
              </td>
              <td>
                <ProposalLinks proposals={pending} />
              </td>
            </tr>
          ))}
          {alone.map(({ id, name, owned, pending }) => (
            <tr key={id}>
              <th scope="row">
                <Link to={`${paths.assets}?owner=${id}`}>{name}</Link>
              </th>
              <td className="muted">{words.graph.nobody}</td>
              <td>{words.graph.owns(owned)}</td>
              <td>{pending.length > 0 && words.graph.pending(pending.length)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function AssetLinks({ assets }: { readonly assets: readonly NamedAsset[] }) {
  return (
    <ul>
      {assets.slice(0, shownAssets).map(({ id, fqn }) => (
        <li key={id}>
          <Link to={paths.asset(id, 'consumers')}>{fqn}</Link>
        </li>
      ))}
      {assets.length > shownAssets && (
        <li className="muted">{words.graph.more(assets.length - shownAssets)}</li>
      )}
    </ul>
  );
}

function ProposalLinks({ proposals }: { readonly proposals: readonly ProposalListed[] }) {
  return (
    <ul>
      {proposals.map(({ id, asset_fqn }) => (
        <li key={id}>
          <Icon name="clock" /> <Link to={paths.proposal(id)}>{asset_fqn}</Link>
        </li>
      ))}
    </ul>
  );
}
