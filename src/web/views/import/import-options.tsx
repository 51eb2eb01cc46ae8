// The options of an import: how the file is read, and what is done with its content.

import type { ImportKind, ReadingOptions, WritingOptions } from '../../imports/import.types.ts';
import { Checkbox, SelectField, TextField } from '../../parts/form/form.tsx';
import { TeamSelect } from '../../parts/form/team-select.tsx';
import { useActsFor } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

export interface Options {
  readonly reading: ReadingOptions;
  readonly writing: WritingOptions;
}

/** The defaults of the API. OpenAPI documents are published automatically. */
const defaults: Readonly<
  Record<ImportKind, { readonly prefix: string; readonly publishes: boolean }>
> = {
  dbt: { prefix: '', publishes: false },
  openapi: { prefix: 'api', publishes: true },
  graphql: { prefix: 'graphql', publishes: false },
  odcs: { prefix: '', publishes: false },
};

const startReading: ReadingOptions = {
  environment: 'production',
  prefix: '',
  naming: 'title',
  nullableColumns: undefined,
  integerAtScale0: undefined,
  notNullAsRequired: undefined,
};

export function startOptions(teamId: string): Options {
  return {
    reading: startReading,
    writing: {
      ownerTeamId: teamId,
      conflictMode: 'ignore',
      prune: 'report',
      isPartial: false,
      publishes: false,
      proposes: false,
      registersConsumers: false,
      infersConsumers: false,
    },
  };
}

/** The initial options for a kind of file. */
export function optionsFor(kind: ImportKind): { reading: ReadingOptions; publishes: boolean } {
  const { prefix, publishes } = defaults[kind];
  return { reading: { ...startReading, prefix }, publishes };
}

export function ReadingFields({
  kind,
  reading,
  onChange,
}: {
  readonly kind: ImportKind;
  readonly reading: ReadingOptions;
  readonly onChange: (reading: ReadingOptions) => void;
}) {
  return (
    <>
      <TextField
        label={words.import.environment}
        maxLength={100}
        spellCheck={false}
        value={reading.environment}
        onText={(environment) => onChange({ ...reading, environment })}
      />
      {(kind === 'openapi' || kind === 'graphql') && (
        <TextField
          label={words.import.prefix}
          maxLength={200}
          spellCheck={false}
          value={reading.prefix}
          onText={(prefix) => onChange({ ...reading, prefix })}
        />
      )}
      {kind === 'openapi' && (
        <SelectField
          label={words.import.naming}
          value={reading.naming}
          onText={(naming) =>
            onChange({ ...reading, naming: naming === 'path' ? 'path' : 'title' })
          }
          options={[
            { value: 'title', label: words.import.namings.title },
            { value: 'path', label: words.import.namings.path },
          ]}
        />
      )}
      {kind === 'dbt' && <ColumnFields reading={reading} onChange={onChange} />}
    </>
  );
}

const columnOptions = ['nullableColumns', 'integerAtScale0', 'notNullAsRequired'] as const;

function ColumnFields({
  reading,
  onChange,
}: {
  readonly reading: ReadingOptions;
  readonly onChange: (reading: ReadingOptions) => void;
}) {
  return (
    <details className="import-more">
      <summary>{words.import.columns}</summary>
      <div className="stack import-options">
        {columnOptions.map((name) => (
          <SelectField
            key={name}
            label={words.import.columnOptions[name]}
            value={String(reading[name] ?? '')}
            onText={(value) =>
              onChange({ ...reading, [name]: value === '' ? undefined : value === 'true' })
            }
            options={[
              { value: '', label: words.import.asSet },
              { value: 'true', label: words.import.yes },
              { value: 'false', label: words.import.no },
            ]}
          />
        ))}
      </div>
    </details>
  );
}

const conflictModes = ['ignore', 'overwrite', 'fail'] as const;

export function WritingFields({
  kind,
  writing,
  onChange,
}: {
  readonly kind: ImportKind;
  readonly writing: WritingOptions;
  readonly onChange: (writing: WritingOptions) => void;
}) {
  const actsFor = useActsFor();
  const box = (name: BooleanOption) => (
    <Checkbox
      key={name}
      label={words.import.does[name]}
      isChecked={writing[name]}
      onChange={(next) => onChange({ ...writing, [name]: next })}
    />
  );
  return (
    <>
      <TeamSelect
        label={words.import.owner}
        hint={words.import.ownerHint}
        value={writing.ownerTeamId}
        onTeam={(ownerTeamId) => onChange({ ...writing, ownerTeamId })}
        before={[{ value: '', label: words.import.chooseOwner }]}
        isOffered={({ id }) => actsFor(id)}
      />
      <SelectField
        label={words.import.conflict}
        value={writing.conflictMode}
        onText={(next) => {
          const mode = conflictModes.find((one) => one === next) ?? 'ignore';
          onChange({ ...writing, conflictMode: mode });
        }}
        options={conflictModes.map((value) => ({ value, label: words.import.conflicts[value] }))}
      />
      <SelectField
        label={words.import.prune}
        value={writing.prune}
        onText={(next) =>
          onChange({ ...writing, prune: next === 'deprecate' ? 'deprecate' : 'report' })
        }
        options={[
          { value: 'report', label: words.import.prunes.report },
          { value: 'deprecate', label: words.import.prunes.deprecate },
        ]}
      />
      <fieldset className="import-boxes">
        <legend className="hidden">{words.import.doesTitle}</legend>
        {boxesOf[kind].map(box)}
      </fieldset>
    </>
  );
}

type BooleanOption =
  | 'publishes'
  | 'proposes'
  | 'registersConsumers'
  | 'infersConsumers'
  | 'isPartial';

const always = ['publishes', 'proposes'] as const;

const boxesOf: Readonly<Record<ImportKind, readonly BooleanOption[]>> = {
  dbt: [...always, 'registersConsumers', 'infersConsumers', 'isPartial'],
  openapi: [...always, 'isPartial'],
  graphql: [...always, 'isPartial'],
  odcs: [...always, 'registersConsumers', 'isPartial'],
};
