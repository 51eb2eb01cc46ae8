// The effect of a tried change: the consumers that would be asked, and the assets that depend on
// this one.

import type { Answer } from '../../data/cache.ts';
import type { Impact } from '../../data/shapes.ts';
import { Fqn } from '../../parts/bits.tsx';
import { Icon } from '../../parts/icon.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { words } from '../../words.ts';

const shownAssets = 5;

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
  return (
    <>
      <div className="asked">
        <h3>{words.tryChange.asked}</h3>
        {!isBreaking && <p className="muted">{words.tryChange.notAsked}</p>}
        {isBreaking && consumers.length === 0 && <p className="muted">{words.tryChange.nobody}</p>}
        {isBreaking && consumers.length > 0 && (
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
