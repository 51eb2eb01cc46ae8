// Makes the webhook's authority and certificates: ECDSA over P-256, as X.509 version 3. Node makes
// keys and signatures and reads certificates, but cannot write them.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import {
  bitString,
  boolean,
  context,
  contextBytes,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts';

export interface CertifiedKey {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

interface Validity {
  readonly fromMs: number;
  readonly toMs: number;
}

const oid = {
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const;

/** Bits from the left: digitalSignature is 0, keyCertSign 5, cRLSign 6. */
const keyUsage = {
  authority: bitString(Buffer.from([0b0000_0110]), 1),
  serving: bitString(Buffer.from([0b1000_0000]), 7),
};

/**
 * Makes a self-signed authority. `name` must differ from earlier authorities, because verifiers
 * look up issuers by name first.
 */
export function makeAuthority(name: string, validity: Validity): CertifiedKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certificate = writeCertificate({
    subject: name,
    publicKey,
    validity,
    issuer: { name, key: privateKey, publicKey },
    extensions: [
      extension(oid.basicConstraints, sequence(boolean(true)), 'critical'),
      extension(oid.keyUsage, keyUsage.authority, 'critical'),
    ],
  });
  return { certificate, key: pemOfKey(privateKey) };
}

interface Issuer {
  readonly name: string;
  readonly key: string;
}

/** Issues a certificate for a server with these DNS names. */
export function issueCertificate(
  issuer: Issuer,
  dnsNames: readonly string[],
  validity: Validity,
): CertifiedKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = createPrivateKey(issuer.key);
  const names = dnsNames.map((name) => contextBytes(2, Buffer.from(name, 'ascii')));
  const certificate = writeCertificate({
    // A common name holds 64 characters; verifiers use the alternative names.
    subject: (dnsNames[0] ?? '').slice(0, 64),
    publicKey,
    validity,
    issuer: { name: issuer.name, key, publicKey: createPublicKey(key) },
    extensions: [
      extension(oid.basicConstraints, sequence(), 'critical'),
      extension(oid.keyUsage, keyUsage.serving, 'critical'),
      extension(oid.extendedKeyUsage, sequence(objectIdentifier(oid.serverAuth))),
      extension(oid.subjectAltName, sequence(...names)),
    ],
  });
  return { certificate, key: pemOfKey(privateKey) };
}

interface Writing {
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly validity: Validity;
  readonly issuer: {
    readonly name: string;
    readonly key: KeyObject;
    readonly publicKey: KeyObject;
  };
  readonly extensions: readonly Buffer[];
}

function writeCertificate({ subject, publicKey, validity, issuer, extensions }: Writing): string {
  const algorithm = sequence(objectIdentifier(oid.ecdsaWithSha256));
  const version3 = integer(Buffer.from([2]));
  const keyIds = [
    extension(oid.subjectKeyIdentifier, octetString(identifierOf(publicKey))),
    extension(
      oid.authorityKeyIdentifier,
      sequence(contextBytes(0, identifierOf(issuer.publicKey))),
    ),
  ];
  const signed = sequence(
    context(0, version3),
    integer(randomBytes(16)),
    algorithm,
    nameOf(issuer.name),
    sequence(time(new Date(validity.fromMs)), time(new Date(validity.toMs))),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    context(3, sequence(...extensions, ...keyIds)),
  );
  const signature = sign('sha256', signed, { key: issuer.key, dsaEncoding: 'der' });
  return pem('CERTIFICATE', sequence(signed, algorithm, bitString(signature)));
}

function extension(id: string, value: Buffer, weight: 'critical' | 'plain' = 'plain'): Buffer {
  const critical = weight === 'critical' ? [boolean(true)] : [];
  return sequence(objectIdentifier(id), ...critical, octetString(value));
}

function nameOf(commonName: string): Buffer {
  return sequence(set(sequence(objectIdentifier(oid.commonName), utf8String(commonName))));
}

function identifierOf(publicKey: KeyObject): Buffer {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest().subarray(0, 20);
}

function pemOfKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
