// The sentences of the script that is loaded first; all others are in words.ts.

export const firstWords = {
  notLoaded: 'The page could not be loaded. Reload it.',
  unreachable: 'The registry is not responding. Retrying…',
  wrongKey:
    'This API key is unknown, expired or revoked. Check it, or ask an administrator for a new one.',
} as const;
