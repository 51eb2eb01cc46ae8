// What a team says that it reads, edited by ticking fields. The page's own engine checks at once
// whether the contract meets it.

import { useMemo, useState } from 'react';
import { valueText } from '../../../../core/diff/change-text.ts';
import { fieldsAround } from '../../../../core/needs/field-path.ts';
import { isJsonObject, parseEditedJson } from '../../../../core/value/json.ts';
import type { Placed } from '../../../data/field-tree.ts';
import type { AssetFields, Contract, RegistrationRead } from '../../../data/shapes.ts';
import { termsOf } from '../../../data/terms-of.ts';
import { useAct, useAnswer } from '../../../data/use-answer.ts';
import { type EngineState, useNeedCheck } from '../../../engine/use-verdict.ts';
import type { NeedCheck } from '../../../engine/verdict.ts';
import { Badge, Panel } from '../../../parts/bits.tsx';
import { Chunks } from '../../../parts/chunks.tsx';
import { AreaField, Checkbox, Radios } from '../../../parts/form/form.tsx';
import { ReasonField } from '../../../parts/form/reason-field.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Await, RefusalNote } from '../../../parts/states.tsx';
import { useIsForOther } from '../../../session/session-context.tsx';
import { words } from '../../../words.ts';
import { FieldSearch } from '../field-search.tsx';
import { OpenProposal, type StatedHere } from './need-proposal.tsx';

type Field = Placed<AssetFields['fields'][number]>;

interface EditorProps {
  readonly assetId: string;
  readonly registrationId: string;
  readonly fields: readonly Field[];
  readonly onClose: () => void;
}

export function NeedEditor(props: EditorProps) {
  const registration = useAnswer('getRegistration', {
    params: { registration_id: props.registrationId },
  });
  const contract = useAnswer('getAssetContract', {
    params: { asset_id: props.assetId, version: 'latest' },
  });
  return (
    <Await answer={registration}>
      {(read) => (
        <Await answer={contract}>
          {(base) => (
            <Editor
              key={read.id}
              {...props}
              registration={read}
              etag={registration.kind === 'ready' ? registration.etag : null}
              contract={base}
            />
          )}
        </Await>
      )}
    </Await>
  );
}

type Choice = 'everything' | 'fields' | 'schema';

