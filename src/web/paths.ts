// The addresses of the page, for links.

export const paths = {
  home: '/',
  assets: '/assets',
  asset: (id: string, tab = '') => `/assets/${id}${tab === '' ? '' : `/${tab}`}`,
  field: (id: string, field: string) => `/assets/${id}?${new URLSearchParams({ field })}`,
  revise: (assetId: string, proposalId: string) =>
    `/assets/${assetId}/try?${new URLSearchParams({ revises: proposalId })}`,
  /** The editor, with a field taken out of the draft. */
  removeField: (assetId: string, place: string) =>
    `/assets/${assetId}/try?${new URLSearchParams({ remove: place })}`,
  compare: (id: string, from: string, to: string) =>
    `/assets/${id}/compare?${new URLSearchParams({ from, to })}`,
  /** The list with its dialog for another item. */
  create: (list: string) => `${list}?new=yes`,
  import: '/import',
  graph: '/graph',
  proposals: '/proposals',
  proposal: (id: string) => `/proposals/${id}`,
  audit: '/audit',
  event: (id: string) => `/audit/${id}`,
  teams: '/teams',
  services: '/services',
  service: (id: string) => `/services/${id}`,
  keys: '/keys',
  trusts: '/trusts',
  users: '/users',
  webhooks: '/webhooks',
  ownNotifications: '/notifications',
  operations: '/operations',
  webhook: (id: string) => `/webhooks/${id}`,
};
