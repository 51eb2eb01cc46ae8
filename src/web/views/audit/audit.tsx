// The audit trail, with filters.

import { useState } from 'react';
import { type EventTopic, entityTypes, eventTopics, eventTypes } from '../../../core/event.ts';
import type { AuditEvent, CallTo } from '../../data/shapes.ts';
import { useAnswer, useSettled } from '../../data/use-answer.ts';
import { PageHead, Panel, TableFrame, useTitle } from '../../parts/bits.tsx';
import { actorOf } from '../../parts/event-detail.ts';
import { EventSubject } from '../../parts/event-line.tsx';
import { SelectField, TextField } from '../../parts/form/form.tsx';
import { SavedViews } from '../../parts/form/saved-views.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PagedList, usePageNumber } from '../../parts/paged-list.tsx';
import { Empty } from '../../parts/states.tsx';
import { Day, Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link, refineQuery, replace, usePlace } from '../../router.tsx';
import { words } from '../../words.ts';
import { AuditTools } from './audit-tools.tsx';

const pageSize = 50;

export default function Audit() {
  useTitle(words.audit.title);
  const { query } = usePlace();
  const page = usePageNumber();
  const actor = useActorName(query);
  const { answer, isSettling } = useSettled(useAnswer('listEvents', callFor(query, page)));
  return (
    <>
      <PageHead title={words.audit.title} aside={<AuditTools />} />
      <nav className="tabs" aria-label={words.audit.about}>
        {[undefined, ...eventTopics].map((about) => (
          <Link
            key={about ?? 'all'}
            to={
              about === undefined ? paths.audit : `${paths.audit}?${new URLSearchParams({ about })}`
            }
            aria-current={about === topicOf(query) ? 'page' : undefined}
          >
            {words.audit.topics[about ?? 'all']}
          </Link>
        ))}
      </nav>
      <FilterBar query={query} actor={actor} />
      <Panel className="panel-flush">
        <PagedList
          answer={answer}
          page={page}
          pageSize={pageSize}
          count={words.audit.count}
          empty={<Empty title={words.audit.none} icon="list" />}
          isSettling={isSettling}
        >
          {(events) => <EventTable events={events} />}
        </PagedList>
        {answer.kind === 'ready' && answer.body.archived_before !== undefined && (
          <p className="quiet">
            <Icon name="info" />
            {words.audit.archived[0]} <Day at={answer.body.archived_before} />{' '}
            {words.audit.archived[1]}
          </p>
        )}
      </Panel>
    </>
  );
}

function topicOf(query: URLSearchParams): EventTopic | undefined {
  return eventTopics.find((about) => about === query.get('about'));
}

/** The name of the one whose events are shown; the id while there are none to tell it. */
function useActorName(query: URLSearchParams): string | null {
  const id = query.get('actor_id') ?? '';
  const call = { query: { actor_id: id, limit: 1, include_total: false } };
  const answer = useAnswer('listEvents', id === '' ? null : call);
  if (id === '') return null;
  const [event] = answer.kind === 'ready' ? answer.body.results : [];
  return event === undefined ? id : actorOf(event);
}

function FilterBar({
  query,
  actor,
}: {
  readonly query: URLSearchParams;
  readonly actor: string | null;
}) {
  const [entityId, setEntityId] = useState(query.get('entity_id') ?? '');
  const text = (name: string) => query.get(name) ?? '';
  const refine = (name: string) => (value: string) => refineQuery({ [name]: value, page: '' });
  return (
    <>
      <search className="filters">
        <SelectField
          label={words.audit.type}
          value={text('event_type')}
          onText={refine('event_type')}
          options={[
            { value: '', label: words.audit.anyType },
            ...eventTypes.map((value) => ({ value, label: words.events[value] })),
          ]}
        />
        <SelectField
          label={words.audit.entity}
          value={text('entity_type')}
          onText={refine('entity_type')}
          options={[
            { value: '', label: words.audit.anyEntity },
            ...entityTypes.map((value) => ({ value, label: words.audit.entities[value] })),
          ]}
        />
        <TextField
          label={words.audit.after}
          type="date"
          value={text('after')}
          onText={refine('after')}
        />
        <TextField
          label={words.audit.before}
          type="date"
          value={text('before')}
          onText={refine('before')}
        />
        <TextField
          label={words.audit.entityId}
          value={entityId}
          spellCheck={false}
          onText={(next) => {
            setEntityId(next);
            refine('entity_id')(next.trim());
          }}
        />
        {actor !== null && (
          <p className="filter-chosen">
            {words.audit.onlyBy(actor)}
            <button
              type="button"
              className="button button-quiet"
              onClick={() => refine('actor_id')('')}
            >
              <Icon name="cross" />
              {words.audit.byAll}
            </button>
          </p>
        )}
      </search>
      <SavedViews isNarrowed={query.size > 0}>
        {query.size > 0 && (
          <button
            type="button"
            className="button button-quiet"
            onClick={() => {
              setEntityId('');
              replace(paths.audit);
            }}
          >
            <Icon name="cross" />
            {words.actions.clear}
          </button>
        )}
      </SavedViews>
    </>
  );
}

function EventTable({ events }: { readonly events: readonly AuditEvent[] }) {
  return (
    <TableFrame label={words.audit.caption}>
      <table className="table table-cards">
        <caption className="hidden">{words.audit.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.audit.what}</th>
            <th scope="col">{words.audit.entityLabel}</th>
            <th scope="col">{words.audit.who}</th>
            <th scope="col">{words.audit.when}</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <th scope="row">
                <Link to={paths.event(event.id)}>{words.events[event.event_type]}</Link>
              </th>
              <td data-label={words.audit.entityLabel}>
                <EventSubject event={event} />
              </td>
              <td data-label={words.audit.who}>
                <button
                  type="button"
                  className="link-button"
                  title={words.audit.onlyBy(actorOf(event))}
                  onClick={() => refineQuery({ actor_id: event.actor_id, page: '' })}
                >
                  {actorOf(event)}
                </button>
              </td>
              <td data-label={words.audit.when}>
                <Time at={event.timestamp} isExact />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function callFor(query: URLSearchParams, page: number): CallTo<'listEvents'> {
  const text = (name: string) => query.get(name) ?? '';
  const about = topicOf(query);
  const eventType = eventTypes.find((type) => type === text('event_type'));
  const entityType = entityTypes.find((type) => type === text('entity_type'));
  return {
    query: {
      ...(about !== undefined && { about }),
      ...(eventType !== undefined && { event_type: eventType }),
      ...(entityType !== undefined && { entity_type: entityType }),
      ...(text('entity_id') !== '' && { entity_id: text('entity_id') }),
      ...(text('actor_id') !== '' && { actor_id: text('actor_id') }),
      ...(isDate(text('after')) && { start_date: startOf(text('after')) }),
      ...(isDate(text('before')) && { end_date: startOf(text('before')) }),
      limit: pageSize,
      offset: (page - 1) * pageSize,
    },
  };
}

function isDate(text: string): boolean {
  return text !== '' && !Number.isNaN(Date.parse(text));
}

/** A day begins at midnight in the user's time zone. */
function startOf(day: string): string {
  return new Date(`${day}T00:00:00`).toISOString();
}
