import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-line.ts';
import { wrongUsage } from '../exit-code.ts';
import { type ActOptions, runAct } from '../manage/act.ts';
import { needsAct } from '../manage/registration-acts.ts';
import { addAll, connectionOptions, environmentOption, formatOption } from '../options.ts';
import type { FindOptions } from './found.ts';
import { sqlDialects } from './sql-dialects.ts';

/** `concordat needs`: one asset's needs, or what files read. */
export function mountNeeds(command: Command, context: CommandContext): void {
  command
    .description(
      'Says what a consumer reads of an asset, or shows it. With a finder, reads files instead, and prints\n' +
        'which fields of which assets they read. --register sends that to a registry: it adds to whom a\n' +
        'change asks, and excuses nobody until the team confirms it. Exit code 3: a file could not be read\n' +
        'whole, so nothing was sent.',
    )
    .argument('[names...]', 'FQN or id of the asset; with a finder, files or folders');
  addAll(command, [
    ...needsAct.options.map(([flags, what]) => new Option(flags, what)),
    ...finderOptions(),
    environmentOption(),
    formatOption(),
    ...connectionOptions(),
  ]);
  command
    .addHelpText('after', examples)
    .action((names: string[], options: ActOptions & FindOptions) =>
      context.run(async () => {
        const { dialect, dbt, graphql, openlineage } = options;
        if ([dialect, dbt, graphql, openlineage].some((each) => each !== undefined)) {
          const { runFind } = await import('./find-command.ts');
          return runFind(names, options, context.io);
        }
        const [name, ...others] = names;
        if (name === undefined || others.length > 0) {
          throw wrongUsage(
            'Name one asset, or say what the files are: --dialect, --dbt, --graphql or --openlineage.',
          );
        }
        return runAct(needsAct, name, options, context.io);
      }),
    );
}

function finderOptions(): readonly Option[] {
  return [
    new Option(
      '--dialect <dialect>',
      'find: the files, the models of dbt, or the jobs of OpenLineage have SQL of this dialect',
    ).choices(Object.keys(sqlDialects)),
    new Option(
      '--default-schema <name>',
      'find: database and schema of relations that are named without, such as shop.public',
    ),
    new Option('--dbt <manifest>', 'find: read the compiled SQL in a manifest of dbt'),
    new Option('--catalog <file>', 'find: the columns of tables, from dbt docs generate'),
    new Option(
      '--contracts',
      'find: the columns of tables in SQL files, from the contracts in the registry',
    ),
    new Option('--graphql <schema>', 'find: the files are operations against this GraphQL schema'),
    new Option('--prefix <prefix>', 'find: what the FQNs of GraphQL types start with'),
    new Option(
      '--openlineage',
      'find: the files are events of OpenLineage, as its clients write them',
    ),
    new Option('--register', 'find: send what was found to the registry'),
    new Option('--source <name>', 'find: name of the project, which replaces what it sent before'),
  ];
}

const examples = `
Examples:
  $ concordat needs shop.public.orders --reads '$.id,$.lines[*].sku'
  $ concordat needs --dialect snowflake queries/*.sql
  $ concordat needs --dbt target/manifest.json --catalog target/catalog.json --register
  $ concordat needs --graphql schema.graphql app/queries/
  $ concordat needs --openlineage events.ndjson --dialect spark
  $ concordat needs --dialect postgres queries/ --contracts --register --source reports --team billing`;
