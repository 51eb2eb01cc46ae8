// Removing a field that two of three consumers do not read asks the third: the page, the command line
// and the webhook agree. test/controller/reconcile/proposals.test.ts has the same for ContractProposal.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, run } from '../../cli/support.ts';
import { openReceiver } from '../../notify/receiver.ts';
import { after, before, counts, foundByDbt, readsTwo } from '../../support/one-of-three.ts';
import { openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';
import { writeSchema } from '../support/editor.ts';
import {
  bodyOf,
  createAsset,
  createTeam,
  fieldsOf,
  propose,
  publish,
  type StoryTeam,
} from '../support/story.ts';

const opened = await openBrowserForFile({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
const { registry, browser, admin } = opened;
const receiver = await openReceiver();
const folder = await makeFolder();
const fqn = 'shop.sales.three';
let orders: StoryTeam;
let assetId: string;
let person: Person;

beforeAll(async () => {
  orders = await createTeam(admin, 'Orders');
  assetId = await createAsset(admin, orders, fqn);
  const contract_id = await publish(admin, assetId, fieldsOf(...before), {});
  const register = async (name: string, needs?: typeof readsTwo) => {
    const { id: consumer_team_id } = await createTeam(admin, name);
    const body = { contract_id, consumer_team_id, ...(needs && { needs }) };
    return { registration_id: bodyOf(await admin.registerConsumer({ body })).id };
  };
  await register('Finance', readsTwo);
  await register('Reporting');
  const params = await register('Logistics');
  const places = foundByDbt.places.map((each) => ({ ...each, fields: [...each.fields] }));
  const found = bodyOf(await admin.findNeeds({ params, body: { ...foundByDbt, places } }));
  const digest = found.found_needs?.digest ?? '';
  bodyOf(await admin.confirmNeeds({ params, body: { digest, reason: 'They asked us to.' } }));
  bodyOf(await admin.createWebhook({ body: { url: receiver.url } }));
  await folder.file('next.json', fieldsOf(...after));
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, orders.key, orders.name);
});
afterAll(async () => {
  await receiver.stop();
  await folder.remove();
});

describe('A change that one of three consumers may read', { concurrent: false }, () => {
  test('is tried on the page, in three columns', async () => {
    const { page, complaints } = person;
    await page.goto(`/assets/${assetId}/try`);
    await writeSchema(page, JSON.stringify(fieldsOf(...after), null, 2));
    const column = (name: string) => page.locator('.hit-column').filter({ hasText: name });
    await column(`May break ${counts.mayBreak}`).getByText('Reporting').waitFor();
    await column(`Breaks ${counts.breaks}`).getByText('Nobody.').waitFor();
    const unaffected = column(`Unaffected ${counts.unaffected}`).getByRole('listitem');
    expect(await unaffected.allTextContents()).toEqual(['Finance', 'Logistics']);
    expect(await page.locator('.asked .pills').getByRole('listitem').allTextContents()).toEqual([
      'Reporting',
    ]);
    expect(complaints).toEqual([]);
  });

  test('is assessed by the command line', async () => {
    const env = { CONCORDAT_URL: registry.url, CONCORDAT_KEY: orders.key };
    const args = ['impact', '--asset', fqn, '--format', 'json', '--fail-on', 'never', 'next.json'];
    const ran = await run(args, '', { env, cwd: folder.path });
    const { items } = JSON.parse(ran.stdout);
    const [{ consumers, consumer_verdicts: verdicts }] = items;
    expect(consumers).toEqual(['Reporting']);
    expect(
      Object.fromEntries(
        verdicts.map((each: { team: string; verdict: string }) => [each.team, each.verdict]),
      ),
    ).toEqual({ Finance: 'unaffected', Logistics: 'unaffected', Reporting: 'may_break' });
  });

  test('is proposed to that one, and the webhook and the proposal name who is not asked', async () => {
    const proposalId = await propose(admin, assetId, fieldsOf(...after));
    const created = () => receiver.taken().find(({ type }) => type === 'proposal.created');
    await expect.poll(created, { timeout: 20_000 }).toBeDefined();
    expect(created()?.event.metadata).toMatchObject({
      consumers: ['Reporting'],
      excused: ['Finance', 'Logistics'],
    });
    const { page } = person;
    await page.goto(`/proposals/${proposalId}`);
    await page.locator('.answer').getByText('Reporting').first().waitFor();
    expect(await page.locator('.answer').count()).toBe(counts.mayBreak + counts.breaks);
    await page.getByText(/^Not asked, because .*: Finance, Logistics\.$/).waitFor();
  });
});
