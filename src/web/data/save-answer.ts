// Saves what a route answers as a file. The browser keeps what arrives, on its disk where it is
// large: as text it would fill the page's memory.

import { createClient } from '../../wire/client.ts';
import { basePath } from '../base-path.ts';
import type { Session } from '../session/auth.ts';
import { type Question, send } from './cache.ts';
import type { Refusal } from './shapes.ts';

/** Null where the file was saved, else why it was not. */
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

function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has its own hold on what it saves once the click was taken.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
