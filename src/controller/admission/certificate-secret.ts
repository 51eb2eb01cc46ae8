// The Secret with the webhook's certificates. All replicas serve from it; the leader renews it.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../core/value/json.ts';
import { type ApiClient, ApiError } from '../cluster/api-client.ts';
import type { CertificateFacts } from './decide-certificates.ts';

export interface SecretPlace {
  readonly client: ApiClient;
  readonly namespace: string;
  readonly name: string;
}

/** All values are PEM; '' if absent. */
export interface CertificateSecret {
  /** Null if the Secret does not exist yet. */
  readonly resourceVersion: string | null;
  /** The trusted authorities as one text, the newest first. */
  readonly authorities: string;
  readonly authorityKey: string;
  readonly certificate: string;
  readonly key: string;
}

const members = {
  authorities: 'ca.crt',
  authorityKey: 'ca.key',
  certificate: 'tls.crt',
  key: 'tls.key',
} as const;

export const noSecret: CertificateSecret = {
  ...{ resourceVersion: null, authorities: '', authorityKey: '', certificate: '', key: '' },
};

export async function readSecret(place: SecretPlace): Promise<CertificateSecret> {
  const path = `${collectionOf(place)}/${place.name}`;
  const answer = await place.client.request({ method: 'GET', path });
  if (answer.status === 404) return noSecret;
  if (answer.status !== 200 || !isJsonObject(answer.body))
    throw new ApiError(`GET ${path}`, answer);
  const metadata = objectOr(answer.body.metadata);
  const data = objectOr(answer.body.data);
  const text = (member: string) => Buffer.from(String(data[member] ?? ''), 'base64').toString();
  return {
    resourceVersion: String(metadata.resourceVersion),
    authorities: text(members.authorities),
    authorityKey: text(members.authorityKey),
    certificate: text(members.certificate),
    key: text(members.key),
  };
}

/** Returns false if another process wrote the Secret in the meantime. */
export async function writeSecret(place: SecretPlace, secret: CertificateSecret): Promise<boolean> {
  const { namespace, name, client } = place;
  const { resourceVersion } = secret;
  const data = Object.entries(members).map(([from, to]) => [
    to,
    Buffer.from(secret[from as keyof typeof members]).toString('base64'),
  ]);
  const body = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: { 'app.kubernetes.io/managed-by': 'concordat' },
      ...(resourceVersion !== null && { resourceVersion }),
    },
    type: 'kubernetes.io/tls',
    data: Object.fromEntries(data),
  };
  const path = collectionOf(place);
  const answer = await client.request(
    resourceVersion === null
      ? { method: 'POST', path, body }
      : { method: 'PUT', path: `${path}/${name}`, body },
  );
  if (answer.status === 409) return false;
  if (answer.status >= 300) throw new ApiError(`writing ${path}/${name}`, answer);
  return true;
}

/** The readable certificates of the Secret; unreadable ones count as absent. */
export function factsOf(
  secret: CertificateSecret,
  dnsNames: readonly string[],
): CertificateFacts & { readonly pems: readonly string[] } {
  const pems = splitPem(secret.authorities).filter((pem) => readCertificate(pem) !== null);
  const authorities = pems.flatMap((pem) => readCertificate(pem) ?? []);
  const serving = readCertificate(secret.certificate);
  const [newest] = authorities;
  return {
    pems,
    authorities: authorities.map(validityOf),
    hasAuthorityKey: newest !== undefined && isKeyOf(newest, secret.authorityKey),
    serving:
      serving === null || !isKeyOf(serving, secret.key)
        ? null
        : {
            ...validityOf(serving),
            signedBy: authorities.findIndex((one) => serving.verify(one.publicKey)),
            hasRightNames: dnsNames.every((name) => serving.checkHost(name) !== undefined),
          },
  };
}

export function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function isKeyOf(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function validityOf(certificate: X509Certificate): { fromMs: number; toMs: number } {
  return {
    fromMs: certificate.validFromDate.getTime(),
    toMs: certificate.validToDate.getTime(),
  };
}

function splitPem(text: string): readonly string[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return found.map((pem) => `${pem}\n`);
}

function collectionOf({ namespace }: SecretPlace): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
}

function objectOr(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}
