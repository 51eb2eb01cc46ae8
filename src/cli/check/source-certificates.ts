// Certificates for the TLS of a source: files that are named beside its address, so that the address
// may come from a Secret that knows no path.

import type { CommandLineIo } from '../command-line.ts';
import { sourceFailure } from './source.ts';

interface CertificateOptions {
  readonly sourceCa?: string;
  readonly sourceCert?: string;
  readonly sourceCertKey?: string;
}

/** The parameters of an address that name the files. */
const parameters = {
  postgres: { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' },
  kafka: { ca: 'ca', cert: 'cert', key: 'key' },
} as const;

/** @example withCertificates('postgres://db/shop', { sourceCa: 'ca.crt' }, io) // 'postgres://db/shop?sslrootcert=ca.crt&sslmode=verify-full' */
export function withCertificates(
  address: string,
  options: CertificateOptions,
  { env }: Pick<CommandLineIo, 'env'>,
): string {
  const files = {
    ca: options.sourceCa ?? env.CONCORDAT_SOURCE_CA,
    cert: options.sourceCert ?? env.CONCORDAT_SOURCE_CERT,
    key: options.sourceCertKey ?? env.CONCORDAT_SOURCE_CERT_KEY,
  };
  const given = (['ca', 'cert', 'key'] as const).filter((name) => files[name] !== undefined);
  if (given.length === 0) return address;
  const [, scheme = ''] = /^(postgres|kafka)(?:ql)?:\/\//i.exec(address) ?? [];
  const kind = scheme.toLowerCase();
  if (kind !== 'postgres' && kind !== 'kafka')
    throw wrong('Only postgres:// and kafka:// take certificates.');
  const [before = '', query = ''] = address.split(/\?(.*)/s);
  const asked = new URLSearchParams(query);
  for (const name of given) {
    const parameter = parameters[kind][name];
    if (asked.has(parameter)) {
      throw wrong(
        `The address has ${parameter}, and the same file is named beside it. Leave one out.`,
      );
    }
    asked.set(parameter, files[name] ?? '');
  }
  if (kind === 'postgres' && files.ca !== undefined) requireVerification(asked);
  return `${before}?${asked}`;
}

/** Other modes do not look at the authority, or not always. */
function requireVerification(asked: URLSearchParams): void {
  const mode = asked.get('sslmode') ?? 'verify-full';
  asked.set('sslmode', mode);
  if (!['disable', 'allow', 'prefer'].includes(mode)) return;
  throw wrong(
    `The address has sslmode=${mode}, which verifies no certificate, and a file of authorities. Use sslmode=verify-full.`,
  );
}

function wrong(message: string) {
  return sourceFailure('SOURCE_NOT_SUPPORTED', message);
}
