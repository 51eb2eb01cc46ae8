// A registration whose last object was deleted: what keeps it, and what ends it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UpdateRegistration } from '../../src/core/decide/commands.ts';
import type { Ports } from '../../src/registry/ports.ts';
import { endDepartures } from '../../src/registry/registrations/end-departures.ts';
import {
  accepted,
  contextOf,
  makeAsset,
  makeTeam,
  memberOf,
  openWorld,
  published,
  schemaOf,
  verbs,
  type World,
} from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** One that ends now, and a person of its team. */
async function leaving() {
  const { ports } = world;
  const asset = await makeAsset(ports, await makeTeam(ports));
  const { id: contractId } = await published(ports, asset.id, schemaOf('a', 'b'));
  const team = await makeTeam(ports);
  const person = contextOf(memberOf(team));
  const claimed = { contractId, consumerTeamId: team.id, claim: 'cluster' };
  const { id } = accepted(await verbs.registerConsumer(ports, person, claimed));
  const left = { registrationId: id, claim: 'cluster', endsAt: new Date().toISOString() };
  accepted(await verbs.deleteRegistration(ports, person, left));
  return { id, person };
}

const isThere = async (id: string) => (await world.ports.reads.getRegistration(id)) !== null;

test.each<[what: string, keeps: boolean, command: Partial<UpdateRegistration>]>([
  ['active', true, { status: 'active' }],
  ['a reader of some fields', true, { needs: { fields: ['$.a'] } }],
  ['a reader of everything again', false, { needs: null }],
  ['the author of a note', false, { notes: 'Invoices.' }],
])('whose team is made %s: stays %s', async (_what, keeps, command) => {
  const { id, person } = await leaving();
  const asked = { registrationId: id, ...command };
  accepted(await verbs.updateRegistration(world.ports, person, asked));
  await endDepartures(world.ports, contextOf());
  expect(await isThere(id)).toBe(keeps);
});

test.each<[who: string, keeps: boolean, more: { teams?: 'all'; onlyAdds?: true }]>([
  ['a key that writes for all teams', true, { teams: 'all' }],
  ['a declaration of the producer', true, { onlyAdds: true }],
  ['the team itself', false, {}],
])(
  'whose team %s registers again: keeps its version and what the team reads %s',
  async (_who, keeps, { teams, onlyAdds }) => {
    const { ports } = world;
    const { id, person } = await leaving();
    const needs = { fields: ['$.a'] };
    accepted(await verbs.updateRegistration(ports, person, { registrationId: id, needs }));
    const { assetId, consumerTeamId } = (await ports.reads.getRegistration(id)) ?? {};
    const later = await published(ports, assetId ?? '', schemaOf('a', 'b', 'c'));
    await world.database.query(
      `update registration set ends_at = '2099-01-01', contract_id = $2 where id = $1`,
      [id, later.previousContractId],
    );
    const again = { contractId: later.id, consumerTeamId: consumerTeamId ?? '', onlyAdds };
    const actor = { ...person.actor, ...(teams !== undefined && { teams }) };
    const made = accepted(await verbs.registerConsumer(ports, contextOf(actor), again));
    expect(await ports.reads.getRegistration(made.id)).toMatchObject({
      ...{ endsAt: null, contractVersion: keeps ? '1.0.0' : '1.1.0' },
      need: keeps ? { stated: needs } : null,
    });
    expect(made.id === id).toBe(keeps);
  },
);

test('that cannot be ended now holds up no other one', async () => {
  const [stuck, free] = [await leaving(), await leaving()];
  const failures: unknown[] = [];
  const ports: Ports = {
    ...world.ports,
    reportError: (error) => failures.push(error),
    transact: (context, body) =>
      world.ports.transact(context, (transaction) =>
        body({
          ...transaction,
          lockRegistration: async (id) => {
            if (id === stuck.id) throw new Error('its asset is locked');
            return transaction.lockRegistration(id);
          },
        }),
      ),
  };
  await endDepartures(ports, contextOf());
  expect([await isThere(stuck.id), await isThere(free.id)]).toEqual([true, false]);
  expect(failures).toHaveLength(1);
});
