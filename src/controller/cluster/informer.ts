// A list and a watch that continue as long as the process, despite refusals, cut connections, an
// unreachable API server, a compacted history, and handlers that throw.

import { isJsonObject, type JsonObject } from '../../core/value/json.ts';
import { backoffMs, type Clock, pause } from '../clock.ts';
import { type ApiClient, ApiError, ApiUnreadable, parseAnswer } from './api-client.ts';

interface InformerOptions<T> {
  readonly client: ApiClient;
  readonly clock: Clock;
  /** `/apis/concordat.dev/v1/datacontracts`, or the path of one namespace. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Returns the part of an object that stays in memory. Null leaves the object out. */
  readonly keep: (object: JsonObject) => T | null;
  readonly onChange: (change: InformerChange<T>) => void;
  /** Called with every error that the informer survives. */
  readonly onError: (error: unknown, during: string) => void;
  readonly pageSize?: number;
  readonly idleMs?: number;
  readonly metadataOnly?: boolean;
}

export interface InformerChange<T> {
  /** `namespace/name`, or only the name for cluster-scoped objects. */
  readonly key: string;
  /** Null if the object is new. */
  readonly before: T | null;
  /** Null if the object is gone. */
  readonly now: T | null;
}

type Query = Readonly<Record<string, string | number>>;

interface Entry<T> {
  readonly resourceVersion: string;
  readonly kept: T;
}

/**
 * Some thousand small objects take a few pages; 500 large ones still arrive before the deadline.
 */
const defaultPageSize = 500;
/**
 * The server sends a bookmark every minute: without a byte for 2.5 minutes the connection is dead.
 */
const defaultIdleMs = 150_000;
/** The server ends a watch after 5 to 10 minutes, so that watches spread over its replicas. */
const watchSeconds = { least: 300, spread: 300 };
/** At most ten seconds, so that a server that recovers is noticed soon. */
const retry = { firstMs: 100, capMs: 10_000 };
const pageDeadlineMs = 60_000;

export class Informer<T> {
  readonly #options: InformerOptions<T>;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #stop = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  readonly #answered = Promise.withResolvers<void>();
  #running: Promise<void> | null = null;
  #watching: AbortController | null = null;
  /** The version from which the watch continues; null if everything has to be listed. */
  #resourceVersion: string | null = null;
  /** The newest change that is known: an object, or its deletion. */
  #newest: { readonly key: string; readonly resourceVersion: string } | null = null;
  #failures = 0;
  #listCount = 0;
  #readAtMs: number | null = null;
  #isRefused = false;

  constructor(options: InformerOptions<T>) {
    this.#options = options;
  }

  /** Settles once the first list is complete. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Settles once the first list is complete, or once the server has refused it because rights are missing. */
  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  /** Whether rights are missing, as far as the last answer of the server says. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** The number of full lists so far. */
  get listCount(): number {
    return this.#listCount;
  }

