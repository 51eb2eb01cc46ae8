// kstatus for custom resources, written from its documentation: how Flux, Argo CD and kpt interpret
// an object. It contains nothing specific to this product.

interface ObservedObject {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

type Kstatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating';

export function computeKstatus({ metadata, status }: ObservedObject): Kstatus {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const observed = status?.observedGeneration;
  if (observed !== undefined && observed !== metadata.generation) return 'InProgress';
  const is = (type: string) => status?.conditions?.find((condition) => condition.type === type);
  if (is('Reconciling')?.status === 'True') return 'InProgress';
  if (is('Stalled')?.status === 'True') return 'Failed';
  const ready = is('Ready');
  if (ready !== undefined && ready.status !== 'True') return 'InProgress';
  return 'Current';
}
