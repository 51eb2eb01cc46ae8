// An index of ContractRegistrations: which of them request the same asset, which one holds the
// registration, which ones wait for it, and which have to be read before the asset may change. Reconciling one object must not read ten thousand
// others.

import { type Asset, defaultEnvironment } from '../../../core/asset.ts';
import { type ObjectKey, placeOf, type Source, type SourceObject } from '../../source/source.ts';

type Unread = 'waits' | 'failed';
type NamedAsset = Pick<Asset, 'fqn' | 'environment'>;

export class RegistrationClaims {
  readonly #source: Pick<Source, 'get'>;
  readonly #byName = new Map<string, Set<ObjectKey>>();
  readonly #names = new Map<ObjectKey, string>();
  /** The first object that claimed each registration, by the registration's id. */
  readonly #holders = new Map<string, ObjectKey>();
  readonly #waiting = new Map<ObjectKey, Set<ObjectKey>>();
  /** Not reconciled since the start, or since they changed. */
  readonly #unread = new Map<ObjectKey, Unread>();

  constructor(source: Pick<Source, 'get'>) {
    this.#source = source;
  }

  /** Called for each existing object, and for each change of one. */
  note(key: ObjectKey): void {
    if (placeOf(key).kind !== 'ContractRegistration') return;
    const object = this.#source.get(key);
    if (object === null) this.#unread.delete(key);
    else if (!this.#unread.has(key)) this.#unread.set(key, 'waits');
    const name = object === null ? undefined : nameOf(object);
    const before = this.#names.get(key);
    if (before === name) return;
    if (before !== undefined) {
      this.#byName.get(before)?.delete(key);
      if (this.#byName.get(before)?.size === 0) this.#byName.delete(before);
    }
    if (name === undefined) this.#names.delete(key);
    else {
      this.#names.set(key, name);
      this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(key));
    }
  }

  noteRead(key: ObjectKey, outcome: 'handled' | 'failed'): void {
    if (outcome === 'handled') this.#unread.delete(key);
    else if (this.#unread.has(key)) this.#unread.set(key, 'failed');
  }

  /** Objects that may register a consumer of the asset, or say what it reads, and were not read yet. */
  *unreadOf(asset: NamedAsset): Iterable<readonly [ObjectKey, Unread]> {
    for (const { key } of this.othersLike({ key: '', spec: { ...asset } })) {
      const unread = this.#unread.get(key);
      if (unread !== undefined) yield [key, unread];
    }
  }

  /** The other objects that request the same asset and are not being deleted. */
  othersLike(object: Pick<SourceObject, 'key' | 'spec'>): readonly SourceObject[] {
    const keys = this.#byName.get(nameOf(object)) ?? [];
    return [...keys].flatMap((key) => {
      const one = key === object.key ? null : this.#source.get(key);
      return one === null || one.isDeleting ? [] : [one];
    });
  }

  holderOf(registrationId: string): ObjectKey | undefined {
    return this.#holders.get(registrationId);
  }

  hold(registrationId: string, key: ObjectKey): void {
    this.#holders.set(registrationId, key);
  }

  /** Notes that `key` is to be woken once the holder gives up the registration. */
  wait(key: ObjectKey, holder: ObjectKey): void {
    this.#waiting.set(holder, (this.#waiting.get(holder) ?? new Set()).add(key));
  }

  /** Returns the objects that waited for this one, which no longer holds a registration. */
  takeWaiting(holder: ObjectKey): Iterable<ObjectKey> {
    const waiting = this.#waiting.get(holder) ?? [];
    this.#waiting.delete(holder);
    return waiting;
  }
}

function nameOf({ spec }: Pick<SourceObject, 'spec'>): string {
  return `${spec.environment ?? defaultEnvironment}/${spec.fqn}`;
}
