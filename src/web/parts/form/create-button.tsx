import { Icon } from '../icon.tsx';

/** The main action of a list: creating another item. */
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
