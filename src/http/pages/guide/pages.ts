// The pages of the guide: their order, their addresses and their source files.

import { posix } from 'node:path';

export interface GuidePage {
  /** The address below /docs/guide; empty for the first page. */
  readonly slug: string;
  /** The file in `docs`. */
  readonly file: string;
  readonly name: string;
  /** The menu shows this page only while it is open, because another page links to it. */
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

/** One for each alert of the chart, which links to it. */
const runbooks = [
  'ConcordatDown',
  'ConcordatReplicaGone',
  'ConcordatRestarts',
  'ConcordatServesErrors',
  'ConcordatIsSlow',
  'ConcordatDatabaseAway',
  'ConcordatDatabaseRefuses',
  'ConcordatWaitsForConnections',
  'ConcordatWaitsForThreads',
  'ConcordatEventLoopHeldUp',
  'ConcordatComparisonsUndecided',
  'ConcordatAuditUnsealed',
  'ConcordatAuditEventsAstray',
  'ConcordatSecretsUnencrypted',
  'ConcordatReceiverFails',
  'ConcordatDataDoesNotMatch',
  'ConcordatDeliveriesGivenUp',
  'ConcordatDeliveriesLate',
  'ConcordatEventBusBehind',
  'ConcordatProposalsWait',
  'ConcordatNobodyLeads',
  'ConcordatReconcilesFail',
  'ConcordatIsBehind',
  'ConcordatSourceSuspicious',
  'ConcordatApiServerRefuses',
  'ConcordatAdmissionUnchecked',
  'ConcordatAdmissionUnreachable',
  'ConcordatCriticalDataDoesNotMatch',
  'ConcordatChecksDoNotRun',
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
      guide('docker', 'The image, with Docker'),
    ],
  },
  {
    name: 'How to',
    pages: [
      guide('how-to-consume', 'Consume'),
      guide('how-to-say-what-you-read', 'Say what you read'),
      guide('how-to-change', 'Change a contract'),
      guide('how-to-import', 'Import from dbt, OpenAPI, GraphQL and ODCS'),
      guide('how-to-check', 'Is it true?'),
      guide('how-to-ask-with-agents', 'Ask with agents and editors'),
      guide('how-to-back-up', 'Back up and restore'),
    ],
  },
  {
    name: 'Help',
    pages: [
      guide('faq', 'Frequent questions'),
      guide('troubleshooting', 'Troubleshooting'),
      guide('glossary', 'Glossary'),
      guide('comparison', 'Comparison'),
    ],
  },
  {
    name: 'Operation',
    pages: [
      reference('operations', 'Overview'),
      reference('scaling', 'Sizing and scaling'),
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
      reference('rules', 'Types of changes'),
      reference('states', 'States of a proposal'),
    ],
  },
  {
    name: 'Reference',
    pages: [
      reference('command-line', 'The command line'),
      reference('errors', 'Errors'),
      reference('events', 'Who is told what'),
      reference('asking', 'Whom a change asks'),
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
 * The address of a link within the guide: another page of it, a page of the API, or another host.
 * Null for files that the server does not serve.
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
