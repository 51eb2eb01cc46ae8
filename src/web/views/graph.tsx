// The graph of all teams, or of all services: who consumes whose data, and where a change awaits approval.

import type { TeamGraph } from '../data/shapes.ts';
import { useAnswer, useSettled } from '../data/use-answer.ts';
import { blockPath, type GraphBy, TeamPicture } from '../graph/team-picture.tsx';
import { Breakable, PageHead, Panel, TableFrame, useTitle } from '../parts/bits.tsx';
import { TextField } from '../parts/form/form.tsx';
import { Switch } from '../parts/form/switch.tsx';
import { TeamSelect } from '../parts/form/team-select.tsx';
import { Icon } from '../parts/icon.tsx';
import { Await, Empty } from '../parts/states.tsx';
import { paths } from '../paths.ts';
import { Link, refineQuery, usePlace } from '../router.tsx';
import { words } from '../words.ts';

type Line = TeamGraph['lines'][number];

export default function WholeGraph() {
  useTitle(words.graph.title);
  const { query } = usePlace();
  const owner = query.get('owner') ?? '';
  const environment = query.get('environment')?.trim() ?? '';
  const isList = query.get('as') === 'list';
  const by = query.get('by') === 'service' ? 'service' : 'team';
  const text = words.graph.of[by];
  return (
    <>
      <PageHead title={words.graph.title}>
        <p className="muted">{text.hint}</p>
      </PageHead>
      <search className="filters">
        <TeamSelect
          label={words.assets.owner}
          value={owner}
          onTeam={(next) => refineQuery({ owner: next })}
          before={[{ value: '', label: words.assets.anyTeam }]}
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
        title={text.panel}
        aside={
          <span className="panel-aside">
            <Switch
              label={words.graph.groupBy}
              value={by}
              choices={[
                { value: 'team', label: words.graph.of.team.panel },
                { value: 'service', label: words.graph.of.service.panel },
              ]}
              // The blocks around which it was drawn are no blocks of the other graph.
              onChoose={(next) => refineQuery({ by: next === 'service' ? next : '', around: '' })}
            />
            <Switch
              label={words.graph.showAs}
              value={isList ? 'list' : 'graph'}
              choices={[
                { value: 'graph', label: words.graph.asGraph },
                { value: 'list', label: words.graph.asList },
              ]}
              onChoose={(next) => refineQuery({ as: next === 'list' ? 'list' : '' })}
            />
          </span>
        }
      >
        <Whole by={by} owner={owner} environment={environment} isList={isList} />
      </Panel>
    </>
  );
}

function Whole({
  by,
  owner,
  environment,
  isList,
}: {
  readonly by: GraphBy;
  readonly owner: string;
  readonly environment: string;
  readonly isList: boolean;
}) {
  const query = {
    ...(by === 'service' && { by }),
    ...(owner !== '' && { owner_team_id: owner }),
    ...(environment !== '' && { environment }),
  };
  const { answer } = useSettled(useAnswer('getTeamGraph', { query }));
  return (
    <Await answer={answer}>{(graph) => <Found by={by} graph={graph} isList={isList} />}</Await>
  );
}

interface FoundProps {
  readonly by: GraphBy;
  readonly graph: TeamGraph;
  readonly isList: boolean;
}

function Found({ by, graph, isList }: FoundProps) {
  const text = words.graph.of[by];
  if (graph.teams.length === 0) {
    return (
      <Empty title={words.graph.none} icon="graph">
        <p>{words.graph.noneHint}</p>
      </Empty>
    );
  }
  const { teams, lines, team_count, asset_count, line_count } = graph;
  return (
    <div className="graph-body">
      <div className="graph-notes">
        <p role="status">{text.counts(team_count, asset_count, line_count)}</p>
        {graph.truncated && (
          <p className="note note-warn">
            <Icon name="alert" />
            <span>
              {teams.length < team_count
                ? text.cut(teams.length, lines.length)
                : words.graph.cutLines(lines.length, line_count)}
            </span>
          </p>
        )}
      </div>
      {isList ? <TeamTable by={by} graph={graph} /> : <TeamPicture by={by} graph={graph} />}
    </div>
  );
}

