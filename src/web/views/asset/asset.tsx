// One asset: its summary and its tabs.

import { type ComponentType, useEffect, useRef } from 'react';
import { isId } from '../../../core/id.ts';
import { questionOf } from '../../data/cache.ts';
import type { Asset } from '../../data/shapes.ts';
import { useAnswer, useCache } from '../../data/use-answer.ts';
import { type Later, later, onIntent } from '../../later.tsx';
import { Badge, Fqn, PageHead, useTitle } from '../../parts/bits.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Await, Loading, NoSuchPage } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link, type ViewProps } from '../../router.tsx';
import { useActsFor, useIsAdmin } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import { AssetActions, RestoreAsset } from './asset-edit.tsx';
import { type AssetTabProps, currentOf } from './asset-tab.ts';
import { stringsOf } from './metadata.ts';

interface TabRow {
  readonly name: string;
  readonly label: string;
  readonly load: () => Promise<{ default: ComponentType<AssetTabProps> }>;
}

type Tab = Omit<TabRow, 'load'> & Later<AssetTabProps>;

const tabs: readonly Tab[] = (
  [
    { name: '', label: words.asset.contract, load: () => import('./asset-contract.tsx') },
    { name: 'try', label: words.asset.changeSchema, load: () => import('./try/asset-try.tsx') },
    {
      name: 'versions',
      label: words.asset.versions,
      load: () => import('./asset-versions.tsx'),
    },
    { name: 'compare', label: words.asset.compare, load: () => import('./asset-compare.tsx') },
    {
      name: 'consumers',
      label: words.asset.consumers,
      load: () => import('./asset-consumers.tsx'),
    },
    { name: 'readers', label: words.readers.title, load: () => import('./asset-readers.tsx') },
    { name: 'use', label: words.use.tab, load: () => import('./asset-use.tsx') },
    {
      name: 'lineage',
      label: words.asset.lineage,
      load: () => import('./lineage/asset-lineage.tsx'),
    },
    { name: 'quality', label: words.asset.quality, load: () => import('./asset-quality.tsx') },
    {
      name: 'proposals',
      label: words.asset.proposals,
      load: () => import('./asset-proposals.tsx'),
    },
    { name: 'source', label: words.source.tab, load: () => import('./asset-source.tsx') },
    { name: 'history', label: words.asset.history, load: () => import('./asset-history.tsx') },
  ] satisfies readonly TabRow[]
).map((row) => ({ ...row, ...later(row.load, <Loading />) }));

export default function AssetView({ params }: ViewProps) {
  const id = params.id ?? '';
  const tab = tabs.find(({ name }) => name === (params.tab ?? ''));
  const answer = useAnswer('getAsset', { params: { asset_id: id } });
  const isAdmin = useIsAdmin();
  // The tab's own script and its first question do not wait for the asset.
  useEffect(() => void tab?.load().catch(() => {}), [tab]);
  useAnswer('listAssetContracts', tab?.name === 'try' ? currentOf(id, 'active') : null);
  useEditorSoon(answer.kind === 'ready');
  if (tab === undefined) return <NoSuchPage />;
  const isGone = answer.kind === 'refused' && answer.status === 404;
  return (
    <Await
      answer={answer}
      isWholePage
      more={isGone && isAdmin && isId(id) && <RestoreAsset assetId={id} />}
    >
      {(asset) => (
        <>
          <AssetHead asset={asset} tab={tab} />
          <OpenProposal asset={asset} />
          <tab.View asset={asset} />
        </>
      )}
    </Await>
  );
}

/** The editor is by far the largest script, so it is fetched while nothing else is done. */
function useEditorSoon(isQuiet: boolean): void {
  useEffect(() => {
    if (!isQuiet) return;
    const fetchEditor = () =>
      void tabs
        .find(({ name }) => name === 'try')
        ?.load()
        .catch(() => {});
    // Safari does not say when it is idle.
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(fetchEditor, afterFirstFrameMs);
      return () => clearTimeout(timer);
    }
    const asked = requestIdleCallback(fetchEditor);
    return () => cancelIdleCallback(asked);
  }, [isQuiet]);
}

const afterFirstFrameMs = 200;

