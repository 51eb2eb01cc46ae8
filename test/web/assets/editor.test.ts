// The editor of schemas: what it says beside the lines, what it completes, the keyboard, files, and
// drafts that are shared by a link.

import { beforeAll, expect, test } from 'vitest';
import { expectAddress } from '../support/address.ts';
import { openBrowserForFile, openPerson, type Person, signIn } from '../support/browser.ts';
import { editorOf, textOfEditor, writeSchema } from '../support/editor.ts';
import { expectGoodLooks } from '../support/looks.ts';
import { createAsset, createTeam, publish, type StoryTeam } from '../support/story.ts';

const { registry, browser, admin } = await openBrowserForFile();
let team: StoryTeam;
let assetId: string;
let person: Person;

const order = {
  type: 'object',
  properties: { id: { type: 'integer' }, total: { type: 'string', maxLength: 20 } },
  required: ['id'],
  $defs: { Money: { type: 'string' } },
};

beforeAll(async () => {
  team = await createTeam(admin, 'Orders');
  assetId = await createAsset(admin, team, 'shop.sales.orders');
  await publish(admin, assetId, order, {});
  person = await openPerson(browser, { url: registry.url });
  await signIn(person.page, team.key);
});

async function openEditor({ page }: Person, text?: string): Promise<void> {
  await page.goto(`/assets/${assetId}/try`);
  await page
    .getByText('No effective change.')
    .or(page.getByText('Your edit was kept.'))
    .first()
    .waitFor();
  if (text !== undefined) await writeSchema(page, text);
}

const reset = ({ page }: Person) =>
  page.getByRole('button', { name: 'Reset to the current version' }).click();

const pretty = (value: unknown) => JSON.stringify(value, null, 2);

test('An error of the text, and a keyword with a wrong value, are marked at their line', async () => {
  const { page, complaints } = person;
  await openEditor(person, '{\n  "type": "object",\n  "required": [,,]\n}');
  await page.getByText(/^Invalid JSON: /).waitFor();
  await page.locator('.cm-lintRange-error').waitFor();
  expect(
    await page.locator('.cm-line', { has: page.locator('.cm-lintRange-error') }).textContent(),
  ).toBe('  "required": [,,]');
  await writeSchema(page, '{\n  "type": "object",\n  "minProperties": "two"\n}');
  await page.getByText('This schema is invalid, so it cannot be compared.').waitFor();
  await page.locator('.cm-lintRange-error', { hasText: '"minProperties"' }).waitFor();
  await writeSchema(page, 'type: object\nproperties:\n  id: {\n');
  await page.getByText(/^Invalid YAML in line \d/).waitFor();
  await page.locator('.cm-lint-marker-error').waitFor();
  await reset(person);
  expect(complaints).toEqual([]);
});

test('What is left of a former type is named, and leads to its line; a comma that it leaves does no harm', async () => {
  const { page, complaints } = person;
  const total = { type: 'string', minimum: 0 };
  await openEditor(person, pretty({ ...order, properties: { ...order.properties, total } }));
  await page.getByText('"minimum" is about the type "number". Remove it.').first().waitFor();
  await page.getByRole('button', { name: 'Show in the editor: total.minimum' }).click();
  expect(await page.locator('.cm-activeLine').textContent()).toBe('      "minimum": 0');
  await page.locator('.cm-lintRange-warning').waitFor();
  await writeSchema(page, pretty(order).replace(/\n\}$/, ',\n}'));
  await page.getByText('No effective change').first().waitFor();
  await writeSchema(page, '{\n  "type": "object",,\n}');
  await page.getByText(/^Invalid JSON: /).waitFor();
  await reset(person);
  expect(complaints).toEqual([]);
});

test.each([360, 1280])(
  'Nothing that the page says moves the text while it is typed, at a width of %i',
  async (width) => {
    const reader = await openPerson(browser, { url: registry.url, width });
    const { page, complaints } = reader;
    await signIn(page, team.key);
    const total = { type: 'string', minimum: 0 };
    const remarked = pretty({ ...order, properties: { ...order.properties, total } });
    await openEditor(reader);
    const placeOf = async () => {
      await page.evaluate('scrollTo(0, 0)');
      return page.locator('.schema-editor').boundingBox();
    };
    const place = await placeOf();
    await writeSchema(page, remarked);
    await page.getByText('"minimum" is about the type "number". Remove it.').first().waitFor();
    expect(await placeOf()).toEqual(place);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('The link to this draft is copied.').waitFor();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    await writeSchema(page, '{ "type": "object",, }');
    const message = page.getByText(/^Invalid JSON: /);
    await message.waitFor();
    expect(await placeOf()).toEqual(place);
    const said = await message.boundingBox();
    expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThan(900);
    await reset(reader);
    await page.goto('/');
    await page.goto(link);
    const origin = page.getByText(/^This draft came by a link\./);
    await origin.waitFor();
    expect(await placeOf()).toEqual(place);
    await writeSchema(page, pretty(order));
    await origin.waitFor({ state: 'detached' });
    expect(await placeOf()).toEqual(place);
    expect(complaints).toEqual([]);
    await reader.close();
  },
);

