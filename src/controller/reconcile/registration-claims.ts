// Which ContractRegistrations ask for the same, which of them has the registration, and which wait
// until it is free. An index, because a look at one object must not read ten thousand others.

import { defaultEnvironment } from '../../core/asset.ts';
import { type ObjectKey, placeOf, type Source, type SourceObject } from '../source/source.ts';

export class RegistrationClaims {
  readonly #source: Pick<Source, 'get'>;
  readonly #byName = new Map<string, Set<ObjectKey>>();
  readonly #names = new Map<ObjectKey, string>();
  /** By the id of the registration: the first object that claimed it. */
  readonly #holders = new Map<string, ObjectKey>();
  readonly #waiting = new Map<ObjectKey, Set<ObjectKey>>();

  constructor(source: Pick<Source, 'get'>) {
    this.#source = source;
  }

  /** Called for each object that is there, and with each change of one. */
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

  /** The other objects that ask for the same asset and are not ending. */
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

  /** Remembers who is to be woken once the holder lets go. */
  wait(key: ObjectKey, holder: ObjectKey): void {
    this.#waiting.set(holder, (this.#waiting.get(holder) ?? new Set()).add(key));
  }

  /** Those that waited for this object, which has no registration any more. */
  takeWaiting(holder: ObjectKey): Iterable<ObjectKey> {
    const waiting = this.#waiting.get(holder) ?? [];
    this.#waiting.delete(holder);
    return waiting;
  }
}

function nameOf({ spec }: SourceObject): string {
  return `${spec.environment ?? defaultEnvironment}/${spec.fqn}`;
}