function TeamTable({ by, graph: { teams, lines } }: Omit<FoundProps, 'isList'>) {
  const { panel } = words.graph.of[by];
  const blocks = new Map(teams.map((team) => [team.team_id, team]));
  const names = new Map(teams.map(({ team_id, team_name }) => [team_id, team_name]));
  const feeding = new Set(lines.map(({ from_team_id }) => from_team_id));
  const alone = teams.filter(({ team_id, owned }) => owned > 0 && !feeding.has(team_id));
  const compareNames = (a: string, b: string) =>
    (names.get(a) ?? '').localeCompare(names.get(b) ?? '', 'en');
  const byName = lines.toSorted(
    (a, b) =>
      compareNames(a.from_team_id, b.from_team_id) || compareNames(a.to_team_id, b.to_team_id),
  );
  const { columns } = words.graph;
  return (
    <TableFrame label={panel}>
      <table className="table table-cards">
        <caption className="hidden">{panel}</caption>
        <thead>
          <tr>
            <th scope="col">{columns.owner}</th>
            <th scope="col">{columns.consumer}</th>
            <th scope="col">{columns.assets}</th>
            <th scope="col">{columns.pending}</th>
          </tr>
        </thead>
        <tbody>
          {byName.map((line) => (
            <tr key={`${line.from_team_id} ${line.to_team_id}`}>
              <th scope="row">
                <Link
                  to={blockPath(blocks.get(line.from_team_id) ?? { team_id: line.from_team_id })}
                >
                  {names.get(line.from_team_id)}
                </Link>
              </th>
              <td data-label={columns.consumer}>{names.get(line.to_team_id)}</td>
              <td className="cell-text" data-label={columns.assets}>
                <Flowing line={line} />
              </td>
              <td data-label={columns.pending}>
                <PendingLinks line={line} />
              </td>
            </tr>
          ))}
          {alone.map(({ team_id, team_name, kind, owned, pending }) => (
            <tr key={team_id}>
              <th scope="row">
                <Link to={blockPath({ team_id, kind })}>{team_name}</Link>
              </th>
              <td className="muted" data-label={columns.consumer}>
                {words.graph.nobody}
              </td>
              <td data-label={columns.assets}>{words.graph.owns(owned)}</td>
              <td data-label={columns.pending}>{pending > 0 && words.graph.pending(pending)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function Flowing({ line: { assets, dependencies, examples } }: { readonly line: Line }) {
  const byName = examples.toSorted((a, b) => (a.fqn < b.fqn ? -1 : 1));
  return (
    <ul>
      {byName.map(({ asset_id, fqn }) => (
        <li key={asset_id}>
          <Link to={paths.asset(asset_id, 'consumers')}>
            <Breakable text={fqn} />
          </Link>
        </li>
      ))}
      {assets > examples.length && (
        <li className="muted">{words.graph.more(assets - examples.length)}</li>
      )}
      {dependencies > 0 && <li className="muted">{words.graph.dependencies(dependencies)}</li>}
    </ul>
  );
}

function PendingLinks({ line: { pending, examples } }: { readonly line: Line }) {
  const shown = examples.flatMap(({ fqn, proposal_id }) =>
    proposal_id === null ? [] : [{ fqn, proposal_id }],
  );
  if (pending === 0) return null;
  return (
    <ul>
      {shown.map(({ fqn, proposal_id }) => (
        <li key={proposal_id}>
          <Icon name="clock" />{' '}
          <Link to={paths.proposal(proposal_id)}>
            <Breakable text={fqn} />
          </Link>
        </li>
      ))}
      {pending > shown.length && (
        <li>
          <Link to={`${paths.proposals}?show=all`}>{words.graph.more(pending - shown.length)}</Link>
        </li>
      )}
    </ul>
  );
}
