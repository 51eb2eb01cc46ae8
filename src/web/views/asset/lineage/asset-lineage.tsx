// The lineage of an asset, as a graph and as a list.

import { useMemo } from 'react';
import type { Answer } from '../../../data/cache.ts';
import type { Lineage } from '../../../data/shapes.ts';
import { useAnswer } from '../../../data/use-answer.ts';
import type { ShownEdge, ShownNode } from '../../../graph/graph-drawing.tsx';
import { LayeredGraph } from '../../../graph/graph-view.tsx';
import {
  type LineageDirection,
  type LineageNode,
  makeLineageGraph,
} from '../../../graph/lineage-graph.ts';
import { Breakable, Fqn, Panel, TableFrame } from '../../../parts/bits.tsx';
import { SelectField } from '../../../parts/form/form.tsx';
import { Switch } from '../../../parts/form/switch.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Await, Empty } from '../../../parts/states.tsx';
import { paths } from '../../../paths.ts';
import { Link, refineQuery, usePlace } from '../../../router.tsx';
import { useActsFor } from '../../../session/session-context.tsx';
import { words } from '../../../words.ts';
import type { AssetTabProps } from '../asset-tab.ts';
import { AssetDependencies } from './asset-dependencies.tsx';

const maxDepth = 10;
const depths = Array.from({ length: maxDepth }, (_, index) => maxDepth - index);

export default function AssetLineage({ asset }: AssetTabProps) {
  const { query } = usePlace();
  const direction = directionOf(query.get('direction'));
  const depth = depthOf(query.get('depth'));
  // The lines from one side to the other come with one of them.
  const passes = (way: LineageDirection) => direction === 'both' && way === 'downstream';
  const call = (way: LineageDirection) =>
    direction === 'both' || direction === way
      ? {
          params: { asset_id: asset.id },
          query: { direction: way, depth, ...(passes(way) && { passing: true }) },
        }
      : null;
  const upstream = useAnswer('getLineage', call('upstream'));
  const downstream = useAnswer('getLineage', call('downstream'));
  const asked =
    direction === 'both'
      ? [upstream, downstream]
      : [direction === 'upstream' ? upstream : downstream];
  const isList = query.get('as') === 'list';
  const mayChange = useActsFor()(asset.owner_team_id);
  return (
    <>
      <div className="filters">
        <div className="filter-wide">
          <SelectField
            label={words.lineage.direction}
            value={direction}
            onText={(next) => refineQuery({ direction: next === 'both' ? '' : next })}
            options={[
              { value: 'both', label: words.lineage.both },
              { value: 'upstream', label: words.lineage.upstream },
              { value: 'downstream', label: words.lineage.downstream },
            ]}
          />
        </div>
        <SelectField
          label={words.lineage.depth}
          value={String(depth)}
          onText={(next) => refineQuery({ depth: next === String(maxDepth) ? '' : next })}
          options={depths.map((value) => ({ value: String(value), label: String(value) }))}
        />
      </div>
      <Panel
        className="panel-flush"
        title={words.lineage.title}
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
        <Await answer={allOf(asked)}>
          {(lineages) => (
            <Found asset={asset} lineages={lineages} direction={direction} isList={isList} />
          )}
        </Await>
      </Panel>
      {mayChange && <AssetDependencies asset={asset} />}
    </>
  );
}

function Found({
  asset,
  lineages,
  direction,
  isList,
}: AssetTabProps & {
  readonly lineages: readonly Lineage[];
  readonly direction: LineageDirection | 'both';
  readonly isList: boolean;
}) {
  const count = lineages.reduce((sum, { results }) => sum + results.length, 0);
  if (count === 0) {
    return (
      <Empty title={emptyTitles[direction]} icon="graph">
        <p>{words.lineage.noneHint}</p>
      </Empty>
    );
  }
  const isTruncated = lineages.some(({ truncated }) => truncated);
  const depth = lineages[0]?.max_depth ?? maxDepth;
  return (
    <div className="graph-body">
      <div className="graph-notes">
        <p role="status">{words.lineage.count(count)}</p>
        <p className="hint">{isList ? words.lineage.shortest : words.lineage.everyLine}</p>
        {isTruncated && (
          <p className="note note-warn">
            <Icon name="alert" />
            <span>{words.lineage.truncated(count, depth)}</span>
          </p>
        )}
        {lineages.some(({ edges_truncated }) => edges_truncated) && (
          <p className="note note-warn">
            <Icon name="alert" />
            <span>{words.lineage.linesTruncated}</span>
          </p>
        )}
      </div>
      {isList ? (
        <LineageTable lineages={lineages} />
      ) : (
        <LineagePicture asset={asset} lineages={lineages} />
      )}
    </div>
  );
}

