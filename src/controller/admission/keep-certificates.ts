// Renews the webhook's certificates and updates the API server's trust. Only the leader does this;
// every replica serves the contents of the Secret.

import { isJsonObject, type Json } from '../../core/value/json.ts';
import type { Clock } from '../clock.ts';
import { ApiError } from '../cluster/api-client.ts';
import {
  type CertificateSecret,
  factsOf,
  readCertificate,
  readSecret,
  type SecretPlace,
  writeSecret,
} from './certificate-secret.ts';
import {
  type CertificateDecision,
  type CertificateTimes,
  certificateTimes,
  decideCertificates,
} from './decide-certificates.ts';
import { issueCertificate, makeAuthority } from './make-certificates.ts';

interface CertificateKeeperOptions extends SecretPlace {
  readonly clock: Clock;
  /** The names by which the API server calls the webhook; the first becomes the common name. */
  readonly dnsNames: readonly string[];
  /** The ValidatingWebhookConfiguration that receives the trusted authorities. */
  readonly configuration: string;
  readonly onError: (error: unknown, during: string) => void;
  readonly times?: CertificateTimes;
  /** Called before each scheduled check. */
  readonly isLeading?: () => boolean;
}

interface CertificateKeeper {
  /** Checks once, and carries out one step if one is due. */
  readonly look: () => Promise<CertificateDecision>;
  readonly stop: () => Promise<void>;
}

const lookMs = 60_000;
/** The delay after a step or a failure. */
const lookAgainMs = 5_000;
/**
 * A new leader makes the first certificate at once, so leadership is checked often; the check
 * itself costs nothing.
 */
const askLeadingMs = 500;
const fieldManager = 'concordat-webhook';

/** The DNS names by which the API server calls a Service. */
export function dnsNamesOfService(service: string, namespace: string): readonly string[] {
  const short = `${service}.${namespace}.svc`;
  return [short, `${short}.cluster.local`];
}

export function keepCertificates(options: CertificateKeeperOptions): CertificateKeeper {
  const { clock, onError, times = certificateTimes } = options;
  let cancel = () => {};
  let isStopped = false;
  let looking: Promise<unknown> = Promise.resolve();

  const look = async (): Promise<CertificateDecision> => {
    const secret = await readSecret(options);
    const facts = factsOf(secret, options.dnsNames);
    const nowMs = clock.wallTime().getTime();
    const decision = decideCertificates(facts, nowMs, times);
    const next = carryOut(decision, secret, facts.pems, { ...options, nowMs, times });
    if (next !== secret && !(await writeSecret(options, next))) return look();
    await tellApiServer(options, next.authorities);
    return decision;
  };

  const again = (delayMs: number): void => {
    if (isStopped) return;
    cancel = clock.after(delayMs, () => {
      if (options.isLeading?.() === false) return again(askLeadingMs);
      looking = look().then(
        (decision) => again(decision === 'keep' ? lookMs : lookAgainMs),
        (error: unknown) => {
          onError(error, 'keeping the certificates of the webhook');
          again(lookAgainMs);
        },
      );
    });
  };
  again(0);

  return {
    look,
    stop: async () => {
      isStopped = true;
      cancel();
      await looking;
    },
  };
}

interface Making {
  readonly dnsNames: readonly string[];
  readonly nowMs: number;
  readonly times: CertificateTimes;
}

function carryOut(
  decision: CertificateDecision,
  secret: CertificateSecret,
  trusted: readonly string[],
  making: Making,
): CertificateSecret {
  switch (decision) {
    case 'keep':
      return secret;
    case 'add authority':
      return withAuthority(secret, trusted, making);
    case 'issue':
      return withCertificate(secret, making);
    case 'start over':
      return withCertificate(withAuthority(secret, trusted, making), making);
    default:
      return decision satisfies never;
  }
}

/**
 * Earlier authorities stay trusted until they expire: some replica may still serve a certificate
 * that they signed.
 */
function withAuthority(
  secret: CertificateSecret,
  trusted: readonly string[],
  { nowMs, times }: Making,
): CertificateSecret {
  const validity = { fromMs: nowMs - times.backdateMs, toMs: nowMs + times.authorityMs };
  const name = `Concordat webhook authority ${new Date(nowMs).toISOString()}`;
  const { certificate, key } = makeAuthority(name, validity);
  const living = trusted.filter(
    (pem) => (readCertificate(pem)?.validToDate.getTime() ?? 0) > nowMs,
  );
  return { ...secret, authorities: [certificate, ...living].join(''), authorityKey: key };
}

function withCertificate(
  secret: CertificateSecret,
  { dnsNames, nowMs, times }: Making,
): CertificateSecret {
  const authority = readCertificate(secret.authorities);
  if (authority === null) throw new Error('a certificate is issued where there is no authority');
  const issuer = { name: commonNameOf(authority.subject), key: secret.authorityKey };
  const made = issueCertificate(issuer, dnsNames, {
    fromMs: nowMs - times.backdateMs,
    // A certificate is not trusted after its authority has expired.
    toMs: Math.min(nowMs + times.servingMs, authority.validToDate.getTime()),
  });
  return { ...secret, certificate: made.certificate, key: made.key };
}

function commonNameOf(subject: string): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? '';
}

/** Updates the configuration if its trusted authorities differ from the Secret's. */
async function tellApiServer(
  { client, configuration, onError }: CertificateKeeperOptions,
  authorities: string,
): Promise<void> {
  const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${configuration}`;
  const answer = await client.request({ method: 'GET', path });
  if (answer.status === 404) {
    onError(new Error(`ValidatingWebhookConfiguration ${configuration} is not there.`), 'webhook');
    return;
  }
  if (answer.status !== 200) throw new ApiError(`GET ${path}`, answer);
  const caBundle = Buffer.from(authorities).toString('base64');
  const hooks = webhooksOf(answer.body);
  if (hooks.every((hook) => hook.caBundle === caBundle)) return;
  await client.expect({
    method: 'PATCH',
    path,
    query: { fieldManager, force: true },
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: configuration },
      // Apply only the bundle; the rest belongs to whatever installed the configuration.
      webhooks: hooks.map(({ name }) => ({ name, clientConfig: { caBundle } })),
    },
  });
}

function webhooksOf(body: Json): readonly { readonly name: Json; readonly caBundle: Json }[] {
  const hooks = isJsonObject(body) && Array.isArray(body.webhooks) ? body.webhooks : [];
  return hooks.filter(isJsonObject).map(({ name, clientConfig }) => ({
    name: name ?? null,
    caBundle:
      clientConfig !== undefined && isJsonObject(clientConfig)
        ? (clientConfig.caBundle ?? null)
        : null,
  }));
}
