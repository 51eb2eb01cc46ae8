// Searches ten thousand assets while the user types. The filters are in the address, everything can
// be reached by keyboard, and only visible rows are in the document.

import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { qualityRunStates } from '../../../core/quality-run.ts';
import { withoutBasePath } from '../../base-path.ts';
import type { AssetListed, CallTo } from '../../data/shapes.ts';
import { useAnswer, useSettled } from '../../data/use-answer.ts';
import { Badge, Fqn, PageHead, useTitle } from '../../parts/bits.tsx';
import { CreateButton } from '../../parts/form/create-button.tsx';
import { SelectField, TextField } from '../../parts/form/form.tsx';
import { SavedViews } from '../../parts/form/saved-views.tsx';
import { TeamSelect } from '../../parts/form/team-select.tsx';
import { useCreating } from '../../parts/form/use-creating.ts';
import { Icon } from '../../parts/icon.tsx';
import { Await, Empty } from '../../parts/states.tsx';
import { type Span, useMedia, Windowed } from '../../parts/windowed.tsx';
import { paths } from '../../paths.ts';
import { Link, navigate, refineQuery, usePlace } from '../../router.tsx';
import { useActsFor, useIsAdmin, useTeamChoice } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import { CreateAsset } from './create-asset.tsx';

/** More than a tall screen shows; larger pages would be wasted while the user still types. */
const pageSize = 50;
const rowHeight = { wide: 44, narrow: 64 };

type Filters = Omit<NonNullable<CallTo<'listAssets'>['query']>, 'page' | 'page_size'>;

export default function Assets() {
  useTitle(words.assets.title);
  const { query } = usePlace();
  const filters = useMemo(() => readFilters(query), [query]);
  const isAdmin = useIsAdmin();
  const { teamId } = useTeamChoice();
  const [isCreating, setCreating] = useCreating();
  const actsFor = useActsFor();
  const mayCreate = isAdmin || (teamId !== null && actsFor(teamId));
  return (
    <>
      <PageHead
        title={words.assets.title}
        aside={
          mayCreate && (
            <CreateButton label={words.assets.create} onClick={() => setCreating(true)} />
          )
        }
      />
      <FilterBar query={query} filters={filters} />
      <Results filters={filters} isFiltered={isNarrowed(filters)} />
      {isCreating && mayCreate && <CreateAsset onClose={() => setCreating(false)} />}
    </>
  );
}

/** Besides by name, which is the default. */
const sorts = ['-updated_at', '-created_at', 'created_at'] as const;

/** Whether anything but the order is asked for. */
function isNarrowed({ sort: _, ...filters }: Filters): boolean {
  return Object.keys(filters).length > 0;
}

function FilterBar({
  query,
  filters,
}: {
  readonly query: URLSearchParams;
  readonly filters: Filters;
}) {
  const search = useRef<HTMLDivElement>(null);
  const [text, setText] = useState(query.get('q') ?? '');
  const [environment, setEnvironment] = useState(query.get('environment') ?? '');
  const [tag, setTag] = useState(query.get('tag') ?? '');
  useSlash(search);
  const clear = () => {
    setText('');
    setEnvironment('');
    setTag('');
    refineQuery({ q: '', environment: '', tag: '', owner: '', consumer: '', quality: '' });
  };
  return (
    <>
      <search className="filters filters-many">
        <div className="filter-search" ref={search}>
          <TextField
            label={words.assets.search}
            hint={words.assets.shortcut}
            type="search"
            placeholder={words.assets.searchHint}
            autoComplete="off"
            spellCheck={false}
            value={text}
            maxLength={200}
            onText={(next) => {
              setText(next);
              refineQuery({ q: next });
            }}
            onKeyDown={(event) => stepFromSearch(event)}
          />
        </div>
        <TeamSelect
          label={words.assets.owner}
          value={query.get('owner') ?? ''}
          onTeam={(owner) => refineQuery({ owner })}
          before={[{ value: '', label: words.assets.anyTeam }]}
        />
        <TeamSelect
          label={words.assets.consumer}
          value={query.get('consumer') ?? ''}
          onTeam={(consumer) => refineQuery({ consumer })}
          before={[{ value: '', label: words.assets.anyTeam }]}
        />
        <SelectField
          label={words.assets.quality}
          value={query.get('quality') ?? ''}
          onText={(quality) => refineQuery({ quality })}
          options={[
            { value: '', label: words.assets.any },
            ...qualityRunStates.map((value) => ({ value, label: words.quality.states[value] })),
          ]}
        />
        <TextField
          label={words.assets.environment}
          value={environment}
          placeholder={words.assets.any}
          maxLength={100}
          onText={(next) => {
            setEnvironment(next);
            refineQuery({ environment: next });
          }}
        />
        <TextField
          label={words.assets.tag}
          value={tag}
          placeholder={words.assets.any}
          maxLength={200}
          onText={(next) => {
            setTag(next);
            refineQuery({ tag: next });
          }}
        />
      </search>
      <SavedViews isNarrowed={Object.keys(filters).length > 0}>
        {isNarrowed(filters) && (
          <button type="button" className="button button-quiet" onClick={clear}>
            <Icon name="cross" />
            {words.actions.clear}
          </button>
        )}
      </SavedViews>
    </>
  );
}

