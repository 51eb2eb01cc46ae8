import { refineQuery, usePlace } from '../../router.tsx';

/**
 * Whether the dialog that creates an item of a list is open. It is in the address, so that links and
 * the palette open it, too.
 */
export function useCreating(): readonly [boolean, (isOpen: boolean) => void] {
  const { query } = usePlace();
  return [query.has('new'), (isOpen) => refineQuery({ new: isOpen ? 'yes' : '' })];
}
