import type { RequestHandler } from 'express';

/** The headers of pages that this process makes itself: nothing is loaded but what the policy says. */
export function guardPages(policy: readonly string[]): RequestHandler {
  const headers = {
    'Content-Security-Policy': [
      "default-src 'none'",
      ...policy,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  };
  return (_request, response, next) => {
    response.set(headers);
    next();
  };
}
