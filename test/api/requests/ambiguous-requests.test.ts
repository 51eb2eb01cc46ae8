// Requests that two programs on their path could read differently: which host, which path, where a
// request ends. Each is refused with 400 in the error form, and the connection is closed.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRegistry, type TestRegistry } from '../../support/client/client-registry.ts';

let registry: TestRegistry;
let port: number;

beforeAll(async () => {
  registry = await openRegistry();
  port = Number(new URL(registry.url).port);
});
afterAll(() => registry.stop());

const health = (...lines: readonly string[]) =>
  ['GET /health HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n');
// The key of every test registry, so that no request is refused for lack of one.
const bearer = 'Bearer bootstrap-key-of-the-tests';
const post = (...lines: readonly string[]) =>
  ['POST /api/v1/teams HTTP/1.1', 'Host: x', `Authorization: ${bearer}`, ...lines].join('\r\n');

const smuggled = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';

describe('A request is refused', () => {
  test.each<[string, string]>([
    ['without a Host', health()],
    ['with two Hosts that differ', health('Host: a', 'Host: b')],
    ['with two Hosts that are alike', health('Host: a', 'host: a')],
    ['with an empty Host', health('Host:')],
    ['with a Host that is a list', health('Host: a, b')],
    ['with a Host that holds a path', health('Host: a/b')],
    ['with a Host that holds a user', health('Host: user@a')],
    ['with a Host whose port is no number', health('Host: a:b')],
    ['with a Host that holds a blank', health('Host: a b')],
    ['for another host than its Host', `GET http://b/health HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['for another scheme', 'GET ftp://a/health HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['for a host alone', 'GET a HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['for a path without its slash', 'GET health HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['for everything', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['with a fragment in a host', 'GET http://a#b/health HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      'with a length and chunks',
      post('Content-Length: 4', 'Transfer-Encoding: chunked', '', `0\r\n\r\n${smuggled}`),
    ],
    [
      'with chunks and a length',
      post('Transfer-Encoding: chunked', 'Content-Length: 4', '', `0\r\n\r\n${smuggled}`),
    ],
    ['with two lengths', post('Content-Length: 0', 'Content-Length: 5', '', smuggled)],
    ['with two lengths that are alike', post('Content-Length: 2', 'Content-Length: 2', '', '{}')],
    ['with a list of lengths', post('Content-Length: 2, 2', '', '{}')],
    ['with a length with a sign', post('Content-Length: +2', '', '{}')],
    ['with a length in hexadecimal', post('Content-Length: 0x2', '', '{}')],
    ['with a negative length', post('Content-Length: -1', '', '{}')],
    ['with an unknown coding', post('Transfer-Encoding: xchunked', '', '0\r\n\r\n')],
    ['whose last coding is not chunked', post('Transfer-Encoding: chunked, gzip', '', '0\r\n\r\n')],
    ['chunked twice', post('Transfer-Encoding: chunked, chunked', '', '0\r\n\r\n')],
    [
      'with two codings in two headers',
      post('Transfer-Encoding: chunked', 'Transfer-Encoding: identity', '', '0\r\n\r\n'),
    ],
    ['with a coding that a tab hides', post('Transfer-Encoding: \u{b}chunked', '', '0\r\n\r\n')],
    ['with a blank before a colon', post('Transfer-Encoding : chunked', '', '0\r\n\r\n')],
    ['with a header on two lines', health('Host: a', 'X-Folded: a', ' b')],
    ['with a first header that is folded', health(' Host: a')],
    ['with a bare line feed in a header', 'GET /health HTTP/1.1\r\nHost: a\nX: y\r\n\r\n'],
    ['with a bare carriage return', 'GET /health HTTP/1.1\r\nHost: a\rX: y\r\n\r\n'],
    ['with a NUL in a header', health('Host: a', 'X: a\0b')],
    ['with a header without a name', health('Host: a', ': b')],
    ['with a header without a colon', health('Host: a', 'nonsense')],
    [
      'with chunk sizes that are none',
      post('Transfer-Encoding: chunked', '', 'zz\r\n{}\r\n0\r\n\r\n'),
    ],
    [
      'with a chunk larger than it says',
      post('Transfer-Encoding: chunked', '', '1\r\n{}\r\n0\r\n\r\n'),
    ],
    ['of no version', 'GET /health\r\n\r\n'],
    ['of another version', 'GET /health HTTP/3.0\r\nHost: a\r\n\r\n'],
    ['with a blank in its path', 'GET /hea lth HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['of a method in small letters', 'get /health HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('%s', async (_what, text) => {
    const answers = await exchange(text);
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatch(/^HTTP\/1\.1 400 /);
    expect(answers[0]).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/i);
    expect(answers[0]).toMatch(/\r\nX-Request-ID: [0-9a-f-]{36}\r\n/i);
    expect(JSON.parse(bodyOf(answers[0])).detail.code).toBe('VALIDATION_ERROR');
  });
});

describe('A request is accepted', () => {
  test.each<[string, string]>([
    ['for a host with a port', health('Host: registry.example.org:8080')],
    ['for an address', health('Host: 127.0.0.1')],
    ['for an address of IPv6', health('Host: [::1]:8080')],
    ['for a name of a container', health('Host: con_cordat-1')],
    [
      'for a whole URL of its Host',
      'GET http://A:80/health HTTP/1.1\r\nHost: a:80\r\nConnection: close\r\n\r\n',
    ],
    ['of HTTP/1.0 without a Host', 'GET /health HTTP/1.0\r\n\r\n'],
    ['that expects what nobody knows', health('Host: a', 'Expect: nothing')],
    ['that asks for another protocol', health('Host: a', 'Upgrade: h2c')],
  ])('%s', async (_what, text) => {
    const [answer] = await exchange(text);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test('Of two keys, neither is accepted', async () => {
  const key = `Authorization: Bearer ${registry.bootstrapKey}`;
  const ask = (...keys: readonly string[]) =>
    exchange(
      ['GET /api/v1/teams HTTP/1.1', 'Host: x', ...keys, 'Connection: close', '', ''].join('\r\n'),
    );
  expect((await ask(key))[0]).toMatch(/^HTTP\/1\.1 200 /);
  expect((await ask(key, 'Authorization: Bearer another'))[0]).toMatch(/^HTTP\/1\.1 401 /);
  expect((await ask('Authorization: Bearer another', key))[0]).toMatch(/^HTTP\/1\.1 401 /);
});

/** Returns the responses until the connection is closed. */
function exchange(text: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('close', () => resolve(answer.split(/(?=HTTP\/1\.1 \d{3} )/)));
    socket.on('error', reject);
    // Closes the sending side, so that the server does not wait for more, unless the request asks
    // to close anyway.
    socket.write(text, 'latin1');
    if (!text.includes('Connection: close')) socket.end();
  });
}

function bodyOf(answer = ''): string {
  return answer.split('\r\n\r\n', 2)[1] ?? '';
}
