// One webhook: the events that it gets, and the result of each delivery.

import { useState } from 'react';
import { deliveryStates, shownUrl } from '../../../core/webhook.ts';
import type { CallTo, Delivery, Webhook } from '../../data/shapes.ts';
import { useAct, useAnswer, usePolling, useSettled } from '../../data/use-answer.ts';
import { announce } from '../../parts/announcer.tsx';
import {
  Badge,
  Breakable,
  PageHead,
  Panel,
  TableFrame,
  type Tone,
  useTitle,
} from '../../parts/bits.tsx';
import { SelectField } from '../../parts/form/form.tsx';
import { RowAction } from '../../parts/form/row-action.tsx';
import { TeamName } from '../../parts/form/team-select.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { PagedList, usePageNumber } from '../../parts/paged-list.tsx';
import { Await, Empty, RefusalNote } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link, refineQuery, usePlace, type ViewProps } from '../../router.tsx';
import { words } from '../../words.ts';
import '../../style/administration.css';
import { ChangeWebhook, DeleteWebhook } from './webhook-dialogs.tsx';
import { ToldEvents, ToldTeams } from './webhooks.tsx';

const pageSize = 50;
/** Deliveries have no events, so this view polls, more often while one is pending. */
const pollMs = { waiting: 1_500, quiet: 5_000 };

type Question = 'change' | 'delete';

export default function WebhookView({ params }: ViewProps) {
  useTitle(words.webhooks.title);
  const answer = useAnswer('getWebhook', { params: { webhook_id: params.id ?? '' } });
  return (
    <Await answer={answer} isWholePage>
      {(webhook) => <WebhookPage webhook={webhook} />}
    </Await>
  );
}

function WebhookPage({ webhook }: { readonly webhook: Webhook }) {
  const [question, setQuestion] = useState<Question | null>(null);
  const close = () => setQuestion(null);
  const trial = useAct();
  const [failure, setFailure] = useState<string | null>(null);
  const stopping = useAct();
  const stopOrStart = () => {
    const stopped = webhook.stopped_at === null;
    const call = { params: { webhook_id: webhook.id }, body: { stopped } };
    return stopping.run('updateWebhook', call, stopped ? undefined : words.webhooks.wasStarted);
  };
  const sendTest = async () => {
    setFailure(null);
    const call = { params: { webhook_id: webhook.id }, body: {} };
    const tried = await trial.run('tryWebhook', call);
    if (tried?.delivered === true) announce(words.webhooks.tested);
    else setFailure(tried?.error ?? null);
  };
  return (
    <>
      <PageHead
        title={
          <>
            <span className="over-title">
              <Link to={paths.webhooks}>{words.webhooks.title}</Link>
            </span>
            <span className="url">
              <Breakable text={shownUrl(webhook.url)} />
            </span>
          </>
        }
        aside={
          <span className="panel-aside">
            <button
              type="button"
              className="button"
              disabled={trial.isRunning}
              onClick={() => void sendTest()}
            >
              {words.webhooks.test}
            </button>
            {(webhook.user_id === null || webhook.stopped_at === null) && (
              <button
                type="button"
                className="button"
                disabled={stopping.isRunning}
                onClick={() => void stopOrStart()}
              >
                {webhook.stopped_at === null ? words.webhooks.stop : words.webhooks.start}
              </button>
            )}
            {webhook.user_id === null && (
              <button type="button" className="button" onClick={() => setQuestion('change')}>
                {words.webhooks.change}
              </button>
            )}
            <button
              type="button"
              className="button button-danger-quiet"
              onClick={() => setQuestion('delete')}
            >
              {words.webhooks.delete}
            </button>
          </span>
        }
      >
        <RefusalNote refusal={trial.refusal ?? stopping.refusal} />
        {webhook.stopped_at !== null && (
          <div className="note note-warn">
            <Icon name="alert" />
            <p>
              {words.webhooks.wasStopped} <Time at={webhook.stopped_at} />.{' '}
              {words.webhooks.stoppedHint}
            </p>
          </div>
        )}
        {failure !== null && (
          <div className="note note-bad" role="alert">
            <Icon name="alert" />
            <p>
              {words.webhooks.testFailed}: {failure}
            </p>
          </div>
        )}
        <dl className="facts facts-row">
          <dt>{words.webhooks.format}</dt>
          <dd>{words.webhooks.formats[webhook.format]}</dd>
          <dt>{words.webhooks.timing}</dt>
          <dd>
            {webhook.daily_at === null
              ? words.webhooks.atOnce
              : words.webhooks.daily(webhook.daily_at)}
          </dd>
          <dt>{words.webhooks.owner}</dt>
          <dd>
            <SetUpBy webhook={webhook} />
          </dd>
          <dt>{words.webhooks.events}</dt>
          <dd>
            <ToldEvents webhook={webhook} />
          </dd>
          <dt>{words.webhooks.teams}</dt>
          <dd>
            <ToldTeams webhook={webhook} />
          </dd>
          <dt>{words.webhooks.since}</dt>
          <dd>
            <Time at={webhook.created_at} isExact />
          </dd>
        </dl>
      </PageHead>
      <Deliveries webhook={webhook} />
      {question === 'change' && <ChangeWebhook webhook={webhook} onClose={close} />}
      {question === 'delete' && <DeleteWebhook webhook={webhook} onClose={close} />}
    </>
  );
}

function SetUpBy({ webhook }: { readonly webhook: Webhook }) {
  if (webhook.user_id !== null) return words.webhooks.ofUser;
  return webhook.team_id === null ? words.webhooks.forAll : <TeamName id={webhook.team_id} />;
}

