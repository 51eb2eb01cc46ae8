// An index of ContractRegistrations: which of them request the same asset, which one holds the
// registration, and which ones wait for it. Reconciling one object must not read ten thousand
// others.

import { defaultEnvironment } from '../../../core/asset.ts';
import { type ObjectKey, placeOf, type Source, type SourceObject } from '../../source/source.ts';

export class RegistrationClaims {
  readonly #source: Pick<Source, 'get'>;
  readonly #byName = new Map<string, Set<ObjectKey>>();
  readonly #names = new Map<ObjectKey, string>();
  /** The first object that claimed each registration, by the registration's id. */
  readonly #holders = new Map<string, ObjectKey>();
  readonly #waiting = new Map<ObjectKey, Set<ObjectKey>>();

  constructor(source: Pick<Source, 'get'>) {
    this.#source = source;
  }

  /** Called for each existing object, and for each change of one. */
  note(key: ObjectKey): void {
    if (placeOf(key).kind !== 'ContractRegistration') return;
    const object = this.#source.get(key);
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

  /** The other objects that request the same asset and are not being deleted. */
  othersLike(object: SourceObject): readonly SourceObject[] {
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

function nameOf({ spec }: SourceObject): string {
  return `${spec.environment ?? defaultEnvironment}/${spec.fqn}`;
}
