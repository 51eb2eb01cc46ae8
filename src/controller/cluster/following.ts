// Watches the objects of one kind, in the whole cluster or in some namespaces, with one informer
// per namespace.

import type { JsonObject } from '../../core/value/json.ts';
import type { Informer } from './informer.ts';

export class Following<T> {
  readonly #open: (namespace: string | null) => Informer<T>;
  /** By namespace; `null` follows all of them. */
  readonly #informers = new Map<string | null, Informer<T>>();
  #isStarted = false;

  constructor(
    namespaces: readonly (string | null)[],
    open: (namespace: string | null) => Informer<T>,
  ) {
    this.#open = open;
    for (const namespace of namespaces) this.follow(namespace);
  }

  /** Follows another namespace from now on, unless it is followed already. */
  follow(namespace: string | null): void {
    if (this.#informers.has(null) || this.#informers.has(namespace)) return;
    const informer = this.#open(namespace);
    this.#informers.set(namespace, informer);
    if (this.#isStarted) informer.start();
  }

  /** `namespace/name`. */
  get(key: string): T | null {
    return this.#of(key.slice(0, key.indexOf('/')))?.get(key) ?? null;
  }

  *keys(): Iterable<string> {
    for (const informer of this.#informers.values()) yield* informer.keys();
  }

  /** The objects of the informer that covers the namespace: only this namespace, or all of them. */
  values(namespace: string): Iterable<T> {
    return this.#of(namespace)?.values() ?? [];
  }

  /** By namespace; null for all of them. */
  informers(): ReadonlyMap<string | null, Informer<T>> {
    return this.#informers;
  }

  /** When all of it was read, by the informer that is furthest behind. */
  readAtMs(): number | null {
    const times = [...this.#informers.values()].map((informer) => informer.readAtMs);
    const known = times.filter((time) => time !== null);
    return known.length < times.length || known.length === 0 ? null : Math.min(...known);
  }

  learn(namespace: string, object: JsonObject): void {
    this.#of(namespace)?.learn(object);
  }

  /** Settles once the first list of every current informer is complete. */
  async start(): Promise<void> {
    this.#isStarted = true;
    const informers = [...this.#informers.values()];
    for (const informer of informers) informer.start();
    await Promise.all(informers.map((informer) => informer.synced));
  }

  /** Of one namespace, or null for all of them. */
  informer(namespace: string | null): Informer<T> | undefined {
    return this.#informers.get(namespace);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.stop()));
  }

  #of(namespace: string): Informer<T> | undefined {
    return this.#informers.get(null) ?? this.#informers.get(namespace);
  }
}
