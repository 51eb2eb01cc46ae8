// Says why the registry deletes nothing that is missing from a source, and lets an administrator accept the source.

import { useState } from 'react';
import type { Source } from '../../data/shapes.ts';
import { useAct } from '../../data/use-answer.ts';
import { Dialog } from '../../parts/form/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { useIsAdmin } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

/** The problem of a source. An administrator can confirm that the source is as it should be. */
export function SourceProblem({
  source,
  problem,
}: {
  readonly source: Source;
  readonly problem: string;
}) {
  const isAdmin = useIsAdmin();
  const act = useAct();
  const [isAsking, setAsking] = useState(false);
  // A cluster lacks rights. What is missing there is not deleted, so there is nothing to accept.
  const isCluster = source.kind === 'cluster';
  const confirm = async () => {
    const call = { params: { source_id: source.id }, body: {} };
    const done = await act.run('confirmSource', call, words.source.confirmed);
    if (done !== null) setAsking(false);
  };
  return (
    <div className="note note-bad">
      <Icon name="alert" />
      <div>
        <p>
          {isCluster ? '' : words.source.suspicious} {problem}
        </p>
        {isAdmin && !isCluster && (
          <button type="button" className="button" onClick={() => setAsking(true)}>
            {words.source.confirm}
          </button>
        )}
      </div>
      {isAsking && (
        <Dialog
          title={words.source.confirmTitle}
          confirm={words.source.confirm}
          isDangerous
          isRunning={act.isRunning}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <p>{words.source.confirmHint}</p>
          <RefusalNote refusal={act.refusal} />
        </Dialog>
      )}
    </div>
  );
}
