// An object store that speaks S3's protocol: AWS, MinIO, Ceph, Cloudflare R2 and others.

import { S3mini } from 's3mini';

interface ObjectStore {
  readonly put: (key: string, bytes: Uint8Array, type: string) => Promise<void>;
  /** Null if there is no such object. */
  readonly get: (key: string) => Promise<Uint8Array | null>;
}

interface ObjectStoreAddress {
  /** The bucket is the first part of its path, and what stands before each key the rest. */
  readonly endpoint: string;
  readonly keyId: string;
  readonly secret: string;
  readonly region: string;
}

/** A pack of the trail has less than a megabyte. */
const requestTimeoutMs = 30_000;

/**
 * @example parseObjectStore('https://key:secret@s3.eu-west-1.amazonaws.com/bucket/prefix?region=eu-west-1')
 */
export function parseObjectStore(text: string): ObjectStoreAddress | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname.length < 2) return null;
  const { username, password, searchParams } = url;
  const region = searchParams.get('region') ?? 'us-east-1';
  const isPlain = [...searchParams.keys()].every((name) => name === 'region') && url.hash === '';
  const [keyId, secret] = [username, password].map(decoded);
  if (!isPlain || !keyId || !secret) return null;
  const endpoint = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  return { endpoint, keyId, secret, region };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

export function openObjectStore({
  endpoint,
  keyId,
  secret,
  region,
}: ObjectStoreAddress): ObjectStore {
  const store = new S3mini({
    ...{ endpoint, region, accessKeyId: keyId, secretAccessKey: secret },
    requestAbortTimeout: requestTimeoutMs,
    fetch: fetchFromBucket,
  });
  return {
    put: async (key, bytes, type) => void (await store.putObject(key, Buffer.from(bytes), type)),
    get: async (key) => {
      const bytes = await store.getObjectArrayBuffer(key);
      return bytes === null ? null : new Uint8Array(bytes);
    },
  };
}

/** Without its bucket no object is there, which must not look as if somebody had taken it away. */
const fetchFromBucket: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status === 404 && (await response.clone().text()).includes('NoSuchBucket')) {
    throw new Error('the bucket does not exist');
  }
  return response;
};
