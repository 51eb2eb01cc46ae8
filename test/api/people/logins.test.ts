// Password guessing is slowed down by address; the account's owner, and others behind that address,
// can still sign in.

import { createHook } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { checkedFetch } from '../../support/client/client.ts';
import { createUser, openRegistryForFile, password } from '../../support/client/client-world.ts';

/** From one address: for one account, and ten times as many for all accounts. */
const limit = 1;

const { registry, world } = await openRegistryForFile({
  TRUSTED_PROXIES: '127.0.0.1',
  RATE_LIMIT_LOGIN: String(limit),
});

const logIn = (address: string, email: string, tried = password) =>
  checkedFetch(`${registry.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email, password: tried }),
  });

const statusOf = async (...login: Parameters<typeof logIn>) => (await logIn(...login)).status;

async function newEmail(): Promise<string> {
  return (await createUser(world.admin)).email;
}

describe('A correct password', () => {
  test('signs in any number of times, whatever others try for the account from elsewhere', async () => {
    const email = await newEmail();
    for (let i = 0; i <= limit; i++) expect(await statusOf('198.51.100.1', email)).toBe(200);
    for (let from = 10; from < 13; from++) {
      expect(await statusOf(`198.51.100.${from}`, email, 'a guess')).toBe(401);
    }
    for (let i = 0; i < limit; i++) {
      expect(await statusOf('198.51.100.20', email, 'a guess')).toBe(401);
    }
    expect(await statusOf('198.51.100.20', email)).toBe(429);
    expect(await statusOf('198.51.100.1', email)).toBe(200);
    expect(await statusOf('198.51.100.2', email)).toBe(200);
  });

  test('is refused after too many failures for the account, with the time to wait', async () => {
    const email = await newEmail();
    for (let i = 0; i < limit; i++) await logIn('198.51.100.30', email.toUpperCase(), 'a guess');
    const refused = await logIn('198.51.100.30', email);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({
      detail: {
        code: 'RATE_LIMITED',
        message: expect.stringMatching(
          /^Too many logins failed from your address in the last minute\. Try again in \d+ seconds, or from another address\.$/,
        ),
      },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-limit')).toBe(String(limit));
  });
});

describe('Behind one address', () => {
  test('failing for one account does not lock out other accounts', async () => {
    const [one, other] = [await newEmail(), await newEmail()];
    for (let i = 0; i <= limit; i++) await logIn('198.51.100.40', one, 'a guess');
    expect(await statusOf('198.51.100.40', one)).toBe(429);
    expect(await statusOf('198.51.100.40', other)).toBe(200);
  });

  test('trying one account after another is stopped, and users who signed in there before can continue', async () => {
    const address = '198.51.100.50';
    const [colleague, visitor] = [await newEmail(), await newEmail()];
    expect(await statusOf(address, colleague)).toBe(200);
    const guessed = await Promise.all(
      Array.from({ length: limit * 10 + 3 }, (_, i) =>
        statusOf(address, `nobody-${i}@example.com`, 'a guess'),
      ),
    );
    // Two run at once, so the one beside the last is not stopped by it.
    expect(guessed.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2);
    expect(await statusOf(address, 'nobody@example.com', 'a guess')).toBe(429);
    expect(await statusOf(address, visitor)).toBe(429);
    expect(await statusOf(address, colleague)).toBe(200);
    expect(await statusOf('198.51.100.51', visitor)).toBe(200);
  });
});

test('Passwords are hashed two at a time, and addresses without failures come first', async () => {
  const email = await newEmail();
  const running = new Set<number>();
  let most = 0;
  const hook = createHook({
    init: (id, type) => {
      if (type !== 'SCRYPTREQUEST') return;
      running.add(id);
      most = Math.max(most, running.size);
    },
    before: (id) => void running.delete(id),
  }).enable();
  const ended: string[] = [];
  const noted = async (who: string, answer: Promise<Response>) => {
    await answer;
    ended.push(who);
  };
  await logIn('198.51.100.60', 'somebody@example.com', 'a guess');
  const guesses = Array.from({ length: 9 }, (_, i) =>
    noted('guess', logIn('198.51.100.60', `some-${i}@example.com`, 'a guess')),
  );
  await Promise.race(guesses);
  await noted('owner', logIn('198.51.100.61', email));
  await Promise.all(guesses);
  hook.disable();
  expect(most).toBe(2);
  expect(ended.indexOf('owner')).toBeLessThan(6);
});
