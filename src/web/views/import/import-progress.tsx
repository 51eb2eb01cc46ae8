// The progress of an import: finished steps, the running one with its duration, and Cancel.

import { useEffect, useState } from 'react';
import type { Progress } from '../../imports/import.types.ts';
import type { ImportStep } from '../../imports/use-import.ts';
import { Panel } from '../../parts/bits.tsx';
import { words } from '../../words.ts';

export function ProgressNote({
  file,
  step,
  progress,
  onCancel,
}: {
  readonly file: File | null;
  readonly step: ImportStep;
  readonly progress: Progress;
  readonly onCancel: () => void;
}) {
  const seconds = useSeconds(step);
  return (
    <Panel>
      <div className="import-progress">
        <div role="status">
          <p className="import-step">{words.import.steps[step]}</p>
          <p className="muted">{sentenceOf(step, progress, file?.size ?? 0)}</p>
        </div>
        {progress.part === null ? (
          <progress aria-label={words.import.steps[step]} />
        ) : (
          <progress aria-label={words.import.steps[step]} value={progress.part} max={1} />
        )}
        <span className="muted import-seconds">{words.import.seconds(seconds)}</span>
        <button type="button" className="button" onClick={onCancel}>
          {words.actions.cancel}
        </button>
      </div>
    </Panel>
  );
}

function sentenceOf(step: ImportStep, { step: at, part }: Progress, size: number): string {
  if (step === 'opening') return words.import.reading(words.import.size(size));
  if (at === 'sending') return words.import.sending(Math.round((part ?? 0) * 100));
  return at === 'waiting' ? words.import.waiting[step] : words.import.packing;
}

function useSeconds(step: ImportStep): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    setSeconds(0);
    const began = Date.now();
    const timer = setInterval(() => setSeconds(Math.round((Date.now() - began) / 1000)), 1_000);
    return () => clearInterval(timer);
  }, [step]);
  return seconds;
}
