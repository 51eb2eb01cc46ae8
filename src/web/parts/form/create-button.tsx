import { Icon } from '../icon.tsx';

/** The main act of a list: one more of what it lists. */
export function CreateButton({
  label,
  onClick,
}: {
  readonly label: string;
  readonly onClick: () => void;
}) {
  return (
    <button type="button" className="button button-main" onClick={onClick}>
      <Icon name="plus" />
      {label}
    </button>
  );
}
