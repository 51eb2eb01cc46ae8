// Draws the page. Its script is the larger one, and is loaded while the first questions are on their way.

import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { withoutBasePath } from './base-path.ts';
import { applyTheme } from './parts/form/theme.tsx';
import { preloadPlace } from './places.tsx';
import { followHistory } from './router.tsx';
import type { Begun } from './session/visit.ts';

export async function drawPage(visit: Promise<Begun>): Promise<void> {
  applyTheme();
  followHistory();
  preloadPlace(withoutBasePath(location.pathname));
  // Whoever is known by now is not greeted by a page that waits.
  const known = await Promise.race([visit, undefined]);
  const root = document.getElementById('root');
  if (root !== null) createRoot(root).render(<App visit={visit} known={known} />);
}
