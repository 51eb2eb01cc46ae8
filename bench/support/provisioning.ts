// An identity provider that pushes a whole company by SCIM: each person, and then each group with its
// members, half of them as POST and the rest one PATCH for a member. The groups are in the table, so
// every member gets a team.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figure.ts';
import { get, openConnection, post } from './load.ts';
import { bootstrapKey, startBenchDatabase, startProduct } from './processes.ts';

const userCount = 10_000;
const groupCount = 2_000;
const membersOfGroup = userCount / groupCount;
/** The table of a provider has at most so many rows. */
const rowCount = 1_000;
/** Okta and Entra ID send some requests at once. */
const lanes = 8;

export async function measureProvisioning(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-scim-'));
  const database = await startBenchDatabase();
  try {
    const file = join(folder, 'providers.yaml');
    const groups = Array.from({ length: rowCount }, (_, row) => ({
      ...{ group: `group ${row}`, team: `team-${row % 100}` },
    }));
    const provider = { name: 'example', issuer: 'https://login.example.com', client_id: 'c' };
    const providers = [{ ...provider, groups, scim: 'groups' }];
    await writeFile(file, JSON.stringify({ providers }));
    const secret = {
      OIDC_PROVIDERS_FILE: file,
      SECRET_KEY: 'a secret key of the bench that is long enough',
    };
    const product = await startProduct(database.url, secret);
    try {
      await inLanes(product.port, 100, (index) => post('/api/v1/teams', { name: `team ${index}` }));
      const startedAt = performance.now();
      const users = await inLanes(product.port, userCount, (index) =>
        post('/scim/v2/Users', {
          ...{ userName: `person-${index}@example.com`, externalId: `person-${index}` },
          name: { givenName: 'Person', familyName: String(index) },
        }),
      );
      const usersAt = performance.now();
      const made = await inLanes(product.port, groupCount, (index) => {
        const from = index * membersOfGroup;
        const members = users.slice(from, from + membersOfGroup - 1).map((value) => ({ value }));
        return post('/scim/v2/Groups', { displayName: `group ${index}`, members });
      });
      await inLanes(product.port, groupCount, (index) => {
        const value = [{ value: users[index * membersOfGroup + membersOfGroup - 1] }];
        const body = { Operations: [{ op: 'Add', path: 'members', value }] };
        return { ...post(`/scim/v2/Groups/${made[index]}`, body), method: 'PATCH' };
      });
      const [seconds, ofUsers] = [performance.now(), usersAt].map((at) => (at - startedAt) / 1000);
      await checkMembers(product.port);
      return [
        {
          name: `SCIM: ${userCount} users and ${groupCount} groups with members (${(ofUsers ?? 0).toFixed(1)} s of it for the users)`,
          ...{ unit: 's', value: seconds ?? Number.NaN, targetValue: 60 },
        },
      ];
    } finally {
      await product.stop();
    }
  } finally {
    await database.stop();
    await rm(folder, { recursive: true });
  }
}

/** The ids in the order of the requests. */
async function inLanes(
  port: number,
  count: number,
  requestOf: (index: number) => ReturnType<typeof post>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let next = 0;
  const lane = async () => {
    const connection = await openConnection(port);
    while (next < count) {
      const index = next++;
      const { status, body } = await connection.send(requestOf(index));
      if (status >= 300) throw new Error(`A request was answered with ${status}: ${body}`);
      ids[index] = body === '' ? '' : JSON.parse(body).id;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return ids;
}

async function checkMembers(port: number): Promise<void> {
  const connection = await openConnection(port);
  const placed = `/api/v1/users?page_size=1&role=editor`;
  const { body } = await connection.send(get(placed, bootstrapKey));
  connection.close();
  const { total } = JSON.parse(body);
  if (total !== rowCount * membersOfGroup) throw new Error(`${total} users have a team.`);
}
