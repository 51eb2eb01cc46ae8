// Actions on the whole audit trail: verify it, and save it as a file.

import { useState } from 'react';
import { saveAnswer } from '../../data/save-answer.ts';
import type { BodyOf, Refusal } from '../../data/shapes.ts';
import { useAct } from '../../data/use-answer.ts';
import { announce } from '../../parts/announcer.tsx';
import { CopyButton, Dialog, Field, TextField } from '../../parts/form/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { RefusalNote } from '../../parts/states.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../router.tsx';
import { useHasDuty, useViewer } from '../../session/session-context.tsx';
import { words } from '../../words.ts';

type Verification = BodyOf<'verifyAudit'>;

const shownFindings = 10;

export function AuditTools() {
  const mayExport = useHasDuty('read_audit');
  const [isVerifying, setVerifying] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setVerifying(true)}>
        <Icon name="check" />
        {words.audit.verify}
      </button>
      {mayExport && <ExportButton />}
      {isVerifying && <VerifyDialog onClose={() => setVerifying(false)} />}
    </>
  );
}

function VerifyDialog({ onClose }: { readonly onClose: () => void }) {
  const act = useAct();
  const [head, setHead] = useState('');
  const [found, setFound] = useState<Verification | null>(null);
  const verify = async () => {
    const kept = head.trim();
    setFound(await act.run('verifyAudit', { query: kept === '' ? {} : { head: kept } }));
  };
  return (
    <Dialog
      title={words.audit.verifyTitle}
      confirm={found === null ? words.audit.verify : null}
      isRunning={act.isRunning}
      onConfirm={verify}
      onClose={onClose}
    >
      {found === null ? (
        <>
          <p>{words.audit.verifyHint}</p>
          <TextField
            label={words.audit.head}
            hint={words.audit.headHint}
            autoComplete="off"
            spellCheck={false}
            value={head}
            onText={setHead}
          />
        </>
      ) : (
        <Found found={found} />
      )}
      <RefusalNote refusal={act.refusal} />
    </Dialog>
  );
}

function Found({ found }: { readonly found: Verification }) {
  const { sealed, unsealed, heads } = found;
  const events = sealed === null ? 0 : sealed.last_sequence - sealed.first_sequence + 1;
  return (
    <>
      <div role="status">
        <p className={`verdict ${found.intact ? 'verdict-good' : 'verdict-bad'}`}>
          <Icon name={found.intact ? 'check' : 'alert'} />
          {found.intact ? words.audit.intact : words.audit.notIntact(found.findings_total)}
        </p>
      </div>
      {!found.intact && <Findings found={found} />}
      <p className="muted">
        {words.audit.sealed(events)}
        {words.audit.unsealed(unsealed.events)}
        {'. '}
        {heads.authenticated > 0 && words.audit.authenticated(heads.authenticated, heads.total)}
      </p>
      {sealed !== null && (
        <>
          <Field label={words.audit.keepHead}>
            {(ids) => (
              <input
                {...ids}
                type="text"
                className="secret"
                readOnly
                value={sealed.head}
                onFocus={(event) => event.target.select()}
              />
            )}
          </Field>
          <CopyButton text={sealed.head} />
        </>
      )}
    </>
  );
}

function Findings({ found }: { readonly found: Verification }) {
  const shown = found.findings.slice(0, shownFindings);
  const more = found.findings_total - shown.length;
  return (
    <ul className="findings">
      {shown.map(({ kind, sequence, event_id: eventId, message }) => (
        <li key={`${kind} ${sequence} ${eventId}`}>
          <strong>{words.audit.findings[kind]}</strong> {message}{' '}
          {eventId !== null && <Link to={paths.event(eventId)}>{words.audit.event}</Link>}
        </li>
      ))}
      {more > 0 && <li className="muted">{words.audit.moreFindings(more)}</li>}
    </ul>
  );
}

function ExportButton() {
  const { session } = useViewer();
  const [isRunning, setRunning] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const save = async () => {
    if (isRunning) return;
    setRunning(true);
    setRefusal(null);
    const day = new Date().toISOString().slice(0, 10);
    const name = `concordat-audit-${day}.ndjson`;
    const refused = await saveAnswer(session, { name: 'exportEvents', call: {} }, name);
    setRunning(false);
    setRefusal(refused);
    if (refused === null) announce(words.audit.exported);
  };
  return (
    <>
      <button
        type="button"
        className="button"
        title={words.audit.exportHint}
        aria-disabled={isRunning}
        onClick={save}
      >
        <Icon name="download" />
        {isRunning ? words.audit.exporting : words.audit.export}
      </button>
      <RefusalNote refusal={refusal} />
    </>
  );
}
