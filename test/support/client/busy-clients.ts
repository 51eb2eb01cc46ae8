// A thread of clients that ask one after the other until nobody listens any more. It posts `busy` once they
// are under way, and every other problem that a client meets.

import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

interface Load {
  readonly url: string;
  readonly keepAlive: boolean;
  readonly clients: number;
}

const { url, keepAlive, clients } = workerData as Load;
/** Without an end of the server there is an end to its clients. */
const problemLimit = 100;
let answered = 0;
let problems = 0;

async function client(): Promise<void> {
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  while (problems < problemLimit) {
    const code = await ask(agent);
    if (code === 'ECONNREFUSED') break;
    if (code === null) {
      answered++;
      if (answered === clients * 10) parentPort?.postMessage('busy');
    } else {
      problems++;
      parentPort?.postMessage(code);
    }
  }
  agent.destroy();
}

/** The code of the error; null for an answer. */
function ask(agent: Agent): Promise<string | null> {
  return new Promise((resolve) => {
    get(url, { agent }, (answer) => {
      answer.resume().once('end', () => resolve(null));
    }).once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

await Promise.all(Array.from({ length: clients }, client));