function Editor({
  registration,
  etag,
  contract,
  fields,
  onClose,
}: EditorProps & {
  readonly registration: RegistrationRead;
  readonly etag: string | null;
  readonly contract: Contract;
}) {
  const act = useAct();
  const said = registration.needs?.stated;
  const found = registration.found_needs?.fields ?? null;
  const [begun, setBegun] = useState(registration);
  const [isEdited, setEdited] = useState(false);
  const [choice, setChoice] = useState(() => choiceOf(registration));
  const [ticked, setTicked] = useState(() => tickedOf(registration));
  const [text, setText] = useState(() => schemaTextOf(registration));
  const isOther = JSON.stringify(said) !== JSON.stringify(begun.needs?.stated);
  // A colleague saved another need meanwhile; saving this one would undo that.
  const isOutdated = isOther && isEdited && !act.isRunning;
  if (isOther && !isEdited) {
    setBegun(registration);
    setChoice(choiceOf(registration));
    setTicked(tickedOf(registration));
    setText(schemaTextOf(registration));
  }
  const [isWish, setWish] = useState(false);
  const stated = useMemo(() => {
    const what = statedOf(choice, ticked, text);
    // The page does not edit which guarantees the team relies on.
    if (!what.ok || what.stated === null || said?.guarantees === undefined) return what;
    return { ok: true as const, stated: { ...what.stated, guarantees: said.guarantees } };
  }, [choice, ticked, text, said]);
  const terms = useMemo(() => termsOf(contract), [contract]);
  const check = useNeedCheck(stated.ok ? stated.stated : null, terms);
  const isUnmet = check.kind === 'ready' && check.verdict.kind === 'unmet';
  const isForOther = useIsForOther()(registration.consumer_team_id);
  const [reason, setReason] = useState('');
  const save = async () => {
    if (!stated.ok || isOutdated) return;
    const call = {
      params: { registration_id: registration.id },
      ...(etag !== null && { headers: { 'if-match': etag } }),
      body: {
        needs: stated.stated,
        ...(isUnmet && { allow_unmet: isWish }),
        ...(isForOther && { reason }),
      },
    };
    const result = await act.run('updateRegistration', call, words.readers.saved);
    if (result !== null) onClose();
  };
  return (
    <Panel title={words.readers.editTitle(registration.consumer_team_name)}>
      <form
        className="need-editor"
        onChange={() => setEdited(true)}
        onSubmit={(event) => {
          event.preventDefault();
          if (!act.isRunning) save();
        }}
      >
        {isOutdated && (
          <p className="note note-warn" role="status">
            <Icon name="alert" />
            <span>{words.readers.changed}</span>
          </p>
        )}
        <OpenProposal registration={registration} stated={stated.ok ? stated.stated : 'unread'} />
        {registration.needs?.status === 'unmet' && (
          <p className="note note-warn">
            <Icon name="alert" />
            <span>{words.readers.wish}</span>
          </p>
        )}
        <Radios
          legend={words.readers.choose}
          name="need"
          value={choice}
          onChoose={setChoice}
          choices={(['everything', 'fields', 'schema'] as const).map((value) => ({
            value,
            label: words.readers.choices[value],
            hint: words.readers.choices[`${value}Hint`],
          }))}
        />
        {/* Above the fields, which may be more than the screen shows. */}
        <div className="need-verdict">
          <div role="status">
            {stated.ok ? (
              stated.stated !== null && <NeedLine check={check} version={contract.version} />
            ) : (
              <p className="verdict">{stated.message}</p>
            )}
          </div>
          {isUnmet && (
            <Checkbox label={words.readers.allowUnmet} isChecked={isWish} onChange={setWish} />
          )}
          {isForOther && <ReasonField reason={reason} onText={setReason} />}
          <div className="need-actions">
            <button
              type="submit"
              className="button button-main"
              disabled={!stated.ok || isOutdated || (isUnmet && !isWish)}
            >
              {act.isRunning ? words.actions.working : words.readers.save}
            </button>
            <button type="button" className="button" onClick={onClose}>
              {words.actions.cancel}
            </button>
          </div>
          <RefusalNote refusal={act.refusal} />
        </div>
        {choice === 'fields' && (
          <FieldChoice
            // Fields that are in no contract are found once, before the first of them is unticked.
            key={JSON.stringify(begun.needs?.stated)}
            fields={fields}
            found={found}
            ticked={ticked}
            onTicked={(next) => {
              setEdited(true);
              setTicked(next);
            }}
          />
        )}
        {choice === 'schema' && (
          <AreaField
            label={words.readers.schema}
            className="editor"
            spellCheck={false}
            rows={16}
            value={text}
            onText={setText}
          />
        )}
      </form>
    </Panel>
  );
}

function NeedLine({
  check,
  version,
}: {
  readonly check: EngineState<NeedCheck>;
  readonly version: string;
}) {
  if (check.kind === 'failed') return <p className="verdict">{words.readers.unchecked}</p>;
  const verdict = verdictIn(check);
  if (verdict === null) return <p className="verdict muted">{words.readers.checking}</p>;
  switch (verdict.kind) {
    case 'met':
      return (
        <p className="verdict verdict-good">
          <Icon name="check" />
          {words.readers.met(version)}
        </p>
      );
    case 'refused':
      return <p className="verdict">{verdict.message}</p>;
    case 'unmet':
      return (
        <>
          <p className="verdict verdict-bad">
            <Icon name="cross" />
            {words.readers.unmet(version)}
          </p>
          <p>{verdict.message}</p>
          {verdict.witness !== undefined && <code>{valueText(verdict.witness, [])}</code>}
        </>
      );
    default:
      return verdict satisfies never;
  }
}

