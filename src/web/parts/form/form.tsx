// The parts of forms.

import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { words } from '../../words.ts';
import { announce } from '../announcer.tsx';
import { Icon } from '../icon.tsx';

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: string | undefined;
  readonly children: (ids: { id: string; 'aria-describedby'?: string }) => ReactNode;
}

export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, ...(hint !== undefined && { 'aria-describedby': hintId }) })}
      {hint !== undefined && (
        <p className="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

type TextProps = Omit<ComponentProps<'input'>, 'onChange'> & {
  readonly label: ReactNode;
  readonly hint?: string;
  readonly onText: (text: string) => void;
};

export function TextField({ label, hint, onText, ...rest }: TextProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <input type="text" {...rest} {...ids} onChange={(event) => onText(event.target.value)} />
      )}
    </Field>
  );
}

export function AreaField({
  label,
  hint,
  onText,
  ...rest
}: Omit<ComponentProps<'textarea'>, 'onChange'> & {
  readonly label: string;
  readonly hint?: string;
  readonly onText: (text: string) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <textarea rows={3} {...rest} {...ids} onChange={(event) => onText(event.target.value)} />
      )}
    </Field>
  );
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

export function SelectField({
  label,
  hint,
  options,
  onText,
  ...rest
}: Omit<ComponentProps<'select'>, 'onChange'> & {
  readonly label: ReactNode;
  readonly hint?: string;
  readonly options: readonly Option[];
  readonly onText: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <select {...rest} {...ids} onChange={(event) => onText(event.target.value)}>
          {options.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Checkbox({
  label,
  isChecked,
  onChange,
}: {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (next: boolean) => void;
}) {
  return (
    <label className="checkbox">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  );
}

interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

export function Radios<T extends string>({
  legend,
  name,
  choices,
  value,
  onChoose,
}: {
  readonly legend: string;
  readonly name: string;
  readonly choices: readonly Choice<T>[];
  /** Null until one is chosen, without which the form is not sent. */
  readonly value: T | null;
  readonly onChoose: (value: T) => void;
}) {
  return (
    <fieldset className="radios">
      <legend>{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className="radio">
          <input
            type="radio"
            name={name}
            value={choice.value}
            required
            checked={choice.value === value}
            onChange={() => onChoose(choice.value)}
          />
          <span>
            <strong>{choice.label}</strong>
            {choice.hint !== undefined && <span className="hint">{choice.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** A modal dialog. Escape and Cancel close it; its form submits it. */
export function Dialog({
  title,
  children,
  confirm,
  isRunning = false,
  isDangerous = false,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly children: ReactNode;
  /** The label of the button; null if there is nothing to confirm. */
  readonly confirm: string | null;
  readonly isRunning?: boolean;
  readonly isDangerous?: boolean;
  readonly onConfirm?: () => void;
  readonly onClose: () => void;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isRunning) onConfirm?.();
  };
  return (
    <dialog ref={ref} className="dialog" aria-labelledby={titleId} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id={titleId}>{title}</h2>
        <div className="dialog-body">{children}</div>
        <div className="dialog-foot">
          <button type="button" className="button" onClick={() => ref.current?.close()}>
            {confirm === null ? words.actions.close : words.actions.cancel}
          </button>
          {confirm !== null && (
            <button
              type="submit"
              className={`button ${isDangerous ? 'button-danger' : 'button-main'}`}
              aria-disabled={isRunning}
            >
              {isRunning ? words.actions.working : confirm}
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}

export function CopyButton({ text, label = words.actions.copy }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await writeClipboard(text);
    setCopied(true);
    announce(words.actions.copied);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <button type="button" className="button button-quiet" onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      {isCopied ? words.actions.copied : label}
    </button>
  );
}

/** The Clipboard API works only over https and on localhost; elsewhere a selection is copied. */
export async function writeClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
