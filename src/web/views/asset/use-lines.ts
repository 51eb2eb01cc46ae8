// The lines by which a program uses a contract: fetch it, check rows of data, register. They run as
// they are copied; the key is never in them.

import type { Asset, Contract } from '../../data/shapes.ts';

interface UsedContract {
  /** Of the registry, without a slash at its end. */
  readonly url: string;
  readonly asset: Pick<Asset, 'fqn' | 'environment'>;
  readonly contract: Pick<Contract, 'id' | 'version' | 'direction'>;
  /** The team that registers; null if the reader has not chosen one. */
  readonly teamId: string | null;
}

export const waysToUse = ['curl', 'python', 'typescript', 'command', 'ci', 'kubernetes'] as const;

type WayToUse = (typeof waysToUse)[number];

export function linesFor(way: WayToUse, used: UsedContract): string {
  return `${lines[way](used).join('\n')}\n`;
}

const lines: Readonly<Record<WayToUse, (used: UsedContract) => readonly string[]>> = {
  curl: (used) => [
    ...shellHead(used),
    'call() { curl -fsS -H "Authorization: Bearer $CONCORDAT_KEY" "$@"; }',
    '',
    '# The schema.',
    `call "$CONCORDAT_URL${exportPath(used)}" -o schema.json`,
    '',
    '# Rows to check, one JSON value a line.',
    "call -H 'Content-Type: application/x-ndjson' --data-binary @rows.ndjson \\",
    `  "$CONCORDAT_URL${checkPath(used)}"`,
    '',
    '# Your team as a consumer, to be asked before breaking changes.',
    ...teamInShell(used),
    `call -H 'Content-Type: application/json' "$CONCORDAT_URL/api/v1/registrations" \\`,
    `  -d '{"contract_id": "${used.contract.id}", "consumer_team_id": "'"$TEAM_ID"'"}'`,
  ],
  python: (used) => [
    'import json',
    'import os',
    'import urllib.request',
    '',
    `URL = ${quoted(used.url)}`,
    `TEAM_ID = ${used.teamId === null ? 'os.environ["TEAM_ID"]' : quoted(used.teamId)}`,
    '',
    '',
    'def call(path, body=None):',
    '    request = urllib.request.Request(',
    '        URL + path,',
    '        data=None if body is None else json.dumps(body).encode(),',
    '        headers={',
    '            "Authorization": "Bearer " + os.environ["CONCORDAT_KEY"],',
    '            "Content-Type": "application/json",',
    '        },',
    '    )',
    '    with urllib.request.urlopen(request) as answer:',
    '        return json.load(answer)',
    '',
    '',
    `schema = call(${quoted(exportPath(used))})`,
    '',
    '# Rows to check, one JSON value a line.',
    'with open("rows.ndjson") as file:',
    '    rows = [json.loads(line) for line in file]',
    `checked = call(${quoted(checkPath(used))}, {"values": rows})`,
    'print(json.dumps(checked, indent=2))',
    '',
    '# Your team as a consumer, to be asked before breaking changes.',
    'call(',
    '    "/api/v1/registrations",',
    `    {"contract_id": ${quoted(used.contract.id)}, "consumer_team_id": TEAM_ID},`,
    ')',
  ],
  typescript: (used) => [
    "import { readFile } from 'node:fs/promises';",
    "import { env } from 'node:process';",
    '',
    `const url = ${quoted(used.url)};`,
    `const teamId = ${used.teamId === null ? 'env.TEAM_ID' : quoted(used.teamId)};`,
    '',
    'async function call(path: string, body?: unknown): Promise<unknown> {',
    '  const answer = await fetch(url + path, {',
    "    method: body === undefined ? 'GET' : 'POST',",
    '    headers: {',
    "      authorization: 'Bearer ' + env.CONCORDAT_KEY,",
    "      'content-type': 'application/json',",
    '    },',
    '    body: JSON.stringify(body),',
    '  });',
    '  if (!answer.ok) throw new Error(await answer.text());',
    '  return answer.json();',
    '}',
    '',
    `const schema = await call(${quoted(exportPath(used))});`,
    '',
    '// Rows to check, one JSON value a line.',
    "const text = await readFile('rows.ndjson', 'utf8');",
    "const values = text.trimEnd().split('\\n').map((line) => JSON.parse(line));",
    `const checked = await call(${quoted(checkPath(used))}, { values });`,
    'console.log(JSON.stringify(checked, null, 2));',
    '',
    '// Your team as a consumer, to be asked before breaking changes.',
    "await call('/api/v1/registrations', {",
    `  contract_id: ${quoted(used.contract.id)},`,
    '  consumer_team_id: teamId,',
    '});',
  ],
  command: (used) => [
    ...shellHead(used),
    '',
    '# The schema.',
    `concordat export ${named(used)} --format jsonschema > schema.json`,
    '',
    '# Rows to check, one JSON value a line.',
    `concordat validate ${named(used)}${partOption(used)} rows.ndjson`,
    '',
    '# The team of your key as a consumer, to be asked before breaking changes.',
    `concordat register ${named(used)}`,
  ],
  ci: (used) => [
    '# Steps of a GitHub workflow in which the concordat command is installed.',
    'env:',
    `  CONCORDAT_URL: ${quoted(used.url)}`,
    `  CONCORDAT_KEY: \${{ secrets.CONCORDAT_KEY }}`,
    'steps:',
    '  - name: Does the data match the contract?',
    `    run: ${quoted(`concordat validate ${named(used)}${partOption(used)} rows.ndjson`)}`,
    '  - name: Which consumers would a change of the contract break?',
    '    run: concordat impact contracts/',
  ],
  kubernetes: ({ asset }) => [
    '# In the namespace of your team: registers it as a consumer.',
    'apiVersion: concordat.dev/v1',
    'kind: ContractRegistration',
    'metadata:',
    `  name: ${resourceNameOf(asset.fqn)}`,
    'spec:',
    `  fqn: ${quoted(asset.fqn)}`,
    ...(isProduction(asset) ? [] : [`  environment: ${quoted(asset.environment)}`]),
  ],
};

