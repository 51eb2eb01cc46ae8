// Starts the admission webhook next to the cluster's controller, from the settings. Part of the
// composition root.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSecret, type SecretPlace } from '../controller/admission/certificate-secret.ts';
import { readsOfCluster } from '../controller/admission/cluster-reads.ts';
import { dnsNamesOfService, keepCertificates } from '../controller/admission/keep-certificates.ts';
import { type AdmissionWorld, reviewObject } from '../controller/admission/review-object.ts';
import {
  type ServingCertificate,
  startWebhook,
  type WebhookOptions,
} from '../controller/admission/webhook-server.ts';
import type { ApiClient } from '../controller/cluster/api-client.ts';
import { describeCluster } from '../controller/source/cluster.ts';
import type { Config } from '../ops/config/config.ts';
import { workFor } from '../ops/threads/callers.ts';
import type { Fences } from '../registry/sources/fencing.ts';

interface AdmissionDeps
  extends Omit<AdmissionWorld, 'reads'>,
    Pick<WebhookOptions, 'clock' | 'onError'> {
  readonly client: ApiClient;
  readonly fences: Fences;
  /** One replica makes the certificates; all of them serve. */
  readonly isLeading: () => boolean;
}

export interface RunningAdmission {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

export async function startAdmission(
  config: Config,
  port: number,
  deps: AdmissionDeps,
): Promise<RunningAdmission> {
  const { client, clock, onError, isLeading, fences } = deps;
  const place: SecretPlace = {
    client,
    namespace: config.LEASE_NAMESPACE,
    name: config.ADMISSION_SECRET,
  };
  const folder = config.ADMISSION_CERTIFICATE_DIR;
  const webhook = await startWebhook({
    port,
    host: config.HOST,
    clock,
    onError,
    readCertificate: () => (folder === undefined ? fromSecret(place) : fromFolder(folder)),
    review: async (request) => {
      const { identity } = await describeCluster(client, config.CLUSTER_NAME);
      // Only the leader writes bindings; this replica only reads them, which needs no fence.
      const readBindings = fences.bindings({ identity, number: 0 }).load;
      const reads = readsOfCluster(client, { identity, readBindings });
      return workFor('the API server', () => reviewObject({ ...deps, reads }, request));
    },
  });
  // If certificates are mounted from a folder, the operator makes them and configures the API
  // server.
  const keeper =
    folder === undefined
      ? keepCertificates({
          ...place,
          clock,
          onError,
          isLeading,
          dnsNames: dnsNamesOfService(config.ADMISSION_SERVICE, config.LEASE_NAMESPACE),
          configuration: config.ADMISSION_CONFIGURATION,
        })
      : null;
  return {
    port: webhook.port,
    stop: async () => {
      await keeper?.stop();
      await webhook.stop();
    },
  };
}

async function fromSecret(place: SecretPlace): Promise<ServingCertificate | null> {
  const secret = await readSecret(place);
  return secret.certificate === '' ? null : secret;
}

async function fromFolder(folder: string): Promise<ServingCertificate | null> {
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  return { certificate: await read('tls.crt'), key: await read('tls.key') };
}
