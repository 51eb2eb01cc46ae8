// Reads a Node process's memory after garbage collection, through its inspector.

export interface Memory {
  /** Reachable memory of the serving thread. */
  readonly heapBytes: number;
  /** Buffers, which are outside of the heap. */
  readonly bufferBytes: number;
  /** The whole process: threads, and memory that allocators keep. */
  readonly residentBytes: number;
}

/** Environment variables that make a process inspectable. */
export function inspectable(port: number): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` };
}

export async function readMemory(port: number): Promise<Memory> {
  const targets = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const [target] = targets as readonly { readonly webSocketDebuggerUrl: string }[];
  if (target === undefined) throw new Error('The process shows no inspector.');
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((done, fail) => {
    socket.onopen = done;
    socket.onerror = fail;
  });
  try {
    // Twice, because the second run collects what finalizers released.
    await ask(socket, 'HeapProfiler.collectGarbage');
    await ask(socket, 'HeapProfiler.collectGarbage');
    const expression = 'JSON.stringify(process.memoryUsage())';
    const { result } = (await ask(socket, 'Runtime.evaluate', { expression })) as {
      readonly result: { readonly value: string };
    };
    const { heapUsed, external, rss } = JSON.parse(result.value) as NodeJS.MemoryUsage;
    return { heapBytes: heapUsed, bufferBytes: external, residentBytes: rss };
  } finally {
    socket.close();
  }
}

let asked = 0;

function ask(socket: WebSocket, method: string, params: object = {}): Promise<unknown> {
  const id = ++asked;
  return new Promise((done, fail) => {
    const hear = ({ data }: MessageEvent) => {
      const message = JSON.parse(String(data));
      if (message.id !== id) return;
      socket.removeEventListener('message', hear);
      if (message.error === undefined) done(message.result);
      else fail(new Error(message.error.message));
    };
    socket.addEventListener('message', hear);
    socket.addEventListener('close', () => fail(new Error('The process went away.')));
    socket.send(JSON.stringify({ id, method, params }));
  });
}
