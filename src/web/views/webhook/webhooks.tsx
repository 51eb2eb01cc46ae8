// The list of webhooks.

import { useState } from 'react';
import { shownUrl } from '../../../core/webhook.ts';
import type { ListedWebhook, Webhook } from '../../data/shapes.ts';
import { useAnswer, useSettled } from '../../data/use-answer.ts';
import { Breakable, PageHead, Panel, TableFrame, useTitle } from '../../parts/bits.tsx';
import { CreateButton } from '../../parts/form/create-button.tsx';
import { SecretDialog } from '../../parts/form/secret-dialog.tsx';
import { SortHead, useOrder } from '../../parts/form/sort-head.tsx';
import { TeamName } from '../../parts/form/team-select.tsx';
import { useCreating } from '../../parts/form/use-creating.ts';
import { PagedList, usePageNumber } from '../../parts/paged-list.tsx';
import { Empty } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { words } from '../../words.ts';
import '../../style/administration.css';
import { CreateWebhook } from './webhook-dialogs.tsx';
import { WebhookHealth } from './webhook-health.tsx';

const pageSize = 50;
const orders = ['created_at', '-created_at'] as const;
const usual = '-created_at';

export default function Webhooks() {
  useTitle(words.webhooks.title);
  const page = usePageNumber();
  const sort = useOrder(orders, usual);
  const { answer } = useSettled(
    useAnswer('listWebhooks', { query: { page, page_size: pageSize, sort } }),
  );
  const [isCreating, setCreating] = useCreating();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <PageHead
        title={words.webhooks.title}
        aside={
          answer.kind === 'ready' && (
            <CreateButton label={words.webhooks.create} onClick={() => setCreating(true)} />
          )
        }
      >
        <p className="muted">{words.webhooks.hint}</p>
      </PageHead>
      <Panel className="panel-flush">
        <PagedList
          answer={answer}
          page={page}
          pageSize={pageSize}
          count={words.webhooks.count}
          empty={
            <Empty title={words.webhooks.none} icon="bell">
              <p>{words.webhooks.noneHint}</p>
            </Empty>
          }
        >
          {(webhooks) => <WebhookTable webhooks={webhooks} order={sort} />}
        </PagedList>
      </Panel>
      {isCreating && answer.kind === 'ready' && (
        <CreateWebhook
          onClose={() => setCreating(false)}
          onCreated={(made) => {
            setCreating(false);
            setSecret(made);
          }}
        />
      )}
      {secret !== null && (
        <SecretDialog
          title={words.webhooks.secretTitle}
          hint={words.webhooks.secretHint}
          label={words.webhooks.secret}
          secret={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </>
  );
}

function WebhookTable({
  webhooks,
  order,
}: {
  readonly webhooks: readonly ListedWebhook[];
  readonly order: string;
}) {
  return (
    <TableFrame label={words.webhooks.caption}>
      <table className="table table-cards">
        <caption className="hidden">{words.webhooks.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.webhooks.to}</th>
            <th scope="col">{words.webhooks.health}</th>
            <th scope="col">{words.webhooks.format}</th>
            <th scope="col">{words.webhooks.events}</th>
            <th scope="col">{words.webhooks.teams}</th>
            <SortHead label={words.webhooks.since} field="created_at" {...{ order, usual }} />
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <tr key={webhook.id}>
              <th scope="row">
                <Link to={paths.webhook(webhook.id)} className="url">
                  <Breakable text={shownUrl(webhook.url)} />
                </Link>
              </th>
              <td className="cell-text" data-label={words.webhooks.health}>
                <WebhookHealth webhook={webhook} />
              </td>
              <td data-label={words.webhooks.format}>{words.webhooks.formats[webhook.format]}</td>
              <td className="cell-text" data-label={words.webhooks.events}>
                <ToldEvents webhook={webhook} />
              </td>
              <td className="cell-text" data-label={words.webhooks.teams}>
                <ToldTeams webhook={webhook} />
              </td>
              <td data-label={words.webhooks.since}>
                <Time at={webhook.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

export function ToldEvents({ webhook }: { readonly webhook: Webhook }) {
  if (webhook.events.length === 0) return words.webhooks.allEvents;
  return webhook.events.map((type) => words.events[type]).join(', ');
}

export function ToldTeams({ webhook }: { readonly webhook: Webhook }) {
  if (webhook.user_id !== null) return words.webhooks.ofUser;
  if (webhook.team_ids.length === 0) return words.webhooks.allTeams;
  return webhook.team_ids.map((id, index) => (
    <span key={id}>
      {index > 0 && ', '}
      <TeamName id={id} />
    </span>
  ));
}
