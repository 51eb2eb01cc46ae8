// The source of a managed asset: the object in it, and its status by its conditions.

import type { Json, JsonObject } from '../../../core/value/json.ts';
import { isJsonObject } from '../../../core/value/json.ts';
import type { Asset, Source, SourceObject } from '../../data/shapes.ts';
import { useAnswer, usePolling } from '../../data/use-answer.ts';
import { Badge, Panel, type Tone } from '../../parts/bits.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Await, Empty } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import '../../style/administration.css';
import { words } from '../../words.ts';
import { HandOver } from '../operations/hand-over.tsx';
import { SourceProblem } from '../operations/source-problem.tsx';
import type { AssetTabProps } from './asset-tab.ts';

/** The status of objects has no audit events, so it is polled. */
const pollMs = 10_000;

interface Reference {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
}

export default function AssetSource({ asset }: AssetTabProps) {
  const reference = referenceOf(asset);
  const answer = useAnswer('listSources', reference === null ? null : {});
  usePolling('listSources', reference === null ? null : pollMs);
  if (reference === null) {
    return (
      <Empty title={words.source.none} icon="info">
        <p>{words.source.noneHint}</p>
      </Empty>
    );
  }
  return (
    <Await answer={answer}>
      {({ results }) => (
        <Found
          asset={asset}
          reference={reference}
          source={results.find(({ identity }) => identity === reference.identity)}
          others={results.filter(({ identity }) => identity !== reference.identity)}
        />
      )}
    </Await>
  );
}

function Found({
  asset,
  reference,
  source,
  others,
}: {
  readonly asset: Asset;
  readonly reference: Reference;
  readonly source: Source | undefined;
  readonly others: readonly Source[];
}) {
  if (source === undefined) {
    return (
      <Empty title={words.source.unknownSource} icon="alert">
        <p>
          <code>{reference.identity}</code>
        </p>
      </Empty>
    );
  }
  return (
    <div className="columns columns-wide-left">
      <div className="stack">
        {source.problem !== null && <SourceProblem source={source} problem={source.problem} />}
        {source.kind === 'cluster' ? (
          <InCluster reference={reference} />
        ) : (
          <ObjectPanel source={source} reference={reference} />
        )}
      </div>
      <Panel title={words.source.tab}>
        <dl className="facts">
          <dt>{words.source.place[source.kind]}</dt>
          <dd>
            <code>{source.place}</code>
          </dd>
          <dt>{words.source.object}</dt>
          <dd>
            <code>
              {reference.namespace}/{reference.name}
            </code>
          </dd>
          <dt>{words.source.leader}</dt>
          <dd>
            <code>{source.leader}</code>
          </dd>
          {source.renewed_at !== null && (
            <>
              <dt>{words.source.renewed}</dt>
              <dd>
                <Time at={source.renewed_at} />
              </dd>
            </>
          )}
        </dl>
        <HandOver asset={asset} source={source} others={others} />
      </Panel>
    </div>
  );
}

function InCluster({ reference: { namespace, name } }: { readonly reference: Reference }) {
  return (
    <Panel title={words.source.conditions}>
      <p>{words.source.inCluster}</p>
      <pre>
        <code>{`kubectl describe datacontract -n ${namespace} ${name}`}</code>
      </pre>
    </Panel>
  );
}

function ObjectPanel({
  source,
  reference: { namespace, name },
}: {
  readonly source: Source;
  readonly reference: Reference;
}) {
  const answer = useAnswer('listSourceObjects', {
    params: { source_id: source.id },
    query: { kind: 'DataContract', namespace, name, page_size: 1 },
  });
  usePolling('listSourceObjects', pollMs);
  return (
    <Await answer={answer}>
      {({ results: [object] }) =>
        object === undefined ? (
          <Empty title={words.source.unknownObject} icon="alert" />
        ) : (
          <Conditions object={object} />
        )
      }
    </Await>
  );
}

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly message: string;
  readonly since: string | null;
}

function Conditions({ object }: { readonly object: SourceObject }) {
  const conditions = conditionsOf(object.status);
  const written = isJsonObject(object.status.source) ? object.status.source : {};
  return (
    <Panel title={words.source.conditions} aside={<Time at={object.updated_at} />}>
      {object.generation !== object.observed_generation && (
        <p className="note">
          <Icon name="clock" />
          {words.source.behind}
        </p>
      )}
      {conditions.length === 0 && <p className="quiet">{words.source.noConditions}</p>}
      <ul className="conditions" aria-label={words.source.conditions}>
        {conditions.map((condition) => (
          <ConditionLine key={condition.type} condition={condition} />
        ))}
      </ul>
      <dl className="facts">
        <Fact label={words.source.file} value={written.path} />
        <Fact label={words.source.revision} value={written.revision} />
      </dl>
    </Panel>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: Json | undefined }) {
  if (typeof value !== 'string') return null;
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <code>{value}</code>
      </dd>
    </>
  );
}

function ConditionLine({ condition }: { readonly condition: Condition }) {
  const { type, status, message, since } = condition;
  const names: Readonly<Record<string, string>> = words.source.types;
  const [tone, icon] = lookOf(condition);
  return (
    <li className="condition">
      <span className="condition-head">
        <Badge tone={tone} icon={icon}>
          {names[type] ?? type}: {words.source.states[status]}
        </Badge>
        {since !== null && (
          <span className="muted">
            {words.source.since} <Time at={since} />
          </span>
        )}
      </span>
      <span>{message}</span>
    </li>
  );
}

/** `Ready` is good news; other conditions exist only during work or problems. */
function lookOf({ type, status }: Condition): readonly [Tone, IconName] {
  if (status === 'Unknown') return ['plain', 'clock'];
  if (type === 'Ready') return status === 'True' ? ['good', 'check'] : ['bad', 'cross'];
  return type === 'Reconciling' ? ['warn', 'clock'] : ['bad', 'alert'];
}

function conditionsOf(status: JsonObject): readonly Condition[] {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return [];
  return conditions.filter(isJsonObject).map((one) => ({
    type: textOf(one.type),
    status: one.status === 'True' || one.status === 'False' ? one.status : 'Unknown',
    message: textOf(one.message),
    since: textOf(one.lastTransitionTime) || null,
  }));
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Parses `shop/orders in 5f2c...`, as the controller writes it. */
function referenceOf({ managed_by: managed }: Asset): Reference | null {
  const match = /^([^/]+)\/(.+?) in (.+)$/.exec(managed?.reference ?? '');
  const [, namespace, name, identity] = match ?? [];
  if (namespace === undefined || name === undefined || identity === undefined) return null;
  return { namespace, name, identity };
}
