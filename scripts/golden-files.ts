// One row a file: what is made from the code, and by what.

import packageFile from '../package.json' with { type: 'json' };
import { commandLinePage } from '../src/cli/help-page.ts';
import { policies, toPolicyYaml } from '../src/controller/crd/policies.ts';
import type { FailureCode } from '../src/core/failure.ts';
import { type ProposalRow, proposalTable } from '../src/core/proposal-machine.ts';
import { statusOf, statusOfCode } from '../src/http/errors.ts';
import { allCommands } from '../src/main.ts';
import { settings } from '../src/ops/config/config.ts';
import {
  labelSets,
  type MetricRow,
  metricTable,
  processMetrics,
} from '../src/ops/observe/metric-table.ts';
import { buildOpenApi } from '../src/wire/openapi.ts';
import { refusals } from '../src/wire/refusals.ts';
import { apiPrefix, type Route, refusalsOf } from '../src/wire/route.ts';
import { routes } from '../src/wire/routes.ts';
import { chartFiles } from './chart-files.ts';
import { crdFiles } from './crds.ts';
import { gitopsFiles } from './gitops-files.ts';

export const goldenFiles: Readonly<Record<string, () => string | Promise<string>>> = {
  ...crdFiles,
  ...chartFiles,
  ...gitopsFiles,
  ...Object.fromEntries(
    policies.map((policy) => [`policies/${policy.file}.yaml`, () => toPolicyYaml(policy)]),
  ),
  'openapi.json': () => `${JSON.stringify(buildOpenApi(statusOf, packageFile.version), null, 2)}\n`,
  'docs/settings.md': settingsPage,
  'docs/metrics.md': metricsPage,
  'docs/errors.md': errorsPage,
  'docs/states.md': statesPage,
  'docs/command-line.md': commandLine,
};

async function commandLine(): Promise<string> {
  return page('The command line', [
    'What `concordat --help` and the help of each command say.',
    '',
    await commandLinePage(await allCommands()),
  ]);
}

function settingsPage(): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const fallback = setting.shape.safeParse(undefined);
    const value = fallback.success && fallback.data !== undefined ? `\`${fallback.data}\`` : '';
    return `| \`${name}\` | ${value} | ${setting.describe} |`;
  });
  return page('Settings', [
    'Settings come from the environment, or from a flag of the same name: `PORT=9000` or',
    '`concordat serve --port 9000`. Secrets come only from the environment, because process lists show',
    'flags. Flags override environment variables, and an empty variable counts as absent. At startup, all',
    'invalid settings are reported together. `concordat config` prints the effective settings.',
    '',
    '| setting | default | what it does |',
    '|---|---|---|',
    ...rows,
  ]);
}

function metricsPage(): string {
  const labelsOf = (row: MetricRow) =>
    Object.keys(row.labels ?? {})
      .map((label) => `\`${label}\``)
      .join(', ');
  const rows = Object.entries<MetricRow>(metricTable).map(
    ([name, row]) => `| \`${name}\` | ${row.type} | ${labelsOf(row)} | ${row.help} |`,
  );
  const meanings = new Map<string, string>();
  for (const row of Object.values<MetricRow>(metricTable)) {
    for (const [label, set] of Object.entries(row.labels ?? {})) {
      meanings.set(`\`${label}\`: ${labelSets[set]}`, label);
    }
  }
  return page('Metrics', [
    'What `/metrics` answers, in the text format of Prometheus. Every replica tells of itself; what waits',
    'in the registry is the same whichever is asked, is asked of Postgres every five seconds at most, and is',
    'absent while Postgres is away. No series names a thing of the registry: there are no ids in labels.',
    '',
    '| metric | type | labels | what it says |',
    '|---|---|---|---|',
    ...rows,
    '',
    '## Labels',
    '',
    ...[...meanings.keys()].sort().map((line) => `- ${line}`),
    '',
    '## Of the process',
    '',
    'As the client library of Prometheus for Node names them:',
    '',
    ...processMetrics.map((name) => `- \`${name}\``),
  ]);
}

/** More routes than these are not named one by one. */
const routesNamed = 3;

function errorsPage(): string {
  const rows = failureCodes().map((code) => {
    const where = Object.values<Route>(routes).filter((row) => refusalsOf(row).includes(code));
    const names = where.map(({ method, path }) => `\`${method} ${path.replace(apiPrefix, '')}\``);
    const few = names.length > 0 && names.length <= routesNamed;
    return `| \`${code}\` | ${statusOf(code)} | ${refusals[code]} | ${few ? names.join(', ') : ''} |`;
  });
  return page('Errors', [
    'What is refused is answered as `{"detail": {"code": ..., "message": ...}}`, always, with the status that the',
    'code has here. A code does not change; its message is a sentence for people, and may. `field` is the path of',
    'the first thing at fault, `errors` lists all of them, and some codes say more: `PROPOSAL_NOT_READY` has `state`',
    'and who is `awaiting`. `X-Request-ID` names the request in the log and in the audit trail.',
    '',
    'Of what is refused with 400 to 499 nothing was done. 408 and 429 (after `Retry-After`) are worth sending again as',
    'they were; 500 and 503 too, under an `Idempotency-Key`: they may come after the write was committed.',
    '',
    '| code | status | what it says | where, if in few places |',
    '|---|---|---|---|',
    ...rows,
  ]);
}

function failureCodes(): readonly FailureCode[] {
  const codes = Object.keys(statusOfCode) as FailureCode[];
  return codes.toSorted((a, b) => statusOf(a) - statusOf(b));
}

const words: Readonly<Record<ProposalRow['when'], string>> = {
  always: '',
  can_publish: 'everybody awaited has answered',
  cannot_publish: 'somebody is still awaited',
  can_publish_by_itself: 'everybody awaited has answered, and the asset publishes by itself',
  blocked_by_this_team: 'it was this team that blocked it',
  not_superseded: 'no other proposal was made since',
};

const roles: Readonly<Record<ProposalRow['who'], string>> = {
  owner: 'owner team, admin',
  consumer: 'consumer team',
  admin: 'admin',
  system: 'by itself',
};

function statesPage(): string {
  const rows = proposalTable.map(
    ({ from, act, when, who, to, event }) =>
      `| ${from} | ${act} | ${words[when]} | ${roles[who]} | ${to === 'PROPOSAL_NOT_READY' ? `409 \`${to}\`` : to} | ${event === null ? '' : `\`${event}\``} |`,
  );
  return page('The life of a proposal', [
    'A breaking change is proposed, its consumers answer, and it is published, forced or withdrawn.',
    'Who may act is looked at first (403), then the state: a pair that is not listed here is 409',
    '`PROPOSAL_NOT_PENDING`, naming the state.',
    '',
    'With `FOUR_EYES=true` the force of the first administrator is `request_force`: it is recorded in',
    '`force_requested` and leaves the state. The force of a second one is `force`. Every other step that',
    'changes the state or begins a round drops the request.',
    '',
    '| from | act | when | who | to | audit event |',
    '|---|---|---|---|---|---|',
    ...rows,
  ]);
}

function page(title: string, lines: readonly string[]): string {
  return `# ${title}\n\n<!-- Made by \`make golden\` from the code: do not edit. -->\n\n${lines.join('\n')}\n`;
}
