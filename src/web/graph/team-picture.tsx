// The graph of teams or services as a picture: all of them if they are few, some with one step around them, or
// all of many with bundled lines.

import { useMemo } from 'react';
import type { TeamGraph } from '../data/shapes.ts';
import { paths } from '../paths.ts';
import { Link, usePlace, withQuery } from '../router.tsx';
import { words } from '../words.ts';
import { assignLayers } from './assign-layers.ts';
import type { ShownEdge, ShownNode } from './graph-drawing.tsx';
import { GraphView, LayeredGraph } from './graph-view.tsx';
import type { LayoutSizes } from './layered-layout.ts';
import { stepAround } from './step-around.ts';
import { type Bundle, headHeight, layOutTeams } from './team-overview.ts';

type Team = TeamGraph['teams'][number];
type Line = TeamGraph['lines'][number];

/** Beyond these, a picture of each line is a thicket. */
const fewTeams = 40;
const fewLines = 80;

/** What a block is. */
export type GraphBy = NonNullable<Team['kind']>;

interface PictureProps {
  readonly by: GraphBy;
  readonly graph: TeamGraph;
}

/** The page of a service, or the assets of a team. */
export function blockPath({ team_id: id, kind }: Pick<Team, 'team_id' | 'kind'>): string {
  return kind === 'service' ? paths.service(id) : `${paths.assets}?owner=${id}`;
}

export function TeamPicture({ by, graph }: PictureProps) {
  const { query } = usePlace();
  const around = query.get('around') ?? '';
  const opened = useMemo(() => openedOf(graph, around), [graph, around]);
  if (opened.length > 0) return <AroundTeams by={by} graph={graph} opened={opened} />;
  const isLarge = graph.teams.length > fewTeams || graph.lines.length > fewLines;
  return isLarge ? <ManyTeams by={by} graph={graph} /> : <AllTeams by={by} graph={graph} />;
}

/** The teams of the address that are in the graph. */
function openedOf({ teams }: TeamGraph, around: string): readonly Team[] {
  return around.split(',').flatMap((id) => teams.find(({ team_id }) => team_id === id) ?? []);
}

function AllTeams({ by, graph }: PictureProps) {
  const picture = useMemo(() => pictureOf(graph.teams, graph.lines), [graph]);
  return (
    <>
      <p className="hint graph-notes">{words.graph.of[by].legend}</p>
      <LayeredGraph label={words.graph.of[by].picture} {...picture} />
    </>
  );
}

function AroundTeams({ by, graph, opened }: PictureProps & { readonly opened: readonly Team[] }) {
  const text = words.graph.of[by];
  const addressOf = useAddress();
  const { picture, left } = useMemo(() => {
    const ids = opened.map(({ team_id }) => team_id);
    const { lines, left } = stepAround(graph.lines, ids);
    const ends = new Set([...ids, ...lines.flatMap((one) => [one.from_team_id, one.to_team_id])]);
    const { nodes, ...rest } = pictureOf(
      graph.teams.filter(({ team_id }) => ends.has(team_id)),
      lines,
    );
    const linked = nodes.map((node): ShownNode => {
      if (ids.includes(node.id)) return { ...node, look: 'focus' };
      return { ...node, to: addressOf([node.id]), expandTo: addressOf([...ids, node.id]) };
    });
    return { picture: { ...rest, nodes: linked, startAt: ids[0] ?? rest.startAt }, left };
  }, [graph, opened, addressOf]);
  return (
    <>
      <div className="graph-notes">
        <p role="status">{words.graph.around(opened.map(({ team_name }) => team_name))}</p>
        <p>
          <Link to={addressOf([])}>{text.all}</Link>
        </p>
        <p className="hint">{text.legend}</p>
        {left > 0 && <p className="hint">{words.graph.linesLeft(left)}</p>}
      </div>
      <LayeredGraph label={text.picture} {...picture} />
    </>
  );
}

const compactSizes: LayoutSizes = { nodeWidth: 150, nodeHeight: 26, columnGap: 110, rowGap: 6 };

