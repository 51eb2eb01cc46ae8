// One row per file that is made from the code, with the function that makes it.

import { join } from 'node:path';
import packageFile from '../package.json' with { type: 'json' };
import { commandLinePage } from '../src/cli/help-page.ts';
import { policies, toPolicyYaml } from '../src/controller/crd/policies.ts';
import { askingTable, type ChangeKind } from '../src/core/decide/asking.ts';
import type { FailureCode } from '../src/core/failure.ts';
import type { Asks } from '../src/core/proposal.ts';
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
import { busContract, busContractFile } from './bus-contract.ts';
import { chartFiles } from './chart-files.ts';
import { crdFiles } from './crds.ts';
import { eventRows } from './events-page.ts';
import { gitopsFiles } from './gitops-files.ts';
import { listPromises } from './promises.ts';
import { ruleLines } from './rules-page.ts';

export const goldenFiles: Readonly<Record<string, () => string | Promise<string>>> = {
  ...crdFiles,
  ...chartFiles,
  ...gitopsFiles,
  [busContractFile]: busContract,
  ...Object.fromEntries(
    policies.map((policy) => [`policies/${policy.file}.yaml`, () => toPolicyYaml(policy)]),
  ),
  'openapi.json': () => `${JSON.stringify(buildOpenApi(statusOf, packageFile.version), null, 2)}\n`,
  'docs/settings.md': settingsPage,
  'docs/metrics.md': metricsPage,
  'docs/errors.md': errorsPage,
  'docs/states.md': statesPage,
  'docs/events.md': eventsPage,
  'docs/asking.md': askingPage,
  'docs/rules.md': rulesPage,
  'docs/command-line.md': commandLine,
  'test/promises.md': () => listPromises(join(import.meta.dirname, '..')),
};

async function commandLine(): Promise<string> {
  return page('The command line', [
    'The output of `concordat --help` and of the help of each command.',
    '',
    await commandLinePage(await allCommands()),
  ]);
}

function rulesPage(): string {
  return page('Types of changes', [
    'Every report names the type of each change. This page says what a type means, when it breaks, and how to get',
    'the same without a break. `concordat explain TYPE` prints the same text. The types do not change.',
    '',
    ...ruleLines(),
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
    'The metrics at `/metrics`, in the text format of Prometheus. Each replica reports its own requests and',
    'work. Counts of what waits in the registry are read from Postgres, at most every five seconds: all',
    'replicas report the same, and nothing while Postgres is down. No label contains an id or a name of',
    'an asset, team or user.',
    '',
    '| metric | type | labels | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
    '## Labels',
    '',
    ...[...meanings.keys()].sort().map((line) => `- ${line}`),
    '',
    '## Metrics of the process',
    '',
    'With the names of the Prometheus client for Node:',
    '',
    ...processMetrics.map((name) => `- \`${name}\``),
  ]);
}

/** Routes are listed only for codes of at most this many. */
const routesNamed = 3;

