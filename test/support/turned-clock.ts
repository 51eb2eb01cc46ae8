// Loaded into a process before everything else (NODE_OPTIONS=--import): shifts its system clock by
// the milliseconds in the file CLOCK_FILE, which is read each time. Monotonic clocks are not
// affected, as when an operator or NTP sets a real clock.

import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_FILE ?? '';
const trueDate = Date;
const nowMs = trueDate.now.bind(trueDate);

function turnedMs(): number {
  return nowMs() + Number(readFileSync(file, 'utf8'));
}

globalThis.Date = new Proxy(trueDate, {
  construct(target, given, newTarget) {
    return Reflect.construct(target, given.length === 0 ? [turnedMs()] : given, newTarget);
  },
  get: (target, name, receiver) =>
    name === 'now' ? turnedMs : Reflect.get(target, name, receiver),
  apply: () => new trueDate(turnedMs()).toString(),
});
