// The area where a file is dropped or chosen.

import { type DragEvent, useId, useState } from 'react';
import { Icon } from '../../parts/icon.tsx';
import '../../style/import.css';
import { words } from '../../words.ts';

export function DropZone({
  file,
  isBusy,
  onFile,
}: {
  readonly file: File | null;
  readonly isBusy: boolean;
  readonly onFile: (file: File) => void;
}) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const hold = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [first] = event.dataTransfer.files;
    if (first !== undefined) onFile(first);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: who cannot drop a file chooses it below
    <div
      className={`drop ${isOver ? 'drop-over' : ''} ${file === null ? '' : 'drop-small'}`}
      onDragEnter={hold}
      onDragOver={hold}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon name="upload" />
      {file === null ? (
        <p className="drop-title">{words.import.drop}</p>
      ) : (
        <p className="drop-title">
          {file.name} <span className="muted">{words.import.size(file.size)}</span>
        </p>
      )}
      <label className="button" htmlFor={id}>
        {file === null ? words.import.choose : words.import.chooseOther}
      </label>
      <input
        id={id}
        className="hidden drop-input"
        type="file"
        accept=".json,.yaml,.yml,.graphql,.graphqls,.gql,.sdl"
        aria-busy={isBusy}
        onChange={(event) => {
          const [first] = event.target.files ?? [];
          if (first !== undefined) onFile(first);
          // Allows choosing the same file again, which may have been corrected meanwhile.
          event.target.value = '';
        }}
      />
      {file === null && <p className="hint">{words.import.dropHint}</p>}
    </div>
  );
}