function AssetHead({ asset, tab }: { readonly asset: Asset; readonly tab: Tab }) {
  useTitle(`${asset.fqn} · ${tab.label}`);
  const description = asset.metadata.description;
  const row = useRef<HTMLElement>(null);
  // On a phone the row of tabs is wider than the screen.
  useEffect(() => {
    const current = row.current?.querySelector(`[data-tab="${tab.name}"]`);
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab.name]);
  return (
    <>
      <PageHead
        title={<Fqn fqn={asset.fqn} />}
        aside={
          <>
            {tab.name === '' && <AssetActions asset={asset} />}
            {tab.name !== 'try' && <ChangeLink asset={asset} />}
            {asset.active_contract_version !== null && (
              <span className="big-version">{asset.active_contract_version}</span>
            )}
          </>
        }
        notes={
          asset.managed_by !== null && (
            <p className="note">
              <Icon name="info" />
              <span>
                {words.asset.managedBy(asset.managed_by.source)}{' '}
                <Link to={paths.asset(asset.id, 'source')}>{words.asset.seeSource}</Link>
              </span>
            </p>
          )
        }
      >
        <p className="asset-facts">
          {words.asset.ownedBy}{' '}
          <Link to={`${paths.assets}?owner=${asset.owner_team_id}`}>{asset.owner_team_name}</Link>{' '}
          {words.asset.in} {asset.environment}
          {asset.service_id !== undefined && (
            <>
              {' · '}
              {words.services.partOf}{' '}
              <Link to={paths.service(asset.service_id)}>{asset.service_name}</Link>
            </>
          )}
          {asset.owner_user_name !== null && ` · ${asset.owner_user_name}`}
          {stringsOf(asset.metadata.tags).map((tag) => (
            <Link key={tag} to={`${paths.assets}?tag=${encodeURIComponent(tag)}`} className="tag">
              {tag}
            </Link>
          ))}
        </p>
        {typeof description === 'string' && <p className="asset-description">{description}</p>}
      </PageHead>
      <nav className="tabs" ref={row} aria-label={words.asset.views}>
        {tabsOf(asset).map(({ name, label, load }) => (
          <Link
            key={name}
            to={paths.asset(asset.id, name)}
            data-tab={name}
            {...onIntent(load)}
            aria-current={name === tab.name ? 'page' : undefined}
            data-label={label}
          >
            {label}
          </Link>
        ))}
      </nav>
    </>
  );
}

/** For those who may publish; what a source manages is changed there. */
function ChangeLink({ asset }: AssetTabProps) {
  const actsFor = useActsFor();
  const cache = useCache();
  // The script comes while nothing else is done. A schema may have a megabyte.
  const prepare = () =>
    cache.preload(questionOf('listAssetContracts', currentOf(asset.id, 'active')));
  const mayPublish = actsFor(asset.owner_team_id) && asset.managed_by === null;
  if (!mayPublish || asset.active_contract_version === null) return null;
  return (
    <Link
      to={paths.asset(asset.id, 'try')}
      className="button button-main no-print"
      {...onIntent(prepare)}
    >
      {words.asset.changeSchema}
    </Link>
  );
}

/** Adds a tab for the source if the asset is managed elsewhere. */
function tabsOf(asset: Asset): readonly Tab[] {
  return tabs.filter(({ name }) => name !== 'source' || asset.managed_by !== null);
}

function OpenProposal({ asset }: AssetTabProps) {
  const query = { asset_id: asset.id, superseded: false, page_size: 1 };
  const pending = useAnswer('listProposals', { query: { ...query, status: 'pending' } });
  const approved = useAnswer('listProposals', { query: { ...query, status: 'approved' } });
  const rejected = useAnswer('listProposals', { query: { ...query, status: 'rejected' } });
  const all = [
    ['pending', pending],
    ['approved', approved],
    ['rejected', rejected],
  ] as const;
  const [found] = all.flatMap(([state, answer]) =>
    answer.kind === 'ready' ? answer.body.results.map((open) => ({ state, open })) : [],
  );
  if (found === undefined) return null;
  const { state, open } = found;
  return (
    <p className="note note-warn no-print">
      <Icon name="clock" />
      <span>{words.asset.openProposal[state]}</span>
      <Badge tone="warn">
        {words.proposals.answeredOf(open.acknowledgment_count, open.total_consumers)}
      </Badge>
      <Link to={paths.proposal(open.id)} className="button">
        {words.asset.seeProposal}
      </Link>
    </p>
  );
}
