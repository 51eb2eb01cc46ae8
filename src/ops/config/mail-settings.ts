// The settings of e-mail: a mistake in them is told at the start, and not by each letter.

import { z } from 'zod';

export const smtpUrl = () =>
  z
    .string()
    .regex(
      /^smtps?:\/\/[^/?#\s]+\/?(?:\?\S*)?$/,
      'must be smtp://user:password@host:587 or smtps://host',
    )
    .refine((url) => URL.canParse(url), 'must be a URL')
    .refine(isDecodable, 'must have a user and a password in which % is written as %25')
    .refine(hasWholeLogin, 'must have both a user and a password, or none')
    .refine(hasKnownParameters, 'must have no parameters but ca=FILE and, with smtp://, tls=none')
    .optional();

export const smtpFrom = () =>
  z
    .string()
    .max(320)
    .regex(
      /^(?:(?:"[^"\\\p{Cc}]*"|[^"\\,;:<>@\p{Cc}]*)\s?<[^\s@<>,;"]+@[^\s@<>,;"]+>|[^\s@<>,;"]+@[^\s@<>,;"]+)$/u,
      'must be one address, or a name with <address>, with quotes around a name that has a comma',
    )
    .optional();

export const isDomain = (text: string) => /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(text);

/** The file of authorities that SMTP_URL names; null if it names none. */
export function authorityOf(url: string | undefined): string | null {
  return URL.parse(url ?? '')?.searchParams.get('ca') ?? null;
}

function isDecodable(url: string): boolean {
  const { username = '', password = '' } = URL.parse(url) ?? {};
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function hasWholeLogin(url: string): boolean {
  const { username = '', password = '' } = URL.parse(url) ?? {};
  return (username === '') === (password === '');
}

function hasKnownParameters(url: string): boolean {
  const parameters = [...(URL.parse(url)?.searchParams ?? [])];
  return parameters.every(([name, value]) =>
    name === 'tls' ? value === 'none' && url.startsWith('smtp:') : name === 'ca' && value !== '',
  );
}
