// Saves the response of a route as a file. The browser keeps large responses on disk; as text they
// would fill the page's memory.

import { createClient } from '../../wire/client.ts';
import { basePath } from '../base-path.ts';
import type { Session } from '../session/auth.ts';
import { type Question, send } from './cache.ts';
import type { Refusal } from './shapes.ts';

/** Null if the file was saved, otherwise the reason. */
export async function saveAnswer(
  session: Session,
  question: Question,
  fileName: string,
): Promise<Refusal | null> {
  let file: Blob | null = null;
  const client = createClient({
    baseUrl: basePath,
    headers: session.headers,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (!response.ok) return response;
      file = await response.blob();
      return new Response(null, { status: response.status, headers: response.headers });
    },
  });
  const sent = await send(client, question);
  if (!sent.ok) return sent.refusal;
  if (file !== null) saveFile(file, fileName);
  return null;
}

export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // After the click the browser has its own reference to the data.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
