import type { DeclareTeam } from '../../core/decide/people/commands.ts';
import { decideDeclaration, decideDeclaring } from '../../core/decide/people/managed-team.ts';
import { readTeam } from '../../core/decide/people/team.ts';
import type { Team } from '../../core/team.ts';
import { applyDecided, byOf } from '../apply-decided.ts';
import type { Verb } from '../commands.ts';

/** Creates the team of an object, or changes it if that object holds it. It can do nothing else. */
export const declareTeam: Verb<DeclareTeam, Team> = async (ports, context, command) => {
  const { slug, name = slug, metadata } = command;
  const holder = decideDeclaring(context.actor, slug);
  if (!holder.ok) return holder;
  const wanted = readTeam({ name, slug, metadata });
  if (!wanted.ok) return wanted;
  return ports.transact(context, async (transaction) => {
    await transaction.lockTeamNames();
    const [found] = await transaction.findTeamsBySlug([slug]);
    const held = found === undefined ? null : await transaction.lockTeamRow(found.id);
    const named = held !== null && command.name === undefined ? held.name : wanted.value.name;
    const facts = {
      namesake: await transaction.findTeamByName(named),
      slugHolders: held === null ? [] : [held],
    };
    const by = byOf(context, transaction);
    const exact = command.name === undefined ? command : { ...command, name: wanted.value.name };
    return applyDecided(
      transaction,
      decideDeclaration(facts, wanted.value, exact, { managedBy: holder.value, by }),
    );
  });
};
