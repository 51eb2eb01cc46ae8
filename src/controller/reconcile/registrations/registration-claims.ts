// An index of ContractRegistrations: which of them request the same asset, which one holds the
// registration, which ones wait for it, and which have to be read before the asset may change. It also
// knows the Teams that have to be read before a registration can find its team. Without the index,
// reconciling one object would read ten thousand others.

import { type Asset, defaultEnvironment } from '../../../core/asset.ts';
import { unknownAsset } from '../../../registry/sources/fencing.ts';
import { type ObjectKey, placeOf, type Source, type SourceObject } from '../../source/source.ts';

interface Unread {
  readonly state: 'waits' | 'failed';
  /** Its place among all changes. */
  readonly change: number;
}

type UnreadObject = Pick<Unread, 'state'> & { readonly key: ObjectKey };

type NamedAsset = Pick<Asset, 'fqn' | 'environment'>;

export class RegistrationClaims {
  readonly #source: Pick<Source, 'get'>;
  readonly #byName = new Map<string, Set<ObjectKey>>();
  readonly #names = new Map<ObjectKey, string>();
  /** The first object that claimed each registration, by the registration's id. */
  readonly #holders = new Map<string, ObjectKey>();
  readonly #waiting = new Map<ObjectKey, Set<ObjectKey>>();
  /** Not reconciled since the start, or since they changed. */
  readonly #unread = {
    ContractRegistration: new Map<ObjectKey, Unread>(),
    Team: new Map<ObjectKey, Unread>(),
  };
  /** Registrations that have registered nobody yet, with the number of the last change when each was read. */
  readonly #absent = new Map<ObjectKey, number>();
  /** Registrations that cannot register as they are. */
  readonly #unsettled = new Set<ObjectKey>();
  #changes = 0;
  /** The last change when an object began to wait for those that are unread. */
  readonly #waitsSince = new Map<ObjectKey, number>();
  /** When a waiting object first saw such a registration, as a number of changes. Forgotten when the object changes. */
  readonly #metSince = new Map<ObjectKey, number>();

  constructor(source: Pick<Source, 'get'>) {
    this.#source = source;
  }

  /** Called for each existing object, and for each change of one. */
  note(key: ObjectKey): void {
    // An object that changed waits again, also for what came while it waited before.
    this.#waitsSince.delete(key);
    this.#metSince.delete(key);
    const unread = this.#unreadLike(key);
    if (unread === undefined) return;
    const object = this.#source.get(key);
    if (object === null) {
      unread.delete(key);
      this.#absent.delete(key);
      this.#unsettled.delete(key);
    } else if (!unread.has(key)) {
      this.#changes += 1;
      unread.set(key, { state: 'waits', change: this.#changes });
    }
    if (unread === this.#unread.Team) {
      // A registration may have lacked this team, so each change has such a one read once more.
      this.#metSince.clear();
      return;
    }
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

  noteRead(key: ObjectKey, outcome: 'handled' | 'absent' | 'unsettled' | 'failed'): void {
    const unread = this.#unreadLike(key);
    const change = unread?.get(key)?.change ?? this.#absent.get(key) ?? this.#changes;
    this.#absent.delete(key);
    // What it lacked may be there by now, so a change of the asset waits until it was read again.
    if (outcome === 'absent' || outcome === 'unsettled') {
      this.#changes += 1;
      this.#absent.set(key, this.#changes);
    }
    // It waits for nobody now. Later, it may have to wait for whatever changed since.
    this.#waitsSince.delete(key);
    if (outcome === 'unsettled') this.#unsettled.add(key);
    else this.#unsettled.delete(key);
    if (outcome === 'failed') unread?.set(key, { change, state: 'failed' });
    else unread?.delete(key);
  }

  #unreadLike(key: ObjectKey): Map<ObjectKey, Unread> | undefined {
    const { kind } = placeOf(key);
    return kind === 'ContractRegistration' || kind === 'Team' ? this.#unread[kind] : undefined;
  }

  /** Whether a registration that no one deletes was not handled yet. */
  hasUnread(): boolean {
    const keys = this.#unread.ContractRegistration.keys();
    return keys.some((key) => this.#source.get(key)?.isDeleting === false);
  }

  /** The assets that objects name which cannot register. Such an object may have moved here from another source. */
  unsettled(): ReadonlySet<string> {
    const objects = [...this.#unsettled].flatMap((key) => this.#source.get(key) ?? []);
    const living = objects.filter(({ isDeleting }) => !isDeleting);
    return new Set(
      living.map((object) => (typeof object.spec.fqn === 'string' ? nameOf(object) : unknownAsset)),
    );
  }

  /** The namespaces of those that name this asset. */
  unsettledNamespaces({ fqn, environment }: NamedAsset, asking: ObjectKey): ReadonlySet<string> {
    const others = this.othersLike({ key: asking, spec: { fqn, environment } });
    const unsettled = others.filter(({ key }) => this.#unsettled.has(key));
    return new Set(unsettled.map(({ namespace }) => namespace));
  }

  /**
   * The objects that may register a consumer of the asset, or say what it reads, and that `waiting` has
   * to wait for. It waits for each of them once, however often they change meanwhile: otherwise
   * whoever writes one all the time would keep the asset from changing.
   */
  unreadOf(asset: NamedAsset, waiting: ObjectKey): readonly UnreadObject[] {
    const { fqn, environment } = asset;
    const others = this.othersLike({ key: waiting, spec: { fqn, environment } });
    const keys = others.map(({ key }) => key);
    return [...this.#awaited('ContractRegistration', keys, waiting), ...this.#unmet(keys, waiting)];
  }

  /** Registrations that could not register. Each change of `waiting` has them read once more, and then goes on. */
  #unmet(keys: readonly ObjectKey[], waiting: ObjectKey): readonly UnreadObject[] {
    const absent = keys.filter(
      (key) => this.#absent.has(key) && !this.#unread.ContractRegistration.has(key),
    );
    if (absent.length === 0) return [];
    const since = this.#metSince.get(waiting) ?? this.#changes;
    this.#metSince.set(waiting, since);
    return absent.flatMap((key) =>
      (this.#absent.get(key) ?? 0) > since ? [] : [{ key, state: 'waits' as const }],
    );
  }

  /** The Teams that declare the teams that `waiting` may act for, likewise. */
  unreadTeams(slugs: readonly string[], waiting: ObjectKey): readonly UnreadObject[] {
    const named = [...this.#unread.Team.keys()].filter((key) => slugs.includes(placeOf(key).name));
    const living = named.filter((key) => this.#source.get(key)?.isDeleting === false);
    return this.#awaited('Team', living, waiting);
  }

  #awaited(
    kind: 'ContractRegistration' | 'Team',
    keys: readonly ObjectKey[],
    waiting: ObjectKey,
  ): readonly UnreadObject[] {
    const since = this.#waitsSince.get(waiting) ?? this.#changes;
    const found = keys.flatMap((key) => {
      const unread = this.#unread[kind].get(key);
      return unread === undefined || unread.change > since ? [] : [{ key, state: unread.state }];
    });
    if (found.length > 0) this.#waitsSince.set(waiting, since);
    else this.#waitsSince.delete(waiting);
    return found;
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

  /** Whether another object is to be woken once this one gives way. */
  isAwaited(key: ObjectKey): boolean {
    return (this.#waiting.get(key)?.size ?? 0) > 0;
  }

  /** Returns the objects that waited for this one, which no longer holds a registration. */
  takeWaiting(holder: ObjectKey): Iterable<ObjectKey> {
    this.#waitsSince.delete(holder);
    const waiting = this.#waiting.get(holder) ?? [];
    this.#waiting.delete(holder);
    return waiting;
  }
}

/** @example nameOf({ spec: { fqn: 'shop.orders' } }) // 'production/shop.orders' */
export function nameOf({ spec }: Pick<SourceObject, 'spec'>): string {
  return `${spec.environment ?? defaultEnvironment}/${spec.fqn}`;
}