function errorsPage(): string {
  const rows = failureCodes().map((code) => {
    const where = Object.values<Route>(routes).filter((row) => refusalsOf(row).includes(code));
    const names = where.map(({ method, path }) => `\`${method} ${path.replace(apiPrefix, '')}\``);
    const few = names.length > 0 && names.length <= routesNamed;
    return `| \`${code}\` | ${statusOf(code)} | ${refusals[code]} | ${few ? names.join(', ') : ''} |`;
  });
  return page('Errors', [
    'Every error response has the form `{"detail": {"code": ..., "message": ...}}` and the status of its code',
    'in this table. Codes do not change; messages are for people and may change. `field` is the path of the first',
    'invalid field, and `errors` lists all problems. Some codes add fields: `PROPOSAL_NOT_READY` has `state` and',
    '`awaiting`, the teams that have not answered. Use `X-Request-ID` to find the request in the log and in the',
    'audit trail.',
    '',
    'A request that fails with 400 to 499 changed nothing. Retry 408 as it is, and 429 after `Retry-After`.',
    'A request that fails with 500 or 503 may have been committed: retry it with the same `Idempotency-Key`.',
    '',
    '| code | status | meaning | routes, if few |',
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
  can_publish: 'all consumers have agreed',
  cannot_publish: 'some consumers have not agreed',
  can_publish_by_itself: 'all consumers have agreed, and the asset has `auto_publish`',
  blocked_by_this_team: 'this team blocked it',
  not_superseded: 'no newer proposal exists',
  overdue: '`may_expire_at` has passed',
  not_overdue: '`may_expire_at` has not passed',
};

const roles: Readonly<Record<ProposalRow['who'], string>> = {
  owner: 'owner team, admin',
  consumer: 'consumer team',
  other: 'a team that is not asked',
  admin: 'admin',
  system: 'the registry',
};

function statesPage(): string {
  const rows = proposalTable.map(
    ({ from, act, when, who, to, event }) =>
      `| ${from} | ${act} | ${words[when]} | ${roles[who]} | ${event === null ? `409 \`${to}\`` : to} | ${event === null ? '' : `\`${event}\``} |`,
  );
  return page('The life of a proposal', [
    'A breaking change becomes a proposal. Its consumers answer, and it is published, forced or withdrawn.',
    'The table lists every action in every state. The permissions of the caller are checked first (403), then',
    'the state: an action that the table does not list for the state fails with 409 `PROPOSAL_NOT_PENDING`,',
    'which names the state.',
    '',
    'With `FOUR_EYES=true`, the force of the first administrator is `request_force`: it is recorded in',
    '`force_requested` and does not change the state. The force of a second administrator is `force`. Any other',
    'action that changes the state or starts a round drops the request.',
    '',
    '| from | action | condition | caller | to | audit event |',
    '|---|---|---|---|---|---|',
    ...rows,
  ]);
}

function eventsPage(): string {
  return page('Who is told what', [
    'Every event is in the audit trail. There are three ways to hear of it:',
    '',
    '- **The event stream**, `GET /api/v1/events/stream`, sends every event that the key may read, as it happens, to whoever',
    '  is connected. The web page uses it. It needs the scope `read`; events about people and keys are for whoever has `read_audit`, as administrators have,',
    '  and for the person.',
    '- **Webhooks** are sent what teams have to know or to do, at least once and in order for each asset. A webhook chooses',
    '  event types (`events`) and teams (`team_ids`): it gets an event if it is for one of these teams. Without `team_ids`',
    '  it gets the events for all teams. [How to consume](guide/how-to-consume.md#get-notified) shows how to create one and',
    '  how to verify what it sends.',
    '- **The bus**, a Kafka topic or a subject of NATS in `EVENT_BUS_URL`, gets every event but those about people, keys and trusts, as CloudEvents 1.0. See',
    '  [operations](operations.md#a-bus-for-events).',
    '',
    'A new version tells the consumers through `contract.deprecated` of the version that it replaces. It names itself only',
    'where they were not asked about a break.',
    '',
    '| when | event | webhooks tell |',
    '|---|---|---|',
    ...eventRows(),
    '',
    'All other events, such as those of registrations, teams, users and keys, are in the audit trail and in the',
    'stream; those that are not about people and keys are on the bus, too.',
  ]);
}

function askingPage(): string {
  return page('Whom a change asks', [
    'A registration may say what its team reads: its *need*. A change is proven not to affect a need, or it may affect',
    'it. With that, and with the `needs_mode` of the asset, this table says whose answers a change waits for.',
    '',
    '| change | narrow (default) | protect | ignore |',
    '|---|---|---|---|',
    ...askingRows(),
    '',
    '- A consumer without a need reads everything. So does one whose need the contract in force does not meet.',
    '- What was found that a consumer reads, and that it has not stated, excuses it from nothing. It only adds the',
    '  consumer to those that are asked or told about a compatible change.',
    '- If all consumers are excused, a breaking change is published at once, as a major version. The event',
    '  `contract.published` names them, each with the digest of its need, and tells all of them.',
    '- A need is read again under the lock of the asset. While a proposal is open, a need that is stated or widened adds',
    '  its team to those that are asked, also after an approval. A team that has answered stays on the list.',
    '- From `narrow` to another mode nobody is asked. Every other change of `needs_mode` asks all consumers.',
    '- Only the team itself, or an administrator on the record, can say what it reads.',
  ]);
}

const changeKinds: Readonly<Record<ChangeKind, string>> = {
  compatible: 'compatible',
  breaking: 'breaking: values, or guarantees',
  promise:
    'breaking in mode `full`, a relaxed compatibility mode, another direction; also a deprecation, a move, a lower `guarantee_mode`, a looser `needs_mode`',
};

const whoIsAsked: Readonly<Record<Asks, string>> = {
  all: 'all consumers',
  affected: 'all but those whose need is proven unaffected',
  stated: 'those of whom a need, stated or found, may be affected',
};

function askingRows(): readonly string[] {
  return Object.entries(changeKinds).map(([kind, told]) => {
    const row = Object.values(askingTable[kind as ChangeKind]).map(({ asks, waits }) =>
      waits ? whoIsAsked[asks] : `nobody; it tells ${whoIsAsked[asks]}`,
    );
    return `| ${[told, ...row].join(' | ')} |`;
  });
}

function page(title: string, lines: readonly string[]): string {
  return `# ${title}\n\n<!-- Made by \`make golden\` from the code: do not edit. -->\n\n${lines.join('\n')}\n`;
}
