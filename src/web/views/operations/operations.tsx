// What needs an operator: the registry itself, where contracts come from, notifications that do not arrive, and
// keys that end soon.

import type { ReactNode } from 'react';
import { shownUrl } from '../../../core/webhook.ts';
import type { Answer } from '../../data/cache.ts';
import type { Source, SourceObject } from '../../data/shapes.ts';
import { useAnswer, usePolling } from '../../data/use-answer.ts';
import { Badge, Breakable, PageHead, Panel, TableFrame, useTitle } from '../../parts/bits.tsx';
import { PagedList, usePageNumber } from '../../parts/paged-list.tsx';
import { Await, Empty } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link, refineQuery, usePlace } from '../../router.tsx';
import { words } from '../../words.ts';
import { KeyEnd, soonMs } from '../people/key-end.tsx';
import { WebhookHealth } from '../webhook/webhook-health.tsx';
import { HandOver } from './hand-over.tsx';
import { SourceProblem } from './source-problem.tsx';
import '../../style/administration.css';

/** No audit event tells when this changes, so it is asked again and again. */
const pollMs = 10_000;
const pageSize = 50;

export default function Operations() {
  useTitle(words.operations.title);
  return (
    <>
      <PageHead title={words.operations.title}>
        <p className="muted">{words.operations.hint}</p>
      </PageHead>
      <div className="stack">
        <Registry />
        <Sources />
        <FailingWebhooks />
        <EndingKeys />
      </div>
    </>
  );
}

function Registry() {
  const readiness = useAnswer('getReadiness', {});
  const health = useAnswer('getHealth', {});
  usePolling('getReadiness', pollMs);
  return (
    <Panel title={words.operations.ready}>
      <Await answer={readiness}>
        {({ status, checks }) => (
          <>
            <p>
              {status === 'ready' ? (
                <Badge tone="good" icon="check">
                  {words.operations.isReady}
                </Badge>
              ) : (
                <Badge tone="bad" icon="alert">
                  {words.operations.isNotReady}
                </Badge>
              )}
            </p>
            <dl className="facts">
              {Object.entries(checks).map(([name, state]) => (
                <Check key={name} name={name} state={state} />
              ))}
              {health.kind === 'ready' && (
                <>
                  <dt>{words.operations.version}</dt>
                  <dd>{health.body.version}</dd>
                  <dt>{words.operations.running}</dt>
                  <dd>
                    <Time at={startOf(health.body.uptime_seconds)} />
                  </dd>
                </>
              )}
            </dl>
          </>
        )}
      </Await>
      <p className="muted">{words.operations.replica}</p>
    </Panel>
  );
}

function Check({ name, state }: { readonly name: string; readonly state: 'ok' | 'failing' }) {
  const names: Readonly<Record<string, string>> = words.operations.checkNames;
  return (
    <>
      <dt>{names[name] ?? name}</dt>
      <dd>
        <Badge tone={state === 'ok' ? 'good' : 'bad'}>{words.operations.check[state]}</Badge>
      </dd>
    </>
  );
}

function startOf(uptimeSeconds: number): string {
  return new Date(Date.now() - uptimeSeconds * 1000).toISOString();
}

function Sources() {
  const answer = useAnswer('listSources', {});
  usePolling('listSources', pollMs);
  return (
    <Panel className="panel-flush" title={words.operations.sources}>
      <Await answer={answer}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty title={words.operations.noSources} icon="box">
              <p>{words.operations.noSourcesHint}</p>
            </Empty>
          ) : (
            <SourceTable sources={results} />
          )
        }
      </Await>
    </Panel>
  );
}

function SourceTable({ sources }: { readonly sources: readonly Source[] }) {
  const { query } = usePlace();
  const shown = sources.find(({ id }) => id === query.get('source'));
  return (
    <>
      {sources.map(
        (source) =>
          source.problem !== null && (
            <SourceProblem key={source.id} source={source} problem={source.problem} />
          ),
      )}
      <TableFrame label={words.operations.sourcesCaption}>
        <table className="table table-cards">
          <caption className="hidden">{words.operations.sourcesCaption}</caption>
          <thead>
            <tr>
              <th scope="col">{words.operations.source}</th>
              <th scope="col">{words.source.leader}</th>
              <th scope="col">{words.source.renewed}</th>
              <th scope="col">{words.operations.objects}</th>
              <th scope="col">{words.operations.actions}</th>
            </tr>
          </thead>
          <tbody>
            {sources.map((source) => (
              <SourceRow
                key={source.id}
                source={source}
                others={sources.filter(({ id }) => id !== source.id)}
              />
            ))}
          </tbody>
        </table>
      </TableFrame>
      {shown !== undefined && <UnreadyObjects source={shown} />}
    </>
  );
}

