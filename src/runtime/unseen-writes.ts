/**
 * Finds objects that were deleted or changed before memory had seen them: no event reports that, so the key that wrote them is added again.
 *
 * Memory misses objects where a watch ends with 410 and the kind is listed again.
 */
import { type ApiObject, type Key, type Write, keyOf } from "../client/index.ts";
import type { Informers } from "./informers.ts";
import { concerns } from "./own-writes.ts";
import type { Reflector } from "./reflector.ts";
import { isAtLeast } from "./version.ts";

/** A written object that memory does not have yet. */
interface Unseen {
  /** The key whose reconcile wrote it. */
  readonly writer: string;
  readonly key: Key;
  readonly uid: string;
  readonly version: string;
}

/** The objects that one reflector has not seen. */
interface Awaited {
  /** In the order in which they were written. */
  unseen: Unseen[];
  /** About what `unseen` takes. */
  bytes: number;
  /** The newest version of a write that is no longer in `unseen`, as there was no room. */
  forgotten: string | undefined;
  readonly progress: Disposable;
}

/** The bytes of the writes that are tracked for each reflector: some 10,000 writes. */
const MAX_BYTES = 4 << 20;
/** The memory of a write besides its texts. */
const BYTES_OF_ONE = 200;

/** What {@link UnseenWrites} call. */
export interface UnseenWritesListener {
  /** Called with the key that wrote an object which was deleted or changed before it was seen. */
  readonly again: (key: string) => void;
  /** Called when memory has passed writes that are no longer tracked, as there were too many: any key may have to be reconciled again. */
  readonly allAgain: () => void;
}

/** Tracks written objects until memory has seen them. */
export class UnseenWrites implements Disposable {
  readonly #informers: Pick<Informers, "of">;
  readonly #listener: UnseenWritesListener;
  readonly #awaited = new Map<Reflector, Awaited>();

  constructor(informers: Pick<Informers, "of">, listener: UnseenWritesListener) {
    this.#informers = informers;
    this.#listener = listener;
  }

  /** Remembers a write of a reconcile. */
  add(writer: string, { verb, kind, response }: Write): void {
    if (verb === "delete" || verb === "deletecollection") return;
    const object = response as ApiObject;
    const { resourceVersion: version, uid } = object.metadata;
    if (!version) return;
    const one: Unseen = { writer, key: keyOf(object), uid, version };
    for (const reflector of this.#informers.of(kind))
      if (reflector.hasSynced && !reflector.hasPassed(version) && !isIn(reflector, one) && concerns(reflector, object))
        this.#await(reflector, one);
  }

  [Symbol.dispose](): void {
    for (const { progress } of this.#awaited.values()) progress[Symbol.dispose]();
    this.#awaited.clear();
  }

  #await(reflector: Reflector, one: Unseen): void {
    let awaited = this.#awaited.get(reflector);
    if (!awaited) {
      const progress = reflector.onProgress(() => this.#look(reflector));
      this.#awaited.set(reflector, (awaited = { unseen: [], bytes: 0, forgotten: undefined, progress }));
    }
    awaited.unseen.push(one);
    awaited.bytes += bytesOf(one);
    if (awaited.bytes <= MAX_BYTES) return;
    for (const { version } of awaited.unseen)
      if (awaited.forgotten === undefined || isAtLeast(version, awaited.forgotten)) awaited.forgotten = version;
    awaited.unseen = [];
    awaited.bytes = 0;
  }

  /** Each is looked at in its turn: none is looked at again for each event. */
  #look(reflector: Reflector): void {
    const awaited = this.#awaited.get(reflector)!;
    const { unseen, forgotten } = awaited;
    const isOver = (one: Unseen): boolean =>
      reflector.hasEnded || isIn(reflector, one) || reflector.hasPassed(one.version);
    const passes = forgotten !== undefined && (reflector.hasEnded || reflector.hasPassed(forgotten));
    let over = 0;
    while (over < unseen.length && isOver(unseen[over]!)) over++;
    if (over === 0 && !passes) return;
    const seen = unseen.splice(0, over);
    for (const one of seen) awaited.bytes -= bytesOf(one);
    if (passes) awaited.forgotten = undefined;
    const missed = seen.filter((one) => !isIn(reflector, one, one.version));
    if (unseen.length === 0 && awaited.forgotten === undefined) {
      awaited.progress[Symbol.dispose]();
      this.#awaited.delete(reflector);
    }
    if (reflector.hasEnded) return;
    for (const { writer } of missed) this.#listener.again(writer);
    if (passes) this.#listener.allAgain();
  }
}

/** Whether memory has an object, in one version or in any. */
function isIn(reflector: Reflector, { key, uid }: Unseen, version?: string): boolean {
  const known = reflector.memory.get(key)?.metadata;
  return known?.uid === uid && (version === undefined || known.resourceVersion === version);
}

const bytesOf = ({ writer, key, uid, version }: Unseen): number =>
  BYTES_OF_ONE + 2 * (writer.length + (key.namespace?.length ?? 0) + key.name.length + uid.length + version.length);
