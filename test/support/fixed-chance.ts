// Fixes the seed of generated cases, so that a failure is caused by a change and not by chance;
// LAW_SEED selects another.

import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.LAW_SEED ?? 20_261_121) });
