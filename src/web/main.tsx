// The entry point of the page.

import { createRoot } from 'react-dom/client';
import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/views.css';
import { App } from './app.tsx';
import { withoutBasePath } from './base-path.ts';
import { applyTheme } from './parts/form/theme.tsx';
import { preloadPlace } from './places.ts';
import { followHistory } from './router.tsx';
import { resumeSession } from './session/auth.ts';

applyTheme();
followHistory();
preloadPlace(withoutBasePath(location.pathname));
// Asked before anything is drawn, because everything else waits for the answer.
const resuming = resumeSession();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App resuming={resuming} />);