function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const { query } = usePlace();
  const page = usePageNumber();
  const state = deliveryStates.find((one) => one === query.get('state'));
  const { answer } = useSettled(useAnswer('listDeliveries', callFor(webhook.id, state, page)));
  const isAnyOpen =
    answer.kind === 'ready' && answer.body.results.some((one) => one.state === 'pending');
  usePolling('listDeliveries', isAnyOpen ? pollMs.waiting : pollMs.quiet);
  const act = useAct();
  const params = { webhook_id: webhook.id };
  const isAnyParked =
    answer.kind === 'ready' && answer.body.results.some((one) => one.state === 'parked');
  return (
    <Panel
      className="panel-flush"
      title={words.webhooks.deliveries}
      aside={
        isAnyParked && (
          <button
            type="button"
            className="button"
            onClick={() =>
              act.run('replayParked', { params, body: {} }, words.webhooks.replayedParked)
            }
          >
            {words.webhooks.replayParked}
          </button>
        )
      }
    >
      <div className="panel-tools">
        <SelectField
          label={words.webhooks.state}
          value={state ?? ''}
          onText={(next) => refineQuery({ state: next, page: '' })}
          options={[
            { value: '', label: words.webhooks.anyState },
            ...deliveryStates.map((value) => ({ value, label: words.webhooks.states[value] })),
          ]}
        />
      </div>
      <RefusalNote refusal={act.refusal} />
      <PagedList
        answer={answer}
        page={page}
        pageSize={pageSize}
        count={words.webhooks.countDeliveries}
        empty={<NoDeliveries isFiltered={state !== undefined} />}
      >
        {(deliveries) => (
          <DeliveryTable
            deliveries={deliveries}
            onReplay={(delivery) =>
              act.run(
                'replayDelivery',
                { params: { ...params, delivery_id: delivery.id }, body: {} },
                words.webhooks.replayed,
              )
            }
          />
        )}
      </PagedList>
    </Panel>
  );
}

function NoDeliveries({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title={words.webhooks.noneSuch} icon="bell" />;
  return (
    <Empty title={words.webhooks.noDeliveries} icon="bell">
      <p>{words.webhooks.noDeliveriesHint}</p>
    </Empty>
  );
}

function DeliveryTable({
  deliveries,
  onReplay,
}: {
  readonly deliveries: readonly Delivery[];
  readonly onReplay: (delivery: Delivery) => void;
}) {
  const isAnyDone = deliveries.some(({ state }) => state !== 'pending');
  return (
    <TableFrame label={words.webhooks.deliveriesCaption}>
      <table className="table table-cards">
        <caption className="hidden">{words.webhooks.deliveriesCaption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.webhooks.event}</th>
            <th scope="col">{words.webhooks.state}</th>
            <th scope="col" className="number">
              {words.webhooks.attempts}
            </th>
            <th scope="col">{words.webhooks.lastAnswer}</th>
            <th scope="col">{words.webhooks.happened}</th>
            {isAnyDone && <th scope="col">{words.webhooks.actions}</th>}
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <tr key={delivery.id}>
              <th scope="row">
                <Link to={paths.event(delivery.event_id)}>{words.events[delivery.event_type]}</Link>
              </th>
              <td data-label={words.webhooks.state}>
                <DeliveryBadge state={delivery.state} />
              </td>
              <td className="number" data-label={words.webhooks.attempts}>
                {delivery.attempts}
              </td>
              <td className="cell-text" data-label={words.webhooks.lastAnswer}>
                <LastAnswer delivery={delivery} />
              </td>
              <td data-label={words.webhooks.happened}>
                <Time at={delivery.created_at} />
              </td>
              {isAnyDone && (
                <td>
                  {delivery.state !== 'pending' && (
                    <RowAction
                      label={words.webhooks.replay}
                      of={delivery.id}
                      onClick={() => onReplay(delivery)}
                    />
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

const looks: Readonly<Record<Delivery['state'], readonly [Tone, IconName]>> = {
  pending: ['warn', 'clock'],
  delivered: ['good', 'check'],
  parked: ['bad', 'cross'],
};

function DeliveryBadge({ state }: { readonly state: Delivery['state'] }) {
  const [tone, icon] = looks[state];
  return (
    <Badge tone={tone} icon={icon}>
      {words.webhooks.states[state]}
    </Badge>
  );
}

function LastAnswer({ delivery }: { readonly delivery: Delivery }) {
  const { last_status: status, last_error: error, last_attempt_at: at } = delivery;
  return (
    <>
      {at === null ? (
        <span className="muted">{words.webhooks.neverTried}</span>
      ) : (
        <>
          {error ?? (status === null ? '' : words.webhooks.answered(status))}{' '}
          <span className="muted">
            <Time at={at} />
          </span>
        </>
      )}
      {delivery.state === 'pending' && at !== null && (
        <span className="hint">
          {delivery.next_attempt_at === null ? (
            words.webhooks.behind
          ) : (
            <>
              {words.webhooks.next} <Time at={delivery.next_attempt_at} isExact />
            </>
          )}
        </span>
      )}
    </>
  );
}

function callFor(
  webhookId: string,
  state: Delivery['state'] | undefined,
  page: number,
): CallTo<'listDeliveries'> {
  return {
    params: { webhook_id: webhookId },
    query: { page, page_size: pageSize, ...(state !== undefined && { state }) },
  };
}
