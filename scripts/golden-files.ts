// One row a file: what is made from the code, and by what.

import packageFile from '../package.json' with { type: 'json' };
import { type ProposalRow, proposalTable } from '../src/core/proposal-machine.ts';
import { statusOf } from '../src/http/errors.ts';
import { settings } from '../src/ops/config.ts';
import { buildOpenApi } from '../src/wire/openapi.ts';
import { crdFiles } from './crds.ts';

export const goldenFiles: Readonly<Record<string, () => string>> = {
  ...crdFiles,
  'openapi.json': () => `${JSON.stringify(buildOpenApi(statusOf, packageFile.version), null, 2)}\n`,
  'docs/settings.md': settingsPage,
  'docs/states.md': statesPage,
};

function settingsPage(): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const fallback = setting.shape.safeParse(undefined);
    const value = fallback.success && fallback.data !== undefined ? `\`${fallback.data}\`` : '';
    return `| \`${name}\` | ${value} | ${setting.describe} |`;
  });
  return page('Settings', [
    'Settings come from the environment, or from a flag of the same name: `PORT=9000` or',
    '`concordat serve --port 9000`. An empty variable counts as absent. They are checked at the',
    'start, all at once; `concordat config` prints the effective ones with secrets hidden.',
    '',
    '| setting | default | what it does |',
    '|---|---|---|',
    ...rows,
  ]);
}

const words: Readonly<Record<ProposalRow['when'], string>> = {
  always: '',
  can_publish: 'everybody awaited has answered',
  cannot_publish: 'somebody is still awaited',
  can_publish_by_itself: 'everybody awaited has answered, and the asset publishes by itself',
  blocked_by_this_team: 'it was this team that blocked it',
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
    '| from | act | when | who | to | audit event |',
    '|---|---|---|---|---|---|',
    ...rows,
  ]);
}

function page(title: string, lines: readonly string[]): string {
  return `# ${title}\n\n<!-- Made by \`make golden\` from the code: do not edit. -->\n\n${lines.join('\n')}\n`;
}
