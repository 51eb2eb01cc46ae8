// Certificates for the TLS of a source, named beside its address.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTlsPostgres, type TlsPostgres } from '../../../support/postgres/postgres-tls.ts';
import { type Folder, makeFolder, run } from '../../support.ts';

let folder: Folder;
let server: TlsPostgres;
let contract: string;
beforeAll(async () => {
  [folder, server] = await Promise.all([makeFolder(), startTlsPostgres()]);
  contract = await folder.file('contract.json', { properties: { a: { const: 1 } } });
});
afterAll(async () => {
  await server.stop();
  await folder.remove();
});

async function check(url: string, files: Readonly<Record<string, string>>) {
  const args = ['check', '--contract', contract, '--query', 'select 1 as a'];
  const { code, stdout, stderr } = await run(args, '', {
    env: { CONCORDAT_SOURCE: url, ...files },
  });
  return [code, code === 0 ? stdout : stderr];
}

const passed = [0, '1 row: the data matches the contract.\n'];

test('An authority is enough to verify the source, whose address says nothing of it', async () => {
  const { authority, otherAuthority } = server.files;
  expect(await check(server.url('tls_only'), { CONCORDAT_SOURCE_CA: authority })).toEqual(passed);
  const [code, text] = await check(server.url('tls_only'), { CONCORDAT_SOURCE_CA: otherAuthority });
  expect([code, text]).toEqual([
    2,
    expect.stringMatching(/^SOURCE_NOT_SUPPORTED: No TLS as the source asks for it/),
  ]);
  // The certificate is for another name of the same server.
  const elsewhere = server.url('tls_only', {}, '127.0.0.1');
  expect(await check(elsewhere, { CONCORDAT_SOURCE_CA: authority })).toMatchObject([2, /./]);
});

test('A source that asks for a certificate is shown one', async () => {
  const { authority, certificate, key } = server.files;
  const url = server.url('certified', { sslmode: 'verify-ca' }, '127.0.0.1');
  const files = {
    CONCORDAT_SOURCE_CA: authority,
    CONCORDAT_SOURCE_CERT: certificate,
    CONCORDAT_SOURCE_CERT_KEY: key,
  };
  expect(await check(url, files)).toEqual(passed);
  const args = ['check', '--contract', contract, '--query', 'select 1 as a', '--source', url];
  const named = [`--source-ca=${authority}`, `--source-cert=${certificate}`];
  expect(await run([...args, ...named, `--source-cert-key=${key}`])).toMatchObject({ code: 0 });
});

test.each([
  ['postgres://a@b/c?sslmode=prefer', /sslmode=prefer, which verifies no certificate/],
  ['postgres://a@b/c?sslrootcert=x', /has sslrootcert, and the same file is named beside it/],
  ['orders.csv', /Only postgres:\/\/ and kafka:\/\/ take certificates/],
  ['kafka://a/b?tls=false', /has ca, and tls=false/],
])('%s takes no authority beside it', async (url, message) => {
  const [code, text] = await check(url, { CONCORDAT_SOURCE_CA: server.files.authority });
  expect([code, text]).toEqual([2, expect.stringMatching(message)]);
});