function SourceRow({
  source,
  others,
}: {
  readonly source: Source;
  readonly others: readonly Source[];
}) {
  return (
    <tr>
      <th scope="row">
        {words.source.place[source.kind]}{' '}
        <code>
          <Breakable text={source.place} />
        </code>
      </th>
      <td className="cell-text" data-label={words.source.leader}>
        <code>{source.leader}</code>
      </td>
      <td data-label={words.source.renewed}>
        {source.renewed_at === null ? words.keys.never : <Time at={source.renewed_at} />}
      </td>
      <td data-label={words.operations.objects}>
        {source.kind === 'cluster' ? (
          words.operations.inCluster
        ) : (
          <>
            {source.objects.toLocaleString('en')}
            {source.not_ready > 0 && (
              <>
                {' '}
                <button
                  type="button"
                  className="link-button"
                  onClick={() => refineQuery({ source: source.id, page: '' })}
                >
                  {words.operations.notReady(source.not_ready)}
                </button>
              </>
            )}
          </>
        )}
      </td>
      <td>
        <HandOver source={source} others={others} />
      </td>
    </tr>
  );
}

function UnreadyObjects({ source }: { readonly source: Source }) {
  const page = usePageNumber();
  const answer = useAnswer('listSourceObjects', {
    params: { source_id: source.id },
    query: { ready: false, page, page_size: pageSize },
  });
  usePolling('listSourceObjects', pollMs);
  return (
    <>
      <div className="panel-head">
        <h3>{words.operations.unready}</h3>
      </div>
      <PagedList
        answer={answer}
        page={page}
        pageSize={pageSize}
        count={words.operations.countObjects}
        empty={<Empty title={words.operations.everyReady} icon="check" />}
      >
        {(objects) => (
          <ul className="conditions unready" aria-label={words.operations.unready}>
            {objects.map((object) => (
              <ObjectLine key={object.id} object={object} />
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}

function ObjectLine({ object }: { readonly object: SourceObject }) {
  const { kind, namespace, name, ready } = object;
  return (
    <li className="condition">
      <span className="condition-head">
        <code>
          {kind} {namespace}/{name}
        </code>
        <span className="muted">
          <Time at={object.updated_at} />
        </span>
      </span>
      <span>{ready === null ? words.source.noConditions : ready.message}</span>
    </li>
  );
}

function FailingWebhooks() {
  const answer = useAnswer('listWebhooks', { query: { failing: true, page_size: pageSize } });
  usePolling('listWebhooks', pollMs);
  return (
    <Concerns title={words.operations.failing} none={words.operations.noneFails} answer={answer}>
      {(webhook) => (
        <li key={webhook.id} className="condition">
          <span className="condition-head">
            <Link to={paths.webhook(webhook.id)} className="url">
              {shownUrl(webhook.url)}
            </Link>
            <WebhookHealth webhook={webhook} />
          </span>
          {webhook.health.last_error !== null && <span>{webhook.health.last_error}</span>}
        </li>
      )}
    </Concerns>
  );
}

function EndingKeys() {
  // The same question for a day, so that its answer is kept.
  const before = new Date(Date.now() + soonMs).toISOString().slice(0, 10);
  const answer = useAnswer('listApiKeys', {
    query: { ends_before: `${before}T00:00:00Z`, page_size: pageSize },
  });
  const { keys, noKeyEnds, issueAnother } = words.operations;
  return (
    <Concerns title={keys} none={noKeyEnds} hint={issueAnother} answer={answer}>
      {(key) => (
        <li key={key.id} className="condition-head">
          <Link to={paths.keys}>{key.name}</Link>
          <KeyEnd apiKey={key} />
        </li>
      )}
    </Concerns>
  );
}

/** What an operator has to look at, or that there is nothing. */
function Concerns<T>({
  title,
  none,
  hint,
  answer,
  children,
}: {
  readonly title: string;
  readonly none: string;
  readonly hint?: string;
  readonly answer: Answer<{ readonly results: readonly T[] }>;
  readonly children: (result: T) => ReactNode;
}) {
  return (
    <Panel title={title}>
      <Await answer={answer}>
        {({ results }) =>
          results.length === 0 ? (
            <p className="quiet">{none}</p>
          ) : (
            <>
              {hint !== undefined && <p>{hint}</p>}
              <ul className="conditions" aria-label={title}>
                {results.map(children)}
              </ul>
            </>
          )
        }
      </Await>
    </Panel>
  );
}
