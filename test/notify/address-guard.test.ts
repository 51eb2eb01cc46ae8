// The addresses that webhooks may reach, even if a name changes its address.

import { afterEach, describe, expect, test } from 'vitest';
import { openAddressGuard } from '../../src/notify/address-guard.ts';
import type { Address } from '../../src/notify/guarded-lookup.ts';
import { openPost } from '../../src/notify/post.ts';
import { openReceiver, type Receiver } from './receiver.ts';

describe('The guard', () => {
  const guard = openAddressGuard([]);

  test.each([
    ['loopback', ['127.0.0.1', '127.255.0.9', '::1', '0:0:0:0:0:0:0:1']],
    ['nowhere', ['0.0.0.0', '::', '255.255.255.255', '240.0.0.1']],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1']],
    ['link-local', ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1']],
    ['unique-local', ['fc00::1', 'fd12:3456::1']],
    ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1']],
    ['metadata', ['169.254.169.254', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254']],
    ['IPv4 in IPv6', ['::ffff:127.0.0.1', '::ffff:a00:1', '::127.0.0.1', '64:ff9b::10.0.0.1']],
    ['a tunnel', ['2002:7f00:1::', '2001:0:1::1', '64:ff9b:1::a00:1']],
    ['for documents', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1']],
    ['no address', ['', 'localhost', '127.1', '1.2.3.4.5', '::g']],
  ])('refuses what is %s', (_, addresses) => {
    expect(addresses.filter(guard.permits)).toEqual([]);
  });

  test('permits all other addresses, including those next to refused networks', () => {
    const addresses = [
      ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '126.255.255.255', '128.0.0.0'],
      ...['100.63.255.255', '100.128.0.0', '169.253.255.255', '172.15.255.255', '172.32.0.0'],
      ...['192.167.255.255', '192.169.0.0', '223.255.255.255', '168.63.129.17'],
      ...['2606:4700::1', '2a00:1450::1', '::ffff:1.1.1.1', '64:ff9b::1.1.1.1', '2003::1'],
    ];
    expect(addresses.filter((address) => !guard.permits(address))).toEqual([]);
  });

  test('permits what a setting names, in any spelling, and nothing else', () => {
    const open = openAddressGuard(['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1']);
    const named = ['10.1.2.3', '::ffff:10.1.2.3', 'fd00:1::5', '127.0.0.1'];
    expect(named.filter((address) => !open.permits(address))).toEqual([]);
    expect(['10.2.0.1', 'fd00:2::5', '127.0.0.2', '::1'].filter(open.permits)).toEqual([]);
  });
});

describe('A post', () => {
  let receiver: Receiver;
  afterEach(() => receiver.stop());

  const request = (url: string) => ({
    url,
    headers: {},
    body: '{"asset":{}}',
    signal: new AbortController().signal,
  });

  test('connects to the one address that was looked up, so a changing name cannot redirect it', async () => {
    receiver = await openReceiver('127.0.0.2');
    const port = new URL(receiver.url).port;
    const answers: Address[][] = [
      [{ address: '127.0.0.2', family: 4 }],
      [{ address: '127.0.0.1', family: 4 }],
    ];
    let asked = 0;
    const post = openPost({
      guard: openAddressGuard(['127.0.0.2']),
      timeoutMs: 2_000,
      resolve: async () => answers[Math.min(asked++, 1)] ?? [],
    });
    const url = `http://rebound.example.com:${port}/hook`;
    expect(await post(request(url))).toBe(200);
    // One lookup per connection: a second one between check and connect could give another address.
    expect(asked).toBe(1);
    await expect(post(request(url))).rejects.toThrow('127.0.0.1 is a private or special address');
    expect(asked).toBe(2);
    expect(receiver.received).toHaveLength(1);
  });

  test('uses only the permitted ones of several addresses', async () => {
    receiver = await openReceiver('127.0.0.2');
    const inside = await openReceiver('127.0.0.1');
    const post = openPost({
      guard: openAddressGuard(['127.0.0.2']),
      timeoutMs: 2_000,
      resolve: async () => [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ],
    });
    const port = new URL(receiver.url).port;
    expect(await post(request(`http://both.example.com:${port}/hook`))).toBe(200);
    expect(inside.received).toEqual([]);
    await inside.stop();
  });

  test.each(['127.0.0.1', '2130706433', '0x7f.1', '017700000001', '[::1]', '[::ffff:127.0.0.1]'])(
    'is refused for the address %s in place of a name',
    async (host) => {
      receiver = await openReceiver();
      const post = openPost({ guard: openAddressGuard([]), timeoutMs: 2_000 });
      const url = `http://${host}:${new URL(receiver.url).port}/hook`;
      await expect(post(request(url))).rejects.toThrow('is a private or special address');
      expect(receiver.received).toEqual([]);
    },
  );

  test('is refused for a system name of this machine', async () => {
    receiver = await openReceiver();
    const post = openPost({ guard: openAddressGuard([]), timeoutMs: 2_000 });
    const url = `http://localhost:${new URL(receiver.url).port}/hook`;
    await expect(post(request(url))).rejects.toThrow('is a private or special address');
    expect(receiver.received).toEqual([]);
  });
});