const emptyTitles = {
  both: words.lineage.none,
  upstream: words.lineage.noneUpstream,
  downstream: words.lineage.noneDownstream,
} as const;

function LineagePicture({
  asset,
  lineages,
}: AssetTabProps & { readonly lineages: readonly Lineage[] }) {
  // The list is new at each render, but its answers are stable, so the memo depends on those.
  const [first, second] = lineages;
  const { nodes, edges, hidden } = useMemo(() => {
    const given = [first, second].filter((one) => one !== undefined);
    const graph = makeLineageGraph(asset.id, given);
    const root: ShownNode = {
      id: asset.id,
      layer: 0,
      to: paths.asset(asset.id, 'lineage'),
      title: lastOf(asset.fqn),
      detail: words.lineage.here,
      spoken: `${words.lineage.here}: ${asset.fqn}`,
      look: 'focus',
    };
    return {
      nodes: [root, ...graph.nodes.map(showNode)],
      edges: graph.edges.map((edge): ShownEdge => ({ ...edge, look: 'plain' })),
      hidden: graph.hidden,
    };
  }, [asset.id, asset.fqn, first, second]);
  return (
    <>
      {hidden > 0 && <p className="hint graph-notes">{words.lineage.hidden(hidden)}</p>}
      <LayeredGraph
        label={words.lineage.picture(asset.fqn)}
        nodes={nodes}
        edges={edges}
        startAt={asset.id}
      />
    </>
  );
}

function showNode({ id, layer, asset, direction }: LineageNode): ShownNode {
  const consumers =
    asset.consumers.length === 0 ? '' : ` · ${words.lineage.consumers(asset.consumers.length)}`;
  return {
    id,
    layer,
    to: paths.asset(asset.asset_id, 'lineage'),
    title: lastOf(asset.fqn),
    detail: `${asset.owner_team_name}${consumers}`,
    spoken: [
      asset.fqn,
      words.lineage.away(asset.depth, words.lineage.steps[direction]),
      `${words.lineage.ownedBy(asset.owner_team_name)}${consumers}`,
    ].join(', '),
    look: 'plain',
  };
}

function LineageTable({ lineages }: { readonly lineages: readonly Lineage[] }) {
  const { columns } = words.lineage;
  return (
    <TableFrame label={words.lineage.title}>
      <table className="table table-cards">
        <caption className="hidden">{words.lineage.title}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.asset}</th>
            <th scope="col">{columns.distance}</th>
            <th scope="col">{columns.type}</th>
            <th scope="col">{columns.owner}</th>
            <th scope="col">{columns.consumers}</th>
            <th scope="col">{columns.way}</th>
          </tr>
        </thead>
        <tbody>
          {lineages.flatMap(({ direction, results }) =>
            results.map((one) => (
              <tr key={`${direction} ${one.asset_id}`}>
                <th scope="row">
                  <Link to={paths.asset(one.asset_id, 'lineage')}>
                    <Fqn fqn={one.fqn} />
                  </Link>
                </th>
                <td data-label={columns.distance}>
                  {words.lineage.away(one.depth, words.lineage.steps[direction])}
                </td>
                <td data-label={columns.type}>{words.lineage.types[one.type]}</td>
                <td data-label={columns.owner}>{one.owner_team_name}</td>
                <td className="cell-text" data-label={columns.consumers}>
                  {one.consumers.map(({ team_name }) => team_name).join(', ')}
                </td>
                <td className="cell-text" data-label={columns.way}>
                  <code>
                    <Breakable text={one.path.join(' → ')} />
                  </code>
                </td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </TableFrame>
  );
}

/** The first answer that is refused or loading represents all. */
function allOf<T>(answers: readonly Answer<T>[]): Answer<readonly T[]> {
  const bodies: T[] = [];
  for (const answer of answers) {
    if (answer.kind !== 'ready') return answer;
    bodies.push(answer.body);
  }
  return { kind: 'ready', body: bodies, etag: null };
}

function lastOf(fqn: string): string {
  return fqn.slice(fqn.lastIndexOf('.') + 1);
}

function directionOf(text: string | null): LineageDirection | 'both' {
  return text === 'upstream' || text === 'downstream' ? text : 'both';
}

function depthOf(text: string | null): number {
  const depth = Number(text ?? maxDepth);
  return Number.isInteger(depth) && depth >= 1 && depth <= maxDepth ? depth : maxDepth;
}
