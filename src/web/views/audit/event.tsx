// One event in full.

import { useAnswer } from '../../data/use-answer.ts';
import { PageHead, Panel, useTitle } from '../../parts/bits.tsx';
import { actorOf } from '../../parts/event-detail.ts';
import { EventSubject, EventText } from '../../parts/event-line.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Await } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link, type ViewProps, withQuery } from '../../router.tsx';
import { words } from '../../words.ts';

export default function EventView({ params }: ViewProps) {
  const answer = useAnswer('getEvent', { params: { event_id: params.id ?? '' } });
  useTitle(answer.kind === 'ready' ? words.events[answer.body.event_type] : words.audit.event);
  return (
    <Await answer={answer} isWholePage>
      {(event) => (
        <>
          <PageHead title={words.events[event.event_type]}>
            <p className="muted">
              <Time at={event.timestamp} isExact />
            </p>
            <div className="event-text">
              <EventText group={{ event, events: [event] }} />
            </div>
          </PageHead>
          <div className="columns columns-wide-left">
            <Panel className="panel-flush" title={words.audit.details}>
              <JsonView value={event.metadata} label={words.audit.details} />
            </Panel>
            <Panel title={words.audit.event}>
              <dl className="facts">
                <dt>{words.audit.entityLabel}</dt>
                <dd>
                  {words.audit.entities[event.entity_type]} <EventSubject event={event} />
                  <code className="digest">{event.entity_id}</code>
                  <Link to={auditOf({ entity_id: event.entity_id })}>{words.audit.allOf}</Link>
                </dd>
                <dt>{words.audit.who}</dt>
                <dd>
                  {actorOf(event)}
                  <code className="digest">{event.actor_id}</code>
                  <Link to={auditOf({ actor_id: event.actor_id })}>{words.audit.allBy}</Link>
                </dd>
                {event.request_id !== null && (
                  <>
                    <dt>{words.audit.request}</dt>
                    <dd>
                      <code className="digest">{event.request_id}</code>
                    </dd>
                  </>
                )}
                <dt>{words.audit.id}</dt>
                <dd>
                  <code className="digest">{event.id}</code>
                </dd>
              </dl>
            </Panel>
          </div>
        </>
      )}
    </Await>
  );
}

function auditOf(filter: Record<string, string>): string {
  return withQuery(paths.audit, new URLSearchParams(filter));
}