  /**
   * The time, by the monotonic clock, up to which every change was read. The server confirms it once a
   * minute if nothing changes. Null before the first list.
   */
  get readAtMs(): number | null {
    return this.#readAtMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): T | null {
    return this.#entries.get(key)?.kept ?? null;
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  *values(): IterableIterator<T> {
    for (const { kept } of this.#entries.values()) yield kept;
  }

  /**
   * Stores an object that this process has just written. Otherwise the reconciler could look again
   * before the watch delivers the write, and decide from outdated facts.
   */
  learn(object: JsonObject): void {
    const entry = this.#entries.get(keyOf(object));
    if (entry !== undefined && !isOlder(versionOf(object), entry.resourceVersion)) {
      this.#put(object);
    }
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** What the server has now, whatever the watch has said so far. Keeps nothing of it. */
  async *listNow(query: Readonly<Record<string, string>> = {}): AsyncGenerator<JsonObject> {
    for await (const { items } of this.#pages(query)) yield* items;
  }

  /** Continues with another watch, because the present one does not tell what the server has. */
  watchAnew(): void {
    this.#watching?.abort(new Error('the server has what this watch does not tell'));
  }

  async #run(): Promise<void> {
    const { clock, onError } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let waitMs = 0;
      try {
        if (this.#failures > 0 && (await this.#hasGoneBack())) this.#forgetVersions();
        if (this.#resourceVersion === null) await this.#list();
        await this.#watch();
        // Otherwise a server that ends every watch immediately would be asked again without a
        // pause.
        waitMs = this.#failures === 0 ? 0 : backoffMs(retry, this.#failures);
        this.#failures += 1;
      } catch (error) {
        if (signal.aborted) return;
        this.#failures += 1;
        if (isGone(error)) this.#resourceVersion = null;
        if (error instanceof ApiError && error.status === 403) {
          this.#isRefused = true;
          this.#answered.resolve();
        }
        onError(error, `following ${this.#options.path}`);
        waitMs = Math.max(backoffMs(retry, this.#failures), retryAfterOf(error));
      }
      if (waitMs > 0) await pause(clock, waitMs, signal);
    }
  }

  /**
   * Whether etcd was restored to an older state: a watch from a version in the future is accepted,
   * and reports nothing until that version is reached again. If it was reached meanwhile, the newest
   * known change is not in the history.
   */
  async #hasGoneBack(): Promise<boolean> {
    const [from, newest] = [this.#resourceVersion, this.#newest];
    if (from === null) return false;
    // A write of this process may be newer than what the watch has reported.
    const isAhead = newest !== null && isOlder(from, newest.resourceVersion);
    const resourceVersion = isAhead ? newest.resourceVersion : from;
    const page = await this.#look(this.#options.path, { limit: 1 });
    if (isOlder(versionOf(page), resourceVersion)) return true;
    if (newest === null) return false;
    const held = this.#entries.get(newest.key)?.resourceVersion;
    try {
      const then = { resourceVersion, resourceVersionMatch: 'Exact' };
      return (await this.#findVersion(newest.key, then)) !== held;
    } catch (error) {
      if (!isGone(error)) throw error;
      // The history was compacted, which only means that this kind has not changed for a while.
      const now = await this.#findVersion(newest.key);
      return now === undefined ? held !== undefined : isOlder(now, newest.resourceVersion);
    }
  }

  /** The version of an object, now or at an earlier version of everything. */
  async #findVersion(key: string, at: Query = {}): Promise<string | undefined> {
    const [name = '', namespace] = key.split('/').reverse();
    const path = pathIn(this.#options.path, namespace);
    const { items } = await this.#look(path, { fieldSelector: `metadata.name=${name}`, ...at });
    const [item = null] = Array.isArray(items) ? items : [];
    return isJsonObject(item) ? versionOf(item) : undefined;
  }

  #look(path: string, query: Query): Promise<JsonObject> {
    return this.#options.client.expect({
      method: 'GET',
      path,
      query: { ...this.#options.query, ...query },
      deadlineMs: pageDeadlineMs,
      signal: this.#stop.signal,
      metadataOnly: true,
    });
  }

  /** The versions are given again, to other contents. */
  #forgetVersions(): void {
    this.#resourceVersion = null;
    this.#newest = null;
    for (const [key, { kept }] of this.#entries) {
      this.#entries.set(key, { resourceVersion: '', kept });
    }
  }

  async #list(): Promise<void> {
    const { clock } = this.#options;
    const begunAtMs = clock.monotonicMs();
    const seen = new Set<string>();
    let resourceVersion = '';
    for await (const page of this.#pages()) {
      resourceVersion = page.resourceVersion;
      for (const item of page.items) seen.add(this.#put(item));
    }
    for (const key of [...this.#entries.keys()]) if (!seen.has(key)) this.#remove(key);
    this.#resourceVersion = resourceVersion;
    this.#failures = 0;
    this.#listCount += 1;
    this.#readAtMs = begunAtMs;
    this.#isRefused = false;
    this.#synced.resolve();
    this.#answered.resolve();
  }

  async *#pages(more: Readonly<Record<string, string>> = {}) {
    const { path, query } = this.#options;
    let next: string | undefined;
    do {
      // Half of a list would pass for all of it.
      this.#stop.signal.throwIfAborted();
      const page = await this.#page({
        ...query,
        ...more,
        ...(next === undefined ? {} : { continue: next }),
      });
      const metadata = page.metadata ?? null;
      if (!isJsonObject(metadata)) throw new Error(`${path} answered no list`);
      next = typeof metadata.continue === 'string' ? metadata.continue : '';
      const items = Array.isArray(page.items) ? page.items : [];
      yield {
        resourceVersion: String(metadata.resourceVersion ?? ''),
        items: items.filter((item) => isJsonObject(item)),
      };
    } while (next !== '');
  }

  /**
   * Falls back to pages of one object with rounded numbers, so that one unreadable object does not
   * prevent reading the others.
   */
  async #page(query: Readonly<Record<string, string>>): Promise<JsonObject> {
    const { client, path, pageSize = defaultPageSize } = this.#options;
    const { signal } = this.#stop;
    const ask = (limit: number, mayRound: boolean) =>
      client.expect({
        method: 'GET',
        path,
        query: { ...query, limit },
        deadlineMs: pageDeadlineMs,
        signal,
        mayRound,
        metadataOnly: this.#options.metadataOnly ?? false,
      });
    try {
      return await ask(pageSize, false);
    } catch (error) {
      if (!(error instanceof ApiUnreadable)) throw error;
      return await ask(1, true);
    }
  }

  async #watch(): Promise<void> {
    const { client, path, query, idleMs = defaultIdleMs } = this.#options;
    const timeoutSeconds = watchSeconds.least + Math.floor(Math.random() * watchSeconds.spread);
    const watching = new AbortController();
    this.#watching = watching;
    const signal = AbortSignal.any([this.#stop.signal, watching.signal]);
    await client.watch(
      {
        method: 'GET',
        path,
        metadataOnly: this.#options.metadataOnly ?? false,
        query: {
          ...query,
          watch: true,
          allowWatchBookmarks: true,
          resourceVersion: this.#resourceVersion ?? undefined,
          timeoutSeconds,
        },
      },
      { onLine: (line) => this.#onLine(line), signal, idleMs },
    );
  }

  #onLine(line: string): void {
    const event = parseAnswer(line, true);
    if (!isJsonObject(event) || !isJsonObject(event.object ?? null)) return;
    const object = event.object as JsonObject;
    if (event.type === 'ERROR') {
      const status = typeof object.code === 'number' ? object.code : 500;
      throw new ApiError(`WATCH ${this.#options.path}`, {
        status,
        body: object,
        retryAfterMs: null,
      });
    }
    if (versionOf(object) === '') throw new Error('an event of the watch has no resourceVersion');
    this.#failures = 0;
    this.#isRefused = false;
    if (event.type === 'ADDED' || event.type === 'MODIFIED') this.#follow(object);
    if (event.type === 'DELETED') {
      this.#remove(keyOf(object));
      this.#note(object);
    }
    this.#resourceVersion = versionOf(object);
    this.#readAtMs = this.#options.clock.monotonicMs();
  }

  /** Ignores events older than an object from `learn`. */
  #follow(object: JsonObject): void {
    const entry = this.#entries.get(keyOf(object));
    if (entry !== undefined && isOlder(versionOf(object), entry.resourceVersion)) return;
    this.#put(object);
  }

  #put(object: JsonObject): string {
    const key = keyOf(object);
    const resourceVersion = versionOf(object);
    const entry = this.#entries.get(key);
    if (entry?.resourceVersion === resourceVersion) return key;
    const kept = this.#options.keep(object);
    if (kept === null) {
      this.#remove(key);
      if (this.#newest?.key === key) this.#newest = null;
      return key;
    }
    this.#entries.set(key, { resourceVersion, kept });
    this.#note(object);
    this.#tell({ key, before: entry?.kept ?? null, now: kept });
    return key;
  }

  #note(object: JsonObject): void {
    const resourceVersion = versionOf(object);
    if (isOlder(resourceVersion, this.#newest?.resourceVersion ?? '')) return;
    this.#newest = { key: keyOf(object), resourceVersion };
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#tell({ key, before: entry.kept, now: null });
  }

  #tell(change: InformerChange<T>): void {
    try {
      this.#options.onChange(change);
    } catch (error) {
      this.#options.onError(error, `handling a change of ${change.key}`);
    }
  }
}

function keyOf(object: JsonObject): string {
  const { namespace, name } = metadataOf(object);
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${name}` : String(name);
}

/** The collection of one namespace; the same path for one that already is, or that has none. */
function pathIn(path: string, namespace: string | undefined): string {
  if (namespace === undefined || path.includes('/namespaces/')) return path;
  return path.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`);
}

function versionOf(object: JsonObject): string {
  return String(metadataOf(object).resourceVersion ?? '');
}

/** Resource versions are increasing numbers. */
function isOlder(version: string, than: string): boolean {
  if (version.length !== than.length) return version.length < than.length;
  return version < than;
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = object.metadata ?? null;
  return isJsonObject(metadata) ? metadata : {};
}

/** The history from this version on is gone (410), so everything has to be listed again. */
function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 410 || error.reason === 'Expired');
}

function retryAfterOf(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
}
