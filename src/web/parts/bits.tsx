// Small components of many views: names, states, times.

import { Fragment, type ReactNode, useEffect } from 'react';
import type { ProposalState } from '../data/shapes.ts';
import { words } from '../words.ts';
import { Icon, type IconName } from './icon.tsx';

export type Tone = 'bad' | 'warn' | 'good' | 'calm' | 'plain';

/** A word in a box. The word carries the meaning; colour and icon only support it. */
export function Badge({
  tone,
  icon,
  children,
}: {
  readonly tone: Tone;
  readonly icon?: IconName;
  readonly children: ReactNode;
}) {
  return (
    <span className={`badge badge-${tone}`}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </span>
  );
}

const proposalLooks: Readonly<Record<ProposalState, readonly [Tone, IconName]>> = {
  pending: ['warn', 'clock'],
  approved: ['good', 'check'],
  published: ['good', 'check'],
  rejected: ['bad', 'cross'],
  force_published: ['bad', 'alert'],
  withdrawn: ['plain', 'cross'],
};

export function ProposalBadge({ state }: { readonly state: ProposalState }) {
  const [tone, icon] = proposalLooks[state];
  return (
    <Badge tone={tone} icon={icon}>
      {words.proposalStates[state]}
    </Badge>
  );
}

export function ContractBadge({ state }: { readonly state: 'active' | 'deprecated' | 'archived' }) {
  const tone = state === 'active' ? 'good' : 'plain';
  return <Badge tone={tone}>{words.versions.contractStates[state]}</Badge>;
}

/** The last segment is emphasized, because people look for it; the others are context. */
export function Fqn({ fqn }: { readonly fqn: string }) {
  const cut = fqn.lastIndexOf('.') + 1;
  return (
    <span className="fqn">
      <span className="fqn-where">
        <Breakable text={fqn.slice(0, cut)} />
      </span>
      <Breakable text={fqn.slice(cut)} />
    </span>
  );
}

/** A name that wraps at its dots and underscores rather than within a word. */
export function Breakable({ text }: { readonly text: string }) {
  return text.split(/(?<=[._/])/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${words.product}`;
  }, [title]);
}

export function PageHead({
  title,
  children,
  aside,
  notes,
}: {
  readonly title: ReactNode;
  readonly children?: ReactNode;
  readonly aside?: ReactNode;
  /** Below both, as wide as what follows. */
  readonly notes?: ReactNode;
}) {
  return (
    <header className="page-head">
      <div className="page-head-text">
        <h1>{title}</h1>
        {children}
      </div>
      {aside !== undefined && <div className="page-head-aside">{aside}</div>}
      {notes !== undefined && <div className="page-head-notes">{notes}</div>}
    </header>
  );
}

export function Panel({
  title,
  aside,
  children,
  className = '',
}: {
  readonly title?: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}) {
  return (
    <section className={`panel ${className}`}>
      {title !== undefined && (
        <div className="panel-head">
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

/** A table that may be wider than the screen: it scrolls by itself, also by keyboard. */
export function TableFrame({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table-frame" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
