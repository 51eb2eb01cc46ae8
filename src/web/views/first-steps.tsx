// What a newcomer to an empty registry sees: what this is, and the steps to a first contract.

import type { ReactNode } from 'react';
import { basePath } from '../base-path.ts';
import { counted } from '../data/first-questions.ts';
import { useAnswer } from '../data/use-answer.ts';
import { handFile } from '../imports/handed-file.ts';
import { later } from '../later.tsx';
import { Badge, Panel } from '../parts/bits.tsx';
import { paths } from '../paths.ts';
import { Link, navigate } from '../router.tsx';
import { useIsAdmin, useViewer } from '../session/session-context.tsx';
import { words } from '../words.ts';

/** Nothing once there is a team, an asset and a consumer. */
export function FirstSteps() {
  const assets = useTotal(useAnswer('listAssets', counted));
  const consumers = useTotal(useAnswer('listRegistrations', counted));
  const listed = useTotal(useAnswer('listTeams', assets === 0 ? counted : null));
  // An asset has an owner.
  const teams = assets === 0 ? listed : assets;
  const isAdmin = useIsAdmin();
  const isReader = useViewer().session.role === 'viewer';
  if (teams === null || assets === null || consumers === null) return null;
  if (teams > 0 && assets > 0 && consumers > 0) return null;
  const { steps } = words.firstSteps;
  return (
    <Panel title={words.firstSteps.title} className="first-steps">
      <p>{words.firstSteps.what}</p>
      <ol className="steps">
        <Step title={steps.team.title} text={steps.team.text} isDone={teams > 0}>
          {isAdmin && (
            <Link to={paths.create(paths.teams)} className="button button-main">
              {words.teams.create}
            </Link>
          )}
        </Step>
        <Step title={steps.asset.title} text={steps.asset.text} isDone={assets > 0}>
          {teams > 0 && !isReader && (
            <>
              <DropZone file={null} isBusy={false} onFile={open} />
              <Link to={paths.create(paths.assets)} className="button">
                {words.firstSteps.byHand}
              </Link>
            </>
          )}
        </Step>
        <Step title={steps.consumer.title} text={steps.consumer.text} isDone={consumers > 0}>
          {assets > 0 && !isReader && (
            <Link to={paths.assets} className="button">
              {words.firstSteps.openAsset}
            </Link>
          )}
        </Step>
      </ol>
      <p>
        <a href={`${basePath}/docs/guide`}>{words.firstSteps.guide}</a>
      </p>
    </Panel>
  );
}

/** With the view of imports, which goes on from the file. */
const { View: DropZone } = later(
  async () => ({ default: (await import('./import/import-drop.tsx')).DropZone }),
  null,
);

function open(file: File): void {
  handFile(file);
  navigate(paths.import);
}

/** Null until it is known. */
function useTotal(
  answer: { readonly kind: string } & { readonly body?: { readonly total?: number | undefined } },
): number | null {
  return answer.kind === 'ready' ? (answer.body?.total ?? 0) : null;
}

function Step({
  title,
  text,
  isDone,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}) {
  return (
    <li className="step">
      <h3>
        {title}{' '}
        {isDone && (
          <Badge tone="good" icon="check">
            {words.firstSteps.done}
          </Badge>
        )}
      </h3>
      {!isDone && (
        <>
          <p>{text}</p>
          {children}
        </>
      )}
    </li>
  );
}
