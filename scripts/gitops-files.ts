// Argo CD's health check for our kinds, made from the tested script.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds } from '../src/controller/crd/kinds.ts';

const folder = 'examples/gitops/argocd';
const root = join(import.meta.dirname, '..');

export const gitopsFiles: Readonly<Record<string, () => string>> = {
  [`${folder}/argocd-cm.yaml`]: argocdConfig,
};

function argocdConfig(): string {
  const check = readFileSync(join(root, folder, 'health.lua'), 'utf8').trimEnd();
  const indented = check.split('\n').map((line) => (line === '' ? '' : `    ${line}`));
  return [
    '# Made by `make golden` from health.lua: do not edit. To be merged into the ConfigMap argocd-cm:',
    '#   kubectl patch configmap argocd-cm -n argocd --patch-file examples/gitops/argocd/argocd-cm.yaml',
    'data:',
    ...kinds.flatMap(({ kind }) => [
      `  resource.customizations.health.concordat.dev_${kind}: |`,
      ...indented,
    ]),
    '',
  ].join('\n');
}
