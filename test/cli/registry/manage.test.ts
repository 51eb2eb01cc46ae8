// A change from its proposal to its publication by the command line alone, for producer, consumer
// and administrator; and teams, keys and assets.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createAsset,
  issueKey,
  must,
  narrowerSchema,
  openParty,
  openRegistryForFile,
  type Party,
  publishedAsset,
  register,
} from '../../support/client/client-world.ts';
import { type Folder, makeFolder, run } from '../support.ts';

const { registry, world } = await openRegistryForFile();
let folder: Folder;

beforeAll(async () => {
  folder = await makeFolder();
  await folder.file('narrow.json', narrowerSchema);
});
afterAll(() => folder.remove());

const { producer, consumer } = world;
const byKey = (key: string) => (args: string) =>
  // Supports quoted arguments.
  run(
    [...args.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''),
    '',
    {
      env: { CONCORDAT_URL: registry.url, CONCORDAT_KEY: key },
      cwd: folder.path,
    },
  );
const as = ({ key }: Pick<Party, 'key'>) => byKey(key);
const asAdmin = byKey(registry.bootstrapKey);

/** The output of a command that must succeed. */
async function printed(ran: ReturnType<typeof run>): Promise<string> {
  const { code, stdout, stderr } = await ran;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function consumedAsset() {
  const asset = await publishedAsset(producer);
  await register(consumer, asset.contractId);
  return asset;
}

/** Proposes a break with `concordat publish`, and returns the id that it prints. */
async function propose(fqn: string): Promise<string> {
  const ran = await as(producer)(`publish --asset ${fqn} narrow.json`);
  const [id = ''] = /(?<=proposal (?:show|publish) )\S+/.exec(ran.stdout) ?? [];
  expect(id).not.toBe('');
  return id;
}

describe('concordat proposal', () => {
  test('takes a change from its proposal to its publication', async () => {
    const { fqn } = await publishedAsset(producer);
    const { slug } = must(await world.admin.getTeam({ params: { team_id: consumer.teamId } }), 200);
    const registered = await printed(as(consumer)(`register ${fqn} --notes "Reports."`));
    const consumed = as(consumer)(`asset list --consumer "${consumer.name}" --prefix ${fqn}`);
    expect(await printed(consumed)).toBe(`${fqn}  production  1.0.0\n`);
    expect(registered).toContain(`${consumer.name} consumes ${fqn} 1.0.0. It is asked before`);
    const id = await propose(fqn);

    const inbox = await printed(as(consumer)(`proposal list --consumer ${slug} --awaiting`));
    expect(inbox).toBe(`${id}  pending  0 of 1 agreed  ${fqn}\n`);
    const shown = await printed(as(consumer)(`proposal show ${fqn}`));
    expect(shown).toContain(`Proposal ${id}\n`);
    expect(shown).toMatch(/✗ `\$\.properties\.total`: /);
    expect(shown).toContain(`${consumer.name}: no answer yet\n`);
    expect(shown).toContain(
      `1 consumer has not agreed yet. A consumer answers with: concordat ack ${id}`,
    );

    const early = await as(producer)(`proposal publish ${fqn}`);
    expect(early).toMatchObject({ code: 2, stdout: '' });
    expect(early.stderr).toContain('[PROPOSAL_NOT_READY]');

    const answered = await printed(as(consumer)(`ack ${fqn}`));
    expect(answered).toContain(
      `you answered approved. All consumers agreed. To publish it: concordat proposal publish ${id}`,
    );
    expect(await printed(as(producer)(`proposal show ${fqn}`))).toContain(
      `To publish it: concordat proposal publish ${id}`,
    );
    expect(await printed(as(producer)(`status ${fqn}`))).toContain(
      `    To publish it: concordat proposal publish ${id}\n`,
    );
    expect(await printed(as(producer)(`proposal approve ${fqn}`))).toContain(
      'Nothing is published yet.',
    );
    const published = await printed(as(producer)(`proposal publish ${id}`));
    expect(published).toBe(`Proposal ${id} is published as version 2.0.0.\n`);
    expect(await printed(as(producer)(`asset show ${fqn}`))).toMatch(/^version +2\.0\.0$/m);
  });

  test('withdraws or forces with a reason, and reports a missing one', async () => {
    const { fqn } = await consumedAsset();
    const id = await propose(fqn);
    const blocked = await printed(
      as(consumer)(`ack ${fqn} --response blocked --notes "We need it."`),
    );
    expect(blocked).toContain('is rejected: you answered blocked. It is not published unless');
    expect(await printed(as(producer)(`proposal show ${id}`))).toContain(
      `${consumer.name}: blocked, "We need it."`,
    );
    const silent = await asAdmin(`proposal force ${fqn}`);
    expect(silent).toMatchObject({
      code: 2,
      stderr: 'Say why: add --reason "...". It is kept on record.\n',
    });
    const short = await asAdmin(`proposal force ${fqn} --reason x`);
    expect(short.code).toBe(2);
    expect(short.stderr).toContain('(--reason)');
    expect(
      (await as(producer)(`proposal force ${fqn} --reason "It leaks addresses."`)).stderr,
    ).toContain('[FORBIDDEN]');
    const forced = await printed(asAdmin(`proposal force ${fqn} --reason "It leaks addresses."`));
    expect(forced).toContain('is published without the approval of its consumers.');

    const other = await consumedAsset();
    await propose(other.fqn);
    expect(await printed(as(producer)(`proposal rebase ${other.fqn}`))).toContain(
      'is pending, round ',
    );
    const withdrawn = await printed(
      as(producer)(`proposal withdraw ${other.fqn} --reason "We keep the column."`),
    );
    expect(withdrawn).toContain(`for ${other.fqn} is withdrawn.`);
    const none = await as(producer)(`proposal show ${other.fqn}`);
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain(`concordat proposal list --asset ${other.fqn}`);
    const listed = await printed(as(producer)(`proposal list --asset ${other.fqn} --format json`));
    expect(JSON.parse(listed)).toMatchObject({ results: [{ status: 'withdrawn' }] });
  });

  test('says why, reminds once, and takes comments of those whom it concerns', async () => {
    const { fqn } = await consumedAsset();
    await propose(fqn);
    const silent = await as(consumer)(`proposal comment ${fqn}`);
    expect(silent).toMatchObject({ code: 2, stderr: 'Say something: add --text "...".\n' });
    const commented = await printed(as(consumer)(`proposal comment ${fqn} --text "Why?"`));
    expect(commented).toContain('was sent.');
    expect((await as(consumer)(`proposal remind ${fqn}`)).stderr).toContain('[FORBIDDEN]');
    expect(await printed(as(producer)(`proposal remind ${fqn}`))).toContain('were reminded.');
    const again = await as(producer)(`proposal remind ${fqn}`);
    expect(again.stderr).toContain('[REMINDED_RECENTLY]');
  });

  test('is objected to by a team that it does not ask, and shows it', async () => {
    const { fqn } = await consumedAsset();
    await propose(fqn);
    const { other } = world;
    const silent = await as(other)(`proposal object ${fqn}`);
    expect(silent.code).toBe(2);
    const sent = await printed(as(other)(`proposal object ${fqn} --reason "We read it soon."`));
    expect(sent).toContain('was sent. It holds nothing back.');
    const said = `${other.name}, which is not asked, objects: "We read it soon."`;
    expect(await printed(as(producer)(`proposal show ${fqn}`))).toContain(said);
    expect(await printed(as(producer)('proposal list --limit 100'))).toContain('1 objection');
    expect(await printed(as(producer)(`status ${fqn}`))).toContain(
      `${other.name} objects, and is not asked: "We read it soon."`,
    );
    const back = await printed(as(other)(`proposal object ${fqn} --take-back`));
    expect(back).toContain('was taken back.');
    expect(await printed(as(producer)(`proposal show ${fqn}`))).not.toContain('objects');
  });

  test('is ended as expired once its day is over, and not before', async () => {
    const { fqn } = await consumedAsset();
    await propose(fqn);
    const early = await as(producer)(`proposal expire ${fqn}`);
    expect(early.stderr).toContain('[PROPOSAL_NOT_OVERDUE]');
    await registry.database.query(
      `update proposal set proposed_at = proposed_at - interval '30 days'`,
    );
    const ended = await printed(as(producer)(`proposal expire ${fqn}`));
    expect(ended).toContain('is withdrawn. Expired: its consumers were last asked');
  });

  test('lists its subcommands when none is given, and ends as wrong usage', async () => {
    const ran = await asAdmin('proposal');
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('publish [options] <proposal>');
  });
});

test('a proposal without consumers shows how to publish it', async () => {
  const { fqn, assetId } = await consumedAsset();
  await propose(fqn);
  expect(await printed(as(consumer)(`unregister ${fqn}`))).toBe(
    `${consumer.name} no longer consumes ${fqn}.\n`,
  );
  const [found] = must(
    await world.admin.listProposals({ query: { asset_id: assetId } }),
    200,
  ).results;
  expect(await printed(as(producer)(`proposal show ${found?.id}`))).toContain('To publish it: ');
  expect((await as(consumer)(`unregister ${fqn}`)).stderr).toBe(
    `That team is not registered for ${fqn}. To see who is: concordat asset show ${fqn}\n`,
  );
});

test('a key of several teams must choose the consuming team', async () => {
  const { fqn } = await publishedAsset(producer);
  const key = await issueKey(world.admin, {
    team_ids: [consumer.teamId, producer.teamId],
    scopes: ['write'],
  });
  expect((await byKey(key)(`register ${fqn}`)).stderr).toContain(
    'Say which team consumes it: --team.',
  );
  const own = await byKey(key)(`register ${fqn} --team "${producer.name}"`);
  expect(own.stderr).toContain('[SELF_REGISTRATION]');
  expect(await printed(byKey(key)(`register ${fqn} --team "${producer.name}" --own`))).toContain(
    producer.name,
  );
});

test('all assets of a team move at once, and those with consumers are asked about', async () => {
  const party = await openParty(world.admin, 'merged');
  const free = await createAsset(party);
  const { fqn, contractId } = await publishedAsset(party);
  await register(consumer, contractId);
  const command = `team reassign "${party.name}"`;
  expect((await asAdmin(command)).code).toBe(2);
  const moved = await printed(asAdmin(`${command} --to "${producer.name}" --partial`));
  expect(moved).toBe(`1 asset moved.\n  ${fqn}: its consumers are asked first\n`);
  expect(await printed(asAdmin(`asset list --team "${producer.name}" --prefix ${free.fqn}`))).toBe(
    `${free.fqn}  production  no contract\n`,
  );
});

test('teams, their keys and their assets can be created and removed', async () => {
  expect(await printed(asAdmin('team create "Data Platform" --slug platform'))).toMatch(
    /^Created Data Platform \(platform\): \S+\n$/,
  );
  expect(await printed(asAdmin('team list --search platform'))).toMatch(
    /^platform {2}Data Platform {2}\S+\n$/,
  );
  expect(await printed(asAdmin('team rename platform --name Platform'))).toBe(
    'platform is called Platform now.\n',
  );
  const key = (await printed(asAdmin('key create CI --team platform'))).trim();
  const mine = byKey(key);
  expect(await printed(mine('asset create platform.events --owner platform'))).toMatch(
    /^Created platform\.events: /,
  );
  expect(await printed(mine('asset list --team platform'))).toBe(
    'platform.events  production  no contract\n',
  );
  expect((await mine('register platform.events')).stderr).toContain('has no contract yet');
  const deleted = await printed(mine('asset delete platform.events'));
  const [, restore = ''] = /concordat (asset restore \S+)/.exec(deleted) ?? [];
  expect(await printed(asAdmin(restore))).toBe('Restored platform.events.\n');
  expect((await asAdmin('team delete platform')).stderr).toContain('[TEAM_HAS_ASSETS]');
  expect(await printed(asAdmin('key list --team platform'))).toMatch(
    /^cdt_\S+ {2}write(?:,acknowledge)? {2}expires \S+ {2}CI /,
  );
  expect(await printed(asAdmin(`key revoke ${key.slice(0, 12)}`))).toMatch(/^Revoked /);
  // The server hears of it from Postgres.
  await expect.poll(async () => (await mine('asset list')).stderr).toContain('[UNAUTHENTICATED]');
  expect(await printed(asAdmin(`team delete platform --reassign-to "${producer.name}"`))).toBe(
    'Deleted platform.\n',
  );
  expect(await printed(asAdmin('team restore platform'))).toBe('Restored Platform (platform).\n');
  expect((await asAdmin('team restore platform')).stderr).toBe(
    'No deleted team is called platform.\n',
  );
  expect((await asAdmin('key create CI --scopes write,fly')).stderr).toContain(
    'there is no permission fly',
  );
});

describe('concordat service', () => {
  test('creates one, puts assets into it, changes and deletes it', async () => {
    const { fqn } = await createAsset(producer);
    const name = `checkout-${Date.now()}`;
    const by = as(producer);
    const owner = `--owner "${producer.name}"`;
    const url = 'https://git.example.org/shop/checkout';
    const silent = await by(`service create ${name}`);
    expect(silent).toMatchObject({
      code: 2,
      stderr: 'Say which team owns the service: --owner.\n',
    });
    const made = await printed(by(`service create ${name} ${owner} --repository ${url}`));
    expect(made).toContain(`Created ${name}: `);
    expect(await printed(by(`service show ${name}`))).toContain(url);
    const added = await printed(by(`service add ${fqn} --to ${name}`));
    expect(added).toBe(`${fqn} belongs to ${name}.\n`);
    expect(await printed(by(`asset list --service ${name}`))).toContain(fqn);
    expect(await printed(by(`asset show ${fqn}`))).toMatch(new RegExp(`^service +${name}$`, 'm'));
    const listed = await printed(by(`service list --team "${producer.name}" --search ${name}`));
    expect(listed).toBe(`${name}  ${producer.name}  1 asset\n`);
    await printed(by(`service change ${name} --name ${name}-2 --repository ""`));
    const shown = await printed(by(`service show ${name}-2`));
    expect(shown).toContain(`  ${fqn}  production\n`);
    expect(shown).not.toContain('repository');
    const out = await printed(by(`service remove ${fqn}`));
    expect(out).toBe(`${fqn} belongs to no service.\n`);
    const denied = await as(consumer)(`service delete ${name}-2`);
    expect(denied.stderr).toContain('[FORBIDDEN]');
    expect(await printed(by(`service delete ${name}-2`))).toBe(`Deleted ${name}-2.\n`);
    const gone = await by(`service show ${name}-2`);
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain('concordat service list');
  });

  test('gets the new assets of an import', async () => {
    const name = `imported-${Date.now()}`;
    await printed(as(producer)(`service create ${name} --owner "${producer.name}"`));
    await folder.file(`${name}.graphql`, 'type Query { carts: [String!] }');
    const by = `--owner "${producer.name}" --service ${name} --environment ${name}`;
    await printed(as(producer)(`import ${by} ${name}.graphql`));
    const listed = await printed(as(producer)(`service list --search ${name}`));
    expect(listed).toMatch(new RegExp(`^${name} .* [1-9]\\d* assets?\n$`));
  });
});

describe('a refusal names what was typed, never a field of the API', () => {
  test.each([
    ['proposal list --limit 0', '--limit must be at least 1.'],
    ['proposal list --limit many', '--limit must be a whole number of at most 15 digits.'],
    ['proposal list --status lost', '--status must be one of "pending", "approved", '],
    ['asset create orders --owner SLUG', 'The FQN must be two or more segments joined by dots'],
    [
      'asset create orders --owner SLUG --environment "at home"',
      'joined by dots, each 1 to 128 letters, digits, _, -, { or }. --environment must be ',
    ],
    ['team create ""', 'The name must not be empty.'],
    ['team create Shipping --slug "a b"', '--slug must be a DNS label'],
    [
      'key create ci',
      '--team is required, unless the key has a scope for the whole registry, such as admin.',
    ],
    ['key create ci --team SLUG --expires 1999-01-01', '--expires is in the past.'],
    ['ack FQN', 'You act for several teams. Choose one in --team.'],
    [
      'ack FQN --team SLUG --response migrating --until 1999-01-01',
      'The date in --until has passed.',
    ],
    ['team delete SLUG', 'Choose a new owner in --reassign-to.'],
    ['asset delete FQN', 'have an administrator delete it with --force.'],
    ['search ""', 'The search text must not be empty.'],
    ['register FQN --version 9.9.9', "unknown option '--version'"],
    ['register FQN --team SLUG --own --reads $.nope', 'use --allow-unmet to keep it as a wish.'],
    ['proposal force FQN --reason x', 'Give a reason of at least 8 letters'],
  ])('%s', async (typed, said) => {
    const { fqn } = await proposedOnce();
    const { slug } = must(await world.admin.getTeam({ params: { team_id: producer.teamId } }), 200);
    const ran = await asAdmin(typed.replace('FQN', fqn).replace('SLUG', slug));
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(said);
    expect(ran.stderr).not.toMatch(
      /\b[a-z]+_(?!published)[a-z_]+\b|"(?:fqn|name|slug|status)"|see errors/,
    );
  });
});

let proposed: ReturnType<typeof consumedAsset> | undefined;

function proposedOnce() {
  proposed ??= consumedAsset().then(async (asset) => {
    await propose(asset.fqn);
    return asset;
  });
  return proposed;
}
