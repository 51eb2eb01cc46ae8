// The address of a repository. Only one that a browser can open safely is a link.

import { Breakable } from '../../parts/bits.tsx';

export function Repository({ address }: { readonly address: string | null }) {
  if (address === null) return null;
  if (!address.startsWith('https://')) return <Breakable text={address} />;
  return (
    <a href={address} rel="noreferrer noopener">
      <Breakable text={address.slice('https://'.length)} />
    </a>
  );
}
