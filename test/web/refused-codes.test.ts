// Each view with a request that finds nothing, or is forbidden. All use the component that
// refused-forms.test.ts checks with 503.

import { describe } from 'vitest';
import { expectReasons } from './support/refused-views.ts';

describe.each([404, 403] as const)('Refused with %i', (status) => expectReasons(status));
