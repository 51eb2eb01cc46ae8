// The effect of a tried change: the consumers that would be asked, what it does to each of them, and
// the assets that depend on this one.

import type { Answer } from '../../../data/cache.ts';
import type { Impact } from '../../../data/shapes.ts';
import { Fqn, Panel } from '../../../parts/bits.tsx';
import { HitReason } from '../../../parts/hit-line.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { paths } from '../../../paths.ts';
import { Link } from '../../../router.tsx';
import { words } from '../../../words.ts';

const shownAssets = 5;

type Verdict = Impact['consumers'][number]['verdict'];

export function Asked({
  impact,
  assetId,
}: {
  readonly impact: Answer<Impact>;
  readonly assetId: string;
}) {
  if (impact.kind === 'loading') return null;
  if (impact.kind === 'refused') {
    return (
      <p className="note note-warn" role="status">
        <Icon name="alert" />
        <span>{impact.refusal.message}</span>
      </p>
    );
  }
  const { is_breaking: isBreaking, affected_consumers: consumers, downstream } = impact.body;
  const isExcused = isBreaking && consumers.length === 0 && impact.body.consumers.length > 0;
  return (
    <>
      <div className="asked">
        <h3>{words.tryChange.asked}</h3>
        {consumers.length === 0 && (
          <p className="muted">
            {isExcused
              ? words.needs.nobodyAsked
              : isBreaking
                ? words.tryChange.nobody
                : words.tryChange.notAsked}
          </p>
        )}
        {consumers.length > 0 && (
          <ul className="pills">
            {consumers.map(({ team_id, team_name }) => (
              <li key={team_id}>{team_name}</li>
            ))}
          </ul>
        )}
      </div>
      {isBreaking && downstream.results.length > 0 && (
        <Behind downstream={downstream} assetId={assetId} />
      )}
    </>
  );
}

/** More teams than these make a column that nobody reads to its end. */
const shownHits = 50;

/** What the change does to each consumer, by what it has said that it reads. */
export function Hits({
  impact,
  isStale,
}: {
  readonly impact: Answer<Impact>;
  /** The registry has not answered yet what is typed now. */
  readonly isStale: boolean;
}) {
  if (impact.kind !== 'ready' || impact.body.consumers.length === 0) return null;
  const { consumers } = impact.body;
  return (
    <Panel
      title={words.needs.hits}
      aside={isStale && <span className="muted">{words.tryChange.comparing}</span>}
    >
      <div className="hits" aria-busy={isStale}>
        {(['breaks', 'may_break', 'unaffected'] as const).map((verdict) => (
          <HitColumn
            key={verdict}
            verdict={verdict}
            consumers={consumers.filter((each) => each.verdict === verdict)}
          />
        ))}
      </div>
    </Panel>
  );
}

function HitColumn({
  verdict,
  consumers,
}: Pick<Impact, 'consumers'> & { readonly verdict: Verdict }) {
  const more = consumers.length - shownHits;
  return (
    <section className={`hit-column hit-${verdict}`}>
      <h3>
        {words.needs.columns[verdict]} <span className="count">{consumers.length}</span>
      </h3>
      <p className="hint">
        {consumers.length === 0
          ? words.needs.nobodyHere
          : words.needs.verdicts[verdict].replace(/\.?$/, '.')}
      </p>
      <ul className="behind">
        {consumers.slice(0, shownHits).map((each) => (
          <li key={each.registration_id}>
            <strong>{each.team.name}</strong>
            <HitReason hit={each} />
          </li>
        ))}
      </ul>
      {more > 0 && <p className="hint">{words.needs.more(more)}</p>}
    </section>
  );
}

/** Dependent assets may break too, but their owners are asked only if they are registered. */
function Behind({
  downstream,
  assetId,
}: {
  readonly downstream: Impact['downstream'];
  readonly assetId: string;
}) {
  const { results, truncated: isTruncated } = downstream;
  const more = results.length - shownAssets;
  return (
    <div className="asked">
      <h3>{words.tryChange.behind}</h3>
      <ul className="behind">
        {results.slice(0, shownAssets).map((asset) => (
          <li key={asset.asset_id}>
            <Link to={paths.asset(asset.asset_id)}>
              <Fqn fqn={asset.fqn} />
            </Link>
            <span className="hint">
              {words.tryChange.behindWho(
                asset.owner_team_name,
                asset.depth,
                asset.consumers.map(({ team_name }) => team_name),
              )}
            </span>
          </li>
        ))}
      </ul>
      {(more > 0 || isTruncated) && (
        <Link to={`${paths.asset(assetId, 'lineage')}?direction=downstream&as=list`}>
          {words.tryChange.behindMore(Math.max(0, more))}
        </Link>
      )}
      <p className="hint">{words.tryChange.behindHint}</p>
    </div>
  );
}
