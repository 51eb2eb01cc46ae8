// Each view with a request that finds nothing, or is forbidden. All use the component that
// refused-forms.test.ts checks with 503.

import { describe } from 'vitest';
import { expectReasons, openRefusedViews } from './support/refused-views.ts';

await openRefusedViews();

describe.each([404, 403] as const)('Refused with %i', (status) => expectReasons(status));
