// The parts of Kubernetes that an API server alone lacks: the kubelet, which runs the container of a
// Job, and the job controller, which writes what became of it.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient } from '../../../src/controller/cluster/api-client.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/value/json.ts';
import { run } from '../../cli/support.ts';

export const jobsPath = (namespace: string, name = '') =>
  `/apis/batch/v1/namespaces/${namespace}/jobs${name && `/${name}`}`;

/** Runs the program with what the pod would give it, except for the address of the registry. */
export async function runPod(
  client: ApiClient,
  job: JsonObject,
  { registry, cwd }: { readonly registry: string; readonly cwd: string },
) {
  const namespace = String(at(job, 'metadata', 'namespace'));
  const template = at(job, 'spec', 'template');
  const container = at(template, 'spec', 'containers', '0');
  const env: Record<string, string> = {};
  const mounts = await mountSecrets(client, { namespace, template, container, cwd });
  const labels = at(template, 'metadata', 'labels');
  for (const one of listAt(container, 'env')) {
    const name = String(at(one, 'name'));
    const [, label] =
      /^metadata.labels\['(.*)'\]$/.exec(String(at(one, 'valueFrom', 'fieldRef', 'fieldPath'))) ??
      [];
    const secret = at(one, 'valueFrom', 'secretKeyRef');
    env[name] =
      label !== undefined
        ? String(at(labels, label))
        : secret !== undefined
          ? await readSecret(client, namespace, secret)
          : mounts(expand(String(at(one, 'value')), env));
  }
  const args = listAt(container, 'args').map((arg) => expand(String(arg), env));
  return run(args, '', { cwd, env: { ...env, CONCORDAT_URL: registry } });
}

interface Mounting {
  readonly namespace: string;
  readonly template: Json | undefined;
  readonly container: Json | undefined;
  readonly cwd: string;
}

/** Writes the files of projected Secrets, and returns where a path within the pod is here. */
async function mountSecrets(client: ApiClient, { namespace, template, container, cwd }: Mounting) {
  const places = new Map<string, string>();
  for (const mount of listAt(container, 'volumeMounts')) {
    const volume = listAt(template, 'spec', 'volumes').find(
      (one) => at(one, 'name') === at(mount, 'name'),
    );
    const folder = join(cwd, String(at(mount, 'name')));
    await mkdir(folder, { recursive: true });
    for (const source of listAt(volume, 'projected', 'sources')) {
      for (const item of listAt(source, 'secret', 'items')) {
        const name = at(source, 'secret', 'name') ?? null;
        const text = await readSecret(client, namespace, { name, key: at(item, 'key') ?? null });
        await writeFile(join(folder, String(at(item, 'path'))), text);
        places.set(String(at(mount, 'mountPath')), folder);
      }
    }
  }
  return (path: string) =>
    [...places].reduce(
      (found, [inside, here]) =>
        found.startsWith(`${inside}/`) ? here + found.slice(inside.length) : found,
      path,
    );
}

/** Kubernetes' expansion: `$(NAME)` is a variable that stands before, `$$` a dollar. */
function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^)]+)\)/g, (found, name?: string) =>
    name === undefined ? '$' : (env[name] ?? found),
  );
}

async function readSecret(client: ApiClient, namespace: string, ref: Json): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/secrets/${at(ref, 'name')}`;
  const { data } = await client.expect({ method: 'GET', path });
  return Buffer.from(String(at(data ?? null, String(at(ref, 'key')))), 'base64').toString();
}

type End = 'Complete' | { readonly reason: string; readonly message: string };

/** Writes the status of a Job that has ended, as the job controller does. */
export async function endJob(client: ApiClient, job: JsonObject, end: End): Promise<void> {
  const time = new Date().toISOString().replace(/\.\d+/, '');
  const isComplete = end === 'Complete';
  const said = isComplete ? { reason: 'CompletionsReached', message: 'Reached.' } : end;
  const conditions = (
    isComplete ? ['SuccessCriteriaMet', 'Complete'] : ['FailureTarget', 'Failed']
  ).map((type) => ({ type, status: 'True', lastTransitionTime: time, ...said }));
  const counted = isComplete ? { succeeded: 1, completionTime: time } : { failed: 1 };
  await client.expect({
    method: 'PATCH',
    path: `${jobsPath(String(at(job, 'metadata', 'namespace')), String(at(job, 'metadata', 'name')))}/status`,
    contentType: 'application/merge-patch+json',
    body: { status: { startTime: time, ...counted, conditions } },
  });
}

/** What the job controller says of a container that ended with this code. */
export const endedWith = (code: number): End => ({
  reason: 'PodFailurePolicy',
  message: `Container check for pod shop/x failed with exit code ${code} matching FailJob rule at index 1`,
});

export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((found, key) => {
    if (Array.isArray(found)) return found[Number(key)];
    return found !== undefined && isJsonObject(found) ? found[key] : undefined;
  }, value);
}

function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}
