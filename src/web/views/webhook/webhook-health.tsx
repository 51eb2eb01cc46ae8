// What becomes of the messages of a webhook.

import { maxCountedDeliveries } from '../../../core/webhook.ts';
import type { ListedWebhook } from '../../data/shapes.ts';
import { Badge } from '../../parts/bits.tsx';
import { Time } from '../../parts/time.tsx';
import { words } from '../../words.ts';

export function WebhookHealth({ webhook }: { readonly webhook: ListedWebhook }) {
  const { pending, parked, failing_since: since } = webhook.health;
  const { webhooks } = words;
  if (webhook.stopped_at !== null) {
    return (
      <Badge tone="warn" icon="alert">
        {webhooks.stopped}
      </Badge>
    );
  }
  return (
    <>
      {since !== null && (
        <>
          <Badge tone="bad" icon="alert">
            {webhooks.fails(counted(pending))}
          </Badge>{' '}
          <span className="muted">
            {webhooks.failsSince} <Time at={since} />
          </span>{' '}
        </>
      )}
      {since === null && pending > 0 && (
        <Badge tone="plain" icon="clock">
          {webhooks.waits(counted(pending))}
        </Badge>
      )}
      {since === null && pending + parked === 0 && <Badge tone="good">{webhooks.arrives}</Badge>}
      {parked > 0 && <Badge tone="bad">{webhooks.parked(counted(parked))}</Badge>}
    </>
  );
}

function counted(count: number): string {
  const text = count.toLocaleString('en');
  return count < maxCountedDeliveries ? text : words.webhooks.orMore(text);
}
