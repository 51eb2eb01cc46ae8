// Requests to a provider. Its answer is read up to a limit, and redirects are not followed.

/** 10,000 groups of 40 characters are 400 KB, and another third in Base64. */
const answerLimitBytes = 768 * 1024;

export class AnswerTooLarge extends Error {
  override name = 'AnswerTooLarge';
}

export async function limitedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: 'manual' });
  const { status, headers } = response;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > answerLimitBytes) {
      throw new AnswerTooLarge(`The answer has more than ${answerLimitBytes} bytes.`);
    }
    parts.push(part);
  }
  return new Response(bytes === 0 ? null : new Blob(parts), { status, headers });
}
