// The entry point of the page: a small script that asks who is signed in, and what they see first, while
// the script that draws it is loaded.

import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/views.css';
import { withoutBasePath } from './base-path.ts';
import { firstWords } from './first-words.ts';
import { beginVisit } from './session/visit.ts';

/** What takes longer is not waited for. */
const patienceMs = 100;

begin().catch(() => {
  const root = document.getElementById('root');
  if (root !== null) root.textContent = firstWords.notLoaded;
  addEventListener('online', () => location.reload());
});

/** A function, because with a top-level await the page's script, which imports this one, would wait for it. */
async function begin(): Promise<void> {
  const { visit, hasAsked } = beginVisit(withoutBasePath(location.pathname));
  // Starting the other script keeps the thread busy, so it waits until the questions are sent.
  await Promise.race([hasAsked, new Promise((done) => setTimeout(done, patienceMs))]);
  const { drawPage } = await import('./page.tsx');
  await drawPage(visit);
}
