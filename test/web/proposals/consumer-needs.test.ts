// What a change does to each consumer, by what it has said that it reads: before it is proposed, and
// while it is answered.

import { beforeAll, describe, expect, test } from 'vitest';
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

const { registry, browser, admin } = await openBrowserForFile();
let orders: StoryTeam;
let finance: StoryTeam;
let assetId: string;
let proposalId: string;
/** Of a team that has not said what it reads. */
let silentId: string;
let person: Person;

async function reader(contract_id: string, name: string, reads: string[]): Promise<StoryTeam> {
  const team = await createTeam(admin, name);
  const body = { contract_id, consumer_team_id: team.id, needs: { fields: reads } };
  bodyOf(await admin.registerConsumer({ body }));
  return team;
}

beforeAll(async () => {
  orders = await createTeam(admin, 'Orders');
  assetId = await createAsset(admin, orders, 'shop.sales.needed');
  const contractId = await publish(admin, assetId, fieldsOf('id', 'total', 'note'), {});
  finance = await reader(contractId, 'Finance', ['$.total']);
  await reader(contractId, 'Logistics', ['$.id']);
  const { id: consumer_team_id } = await createTeam(admin, 'Marketing');
  const body = { contract_id: contractId, consumer_team_id };
  silentId = bodyOf(await admin.registerConsumer({ body })).id;
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, orders.key, orders.name);
});

describe('The needs of consumers', { concurrent: false }, () => {
  test('are shown for each consumer beside a change that is tried', async () => {
    const { page } = person;
    await page.goto(`/assets/${assetId}/try`);
    await writeSchema(page, JSON.stringify(fieldsOf('id', 'note')));
    const column = (name: string) => page.locator('.hit-column').filter({ hasText: name });
    await column('Breaks 1').getByText('Finance').waitFor();
    await column('Breaks 1').getByText('$.total').waitFor();
    await column('May break 1').getByText('Marketing').waitFor();
    await column('Unaffected 1').getByText('Logistics').waitFor();
    await column('Unaffected 1')
      .getByText('It is proven not to affect what the team reads.')
      .waitFor();
    // Each keystroke counts: what is typed back is unaffected again.
    await writeSchema(page, JSON.stringify(fieldsOf('id', 'total', 'note')));
    await column('Breaks 0').getByText('Nobody.').waitFor();
    await column('Unaffected 3').getByText('Finance').waitFor();
    bodyOf(
      await admin.deleteRegistration({
        params: { registration_id: silentId },
        query: { reason: 'They asked us to.' },
      }),
    );
    // Nobody reads the note, so nobody is asked.
    await writeSchema(page, JSON.stringify(fieldsOf('id', 'total')));
    await page
      .getByText('Nobody: the change is proven not to affect what the consumers read.')
      .first()
      .waitFor();
  });

  test('say on a proposal what breaks for whom, and who is not asked', async () => {
    const { page, complaints } = person;
    proposalId = await propose(admin, assetId, fieldsOf('id', 'note'));
    await page.goto(`/proposals/${proposalId}`);
    const answers = page.locator('.answer');
    await answers.getByText('It breaks what the team reads').waitFor();
    await answers.getByText('$.total', { exact: true }).waitFor();
    await page.getByText(/^Not asked, because .*: Logistics\.$/).waitFor();
    expect(complaints).toEqual([]);
  });

  test('show the team which of its fields no longer fits, in a value', async () => {
    const changed = fieldsOf('id', 'total', 'note');
    const schema = {
      ...changed,
      properties: { ...changed.properties, total: { type: 'integer' } },
      required: ['id', 'note'],
    };
    bodyOf(
      await admin.withdrawProposal({
        params: { proposal_id: proposalId },
        body: { reason: 'Another change.' },
      }),
    );
    const id = await propose(admin, assetId, schema);
    const reader = await openPerson(browser, { url: registry.url });
    await signIn(reader.page, finance.key, finance.name);
    await reader.page.goto(`/proposals/${id}`);
    const panel = reader.page
      .locator('.panel-asked')
      .filter({ hasText: 'What it means for Finance' });
    await panel.getByText('It breaks what the team reads').waitFor();
    await panel.getByText('$.total', { exact: true }).waitFor();
    expect(await panel.locator('.marked').textContent()).toContain('"total"');
  });
});
