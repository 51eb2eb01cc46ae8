// Acts on a draft: formats it, changes between JSON and YAML, opens and saves files, shares it.

import { type ChangeEvent, useId, useState } from 'react';
import type { JsonObject } from '../../../../core/value/json.ts';
import { saveFile } from '../../../data/save-answer.ts';
import type { Mode } from '../../../data/shapes.ts';
import { isYamlText } from '../../../editor/read-text.ts';
import { linkOf } from '../../../editor/share-link.ts';
import { printAsYaml } from '../../../engine/use-verdict.ts';
import { announce } from '../../../parts/announcer.tsx';
import { writeClipboard } from '../../../parts/form/form.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { words } from '../../../words.ts';

const mostFileBytes = 4 * 1_048_576;

export function TryTools({
  fqn,
  draft,
  schema,
  isShared,
  onText,
  onReset,
}: {
  readonly fqn: string;
  readonly draft: { readonly text: string; readonly mode: Mode | null; readonly since: string };
  /** Null while the text cannot be read. */
  readonly schema: JsonObject | null;
  readonly isShared: boolean;
  readonly onText: (text: string) => void;
  readonly onReset: () => void;
}) {
  const id = useId();
  const [problem, setProblem] = useState('');
  const { tryChange } = words;
  // Short, so that the tools take no row more.
  const [leave, leaveTitle] = isShared ? tryChange.leaveShared : tryChange.reset;
  const isYaml = isYamlText(draft.text);
  const write = async (asYaml: boolean) => {
    if (schema === null) return;
    const text = asYaml ? await printAsYaml(schema) : JSON.stringify(schema, null, 2);
    if (text !== null) onText(text);
  };
  const share = async () => {
    const link = await linkOf({ ...draft });
    setProblem(link === null ? tryChange.tooLargeToShare : '');
    if (link === null) return;
    await writeClipboard(link);
    announce(tryChange.shared);
  };
  const open = async (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.target.files ?? [];
    if (file === undefined) return;
    const opened = await textOf(file);
    // Allows choosing the same file again, which may have been corrected meanwhile.
    event.target.value = '';
    setProblem(opened.ok ? '' : opened.message);
    if (opened.ok) onText(opened.text);
  };
  const save = () => {
    const type = isYaml ? 'application/yaml' : 'application/json';
    saveFile(new Blob([draft.text], { type }), `${fqn}.${isYaml ? 'yaml' : 'json'}`);
  };
  return (
    <div className="try-tools">
      <Tool label={tryChange.tidy} isOff={schema === null} onClick={() => write(isYaml)} />
      <Tool
        label={isYaml ? tryChange.toJson : tryChange.toYaml}
        isOff={schema === null}
        onClick={() => write(!isYaml)}
      />
      <label className="button button-quiet" htmlFor={id}>
        {tryChange.upload}
      </label>
      <input
        id={id}
        className="hidden"
        type="file"
        accept=".json,.yaml,.yml"
        onChange={(event) => void open(event)}
      />
      <Tool label={tryChange.download} onClick={save} />
      <Tool label={tryChange.share} title={tryChange.shareTitle} onClick={share} />
      <Tool label={leave} title={leaveTitle} isTitled onClick={onReset} />
      <p role="status" className={problem === '' ? 'hidden' : 'note note-warn'}>
        {problem !== '' && <Icon name="alert" />}
        <span>{problem}</span>
      </p>
    </div>
  );
}

function Tool({
  label,
  title,
  isTitled = false,
  isOff = false,
  onClick,
}: {
  readonly label: string;
  readonly title?: string | undefined;
  /** The title is the label in full. */
  readonly isTitled?: boolean;
  readonly isOff?: boolean;
  readonly onClick: () => unknown;
}) {
  return (
    <button
      type="button"
      className="button button-quiet"
      title={title}
      aria-label={isTitled ? title : undefined}
      disabled={isOff}
      onClick={() => void onClick()}
    >
      {label}
    </button>
  );
}

async function textOf(
  file: File,
): Promise<
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string }
> {
  if (file.size > mostFileBytes)
    return { ok: false, message: words.tryChange.fileTooLarge(file.name) };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.bytes());
    return { ok: true, text };
  } catch {
    return { ok: false, message: words.tryChange.fileNotText(file.name) };
  }
}