function ManyTeams({ by, graph }: PictureProps) {
  const text = words.graph.of[by];
  const addressOf = useAddress();
  const { overview, picture } = useMemo(() => {
    const edges = graph.lines.map(showLine);
    const nodes = graph.teams.map(
      (team): ShownNode => ({ ...showTeam(team, 0), to: addressOf([team.team_id]) }),
    );
    const teams = graph.teams.map(({ team_id: id, team_name: name }) => ({ id, name }));
    const overview = layOutTeams(teams, edges, compactSizes);
    const startAt = overview.layout.nodes[0]?.id ?? '';
    return { overview, picture: { nodes, edges, startAt } };
  }, [graph, addressOf]);
  const backdrop = (
    <g>
      {overview.blocks.map(({ kind, x, count }) => (
        <text key={kind} className="graph-block" x={x} y={headHeight - 24}>
          {text.blocks[kind](count)}
        </text>
      ))}
      {overview.bundles.map((bundle) => (
        <BundleLine key={`${bundle.from} ${bundle.to}`} bundle={bundle} />
      ))}
    </g>
  );
  return (
    <>
      <p className="hint graph-notes">{text.legendBundled}</p>
      <GraphView
        label={text.picture}
        {...picture}
        layout={overview.layout}
        sizes={compactSizes}
        backdrop={backdrop}
      />
    </>
  );
}

function BundleLine({ bundle: { line, label, count } }: { readonly bundle: Bundle }) {
  if (line === null) {
    return (
      <g className="graph-bundle graph-bundle-inner">
        <text {...label}>{words.graph.linesWithin(count)}</text>
      </g>
    );
  }
  const [start, end] = line;
  return (
    <g className="graph-bundle">
      <path
        d={`M${start.x + 4} ${start.y}H${end.x - 8}`}
        strokeWidth={2 + Math.log2(count + 1)}
        markerEnd="url(#arrow-plain)"
      />
      <text {...label}>{words.graph.linesOf(count)}</text>
    </g>
  );
}

/** The address of this graph around some teams, with the filters of the current one. */
function useAddress(): (around: readonly string[]) => string {
  const { path, query } = usePlace();
  return useMemo(
    () => (around) => {
      const next = new URLSearchParams(query);
      if (around.length === 0) next.delete('around');
      else next.set('around', around.join(','));
      return withQuery(path, next);
    },
    [path, query],
  );
}

function pictureOf(teams: readonly Team[], lines: readonly Line[]) {
  const edges = lines.map(showLine);
  const ids = teams.map(({ team_id }) => team_id);
  const layers = new Map(assignLayers(ids, edges).map(({ id, layer }) => [id, layer]));
  const nodes = teams.map((team): ShownNode => showTeam(team, layers.get(team.team_id) ?? 0));
  const first = nodes.toSorted((a, b) => a.layer - b.layer)[0];
  return { nodes, edges, startAt: first?.id ?? '' };
}

function showLine({ from_team_id: from, to_team_id: to, assets, pending }: Line): ShownEdge {
  if (pending === 0) return { from, to, look: 'plain', label: String(assets) };
  return { from, to, look: 'pending', label: words.graph.linePending(assets, pending) };
}

function showTeam(team: Team, layer: number): ShownNode {
  const { team_id: id, team_name: name, owned, consumed, pending } = team;
  const owns = words.graph.owns(owned);
  // The box has room for the short form.
  const detail = pending > 0 ? `${owns} · ${words.graph.pendingShort(pending)}` : owns;
  const whole = pending > 0 ? `${owns} · ${words.graph.pending(pending)}` : owns;
  return {
    id,
    layer,
    to: blockPath(team),
    title: name,
    detail,
    spoken: `${name}, ${whole}, ${words.graph.consumes(consumed)}`,
    look: pending > 0 ? 'pending' : 'plain',
    ...(pending > 0 && { icon: 'clock' as const }),
  };
}