/** While a need is checked, what was true of the one before it. */
function verdictIn(check: EngineState<NeedCheck>): NeedCheck | null {
  if (check.kind === 'ready') return check.verdict;
  return check.kind === 'comparing' ? check.last : null;
}

function FieldChoice({
  fields,
  found,
  ticked,
  onTicked,
}: {
  readonly fields: readonly Field[];
  readonly found: readonly string[] | null;
  readonly ticked: ReadonlySet<string>;
  readonly onTicked: (ticked: ReadonlySet<string>) => void;
}) {
  const [search, setSearch] = useState('');
  const [strange] = useState(() => {
    const listed = new Set(fields.map(({ field }) => field.path));
    return [...ticked].filter((path) => !listed.has(path));
  });
  const wanted = search.trim().toLowerCase();
  const rows = useMemo(() => {
    const listed = fields.map(({ field }) => ({ path: field.path, isListed: true }));
    const others = strange.map((path) => ({ path, isListed: false }));
    return [...others, ...listed].filter(({ path }) => path.toLowerCase().includes(wanted));
  }, [fields, strange, wanted]);
  const foundPaths = useMemo(() => new Set(found), [found]);
  const tick = (path: string) => {
    const next = new Set(ticked);
    if (!next.delete(path)) next.add(path);
    onTicked(next);
  };
  return (
    <div className="need-fields">
      <FieldSearch
        search={search}
        onSearch={setSearch}
        found={rows.length === 0 ? null : words.readers.ticked(ticked.size)}
      >
        {foundPaths.size > 0 && (
          <button
            type="button"
            className="button button-quiet"
            onClick={() => onTicked(ticked.union(foundPaths))}
          >
            {words.readers.tickFound}
          </button>
        )}
        {ticked.size > 0 && (
          <button type="button" className="button button-quiet" onClick={() => onTicked(new Set())}>
            {words.readers.untick}
          </button>
        )}
      </FieldSearch>
      <Chunks
        total={rows.length}
        rowHeight={32}
        as="div"
        renderRow={(index) => {
          const row = rows[index];
          if (row === undefined) return null;
          const { path, isListed } = row;
          // Whoever reads a field reads its parts.
          const isWithin = fieldsAround(path).some(
            (around) => around !== path && ticked.has(around),
          );
          return (
            <label key={path} className="checkbox need-field">
              <input
                type="checkbox"
                checked={isWithin || ticked.has(path)}
                disabled={isWithin}
                onChange={() => tick(path)}
              />
              <code>{path}</code>
              {!isListed && <Badge tone="warn">{words.readers.notInContract}</Badge>}
              {foundPaths.has(path) && <Badge tone="calm">{words.readers.foundAt}</Badge>}
            </label>
          );
        }}
      />
    </div>
  );
}

function choiceOf({ needs }: RegistrationRead): Choice {
  if (needs === undefined) return 'everything';
  return 'fields' in needs.stated ? 'fields' : 'schema';
}

function tickedOf({ needs }: RegistrationRead): ReadonlySet<string> {
  return new Set(needs !== undefined && 'fields' in needs.stated ? needs.stated.fields : []);
}

function schemaTextOf({ needs }: RegistrationRead): string {
  return JSON.stringify(needs?.schema ?? { type: 'object' }, null, 2);
}

/** Null: everything. */
type Stating =
  | { readonly ok: true; readonly stated: StatedHere | null }
  | { readonly ok: false; readonly message: string };

function statedOf(choice: Choice, ticked: ReadonlySet<string>, text: string): Stating {
  if (choice === 'everything') return { ok: true, stated: null };
  if (choice === 'fields') return { ok: true, stated: { fields: [...ticked] } };
  const parsed = parseEditedJson(text);
  if (!parsed.ok) return { ok: false, message: words.tryChange.notJson(parsed.message) };
  return isJsonObject(parsed.value)
    ? { ok: true, stated: { schema: parsed.value } }
    : { ok: false, message: words.tryChange.notObject };
}
