// Shows a secret once, with a button to copy it.

import { CopyButton, Dialog, Field } from './form.tsx';

export function SecretDialog({
  title,
  hint,
  label,
  secret,
  onClose,
}: {
  readonly title: string;
  readonly hint: string;
  readonly label: string;
  readonly secret: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={title} confirm={null} onClose={onClose}>
      <p>{hint}</p>
      <Field label={label}>
        {(ids) => (
          <input
            {...ids}
            type="text"
            className="secret"
            readOnly
            value={secret}
            onFocus={(event) => event.target.select()}
          />
        )}
      </Field>
      <CopyButton text={secret} />
    </Dialog>
  );
}
