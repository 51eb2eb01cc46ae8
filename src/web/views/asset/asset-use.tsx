// The lines to use a contract in a program, and the contract as a file.

import type { ExportFormat } from '../../../core/export/export-format.ts';
import { basePath } from '../../base-path.ts';
import { saveFile } from '../../data/save-answer.ts';
import type { Contract } from '../../data/shapes.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { Panel } from '../../parts/bits.tsx';
import { CopyButton } from '../../parts/form/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Await, Empty } from '../../parts/states.tsx';
import { refineQuery, usePlace } from '../../router.tsx';
import { useTeamChoice } from '../../session/session-context.tsx';
import { words } from '../../words.ts';
import type { AssetTabProps } from './asset-tab.ts';
import { linesFor, waysToUse } from './use-lines.ts';

const formats = [
  'typescript',
  'python',
  'jsonschema',
  'odcs',
  'yaml',
] as const satisfies ExportFormat[];

const endings: Readonly<Record<ExportFormat, string>> = {
  typescript: 'ts',
  python: 'py',
  jsonschema: 'schema.json',
  odcs: 'odcs.yaml',
  yaml: 'yaml',
};

export default function AssetUse({ asset }: AssetTabProps) {
  const answer = useAnswer(
    'getAssetContract',
    asset.active_contract_id === null
      ? null
      : { params: { asset_id: asset.id, version: 'latest' } },
  );
  if (asset.active_contract_id === null) {
    return <Empty title={words.asset.noContract} icon="box" />;
  }
  return (
    <Await answer={answer}>
      {(contract) => (
        <div className="stack">
          <Lines asset={asset} contract={contract} />
          <AsFile asset={asset} contract={contract} />
        </div>
      )}
    </Await>
  );
}

function Lines({ asset, contract }: AssetTabProps & { readonly contract: Contract }) {
  const { teamId } = useTeamChoice();
  const way = useChoice('with', waysToUse);
  const url = `${location.origin}${basePath}`;
  return (
    <Panel
      title={words.use.lines(contract.version)}
      aside={<Choice name="with" label={words.use.with} options={waysToUse} chosen={way} />}
    >
      <p>{words.use.hints[way]}</p>
      <Text label={words.use.ways[way]} text={linesFor(way, { url, asset, contract, teamId })} />
    </Panel>
  );
}

function AsFile({ asset, contract }: AssetTabProps & { readonly contract: Contract }) {
  const format = useChoice('as', formats);
  const answer = useAnswer('exportContract', {
    params: { contract_id: contract.id },
    query: { format },
  });
  const name = `${asset.fqn}-${contract.version}.${endings[format]}`;
  return (
    <Panel
      title={words.use.file}
      aside={<Choice name="as" label={words.use.as} options={formats} chosen={format} />}
    >
      <p>{words.use.fileHints[format]}</p>
      <Await answer={answer}>
        {(text) => (
          <>
            <Text label={words.use.ways[format]} text={text} />
            <button
              type="button"
              className="button no-print"
              onClick={() => saveFile(new Blob([text], { type: 'text/plain' }), name)}
            >
              <Icon name="download" />
              {words.tryChange.download}
            </button>
          </>
        )}
      </Await>
    </Panel>
  );
}

/** The choice in the address, which a link keeps. */
function useChoice<T extends string>(name: string, options: readonly [T, ...T[]]): T {
  const { query } = usePlace();
  return options.find((one) => one === query.get(name)) ?? options[0];
}

function Choice<T extends keyof typeof words.use.ways>({
  name,
  label,
  options,
  chosen,
}: {
  readonly name: string;
  readonly label: string;
  readonly options: readonly T[];
  readonly chosen: T;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a few buttons are no form
    <div className="segments no-print" role="group" aria-label={label}>
      {options.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === chosen}
          onClick={() => refineQuery({ [name]: one })}
        >
          {words.use.ways[one]}
        </button>
      ))}
    </div>
  );
}

function Text({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="json">
      <div className="json-actions">
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it */}
      <section aria-label={label} tabIndex={0}>
        <pre>{text}</pre>
      </section>
    </div>
  );
}
