// The pages of the guide: what is in it, in which order, and where each one is written.

import { posix } from 'node:path';

export interface GuidePage {
  /** Its address below /docs/guide; empty for the first page. */
  readonly slug: string;
  /** Its file in `docs`. */
  readonly file: string;
  readonly name: string;
  /** The menu has it only while it is read: another page leads to it. */
  readonly isDetail?: true;
}

export interface Section {
  readonly name: string;
  readonly pages: readonly GuidePage[];
}

const guide = (slug: string, name: string): GuidePage => ({
  slug,
  file: `guide/${slug === '' ? 'README' : slug}.md`,
  name,
});
const reference = (slug: string, name: string): GuidePage => ({ slug, file: `${slug}.md`, name });
const runbook = (slug: string, name = slug): GuidePage => ({
  ...reference(`runbooks/${slug}`, name),
  isDetail: true,
});

/** One for each alert of the chart: where the alert links to. */
const runbooks = [
  'ConcordatDown',
  'ConcordatRestarts',
  'ConcordatServesErrors',
  'ConcordatIsSlow',
  'ConcordatDatabaseAway',
  'ConcordatWaitsForConnections',
  'ConcordatWaitsForThreads',
  'ConcordatEventLoopHeldUp',
  'ConcordatComparisonsUndecided',
  'ConcordatAuditUnsealed',
  'ConcordatAuditEventsAstray',
  'ConcordatReceiverFails',
  'ConcordatDeliveriesGivenUp',
  'ConcordatDeliveriesLate',
  'ConcordatNobodyLeads',
  'ConcordatReconcilesFail',
  'ConcordatIsBehind',
  'ConcordatSourceSuspicious',
  'ConcordatApiServerRefuses',
  'ConcordatAdmissionUnchecked',
].map((alert) => runbook(alert));

export const sections: readonly Section[] = [
  { name: 'Guide', pages: [guide('', 'Overview')] },
  {
    name: 'Quick starts',
    pages: [
      guide('rest', 'REST clients'),
      guide('ci', 'A pipeline'),
      guide('gitops', 'A platform team, by GitOps'),
      guide('operate', 'Operators'),
    ],
  },
  {
    name: 'How to',
    pages: [
      guide('how-to-consume', 'Consume'),
      guide('how-to-change', 'Change a contract'),
      guide('how-to-import', 'Import from dbt, OpenAPI, GraphQL and ODCS'),
      guide('how-to-back-up', 'Back up and restore'),
    ],
  },
  {
    name: 'Operation',
    pages: [
      reference('operations', 'Overview'),
      reference('scaling', 'Scaling'),
      reference('security', 'Security'),
      { slug: 'runbooks', file: 'runbooks/README.md', name: 'When an alert fires' },
      ...runbooks,
      runbook('rebuilt-cluster', 'A cluster was rebuilt'),
    ],
  },
  {
    name: 'Explanation',
    pages: [
      reference('compatibility', 'What "compatible" means'),
      reference('states', 'States of a proposal'),
    ],
  },
  {
    name: 'Reference',
    pages: [
      reference('command-line', 'The command line'),
      reference('errors', 'Errors'),
      reference('settings', 'Settings'),
      reference('crds', 'Kinds of Kubernetes'),
      reference('metrics', 'Metrics'),
    ],
  },
];

export const pages: readonly GuidePage[] = sections.flatMap((section) => section.pages);

export function addressOf({ slug }: GuidePage): string {
  return slug === '' ? '/docs/guide' : `/docs/guide/${slug}`;
}

/**
 * Where a link of a page leads when it is read here: to another page, to the API's own pages, to
 * another host. Files that the server does not serve lead nowhere.
 *
 * @example resolveLink('guide/rest.md', '../states.md#x') // '/docs/guide/states#x'
 */
export function resolveLink(file: string, target: string): string | null {
  if (/^(https:\/\/|#|\/(docs|redoc|openapi\.json)\b)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const found = pages.find((page) => page.file === posix.join(posix.dirname(file), path));
  if (found === undefined) return null;
  return anchor === undefined ? addressOf(found) : `${addressOf(found)}#${anchor}`;
}
