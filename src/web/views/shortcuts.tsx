// The keys of the page, in one dialog.

import { Dialog } from '../parts/form/form.tsx';
import { words } from '../words.ts';

export default function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={words.shortcuts.title} confirm={null} onClose={onClose}>
      {words.shortcuts.groups.map(({ where, keys }) => (
        <section key={where}>
          <h3>{where}</h3>
          <dl className="shortcuts">
            {keys.map(([pressed, meaning]) => (
              <div key={meaning}>
                <dt>
                  {pressed.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
