/**
 * What the agent remembers about a Pod of its node: the state of its volumes, and running work. After a restart it is read
 * again from the API and from disk.
 *
 * @module
 */
import type { Pod } from "../client/kinds/index.ts";
import type { MadeVolume, NeededVolume, PodEnd, VolumePlugin, VolumeUsage } from "./contract.ts";
import { type VolumeUse, usesOf } from "./uses.ts";

/** The state of a volume of a Pod. */
export interface VolumeRecord {
  /** The last attempt, and its plugin. */
  needed?: NeededVolume;
  plugin?: VolumePlugin;
  /** Set since the first success, also while a repeated call fails (NODE-34). */
  made?: MadeVolume;
  /** Failures since the last success. */
  failures: number;
  /** Why it is not set up, or the last error. */
  why?: string | undefined;
  /** The steady time since when it waits to be attached. */
  waitsSince?: number | undefined;
  usage?: VolumeUsage | undefined;
}

/** See the head of this file. */
export class PodRecord {
  readonly uid: string;
  /** The current or last object; undefined where the Pod was deleted before the agent started. */
  pod: Pod | undefined;
  /** Whether it is deleted from the API. */
  isGone = false;
  /** Whether its volumes are torn down; none is set up any more. */
  isEnding = false;
  /** Why the agent ends it. */
  end: PodEnd | undefined;
  /** The error of the last tear-down, and the failures in a row. */
  why: string | undefined;
  failures = 0;
  /** The last recorded start of each container, by its name. */
  readonly started = new Map<string, string>();
  readonly #volumes = new Map<string, VolumeRecord>();
  readonly #busy = new Set<{ readonly over: AbortController; readonly done: Promise<unknown> }>();

  constructor(uid: string) {
    this.uid = uid;
  }

  /** The volumes that its containers use, by their names; none of an unknown Pod. */
  get uses(): ReadonlyMap<string, VolumeUse> {
    return this.pod ? usesOf(this.pod) : new Map();
  }

  /** The state of a volume. */
  volume(name: string): VolumeRecord {
    const volume = this.#volumes.get(name) ?? { failures: 0 };
    this.#volumes.set(name, volume);
    return volume;
  }

  /** The states of volumes, by their names. */
  get volumes(): ReadonlyMap<string, VolumeRecord> {
    return this.#volumes;
  }

  /** The volumes that are set up, by their names; undefined while a used one is missing (NODE-3). */
  get setUp(): ReadonlyMap<string, MadeVolume> | undefined {
    const made = new Map<string, MadeVolume>();
    for (const name of this.uses.keys()) {
      const volume = this.#volumes.get(name)?.made;
      if (!volume) return undefined;
      made.set(name, volume);
    }
    return made;
  }

  /** Runs work on a volume, which {@link cancelWork} aborts before the Pod's volumes are torn down. */
  async during<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const abort = (): void => over.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    const { promise, resolve } = Promise.withResolvers<void>();
    const busy = { over, done: promise };
    this.#busy.add(busy);
    try {
      return await work(over.signal);
    } finally {
      signal.removeEventListener("abort", abort);
      this.#busy.delete(busy);
      resolve();
    }
  }

  /** Aborts running work; resolves when it has ended. */
  async cancelWork(): Promise<void> {
    const reason = new Error("the Pod has ended");
    for (const { over } of this.#busy) over.abort(reason);
    await Promise.all([...this.#busy].map(({ done }) => done));
  }
}