function shellHead({ url }: UsedContract): readonly string[] {
  return [
    `export CONCORDAT_URL=${inShell(url)}`,
    `: "\${CONCORDAT_KEY:?Set it to an API key of your team.}"`,
  ];
}

function teamInShell({ teamId }: UsedContract): readonly string[] {
  return teamId === null
    ? [`: "\${TEAM_ID:?Set it to the id of your team.}"`]
    : [`TEAM_ID=${inShell(teamId)}`];
}

function exportPath({ contract }: UsedContract): string {
  return `/api/v1/contracts/${contract.id}/export?format=jsonschema`;
}

function checkPath(used: UsedContract): string {
  const part = isOperation(used) ? '?part=response' : '';
  return `/api/v1/contracts/${used.contract.id}/validate${part}`;
}

/** What is checked of an operation: its answers, which most readers have. */
function partOption(used: UsedContract): string {
  return isOperation(used) ? ' --part response' : '';
}

function isOperation({ contract }: UsedContract): boolean {
  return contract.direction === 'operation';
}

function named({ asset }: UsedContract): string {
  const { fqn, environment } = asset;
  return isProduction(asset)
    ? inShell(fqn)
    : `${inShell(fqn)} --environment ${inShell(environment)}`;
}

function isProduction({ environment }: UsedContract['asset']): boolean {
  return environment === 'production';
}

/** A string of JSON, which Python, TypeScript and YAML read alike. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function inShell(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** @example resourceNameOf('shop.public.Order_items') // 'order-items' */
function resourceNameOf(fqn: string): string {
  const word = fqn.slice(fqn.lastIndexOf('.') + 1).toLowerCase();
  const name = word.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  return name === '' ? 'contract' : name.slice(0, 63).replace(/-+$/, '');
}
