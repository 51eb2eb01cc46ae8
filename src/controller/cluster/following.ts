// The objects of one kind, followed in the whole cluster or in some namespaces, each with a watch of its own.

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

  /** From now on, where it was not followed before. */
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

  /** In one namespace, or in all that are followed together with it. */
  values(namespace: string): Iterable<T> {
    return this.#of(namespace)?.values() ?? [];
  }

  learn(namespace: string, object: JsonObject): void {
    this.#of(namespace)?.learn(object);
  }

  /** Settles once everything was read for the first time that is followed by now. */
  async start(): Promise<void> {
    this.#isStarted = true;
    const informers = [...this.#informers.values()];
    for (const informer of informers) informer.start();
    await Promise.all(informers.map((informer) => informer.synced));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.stop()));
  }

  #of(namespace: string): Informer<T> | undefined {
    return this.#informers.get(null) ?? this.#informers.get(namespace);
  }
}
