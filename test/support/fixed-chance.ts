// The same generated cases every time, so that a failure is somebody's doing and not the day's luck;
// LAW_SEED asks for others.

import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.LAW_SEED ?? 20_261_121) });
