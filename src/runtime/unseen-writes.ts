/**
 * Finds objects that were deleted or changed before memory had seen them: no event reports that, so the key that wrote them is added again.
 *
 * Memory misses objects where a watch ends with 410 and the kind is listed again.
 */
import { type ApiObject, type Write, keyOf } from "../client/index.ts";
import type { Informers } from "./informers.ts";
import { concerns } from "./own-writes.ts";
import type { Reflector } from "./reflector.ts";

/** A written object that memory does not have yet, and the key whose reconcile wrote it. */
interface Unseen {
  readonly key: string;
  readonly object: ApiObject;
}

/** The objects that one reflector has not seen, in the order in which they were written. */
interface Awaited {
  readonly unseen: Unseen[];
  readonly progress: Disposable;
}

/** Tracks written objects until memory has seen them. */
export class UnseenWrites implements Disposable {
  readonly #informers: Pick<Informers, "of">;
  readonly #again: (key: string) => void;
  readonly #awaited = new Map<Reflector, Awaited>();

  /** @param again called with the key that wrote an object which was deleted or changed before it was seen */
  constructor(informers: Pick<Informers, "of">, again: (key: string) => void) {
    this.#informers = informers;
    this.#again = again;
  }

  /** Remembers a write of `key`. */
  add(key: string, { verb, kind, answer }: Write): void {
    if (verb === "delete" || verb === "deletecollection") return;
    const object = answer as ApiObject;
    const { resourceVersion } = object.metadata;
    if (!resourceVersion) return;
    for (const reflector of this.#informers.of(kind))
      if (
        reflector.hasSynced &&
        !reflector.hasPassed(resourceVersion) &&
        !isIn(reflector, object) &&
        concerns(reflector, object)
      )
        this.#await(reflector, { key, object });
  }

  [Symbol.dispose](): void {
    for (const { progress } of this.#awaited.values()) progress[Symbol.dispose]();
    this.#awaited.clear();
  }

  #await(reflector: Reflector, one: Unseen): void {
    const known = this.#awaited.get(reflector);
    if (known) known.unseen.push(one);
    else this.#awaited.set(reflector, { unseen: [one], progress: reflector.onProgress(() => this.#look(reflector)) });
  }

  /** Each is checked one after the other, so that an event does not check all of them. */
  #look(reflector: Reflector): void {
    const { unseen, progress } = this.#awaited.get(reflector)!;
    const isOver = ({ object }: Unseen): boolean =>
      reflector.hasEnded || isIn(reflector, object) || reflector.hasPassed(object.metadata.resourceVersion!);
    let over = 0;
    while (over < unseen.length && isOver(unseen[over]!)) over++;
    if (over === 0) return;
    const missed = unseen
      .splice(0, over)
      .filter(({ object }) => !isIn(reflector, object, object.metadata.resourceVersion));
    if (unseen.length === 0) {
      progress[Symbol.dispose]();
      this.#awaited.delete(reflector);
    }
    if (!reflector.hasEnded) for (const { key } of missed) this.#again(key);
  }
}

/** Whether memory has an object, in one version or in any. */
function isIn(reflector: Reflector, object: ApiObject, version?: string): boolean {
  const known = reflector.memory.get(keyOf(object))?.metadata;
  return known?.uid === object.metadata.uid && (version === undefined || known?.resourceVersion === version);
}