test('Changes are marked beside their lines, and a change leads to its line', async () => {
  const { page, complaints } = person;
  const fields = Array.from({ length: 300 }, (_, index) => [`field_${index}`, { type: 'string' }]);
  const next = {
    ...order,
    properties: {
      ...Object.fromEntries(fields),
      id: { type: 'string' },
      total: { type: 'string', maxLength: 30 },
    },
  };
  await openEditor(person, pretty(next));
  await page.getByText('Breaking: consumers must approve it first.').waitFor();
  await page.locator('.cm-change-compatible').first().waitFor();
  await page.getByRole('button', { name: 'Show in the editor: id' }).click();
  const breaking = page.locator('.cm-change-breaking');
  await breaking.waitFor();
  expect(await breaking.getAttribute('title')).toContain('integer');
  expect(await page.locator('.cm-activeLine').textContent()).toBe('    "id": {');
  expect(await page.evaluate('document.activeElement.className')).toBe('schema-editor');
  const verdict = await page.getByRole('heading', { name: 'Changes' }).boundingBox();
  const text = await editorOf(page).boundingBox();
  expect(verdict?.x ?? 0).toBeGreaterThan((text?.x ?? 0) + 100);
  await reset(person);
  expect(complaints).toEqual([]);
});

test('Keywords, references and fields are completed, in JSON and in YAML', async () => {
  const { page, complaints } = person;
  const type = async (text: string, choice: string) => {
    await page.keyboard.type(text);
    const option = page.getByRole('option', { name: choice, exact: true });
    // On a slow machine the list may be drawn again under the pointer, or has to be asked for.
    const choose = async () => {
      if (!(await option.isVisible())) await page.keyboard.press('Control+Space');
      return option.click({ timeout: 2_000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(choose, { timeout: 30_000 }).toBe(true);
  };
  await openEditor(person);
  await editorOf(page).press('Control+Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  await type('"minPro', 'minProperties');
  await page.keyboard.type('1,');
  await page.keyboard.press('Control+End');
  for (let up = 0; up < 3; up++) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  await page.keyboard.type(',');
  await page.keyboard.press('Enter');
  await type('"$re', '$ref');
  await type('"#/', '#/$defs/Money');
  await expect.poll(async () => JSON.parse(await textOfEditor(page)).minProperties).toBe(1);
  await reset(person);
  await page.getByText('No effective change.').waitFor();
  await page.getByRole('button', { name: 'As YAML' }).click();
  await page.getByRole('button', { name: 'As JSON' }).waitFor();
  await page.getByText('No effective change.').waitFor();
  expect(await textOfEditor(page)).toContain('properties:\n  id:\n    type: integer\n');
  await writeSchema(page, 'type: object\nproperties:\n  total:\n    type: string\n');
  await page.keyboard.press('Control+End');
  await type('    maxL', 'maxLength');
  await page.keyboard.type('9\nreq');
  for (let back = 0; back < 3; back++) await page.keyboard.press('Backspace');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await type('req', 'required');
  await page.keyboard.type('\n  - ');
  await type('to', 'total');
  expect(await textOfEditor(page)).toBe(
    'type: object\nproperties:\n  total:\n    type: string\n    maxLength: 9\nrequired: \n  - total',
  );
  // The fields of the second item, not of the first.
  const items = ['first', 'second'].map(
    (name) => `- properties:\n    ${name}:\n      type: string\n`,
  );
  await writeSchema(page, `allOf:\n${items.join('')}  required:\n  - `);
  await type('sec', 'second');
  await reset(person);
  expect(complaints).toEqual([]);
});

test('Tab indents, and Escape and then Tab leaves the editor', async () => {
  const { page } = person;
  await openEditor(person);
  await editorOf(page).press('Control+Home');
  await page.keyboard.press('Tab');
  expect(await textOfEditor(page)).toMatch(/^ +\{/);
  await editorOf(page).focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.className')).not.toBe('schema-editor');
  await reset(person);
});

test('A click right after a pause in typing acts on the whole text', async () => {
  const { page } = person;
  await openEditor(person);
  const changed = pretty({ ...order, title: 'Just pasted' });
  // The editor tells its text in a timer; the click comes before anything else that waits.
  await page.evaluate(`
    const { setTimeout } = window;
    window.setTimeout = (tell, ms) => setTimeout(() => {
      const before = localStorage.length;
      tell();
      if (localStorage.length === before) return;
      window.setTimeout = setTimeout;
      [...document.querySelectorAll('button')].find((one) => one.textContent === 'Copy link').click();
    }, ms);
  `);
  await writeSchema(page, changed);
  await page.getByText('The link to this draft is copied.').waitFor();
  await page.goto(String(await page.evaluate('navigator.clipboard.readText()')));
  await page.getByText(/^This draft came by a link\./).waitFor();
  expect(JSON.parse(await textOfEditor(page))).toEqual(JSON.parse(changed));
  await page.getByRole('button', { name: 'Leave the draft of the link' }).click();
  await reset(person);
});

test('A link opens a draft as text, without replacing what is kept, and publishes nothing', async () => {
  const { page, complaints } = person;
  const hostile = { ...order, description: '<img src=x onerror="window.taken = 1">' };
  await openEditor(person, pretty(hostile));
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('The link to this draft is copied.').waitFor();
  const link = String(await page.evaluate('navigator.clipboard.readText()'));
  await writeSchema(page, pretty({ ...order, title: 'Mine' }));
  await page.getByText('Compatible: it would be published immediately.').waitFor();
  await page.goto('/');
  await page.goto(link);
  await page.getByText(/^This draft came by a link\..*Your own draft is still kept/).waitFor();
  expect(JSON.parse(await textOfEditor(page))).toEqual(hostile);
  await expectAddress(page).not.toContain('#');
  await page.getByRole('button', { name: 'Leave the draft of the link' }).click();
  expect(JSON.parse(await textOfEditor(page)).title).toBe('Mine');
  await page.goto('/');
  await page.goto(`/assets/${assetId}/try#draft=AAAA`);
  await page.getByText('The draft of the link cannot be read.').waitFor();
  expect(await page.evaluate('window.taken')).toBe(undefined);
  const contracts = await admin.listAssetContracts({ params: { asset_id: assetId } });
  expect(contracts.ok && contracts.body.total).toBe(1);
  await reset(person);
  expect(complaints).toEqual([]);
});

test('A draft that is too large for a link says so, and a small link does not unpack to gigabytes', async () => {
  const { page, complaints } = person;
  const random = Array.from({ length: 4_000 }, (_, index) => `${Math.sin(index + 1)}`);
  await openEditor(person, JSON.stringify({ ...order, examples: random }));
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('This draft is too large for a link.').waitFor();
  await reset(person);
  const bomb = String(
    await page.evaluate(`new Response(new Blob([new Uint8Array(10_000_000)]).stream()
      .pipeThrough(new CompressionStream('deflate-raw'))).bytes()
      .then((bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_'))`),
  );
  await page.goto('/');
  await page.goto(`/assets/${assetId}/try#draft=${bomb}`);
  await page.getByText('The draft of the link cannot be read.').waitFor();
  await reset(person);
  expect(complaints).toEqual([]);
});

test('A file is opened if it is text', async () => {
  const { page, complaints } = person;
  await openEditor(person);
  const upload = (name: string, buffer: Buffer) =>
    page.getByLabel('Upload').setInputFiles({ name, mimeType: 'text/plain', buffer });
  await upload('bad.json', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
  await page.getByText('bad.json is not text in UTF-8.').waitFor();
  await upload('huge.json', Buffer.alloc(5_000_000, ' '));
  await page.getByText('huge.json is larger than 4 MiB').waitFor();
  await upload('order.yaml', Buffer.from('type: object\ntitle: Größe\n'));
  await page
    .getByText('Breaking: consumers must approve it first.')
    .or(page.getByText('Compatible: it would'))
    .first()
    .waitFor();
  expect(await textOfEditor(page)).toBe('type: object\ntitle: Größe\n');
  const bomb = Array.from(
    { length: 12 },
    (_, level) => `a${level}: &a${level} [${Array(9).fill(level === 0 ? 'x' : `*a${level - 1}`)}]`,
  ).join('\n');
  await upload('bomb.yaml', Buffer.from(bomb));
  await page.getByText(/^Invalid YAML: .*alias/).waitFor();
  await reset(person);
  expect(complaints).toEqual([]);
});

test('A draft that is edited in two tabs says so', async () => {
  const { page, complaints } = person;
  await openEditor(person);
  const other = await page.context().newPage();
  await other.addInitScript(`sessionStorage.setItem('concordat.key', '${team.key}')`);
  await other.goto(`/assets/${assetId}/try`);
  await writeSchema(other, pretty({ ...order, title: 'Other' }));
  await page.getByText('This draft was edited in another tab.').waitFor();
  expect(await textOfEditor(page)).not.toContain('Other');
  await other.close();
  await reset(person);
  expect(complaints).toEqual([]);
});

test('The editor looks right with its marks and with the search open', async () => {
  const { page, complaints } = person;
  const broken = { ...order, properties: { id: { type: 'string' } } };
  await openEditor(person, pretty({ ...broken, type: 'objekt' }));
  await page.locator('.cm-lint-marker-error').waitFor();
  await expectGoodLooks(page);
  await writeSchema(page, pretty(broken));
  await page.locator('.cm-change-breaking').first().waitFor();
  await page.keyboard.press('Control+f');
  await page.getByRole('textbox', { name: 'Find' }).waitFor();
  await expectGoodLooks(page);
  await reset(person);
  expect(complaints).toEqual([]);
});
