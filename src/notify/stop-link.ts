// The link in a letter that ends the letters, for readers who cannot sign in. It has a digest that only
// the webhook's own secret makes, so it needs no table, and a new secret ends it.

import { createHmac, timingSafeEqual } from 'node:crypto';

export function stopPath(webhookId: string, secret: string): string {
  return `/stop-letters/${webhookId}/${tokenOf(webhookId, secret)}`;
}

export function isStopToken(token: string, webhookId: string, secret: string): boolean {
  const [given, own] = [Buffer.from(token), Buffer.from(tokenOf(webhookId, secret))];
  return given.length === own.length && timingSafeEqual(given, own);
}

function tokenOf(webhookId: string, secret: string): string {
  return createHmac('sha256', secret).update(`stop letters ${webhookId}`).digest('base64url');
}