function Results({
  filters,
  isFiltered,
}: {
  readonly filters: Filters;
  readonly isFiltered: boolean;
}) {
  const first = useAnswer('listAssets', { query: { ...filters, page: 1, page_size: pageSize } });
  const { answer, isSettling } = useSettled(first);
  return (
    <Await answer={answer}>
      {(body) => {
        const total = body.total ?? body.results.length;
        if (total === 0) {
          return isFiltered ? (
            <Empty title={words.assets.none} icon="search">
              <p>{words.assets.noneHint}</p>
            </Empty>
          ) : (
            <Empty title={words.assets.empty} icon="box" />
          );
        }
        return (
          <div className={isSettling ? 'settling' : undefined} aria-busy={isSettling}>
            <div className="result-bar">
              <p className="result-count" role="status">
                {words.assets.count(total)}
              </p>
              <SelectField
                label={words.assets.sort}
                value={filters.sort ?? ''}
                onText={(sort) => refineQuery({ sort })}
                options={[
                  { value: '', label: words.assets.sorts.fqn },
                  ...sorts.map((value) => ({ value, label: words.assets.sorts[value] })),
                ]}
              />
            </div>
            <div className="asset-head" aria-hidden="true">
              <span>{words.assets.asset}</span>
              <span>{words.assets.owner}</span>
              <span>{words.assets.environment}</span>
              <span>{words.assets.version}</span>
            </div>
            <AssetRows filters={filters} total={total} first={body.results} />
          </div>
        );
      }}
    </Await>
  );
}

function AssetRows({
  filters,
  total,
  first,
}: {
  readonly filters: Filters;
  readonly total: number;
  readonly first: readonly AssetListed[];
}) {
  const isNarrow = useMedia('(max-width: 700px)');
  const [span, setSpan] = useState<Span>({ first: 0, last: 0 });
  const follow = useCallback((next: Span) => setSpan(next), []);
  // The visible rows are on two pages at most.
  const upper = Math.floor(span.first / pageSize) + 1;
  const lower = Math.floor(Math.max(span.first, span.last - 1) / pageSize) + 1;
  const upperPage = useAnswer('listAssets', pageCall(filters, upper));
  const lowerPage = useAnswer('listAssets', pageCall(filters, lower));
  const rowAt = (index: number): AssetListed | undefined => {
    const page = Math.floor(index / pageSize) + 1;
    if (page === 1) return first[index];
    const answer = page === upper ? upperPage : lowerPage;
    return answer.kind === 'ready' ? answer.body.results[index % pageSize] : undefined;
  };
  return (
    <Windowed
      count={total}
      rowHeight={isNarrow ? rowHeight.narrow : rowHeight.wide}
      label={words.assets.list}
      onSpan={follow}
      renderRow={(index) => <AssetRow asset={rowAt(index)} index={index} />}
    />
  );
}

function AssetRow({
  asset,
  index,
}: {
  readonly asset: AssetListed | undefined;
  readonly index: number;
}) {
  if (asset === undefined) return <span className="asset-row asset-row-loading" />;
  const about = asset.metadata.description;
  return (
    <Link
      to={paths.asset(asset.id)}
      className="asset-row"
      data-row={index}
      onKeyDown={(event) => stepFromRow(event, index)}
    >
      <span className="asset-row-name">
        <Fqn fqn={asset.fqn} />
        {typeof about === 'string' && <span className="asset-row-about">{about}</span>}
      </span>
      <span className="asset-row-owner">{asset.owner_team_name}</span>
      <span className="asset-row-environment">{asset.environment}</span>
      {asset.active_contract_version === null ? (
        <span className="muted">{words.assets.noContract}</span>
      ) : (
        <Badge tone="plain">{asset.active_contract_version}</Badge>
      )}
    </Link>
  );
}

function pageCall(filters: Filters, page: number): CallTo<'listAssets'> {
  return { query: { ...filters, page, page_size: pageSize } };
}

function readFilters(query: URLSearchParams): Filters {
  const text = (name: string) => query.get(name)?.trim() || undefined;
  const q = text('q');
  const owner = text('owner');
  const consumer = text('consumer');
  const environment = text('environment');
  const tag = text('tag');
  const sort = sorts.find((one) => one === text('sort'));
  const quality = qualityRunStates.find((state) => state === text('quality'));
  return {
    ...(q !== undefined && { q }),
    ...(owner !== undefined && { owner_team_id: owner }),
    ...(consumer !== undefined && { consumer_team_id: consumer }),
    ...(environment !== undefined && { environment }),
    ...(tag !== undefined && { tag }),
    ...(quality !== undefined && { quality }),
    ...(sort !== undefined && { sort }),
  };
}

/** `/` focuses the search from anywhere on the page, except within a field. */
function useSlash(search: React.RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      search.current?.querySelector('input')?.focus();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [search]);
}

function stepFromSearch(event: KeyboardEvent): void {
  if (event.key === 'ArrowDown') {
    event.preventDefault();
    focusRow(0);
  }
  if (event.key === 'Enter') {
    const first = document.querySelector<HTMLAnchorElement>('[data-row="0"]');
    if (first !== null) navigate(withoutBasePath(first.pathname));
  }
}

function stepFromRow(event: KeyboardEvent, index: number): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  if (event.key === 'ArrowDown') focusRow(index + 1);
  else if (index > 0) focusRow(index - 1);
  else document.querySelector<HTMLInputElement>('.filter-search input')?.focus();
}

function focusRow(index: number): void {
  document.querySelector<HTMLAnchorElement>(`[data-row="${index}"]`)?.focus();
}
