// Loaded into a process before everything else (NODE_OPTIONS=--import): its clock of the day is off
// by what the file CLOCK_FILE says, in milliseconds, at each look. What counts time that passed is
// left alone, as it is where an operator or NTP turns a real clock.

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
