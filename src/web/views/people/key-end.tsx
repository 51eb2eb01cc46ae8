// Whether a key still works, and how long.

import type { ApiKey } from '../../data/shapes.ts';
import { Badge } from '../../parts/bits.tsx';
import { words } from '../../words.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** Keys that end within this time are marked. */
export const soonMs = 30 * dayMs;

export function KeyEnd({ apiKey }: { readonly apiKey: ApiKey }) {
  const { states, endsIn } = words.keys;
  if (apiKey.revoked_at !== null) return <Badge tone="plain">{states.revoked}</Badge>;
  const leftMs = apiKey.expires_at === null ? null : Date.parse(apiKey.expires_at) - Date.now();
  if (leftMs === null || leftMs > soonMs) return <Badge tone="good">{states.active}</Badge>;
  if (leftMs < 0) return <Badge tone="plain">{states.expired}</Badge>;
  return (
    <Badge tone="warn" icon="clock">
      {endsIn(Math.floor(leftMs / dayMs))}
    </Badge>
  );
}
